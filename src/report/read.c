/* Reads a severity file: loads the whole file, and passes it to the format that recognises it. */
#include "report/format.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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
static enum status read_all(gzFile stream, const char *path, struct content *content,
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

static enum status load_file(const char *path, struct content *content, struct error *error)
{
    gzFile stream = gzopen(path, "rb");
    if (!stream)
        return error_set(error, STATUS_INPUT, "%s: cannot open: %s", path,
                         strerror(errno ? errno : ENOMEM));
    enum status status = read_all(stream, path, content, error);
    gzclose_r(stream);
    return status;
}

static enum status read_content(const struct severity_file *file, struct severity **severity,
                                struct error *error)
{
    if (file->size == 0)
        return error_set(error, STATUS_INPUT, "%s: the file is empty", file->path);
    for (const struct report_format *const *format = report_format_list; *format; format++)
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
    struct content content = {{0}};
    *run = NULL;
    enum status status = load_file(path, &content, error);
    if (status == STATUS_OK) {
        struct severity_file file = {path, content.bytes.items, content.bytes.count};
        status = read_content(&file, run, error);
    }
    free(content.bytes.items);
    return status;
}
