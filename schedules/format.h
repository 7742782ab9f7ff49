/* Formats into which silas-export writes traces: one file each, and their list (format_list.c).
 * format_template.c is where to start a new one. */
#ifndef SCHEDULES_FORMAT_H
#define SCHEDULES_FORMAT_H

#include "trace/trace.h"

struct export_options {
    const char *path; /* of the output; "-": standard output */
    bool messages;    /* collective operations as the messages they consist of */
    bool overwrite;   /* a directory that a former export has written */
};

struct export_format {
    const char *name, *description; /* for --format and --help */
    bool several_files;             /* so it cannot be written to standard output */
    /* Collective. The trace is matched, and its communication would run to its end. Nothing is
     * left of the output if it fails. */
    enum status (*write)(const struct trace *trace, const struct export_options *options,
                         struct error *error);
};

extern const struct export_format *const export_format_list[]; /* NULL-terminated */

/* NULL if no format has that name. */
const struct export_format *export_format_find(const char *name);

enum { EXPORT_FORMAT_NAMES = 256 }; /* bytes, enough for the names of all formats */

/* "goal or simgrid". `text` has room for EXPORT_FORMAT_NAMES bytes and is returned. */
const char *export_format_names(char *text);

#endif
