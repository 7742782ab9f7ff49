/* A stream as bytes: the repeated structure once, and the numbers that vary in columns. */
#ifndef TRACE_FOLDED_STREAMS_H
#define TRACE_FOLDED_STREAMS_H

#include "trace/folded/columns.h"
#include "trace/trace.h"

struct stream_bytes {
    struct bytes numbers; /* structure and columns of numbers, to be packed */
    struct bytes symbols; /* of durations, to be packed */
    struct bytes low;     /* their low bits, stored as they are */
};

/* Statistics of the durations in one or more streams. */
struct stream_noise {
    uint64_t durations; /* number of intervals between rows, without constant columns */
    double
        bits; /* their empirical entropy: that of the symbols of each column, plus the low bits */
    uint64_t furthest; /* largest rounding of a time stamp, ticks */
};

/* Converts a stream to bytes. Rounds time stamps by at most `quantum` ticks. Adds to `noise`. The
 * caller frees the bytes with stream_bytes_clear. False if out of memory; nothing is left to free
 * then. */
bool stream_write(const struct stream *stream, uint32_t paths, uint32_t windows, uint64_t quantum,
                  struct stream_bytes *bytes, struct stream_noise *noise);

/* Fills `stream`, whose rank and location are set, in the arena. STATUS_INPUT if the bytes are
 * invalid, STATUS_ENVIRONMENT when memory is out; the caller writes the message. */
enum status stream_read(struct stream *stream, uint32_t paths, uint32_t windows, uint64_t quantum,
                        const struct stream_bytes *bytes, struct arena *arena);

void stream_bytes_clear(struct stream_bytes *bytes);

#endif
