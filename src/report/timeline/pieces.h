/* A rank's row of the time line: its innermost regions, piece by piece. */
#ifndef REPORT_TIMELINE_PIECES_H
#define REPORT_TIMELINE_PIECES_H

#include "report/timeline/timeline.h"

/* Times are ticks from the trace's first event on. */
struct timeline_piece {
    int64_t begin, end;
    uint32_t callpath;
    bool waits; /* the waiting part of a call */
    bool mixed; /* several short ones merged: call path and `waits` of the largest part of its time
                 */
};

struct timeline_row {
    const struct trace *trace;
    const struct stream *stream;
    const struct timeline_call *calls; /* calls that wait */
    size_t call_count;
    const int64_t *points; /* pieces at these times are not merged; in order */
    size_t point_count;
    int64_t threshold; /* neighbouring pieces shorter than this, in ticks, are merged; 0: none */
};

typedef void timeline_piece_sink(void *context, const struct timeline_piece *piece);

/* Passes the pieces to `sink` in order of time. Short pieces are merged until they are about as
 * long as the threshold, or until a long one comes. Time outside all regions is left out. */
void timeline_row_walk(const struct timeline_row *row, timeline_piece_sink *sink, void *context);

#endif
