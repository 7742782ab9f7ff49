/* A rank's row of the time line: what its innermost region was, piece by piece. */
#ifndef REPORT_TIMELINE_PIECES_H
#define REPORT_TIMELINE_PIECES_H

#include "report/timeline/timeline.h"

/* Times are ticks from the trace's first event on. */
struct timeline_piece {
    int64_t begin, end;
    uint32_t callpath;
    bool waits; /* the waiting part of a call */
    bool mixed; /* several short ones: call path and `waits` are what most of its time is */
};

struct timeline_row {
    const struct trace *trace;
    const struct stream *stream;
    const struct timeline_call *calls; /* that wait */
    size_t call_count;
    const int64_t *points; /* pieces at these times are kept as they are; in order */
    size_t point_count;
    int64_t threshold; /* neighbours shorter than this many ticks are put together; 0: none */
};

typedef void timeline_piece_sink(void *context, const struct timeline_piece *piece);

/* Hands over the pieces in order of time. Pieces that are put together make one that is about as
 * long as the threshold, or all that there are between two long ones. Time outside all regions is
 * left out. */
void timeline_row_walk(const struct timeline_row *row, timeline_piece_sink *sink, void *context);

#endif
