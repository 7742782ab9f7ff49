#include "measure/archive/clock_line.h"

#include <math.h>

uint64_t clock_line_time(const clock_line *line, uint64_t time)
{
    const struct clock_point *points = line->items;
    size_t i = 0;
    if (line->count == 0)
        return time;
    while (i + 2 < line->count && time > points[i + 1].time)
        i++;
    if (line->count == 1 || points[i + 1].time <= points[i].time)
        return time + (uint64_t)points[i].offset;
    const double slope = (double)(points[i + 1].offset - points[i].offset) /
                         (double)(points[i + 1].time - points[i].time);
    const double later = (double)time - (double)points[i].time;
    return time + (uint64_t)(points[i].offset + llround(slope * later));
}

struct clock_point clock_line_end(struct clock_point first, uint64_t last, double own,
                                  double of_rank_0)
{
    struct clock_point end = {last > first.time ? last : first.time, first.offset};
    const double later = (double)(end.time - first.time);
    if (first.offset != 0 && own > 0)
        end.offset += llround(later * (of_rank_0 / own - 1));
    return end;
}
