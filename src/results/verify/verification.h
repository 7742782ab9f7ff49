/* A prediction beside what was really measured (doc/methods.md, section 13). */
#ifndef VERIFY_VERIFICATION_H
#define VERIFY_VERIFICATION_H

#include "results/result.h"

#include <stdio.h>

/* One time, predicted and measured. Seconds. */
struct verified_time {
    struct estimate predicted; /* level 0: no interval is claimed */
    struct estimate for_real;  /* what real runs are predicted to take; level 0: unknown */
    struct estimate measured;  /* over the truths */
    double error;              /* (predicted - measured) / measured, of the medians */
};

/* A metric in a call path, or in all of them: means over the ranks. */
struct verified_row {
    enum metric metric;
    enum metric_unit unit;
    uint32_t path; /* SEVERITY_NONE: all call paths */
    double predicted;
    struct estimate measured;
    double difference; /* predicted - median measured */
};

enum compared_time { TIME_WHOLE, TIME_INNER, TIME_REGION, TIME_COUNT };

struct verification_input {
    const struct result *prediction, *truths;
    size_t truth_count;            /* >= 1 */
    const struct result *original; /* NULL: it is not known */
    const char *region;            /* NULL: everything is compared */
};

struct verification {
    struct verification_input input;
    /* T; T without MPI_Init and MPI_Finalize (start-up keeps its recorded length in predictions);
     * time in the region, which is all 0 without one. */
    struct verified_time times[TIME_COUNT];
    enum compared_time main_time; /* of the verdict: the region's, or TIME_INNER */
    /* Of the main time; NAN where the original or what was replayed unchanged is not known. */
    double saving_estimated, saving_achieved;     /* fractions */
    double speed_up_estimated, speed_up_achieved; /* geometric mean over the truths */
    /* All stores in one numbering of call paths and metrics: the prediction's, then the truths'. */
    struct severity **stores;  /* [1 + truth_count], each with one location: the mean over ranks */
    struct verified_row *rows; /* metrics as a whole in order of the metric tree, then call paths:
                                  times first, of each unit the largest difference first */
    size_t row_count, total_count; /* `total_count` of them are metrics as a whole */
    bool trustworthy, same_ranks;
};

/* Compares; process 0 only. Free it with verification_clear, also after a failure. Fails with
 * STATUS_INPUT if the region does not occur in one of the sides, or when memory is out. The sides
 * must outlive it. */
enum status verification_make(const struct verification_input *input,
                              struct verification *verification, struct error *error);
void verification_clear(struct verification *verification);

/* True if the prediction lies in the interval of the truths; false also if none is claimed. */
bool prediction_is_inside(const struct verified_time *time);
/* True if the median truth lies in the interval that is predicted for real runs. */
bool truth_is_inside(const struct verified_time *time);

extern const char *const compared_time_names[TIME_COUNT];

/* Writers: false when memory is out or writing fails. */
struct verify_format {
    const char *name;
    bool (*write)(const struct verification *verification, FILE *stream);
};
extern const struct verify_format *const verify_format_list[]; /* ends with NULL */

#endif
