/* Writes new times into the time column of a view, call by call: the end of a call is shifted by
 * ticks that the caller names, and all other rows keep their distance from the call before. Inside
 * a call, records that were written after MPI had returned (RECORD_AFTER) keep their distance from
 * its end, because the rank waits before; the rows before them are interpolated, and so are all
 * rows of a polling loop. */
#ifndef REPLAY_COSTS_REWRITE_H
#define REPLAY_COSTS_REWRITE_H

#include "trace/trace.h"

/* A moment on both time scales. */
struct knot {
    uint64_t recorded, predicted;
};

/* A moment between two knots, interpolated; before and after them: at the nearer one. */
uint64_t knots_interpolate(struct knot from, struct knot to, uint64_t recorded);

/* Fills the rows from `first` up to, but without, `end` of a call, which begins and ends at the
 * knots. If the call is shorter than the time after MPI had returned, the records from then are at
 * its end. */
void rewrite_rows(const struct stream *stream, struct stream *view, uint32_t first, uint32_t end,
                  struct knot from, struct knot to);

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
