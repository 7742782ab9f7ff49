/* Maps a rank's clock to that of rank 0: a line of straight pieces through the points at which the
 * two clocks were compared, as OTF2's records ClockOffset describe it. */
#ifndef MEASURE_CLOCK_LINE_H
#define MEASURE_CLOCK_LINE_H

#include "base/array.h"

#include <stdint.h>

/* In ticks of the rank's clock; the offset is to be added to get rank 0's time. */
struct clock_point {
    uint64_t time;
    int64_t offset;
};

typedef ARRAY(struct clock_point) clock_line; /* in the order of times; empty: rank 0's clock */

/* The time on rank 0's clock, as readers of the archive compute it. Before the first point and
 * after the last one, the nearest piece continues. */
uint64_t clock_line_time(const clock_line *line, uint64_t time);

/* The second point of a line whose clocks were compared only once: at `last`, by the rates of the
 * two clocks in ticks per second; `own` is 0 if the rank's is not known. */
struct clock_point clock_line_end(struct clock_point first, uint64_t last, double own,
                                  double of_rank_0);

#endif
