/* Severity files: the formats in which one severity store is written and read again. */
#ifndef REPORT_SEVERITY_FORMAT_H
#define REPORT_SEVERITY_FORMAT_H

#include "severity/severity.h"

#include <stdio.h>

/* A whole file in memory; `data` ends with a byte of 0 that `size` does not count. */
struct severity_file {
    const char *path; /* for messages */
    const unsigned char *data;
    size_t size;
};

struct severity_format {
    const char *name, *description;
    bool binary; /* nothing to print on a terminal */
    /* False when memory is out or the stream does not take it (ferror). */
    bool (*write)(const struct severity *severity, FILE *stream);

    /* NULL where a format is only written. `recognises` looks at the first bytes; `read` then words
     * what is wrong with the rest. */
    bool (*recognises)(const struct severity_file *file);
    enum status (*read)(const struct severity_file *file, struct severity **severity,
                        struct error *error);
};

extern const struct severity_format *const severity_format_list[]; /* NULL-terminated */

/* NULL if there is none of that name. */
const struct severity_format *severity_format_find(const char *name);

/* Writes to a file (under a temporary name beside it, renamed when complete), or to standard output
 * if `path` is NULL. */
enum status severity_write(const struct severity *severity, const struct severity_format *format,
                           const char *path, struct error *error);

/* Reads a file in whatever format it is, gzipped or not. The caller destroys the store. */
enum status severity_read(const char *path, struct severity **severity, struct error *error);

#endif
