/* Where one thread's records go: memory of the process before MPI_Init, then a file mapped segment
 * by segment, so that records survive the death of the process. One buffer fills one file. */
#ifndef MEASURE_BUFFER_H
#define MEASURE_BUFFER_H

#include "measure/recorder/record_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;

/* A thread's way into its buffer: the free slots of the block that is being filled, all zero.
 * `next` may be beyond `end` when the block is full. */
struct recorder {
    struct record_slot *next, *end;
    struct buffer *buffer; /* NULL: of no file (event_cost.c) */
};

struct buffer {
    struct recorder recorder;
    struct buffer *link, *idle_link; /* recorder.c: lists of all and of those without a thread */
    uint32_t thread;                 /* 0: the first, which is the master thread */
    int file;                        /* -1: none yet */
    _Atomic(struct record_header *) header;
    struct record_slot *segment, *last_segment; /* mapped: now, and before that */
    size_t segment_size;
    off_t next_offset;
    struct stage *oldest, *newest; /* memory before the file is opened */
};

/* Makes the recorder's `next` and `end` a new block of memory, before the file is open. Blocks stay
 * readable and writable until buffer_free_stage. False when memory is out. */
bool buffer_stage(struct buffer *buffer);

/* Opens the thread's file and copies the staged records there. False if that fails (which has been
 * said, and ends recording). */
bool buffer_open(struct buffer *buffer);

/* Frees the staged records, when the file is open and no record is being written. */
void buffer_free_stage(struct buffer *buffer);

/* Makes the recorder's `next` and `end` the next segment of the file. The last segment stays
 * mapped until the next call. False if that fails, as above. */
bool buffer_advance(struct buffer *buffer);

#endif
