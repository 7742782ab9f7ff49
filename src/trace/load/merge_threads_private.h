/* Shared by merge_threads.c and merge_ends.c. */
#ifndef TRACE_MERGE_THREADS_PRIVATE_H
#define TRACE_MERGE_THREADS_PRIVATE_H

#include "base/array.h"
#include "base/status.h"
#include "trace/trace.h"

/* Rows of one call that communicates, or of one event of communication outside all calls. */
struct block {
    uint64_t begin, end; /* ticks */
    uint32_t source;     /* 0: the rank's own stream, which is not moved; else of `sources` */
    uint32_t first, last;
};

struct source {
    struct stream *stream;
    uint32_t *new_row; /* [count]; INDEX_NONE: stays in its stream */
    uint32_t messages, collectives, rma_ops, rma_syncs, flushes,
        others; /* where its records begin in the new tables */
};

struct merge {
    struct trace *trace;
    struct source *sources;
    uint32_t source_count;
    ARRAY(struct block) blocks;
    struct stream merged; /* columns are in the trace's arena */
    ARRAY(uint32_t) path; /* call paths of the main thread's open regions */
    ARRAY(uint32_t) block_path;
    uint64_t earliest;                          /* no row may be before */
    uint32_t *message_alias, *collective_alias; /* what a stand-in of the merged tables stands for;
                                                   INDEX_NONE: it is none */
};

/* Joins requests and matched messages of several threads, after the tables have been joined and
 * before they are sorted. Fails with STATUS_INPUT where a request completes that no thread has
 * posted. */
enum status merge_ends(struct merge *merge, struct error *error);

/* The same failure for the only thread of a rank that communicates: it has posted what it
 * completes. */
enum status merge_check_alone(const struct trace *trace, const struct stream *s,
                              struct error *error);

#endif
