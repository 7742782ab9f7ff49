/* Shared by merge_threads.c and merge_ends.c. */
#ifndef TRACE_MERGE_THREADS_PRIVATE_H
#define TRACE_MERGE_THREADS_PRIVATE_H

#include "base/array.h"
#include "base/status.h"
#include "trace/trace.h"

/* The rows of one call that communicates, or of one communication event outside all calls. */
struct block {
    uint64_t begin, end; /* ticks */
    uint32_t source;     /* index into `sources`; 0: the rank's own stream, which is not moved */
    uint32_t first, last;
};

struct source {
    struct stream *stream;
    uint32_t *new_row;                  /* [count]; INDEX_NONE: it stays in its stream */
#define X(items, count) uint32_t items; /* where its items begin in the new table */
    STREAM_TABLES(X)
#undef X
};

struct merge {
    struct trace *trace;
    struct source *sources;
    uint32_t source_count;
    ARRAY(struct block) blocks;
    struct stream merged; /* columns are in the trace's arena */
    ARRAY(uint32_t) path; /* call paths of the main thread's open regions */
    ARRAY(uint32_t) block_path;
    uint64_t earliest;                          /* no later row may be before this time */
    uint32_t *message_alias, *collective_alias; /* the item that a placeholder in the merged tables
                                                   replaces; INDEX_NONE: not a placeholder */
};

/* Joins requests and matched messages of several threads. Call it when the tables have been joined
 * and before they are sorted. Fails with STATUS_INPUT if no thread has posted a request that
 * completes. */
enum status merge_ends(struct merge *merge, struct error *error);

/* The same check for a rank with one communicating thread, which must have posted the requests that
 * it completes. */
enum status merge_check_alone(const struct trace *trace, const struct stream *s,
                              struct error *error);

#endif
