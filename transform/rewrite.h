/* Writes a rank's events anew: with new times, or with rows left out and rows added. */
#ifndef TRANSFORM_REWRITE_H
#define TRANSFORM_REWRITE_H

#include "base/array.h"
#include "trace/trace.h"

/* `times` holds the new time of every row of the stream, ascending. What lies between two rows
 * moves in proportion, what lies outside is shifted. The trace must own its time columns and flush
 * times, as the copy that hypotheses_apply makes does. */
void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times);

/* Writes the rows of a stream from the first to the last: each is copied or skipped, and new ones
 * come between them. What refers to rows (Leaves, messages, collective operations, one-sided
 * synchronisations) is renumbered. */
struct row_writer {
    struct trace *trace;
    struct stream *stream;    /* as it was, until the writer is closed */
    struct message *messages; /* copies of the stream's tables, which may be changed at will */
    struct collective *collectives;
    struct rma_sync *rma_syncs;
    const bool *cut_messages, *cut_collectives; /* as given to row_writer_open */
    uint64_t *old_times;                        /* [row of the stream]: where it is now */
    ARRAY(uint64_t) time;
    ARRAY(uint8_t) kind;
    ARRAY(uint32_t) arg;
    ARRAY(uint32_t) open; /* rows of the regions that are open */
    uint32_t next;        /* row of the stream that is copied or skipped next */
    bool no_memory;       /* nothing else happens from then on */
};

/* The stream must be one of `trace`, which must be a copy that hypotheses_apply made. The messages
 * and collective operations marked in `cut_messages` [message] and `cut_collectives` [collective]
 * (NULL: none; both must last until the writer is closed) leave their tables: no row that is
 * written may be about one of them. */
void row_writer_open(struct row_writer *writer, struct trace *trace, struct stream *stream,
                     const bool *cut_messages, const bool *cut_collectives);

/* Copies or skips the next row of the stream, at a time that is not before the last one's. */
void row_writer_copy(struct row_writer *writer, uint64_t time);
void row_writer_skip(struct row_writer *writer, uint64_t time);

/* Adds a new row. `arg` is that of the event kind (trace.h), with the indices that messages and the
 * like have in the stream. For a LEAVE it is ignored: the innermost region is left. */
void row_writer_add(struct row_writer *writer, uint64_t time, enum event_kind kind, uint32_t arg);

/* The innermost call path after the last row written; CALLPATH_NONE outside all regions. */
uint32_t row_writer_path(const struct row_writer *writer);

/* Puts the rows into the stream, all of whose rows must have been copied or skipped, and frees the
 * writer's memory. False when memory was out at any time; the stream is unchanged then. */
bool row_writer_close(struct row_writer *writer);

#endif
