#include "programs/local_jobs.h"

#include "base/cpus.h"
#include "programs/option_values.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 256 };

/* It takes about 1 ms to fork a process and to distribute the work, and 20 ms to search 4 MB. */
static const double BYTES_PER_PROCESS = 4e6;

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

int local_jobs(char **operands)
{
    const char *text = getenv("SILAS_JOBS");
    struct cpu_mask mine;
    double bytes = 0;
    if (wanted > 0)
        return (int)wanted;
    if (text && atoi(text) >= 1)
        return atoi(text) < MOST ? atoi(text) : MOST;
    for (; *operands; operands++)
        bytes += trace_bytes(*operands);
    cpus_of_process(&mine);
    const int cores = cpus_count_cores(&mine, CPUS_FOLDER);
    const double most = bytes / BYTES_PER_PROCESS;
    const int least = cores < MOST ? cores : MOST;
    return most < 1 ? 1 : most < least ? (int)most : least;
}
