/* One stream as bytes: the repeated structure once, what varies beside it in columns. */
#ifndef LOOPS_STREAMS_H
#define LOOPS_STREAMS_H

#include "trace/folded/columns.h"
#include "trace/trace.h"

struct stream_bytes {
    struct bytes numbers; /* structure and columns of numbers, to be packed */
    struct bytes symbols; /* of durations, to be packed */
    struct bytes low;     /* their low bits, stored as they are */
};

/* What is known of the durations of one or more streams. */
struct stream_noise {
    uint64_t durations; /* between rows, without those that are the same in a whole column */
    double bits;        /* their empirical entropy: of the symbols by column, and the low bits */
    uint64_t furthest;  /* ticks between a time stamp and its rounded one, at most */
};

/* Writes a stream. `quantum` is the number of ticks that a time stamp may move; 0: none moves.
 * Adds to `noise`. The caller frees the bytes with stream_bytes_clear. False if out of memory;
 * nothing is left to free then. */
bool stream_write(const struct stream *stream, uint32_t paths, uint32_t windows, uint64_t quantum,
                  struct stream_bytes *bytes, struct stream_noise *noise);

/* Fills `stream` (its rank and location are set) in the arena. STATUS_INPUT if the bytes make no
 * sense, STATUS_ENVIRONMENT when memory is out; the caller words it. */
enum status stream_read(struct stream *stream, uint32_t paths, uint32_t windows, uint64_t quantum,
                        const struct stream_bytes *bytes, struct arena *arena);

void stream_bytes_clear(struct stream_bytes *bytes);

#endif
