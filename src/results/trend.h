/* The trend of many runs of one program: T, waits and conditions at each of them, as one page.
 */
#ifndef RESULTS_TREND_H
#define RESULTS_TREND_H

#include "results/gate.h"

/* A point of the trend: a run, or a group of repeated runs. */
struct trend_point {
    struct result_group runs;
    char *label; /* the part of its path in which it differs from other points */
};

/* One figure: a value at all points. */
struct trend_figure {
    struct gate_condition condition; /* the caller's, or one without text and limit */
    char title[128];
    struct gate_measure *measures; /* [points] */
    struct gate_finding *findings; /* [points] */
    bool *tested;                  /* [points]: findings[i] is filled */
};

struct trend {
    struct trend_point *points;
    size_t point_count;
    struct trend_figure *figures;
    size_t figure_count;
};

/* Finds the trend over the groups: a figure for each condition, for T, and for the waits with the
 * largest share of the time at any point, unless a condition is about them. A condition on growth
 * compares each point with the one before it. The groups and conditions must outlive the trend.
 * Free it with trend_clear; on failure nothing is left to free. Fails as gate_test does, except
 * that a call path may be missing at some points. Process 0 only. */
enum status trend_find(const struct result_group *groups, size_t count,
                       const struct gate_condition *const *conditions, size_t condition_count,
                       struct trend *trend, struct error *error);
void trend_clear(struct trend *trend);

/* One page for a browser (report/page/page.h); false when memory is out or writing to the stream
 * fails. Its type is report_writer. */
bool trend_write_page(const void *trend, FILE *stream);

#endif
