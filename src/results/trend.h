/* Many runs of one program, in order of time: T, waits and conditions at each of them, as one page.
 */
#ifndef RESULTS_TREND_H
#define RESULTS_TREND_H

#include "results/gate.h"

/* What was measured at one moment: a run, or repeated runs. */
struct trend_point {
    struct result_group runs;
    char *label; /* what its path has that those of other points have not; valid UTF-8 */
};

/* One figure: a value at all points. */
struct trend_figure {
    struct gate_condition condition; /* of the caller, or one without a text and a limit */
    char title[128];
    struct gate_measure *measures; /* [points] */
    struct gate_finding *findings; /* [points] */
    bool *tested;                  /* [points]: findings[i] says something */
};

struct trend {
    struct trend_point *points;
    size_t point_count;
    struct trend_figure *figures;
    size_t figure_count;
};

/* The trend over the groups: a figure for each condition, for T, and for the waits that take most
 * of the time at any point, unless a condition is about them. A condition of growth is tested at
 * each point against the one before it. The groups and conditions must outlive the trend.
 * trend_clear frees it, also after a failure. Fails as gate_test does, except that a call path may
 * be missing at some points. Process 0. */
enum status trend_find(const struct result_group *groups, size_t count,
                       const struct gate_condition *const *conditions, size_t condition_count,
                       struct trend *trend, struct error *error);
void trend_clear(struct trend *trend);

/* One page for a browser or a printer, without script, that loads nothing; false when writing to
 * the stream fails (ferror). Its type is report_writer. */
bool trend_write_page(const void *trend, FILE *stream);

#endif
