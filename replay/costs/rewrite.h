/* Writes new times into the time column of a view, call by call: the end of a call is shifted by
 * ticks that the caller names, rows inside the call are interpolated, and all other rows keep their
 * distance from the call before. */
#ifndef REPLAY_COSTS_REWRITE_H
#define REPLAY_COSTS_REWRITE_H

#include "trace/trace.h"

struct rewriter {
    const struct stream *stream; /* with the old times */
    struct stream *view;         /* gets the new ones */
    uint32_t row;                /* the next row to be written */
    int64_t shift;               /* of the next rows */
};

struct rewriter rewrite_begin(const struct stream *stream, struct stream *view);

/* The next call, in order of rows. Its leave is `shift` ticks later than in `stream`. */
void rewrite_call(struct rewriter *rewriter, uint32_t enter, uint32_t leave, int64_t shift);

/* Writes the rows after the last call. */
void rewrite_end(struct rewriter *rewriter);

#endif
