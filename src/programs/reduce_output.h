/* The summary of silas-reduce, as text and as JSON (doc/reduction.md). */
#ifndef PROGRAMS_REDUCE_OUTPUT_H
#define PROGRAMS_REDUCE_OUTPUT_H

#include "trace/folded/loops.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct reduce_result {
    const char *path, *directory;
    const char *assumptions; /* "waits at_least=0.001; scale region=foo" */
    int64_t events_before, events_after;
    int64_t messages_before, messages_after;
    int64_t operations_before, operations_after; /* members' parts in collective operations */
    int64_t bytes_before, bytes_after;           /* of the archives' files */
    const struct loops_outcome *loops;           /* NULL: loops are not folded */
    double error_of_t; /* rounding changes predictions by less than this part of T; 0: none */
    double tick_s;     /* the length of a tick */
    uint64_t quantum;  /* ticks by which rounding may move a time stamp */
};

/* Writers of a struct reduce_result for report_file_write. */
bool reduce_write_text(const void *result, FILE *stream);
bool reduce_write_json(const void *result, FILE *stream);

#endif
