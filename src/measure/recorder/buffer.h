/* The buffer of one thread's records. Before MPI_Init it is memory of the process, later a file
 * that is mapped segment by segment, so that records survive the end of the process. */
#ifndef MEASURE_BUFFER_H
#define MEASURE_BUFFER_H

#include "measure/recorder/record_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;

/* The last failed tests and probes of a thread, with nothing between them, for polls.h. */
enum { POLLS_ROUND = 4 }; /* calls of a round at most */

struct last_polls {
    struct poll {
        struct record_slot *enter, *polls; /* where its records begin; its record POLLS */
    } calls[2 * POLLS_ROUND - 1];          /* oldest first */
    uint32_t count;
    uint32_t round; /* how many of the first are the last round of a loop; 0: not in a loop */
    struct record_slot *behind; /* the slot after them; NULL: there are none in this block */
};

/* The free slots, all zero, of the block that a thread is filling. `next` may be beyond `end` when
 * the block is full. */
struct recorder {
    struct record_slot *next, *end;
    struct buffer *buffer; /* NULL: no file (machine.c) */
    struct last_polls polls;
};

struct buffer {
    struct recorder recorder;
    struct buffer *link, *idle_link; /* the lists of all and of idle buffers in recorder.c */
    uint32_t thread;                 /* 0: the first, which is the master thread */
    int file;                        /* -1: none yet */
    _Atomic(struct record_header *) header;
    struct record_slot *segment, *last_segment; /* the one being filled, and the one before */
    size_t segment_size;
    off_t next_offset;
    struct stage *oldest, *newest; /* memory before the file is opened */
};

/* Gives the recorder a new block of memory, before the file is open. Blocks stay valid until
 * buffer_free_stage. False if out of memory. */
bool buffer_stage(struct buffer *buffer);

/* Opens the thread's file and copies the staged records there. On failure it prints a message, ends
 * recording and returns false. */
bool buffer_open(struct buffer *buffer);

/* Frees the staged records. The file must be open, and no record may be in progress. */
void buffer_free_stage(struct buffer *buffer);

/* Gives the recorder the next segment of the file. The previous segment stays mapped until the next
 * call. Fails as buffer_open does. */
bool buffer_advance(struct buffer *buffer);

#endif
