/* exchange/exports/: a trace in formats of other tools, one file each; format_list.c names them
 * all, and format_template.c is where to start a new one.
 *
 *   goal.c, simgrid.c    schedules for simulators (exchange/schedules/schedule.h)
 *   perfetto.c           a time line, in protobuf.h's encoding
 *   csv.c, folded.c      tables for scripts; stacks for flame graphs */
#ifndef EXPORTS_FORMAT_H
#define EXPORTS_FORMAT_H

#include "trace/trace.h"

struct export_options {
    const char *path;           /* of the output; "-": standard output */
    bool messages;              /* collective operations as the messages they consist of */
    bool overwrite;             /* a directory that a former export has written */
    bool together;              /* all ranks as one */
    uint64_t largest;           /* bytes; a time line that is longer gets several files. 0: 2 GB */
    const struct trace *beside; /* a second trace, matched, to be compared with; NULL: none */
    const char *labels[2];      /* what the user calls the two */
};

struct export_format {
    const char *name, *description; /* for --format and --help */
    bool several_files;             /* so it cannot be written to standard output */
    bool binary;                    /* not for terminals */
    bool runs;                      /* its readers run the communication, so it must be able to end:
                                       the trace has passed the pre-flight check */
    bool sums;                      /* it can take all ranks as one */
    bool compares;                  /* it can show two traces for comparison */
    /* Collective. The trace is matched. The bytes do not depend on the number of processes. Nothing
     * is left of the output if it fails. */
    enum status (*write)(const struct trace *trace, const struct export_options *options,
                         struct error *error);
};

/* For base/descriptors.h. */
extern const struct export_format *const export_format_list[];

#endif
