/* The common part of all formats: finding a format by name, writing a report, and reading a file in
 * any format. */
#include "report/format.h"

#include "base/array.h"
#include "base/output.h"
#include "report/lines.h"
#include "report/report_file.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const struct report_format *report_format_find(const char *name)
{
    assert(name);
    for (const struct report_format *const *format = report_format_list(); *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}

const char *report_format_names(bool readable, char *text)
{
    const struct report_format *last = NULL;
    size_t used = 0;
    for (const struct report_format *const *format = report_format_list(); *format; format++)
        last = !readable || (*format)->read ? *format : last;
    for (const struct report_format *const *format = report_format_list(); *format; format++) {
        if (readable && !(*format)->read)
            continue;
        const char *separator = used == 0 ? "" : *format == last ? " or " : ", ";
        used += (size_t)snprintf(text + used, REPORT_FORMAT_NAMES - used, "%s%s", separator,
                                 (*format)->name);
        if (used >= REPORT_FORMAT_NAMES)
            break;
    }
    return text;
}

/* The arguments of one of the format's writers; the other members are NULL. */
struct format_job {
    const struct report_format *format;
    const struct report *report;
    const struct severity *run;
    const struct comparison *comparison;
    const struct replay_report *replay;
};

static bool write_job(const void *what, FILE *stream)
{
    const struct format_job *job = what;
    if (job->format->write)
        return job->format->write(job->report, job->comparison, stream);
    if (job->replay)
        return job->format->write_replay(job->replay, stream);
    if (job->comparison)
        return job->format->write_comparison(job->comparison, stream);
    return job->format->write_run(job->run, stream);
}

enum status report_write(const struct report *report, const struct report_format *format,
                         const char *path, struct error *error)
{
    assert((report->run != NULL) + (report->before != NULL) + (report->replay != NULL) == 1);
    const bool two = report->before && report->after;
    assert((report->run != NULL) + two + (report->replay != NULL) == 1);
    assert(!report->replay || format->write_replay || format->write);
    struct format_job job = {
        .format = format, .report = report, .run = report->run, .replay = report->replay};
    struct comparison comparison = {.before = NULL};
    struct severity *difference = NULL;
    enum status status = STATUS_OK;
    if (two && (format->write_comparison || format->write)) {
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

enum status report_write_together(struct severity **local, const struct processes *processes,
                                  const struct report_details *details,
                                  const struct report_format *format, const char *path,
                                  struct error *error)
{
    struct severity *whole = NULL;
    enum status status = STATUS_OK;
    if (format->lines && processes->size > 1) {
        status = lines_write_together(format->lines, *local, processes, path, error);
    } else {
        status = severity_gather(local, processes, &whole, error);
        if (status == STATUS_OK && whole)
            status = report_write(&(struct report){.run = whole, .details = details}, format, path,
                                  error);
        status = processes_agree(processes, status, error);
    }
    severity_destroy(whole);
    severity_destroy(*local);
    *local = NULL;
    return status;
}

enum status report_write_replay(const struct report *report, const struct report_format *format,
                                const char *directory, struct error *error)
{
    assert(report->replay);
    const struct comparison *comparison = &report->replay->comparison;
    const struct report sides[] = {{.run = comparison->before}, {.run = comparison->after}};
    const bool whole = format->write_replay || format->write;
    const struct report *reports = whole ? report : sides;
    enum status status = STATUS_OK;
    for (int i = 0; i < (whole ? 1 : 2) && status == STATUS_OK; i++) {
        char path[PATH_MAX];
        status = output_path(directory, format->replay_files[i], path, error);
        if (status == STATUS_OK)
            status = report_write(&reports[i], format, path, error);
    }
    return status;
}

enum { READ_STEP = 1 << 20 };

struct content {
    ARRAY(unsigned char) bytes;
};

static enum status read_error(gzFile stream, const char *path, struct error *error)
{
    int code;
    const char *text = gzerror(stream, &code);
    if (code == Z_MEM_ERROR)
        return error_memory(error, path);
    return error_set(error, STATUS_INPUT, "%s: cannot read: %s", path,
                     code == Z_ERRNO ? strerror(errno) : text);
}

/* zlib returns the bytes of a file that is not gzipped unchanged. */
static enum status read_whole_file(gzFile stream, const char *path, struct content *content,
                                   struct error *error)
{
    for (;;) {
        if (!array_reserve(&content->bytes, READ_STEP + 1))
            return error_memory(error, path);
        unsigned char *end = content->bytes.items + content->bytes.count;
        int got = gzread(stream, end, READ_STEP);
        if (got < 0)
            return read_error(stream, path, error);
        content->bytes.count += (size_t)got;
        content->bytes.items[content->bytes.count] = '\0';
        if (got < READ_STEP)
            break;
    }
    int code; /* reports a gzipped file that ends too early */
    gzerror(stream, &code);
    return code == Z_OK || code == Z_STREAM_END ? STATUS_OK : read_error(stream, path, error);
}

static enum status load_severity_file(const char *path, struct content *content,
                                      struct error *error)
{
    gzFile stream = gzopen(path, "rb");
    if (!stream)
        return error_set(error, STATUS_INPUT, "%s: cannot open: %s", path,
                         strerror(errno ? errno : ENOMEM));
    enum status status = read_whole_file(stream, path, content, error);
    gzclose_r(stream);
    return status;
}

static enum status read_content(const struct severity_file *file, struct severity **severity,
                                struct error *error)
{
    if (file->size == 0)
        return error_set(error, STATUS_INPUT, "%s: the file is empty", file->path);
    for (const struct report_format *const *format = report_format_list(); *format; format++)
        if ((*format)->read && (*format)->recognises(file))
            return (*format)->read(file, severity, error);
    char names[REPORT_FORMAT_NAMES];
    return error_set(error, STATUS_INPUT,
                     "%s: not a severity file (%s, as silas-analyze, Scalasca and Score-P write "
                     "them)",
                     file->path, report_format_names(true, names));
}

enum status report_read(const char *path, struct severity **run, struct error *error)
{
    assert(path && run);
    struct content content = {{0}};
    *run = NULL;
    enum status status = load_severity_file(path, &content, error);
    if (status == STATUS_OK) {
        struct severity_file file = {path, content.bytes.items, content.bytes.count};
        status = read_content(&file, run, error);
    }
    free(content.bytes.items);
    return status;
}
