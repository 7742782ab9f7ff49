/* Signals of plug-ins: a number for each rank over time, in which silas-structure searches for
 * periods. */
#ifndef STRUCTURE_SAMPLING_H
#define STRUCTURE_SAMPLING_H

#include "trace/trace.h"

/* A part of the time, in equal bins. */
struct sampling {
    uint64_t begin, end; /* ticks */
    double width;        /* of a bin */
    double *sums;        /* [count]: of values times ticks */
    size_t count;
};

/* Adds `value` from the time `from` up to `to`, in ticks; what is outside of the samples is
 * ignored. */
void sampling_add(struct sampling *sampling, uint64_t from, uint64_t to, double value);

struct signal_kind {
    const char *name;        /* after --signal */
    const char *description; /* for --help */
    /* Adds what one rank contributes, in any order. Not collective. False if out of memory. */
    bool (*sample)(const struct trace *trace, const struct stream *stream,
                   struct sampling *sampling);
};

/* The signals of plug-ins; the list ends with NULL. The built-in ones are in structure/signals.h.
 */
const struct signal_kind *const *signal_list(void);
bool signal_list_add(const struct signal_kind *kind); /* false if out of memory */
bool signal_is_built_in(const char *name);

#endif
