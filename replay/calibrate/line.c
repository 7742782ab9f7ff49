/* Least absolute deviations: one of the lines with the smallest sum passes through two of the
 * points, or through one where a bound holds, so all of those are tried. Up to half of the points
 * may be outliers without moving the line far. */
#include "replay/calibrate/line.h"

#include <math.h>

static double sum_of_errors(struct line line, const struct point *points, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(points[i].y - line_at(line, points[i].x)) / points[i].scale;
    return sum;
}

struct search {
    const struct point *points;
    size_t count;
    struct line best;
    double smallest;
};

static void try_line(struct search *search, double at_zero, double slope)
{
    struct line line = {at_zero, slope};
    if (!(at_zero >= 0 && slope >= 0) || !isfinite(slope))
        return;
    double sum = sum_of_errors(line, search->points, search->count);
    if (sum < search->smallest) {
        search->smallest = sum;
        search->best = line;
    }
}

struct line line_fit(const struct point *points, size_t count)
{
    struct search search = {.points = points, .count = count, .smallest = INFINITY};
    try_line(&search, 0, 0);
    for (size_t i = 0; i < count; i++) {
        try_line(&search, points[i].y, 0);
        if (points[i].x > 0)
            try_line(&search, 0, points[i].y / points[i].x);
        for (size_t j = 0; j < i; j++) {
            double slope = (points[i].y - points[j].y) / (points[i].x - points[j].x);
            try_line(&search, points[i].y - slope * points[i].x, slope);
        }
    }
    return search.best;
}
