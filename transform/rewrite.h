/* Writes a rank's events anew: with new times, or with rows left out and rows added. */
#ifndef TRANSFORM_REWRITE_H
#define TRANSFORM_REWRITE_H

#include "base/array.h"
#include "trace/trace.h"

/* `times` holds the new time of every row of the stream, ascending. What lies between two rows
 * moves in proportion, what lies outside is shifted. The trace must own its time columns and flush
 * times, as the copy that hypotheses_apply makes does. */
void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times);

/* Writes the rows of a stream anew: some copied, some left out, some new. What points at rows, from
 * other rows and from the tables of messages and collective operations, follows by itself. */
struct row_writer {
    struct trace *trace;
    struct stream *stream;    /* as it was, until it is closed */
    struct message *messages; /* its tables, to be changed at will; they have room for as many */
    struct collective *collectives;
    struct rma_sync *rma_syncs;
    uint64_t *old_times; /* [row of the stream]: where it is now */
    ARRAY(uint64_t) time;
    ARRAY(uint8_t) kind;
    ARRAY(uint32_t) arg;
    ARRAY(uint32_t) open; /* rows of the regions that are open */
    uint32_t next;        /* row of the stream */
    bool no_memory;
};

/* The stream must be one of `trace`, which must be a copy that hypotheses_apply made. */
void row_writer_open(struct row_writer *writer, struct trace *trace, struct stream *stream);

/* Takes the next row of the stream, at a time that is not before the last one's. */
void row_writer_copy(struct row_writer *writer, uint64_t time);
void row_writer_skip(struct row_writer *writer, uint64_t time);

/* Adds a row of its own. `arg` of an ENTER is a call path, of a LEAVE nothing: the innermost region
 * is left. */
void row_writer_add(struct row_writer *writer, uint64_t time, enum event_kind kind, uint32_t arg);

/* The innermost call path now; CALLPATH_NONE outside. */
uint32_t row_writer_path(const struct row_writer *writer);

/* Puts the rows into the stream, all of whose rows must have been copied or skipped. False when
 * memory was out at any time; the stream is unchanged then. */
bool row_writer_close(struct row_writer *writer);

#endif
