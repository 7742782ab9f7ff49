/* Shared by merge_threads.c and merge_ends.c. */
#ifndef TRACE_MERGE_THREADS_PRIVATE_H
#define TRACE_MERGE_THREADS_PRIVATE_H

#include "base/array.h"
#include "base/status.h"
#include "trace/trace.h"

/* The rows of an MPI call that communicates, or of a communication event outside all MPI calls. */
struct call_block {
    uint64_t begin, end; /* ticks */
    uint32_t source;     /* index into `sources`; 0: the rank's own stream, which is not moved */
    uint32_t first, last;
};

struct merge_source {
    struct stream *stream;
    uint32_t *new_row;                  /* [count]; INDEX_NONE: it stays in its stream */
#define X(items, count) uint32_t items; /* index of its first item in the merged table */
    STREAM_TABLES(X)
#undef X
};

struct thread_merge {
    struct trace *trace;
    struct merge_source *sources;
    uint32_t source_count;
    ARRAY(struct call_block) blocks;
    struct stream merged; /* columns are in the trace's arena */
    ARRAY(uint32_t) path; /* call paths of the main thread's open regions */
    ARRAY(uint32_t) block_path;
    uint64_t earliest; /* rows that follow may not be before this time */
    uint32_t *message_alias,
        *collective_alias; /* [item of the merged table]: for a placeholder the item that takes its
                              place; INDEX_NONE: not a placeholder */
};

/* An array of `count` times INDEX_NONE; NULL when memory is out. */
uint32_t *indices_none(uint32_t count);

/* Sorts messages and collective operations by their posts, the order in which the rank would have
 * recorded them, and removes those with an alias: records name the item at alias[item] instead.
 * False when memory is out. */
bool stream_sort_tables(struct stream *stream, const uint32_t *message_alias,
                        const uint32_t *collective_alias);

/* Joins the ends of requests and matched messages of several threads. Call it after the tables have
 * been merged and before they are sorted. Fails with STATUS_INPUT if a request completes that no
 * thread has posted. */
enum status merge_ends(struct thread_merge *merge, struct error *error);

/* Fails likewise if the only communicating thread of a rank completes a request that it has not
 * posted. */
enum status merge_check_alone(const struct trace *trace, const struct stream *s,
                              struct error *error);

#endif
