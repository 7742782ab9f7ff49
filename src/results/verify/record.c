#include "results/verify/record.h"

#include "base/launcher.h"
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool put_words(struct bytes *line, const char *words)
{
    return bytes_put(line, words, strlen(words));
}

/* The tracer in the folder of this program; if it is not there, its name, to be found by PATH. */
static void find_tracer(char path[PATH_MAX])
{
    static const char name[] = "silas-trace";
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof name - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) {
        strcpy(slash + 1, name);
        if (access(path, X_OK) == 0)
            return;
    }
    strcpy(path, name);
}

static bool filter_path(const struct recording_job *job, char path[PATH_MAX])
{
    return (size_t)snprintf(path, PATH_MAX, "%s/truth.filter", job->folder) < PATH_MAX;
}

static bool put_filter(const struct recording_job *job, struct bytes *line)
{
    char path[PATH_MAX];
    return !job->filter ||
           (filter_path(job, path) && put_words(line, " --filter ") && shell_put_word(line, path));
}

static enum status write_filter(const struct recording_job *job, struct error *error)
{
    char path[PATH_MAX];
    if (!job->filter)
        return STATUS_OK;
    FILE *file = filter_path(job, path) ? fopen(path, "we") : NULL;
    const bool written = file && fprintf(file, "%s\n", job->filter) >= 0;
    if (!file || fclose(file) != 0 || !written)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    return STATUS_OK;
}

static bool make_recording_command(const struct recording_job *job, const char *folder,
                                   struct bytes *line)
{
    char tracer[PATH_MAX];
    find_tracer(tracer);
    return launcher_put(line, job->launcher, job->ranks) && put_words(line, " ") &&
           shell_put_word(line, tracer) && put_words(line, " --overwrite -o ") &&
           shell_put_word(line, folder) && put_filter(job, line) &&
           put_words(line, job->options ? " " : "") &&
           put_words(line, job->options ? job->options : "") && put_words(line, " ") &&
           put_words(line, job->program) && put_words(line, " </dev/null 1>&2") &&
           bytes_put(line, "", 1);
}

/* One recording. Sets `*path` to its folder. */
static enum status record_truth(const struct recording_job *job, size_t number, char **path,
                                struct error *error)
{
    struct bytes line = {0};
    char folder[PATH_MAX];
    int result = 0;
    if ((size_t)snprintf(folder, sizeof folder, "%s/truth-%zu", job->folder, number) >=
        sizeof folder)
        return error_set(error, STATUS_INPUT, "%s: the name is too long", job->folder);
    *path = strdup(folder);
    enum status status = *path && make_recording_command(job, folder, &line)
                             ? shell_run(line.data, &result, error)
                             : error_memory(error, "the command of a recording");
    if (status == STATUS_OK && result != 0)
        status = error_set(error, STATUS_INPUT, "the recording of \"%s\" %s: %s", job->program,
                           shell_ending(result), line.data);
    bytes_clear(&line);
    return status;
}

enum status record_truths(const struct recording_job *job, char **paths, struct error *error)
{
    assert(job->program && job->folder && job->ranks >= 1);
    enum status status = launcher_check(job->launcher, error);
    if (status == STATUS_OK)
        status = write_filter(job, error);
    for (size_t i = 0; i < job->count; i++)
        paths[i] = NULL;
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++)
        status = record_truth(job, i + 1, &paths[i], error);
    for (size_t i = 0; i < job->count && status != STATUS_OK; i++) {
        free(paths[i]);
        paths[i] = NULL;
    }
    return status;
}
