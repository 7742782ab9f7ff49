#include "report/format.h"

#include "report/report_file.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

const struct report_format *report_format_find(const char *name)
{
    for (const struct report_format *const *format = report_format_list; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}

const char *report_format_names(bool readable, char *text)
{
    const struct report_format *last = NULL;
    size_t used = 0;
    for (const struct report_format *const *format = report_format_list; *format; format++)
        last = !readable || (*format)->read ? *format : last;
    for (const struct report_format *const *format = report_format_list; *format; format++) {
        if (readable && !(*format)->read)
            continue;
        const char *separator = used == 0 ? "" : *format == last ? " or " : ", ";
        used += (size_t)snprintf(text + used, REPORT_FORMAT_NAMES - used, "%s%s", separator,
                                 (*format)->name);
        assert(used < REPORT_FORMAT_NAMES);
    }
    return text;
}

/* What one of the format's three writers writes; the other members are NULL. */
struct job {
    const struct report_format *format;
    const struct severity *run;
    const struct comparison *comparison;
    const struct replay_report *replay;
};

static bool write_job(const void *what, FILE *stream)
{
    const struct job *job = what;
    if (job->replay)
        return job->format->write_replay(job->replay, stream);
    if (job->comparison)
        return job->format->write_comparison(job->comparison, stream);
    return job->format->write_run(job->run, stream);
}

enum status report_write(const struct report *report, const struct report_format *format,
                         const char *path, struct error *error)
{
    const bool two = report->before && report->after;
    assert((report->run != NULL) + two + (report->replay != NULL) == 1);
    assert(!report->replay || format->write_replay);
    struct job job = {.format = format, .run = report->run, .replay = report->replay};
    struct comparison comparison = {NULL, NULL};
    struct severity *difference = NULL;
    enum status status = STATUS_OK;
    if (two && format->write_comparison) {
        status = comparison_create(report->before, report->after, &comparison, error);
        job.comparison = &comparison;
    } else if (two) {
        status = severity_difference(report->after, report->before, &difference, error);
        job.run = difference;
    }
    if (status == STATUS_OK)
        status = report_file_write(path, write_job, &job, error);
    comparison_destroy(&comparison);
    severity_destroy(difference);
    return status;
}

enum status report_write_replay(const struct replay_report *replay,
                                const struct report_format *format, const char *directory,
                                struct error *error)
{
    const struct report whole = {.replay = replay}, sides[] = {{.run = replay->comparison.before},
                                                               {.run = replay->comparison.after}};
    const struct report *reports = format->write_replay ? &whole : sides;
    enum status status = STATUS_OK;
    for (int i = 0; i < (format->write_replay ? 1 : 2) && status == STATUS_OK; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", directory, format->replay_files[i]) >= PATH_MAX)
            return error_set(error, STATUS_INPUT, "the output directory's name is too long: %s",
                             directory);
        status = report_write(&reports[i], format, path, error);
    }
    return status;
}
