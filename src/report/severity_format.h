/* Formats in which one severity store can be written. */
#ifndef REPORT_SEVERITY_FORMAT_H
#define REPORT_SEVERITY_FORMAT_H

#include "severity/severity.h"

#include <stdio.h>

struct severity_format {
    const char *name, *description;
    /* False when memory is out or the stream does not take it (ferror). */
    bool (*write)(const struct severity *severity, FILE *stream);
};

extern const struct severity_format severity_tsv, severity_text;
extern const struct severity_format *const severity_format_list[]; /* NULL-terminated */

/* NULL if there is none of that name. */
const struct severity_format *severity_format_find(const char *name);

/* Writes to a file (under a temporary name beside it, renamed when complete), or to standard output
 * if `path` is NULL. */
enum status severity_write(const struct severity *severity, const struct severity_format *format,
                           const char *path, struct error *error);

#endif
