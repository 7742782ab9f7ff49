#include "programs/replay_files.h"

#include "report/difference_tsv.h"
#include "report/replay_json.h"
#include "report/replay_text.h"
#include "report/severity_format.h"
#include "trace/save.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { FILE_TEXT, FILE_JSON, FILE_TSV, FILE_BEFORE, FILE_AFTER, FILE_TRACE };

const char *const replay_file_names[] = {
    [FILE_TEXT] = "report.txt",
    [FILE_JSON] = "report.json",
    [FILE_TSV] = "difference.tsv",
    [FILE_BEFORE] = "before.cubex",
    [FILE_AFTER] = "after.cubex",
    [FILE_TRACE] = "predicted",
    NULL,
};

static void write_text(const struct replay_report *report, FILE *file)
{
    replay_text_write(report, file, false);
}

static void write_tsv(const struct replay_report *report, FILE *file)
{
    difference_tsv_write(&report->comparison, file);
}

static enum status write_file(const struct replay_report *report, const char *path,
                              void (*write)(const struct replay_report *, FILE *),
                              struct error *error)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    errno = 0;
    write(report, file);
    int failed = ferror(file), cause = errno;
    if (fclose(file) != 0 && !failed) {
        failed = 1;
        cause = errno;
    }
    if (failed)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path, strerror(cause));
    return STATUS_OK;
}

/* Into `path` (PATH_MAX); fails if that is too long. */
static enum status path_of(const char *directory, int file, char *path, struct error *error)
{
    if (snprintf(path, PATH_MAX, "%s/%s", directory, replay_file_names[file]) >= PATH_MAX)
        return error_set(error, STATUS_INPUT, "the output directory's name is too long: %s",
                         directory);
    return STATUS_OK;
}

/* Both sides: whoever reads Cube files subtracts them. */
static enum status write_cubex(const struct comparison *comparison, const char *directory,
                               struct error *error)
{
    const struct severity *const sides[] = {comparison->before, comparison->after};
    const struct severity_format *cubex = severity_format_find("cubex");
    char path[PATH_MAX];
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        status = path_of(directory, FILE_BEFORE + side, path, error);
        if (status == STATUS_OK)
            status = severity_write(sides[side], cubex, path, error);
    }
    return status;
}

static enum status write_reports(const struct replay_report *report,
                                 const struct replay_config *config, const char *directory,
                                 struct error *error)
{
    char path[PATH_MAX];
    enum status status = STATUS_OK;
    if (config->format_text) {
        status = path_of(directory, FILE_TEXT, path, error);
        if (status == STATUS_OK)
            status = write_file(report, path, write_text, error);
    }
    if (config->format_json && status == STATUS_OK) {
        status = path_of(directory, FILE_JSON, path, error);
        if (status == STATUS_OK)
            status = replay_json_write(report, path, error);
    }
    if (config->format_tsv && status == STATUS_OK) {
        status = path_of(directory, FILE_TSV, path, error);
        if (status == STATUS_OK)
            status = write_file(report, path, write_tsv, error);
    }
    if (config->format_cubex && status == STATUS_OK)
        status = write_cubex(&report->comparison, directory, error);
    return status;
}

enum status replay_files_write(const struct replay_report *report,
                               const struct replay_session *shown, const char *directory,
                               struct error *error)
{
    enum status status = STATUS_OK;
    char path[PATH_MAX];
    if (shown->processes->rank == 0)
        status = write_reports(report, shown->config, directory, error);
    if (status == STATUS_OK)
        status = path_of(directory, FILE_TRACE, path, error);
    status = processes_agree(shown->processes, status, error);
    if (status == STATUS_OK && shown->config->write_trace)
        status = trace_save(replay_session_after(shown), path, error);
    return status;
}
