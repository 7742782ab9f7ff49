#include "programs/replay_files.h"

#include "programs/timeline_output.h"
#include "report/json/replay.h"
#include "report/severity_format.h"
#include "report/text/replay.h"
#include "report/tsv/difference.h"
#include "trace/save/save.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *const replay_file_names[] = {
    [REPLAY_FILE_TEXT] = "report.txt",    [REPLAY_FILE_JSON] = "report.json",
    [REPLAY_FILE_TSV] = "difference.tsv", [REPLAY_FILE_BEFORE] = "before.cubex",
    [REPLAY_FILE_AFTER] = "after.cubex",  [REPLAY_FILE_TIMELINE] = "timeline.html",
    [REPLAY_FILE_TRACE] = "predicted",    [REPLAY_FILE_COUNT] = NULL,
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

enum status replay_file_path(const char *directory, enum replay_file file, char *path,
                             struct error *error)
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
        status = replay_file_path(directory, side == 0 ? REPLAY_FILE_BEFORE : REPLAY_FILE_AFTER,
                                  path, error);
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
        status = replay_file_path(directory, REPLAY_FILE_TEXT, path, error);
        if (status == STATUS_OK)
            status = write_file(report, path, write_text, error);
    }
    if (config->format_json && status == STATUS_OK) {
        status = replay_file_path(directory, REPLAY_FILE_JSON, path, error);
        if (status == STATUS_OK)
            status = replay_json_write(report, path, error);
    }
    if (config->format_tsv && status == STATUS_OK) {
        status = replay_file_path(directory, REPLAY_FILE_TSV, path, error);
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
        status = replay_file_path(directory, REPLAY_FILE_TRACE, path, error);
    status = processes_agree(shown->processes, status, error);
    if (status == STATUS_OK && shown->config->write_trace)
        status = trace_save(replay_session_after(shown), path, error);
    if (status == STATUS_OK && shown->config->write_timeline)
        status = timeline_output_of_session(shown, directory, error);
    return status;
}
