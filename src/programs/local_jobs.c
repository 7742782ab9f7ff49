#include "programs/local_jobs.h"

#include "base/cpus.h"
#include "base/ini.h"
#include "programs/option_values.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 256 };

/* Bytes of traces per process. It takes about 1 ms to fork a process and to distribute the work. A
 * process searches 4 MB for waits in 20 ms, and predicts 1 MB in 50 ms. */
static const double SEARCHED_BYTES = 4e6, PREDICTED_BYTES = 1e6;

const char *local_jobs_text;
static uint64_t wanted; /* 0: not given */

int local_jobs_check(const struct program *program)
{
    return option_whole(program, "--jobs", local_jobs_text, 1, MOST, &wanted);
}

/* Bytes of the files in a folder. */
static double folder_bytes(const char *path)
{
    double bytes = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat file;
        if (fstatat(dirfd(folder), entry->d_name, &file, 0) == 0 && S_ISREG(file.st_mode))
            bytes += (double)file.st_size;
    }
    if (folder)
        closedir(folder);
    return bytes;
}

/* Bytes of the events of a trace; 0 if it is none. `path`: its anchor file NAME.otf2, which is next
 * to the folder NAME, or the folder that contains them. */
static double trace_bytes(const char *path)
{
    static const char suffix[] = ".otf2";
    const size_t length = strlen(path), end = sizeof suffix - 1;
    char name[PATH_MAX];
    double bytes = 0;
    if (length > end && strcmp(path + length - end, suffix) == 0) {
        if ((size_t)snprintf(name, sizeof name, "%.*s", (int)(length - end), path) < sizeof name)
            bytes = folder_bytes(name);
        return bytes;
    }
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const size_t letters = strlen(entry->d_name);
        if (letters > end && strcmp(entry->d_name + letters - end, suffix) == 0 &&
            (size_t)snprintf(name, sizeof name, "%s/%.*s", path, (int)(letters - end),
                             entry->d_name) < sizeof name)
            bytes += folder_bytes(name);
    }
    if (folder)
        closedir(folder);
    return bytes;
}

/* Bytes of the events of the traces that a configuration names; 0 if it cannot be read, which is
 * reported later. */
static double configured_bytes(const char *path)
{
    struct ini *ini = NULL;
    struct error ignored;
    struct stat file;
    double bytes = 0;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || ini_load(path, &ini, &ignored))
        return 0;
    const struct ini_section *section = ini_find_section(ini, "trace");
    for (size_t i = 0; section && i < section->entry_count; i++) {
        const struct ini_entry *entry = &section->entries[i];
        const char *trace = strcmp(entry->key, "path") == 0
                                ? ini_resolve(ini, entry->value, strlen(entry->value))
                                : NULL;
        bytes += trace ? trace_bytes(trace) : 0;
    }
    ini_destroy(ini);
    return bytes;
}

static int jobs_of(char **operands, double (*bytes_of)(const char *), double bytes_per_process)
{
    const char *text = getenv("SILAS_JOBS");
    struct cpu_mask mine;
    double bytes = 0;
    if (wanted > 0)
        return (int)wanted;
    if (text && atoi(text) >= 1)
        return atoi(text) < MOST ? atoi(text) : MOST;
    for (; *operands; operands++)
        bytes += bytes_of(*operands);
    cpus_of_process(&mine);
    const int cores = cpus_count_cores(&mine, CPUS_FOLDER);
    const double most = bytes / bytes_per_process;
    const int least = cores < MOST ? cores : MOST;
    return most < 1 ? 1 : most < least ? (int)most : least;
}

int local_jobs(char **operands)
{
    return jobs_of(operands, trace_bytes, SEARCHED_BYTES);
}

static double asked_bytes(const char *operand)
{
    return configured_bytes(operand) + trace_bytes(operand);
}

int local_jobs_of_question(char **operands)
{
    return jobs_of(operands, asked_bytes, PREDICTED_BYTES);
}
