/* Compares a prediction with recordings of the changed program, the truths (doc/methods.md, section
 * 13). */
#ifndef VERIFY_VERIFICATION_H
#define VERIFY_VERIFICATION_H

#include "results/result.h"

#include <stdio.h>

/* One time, predicted and measured. Seconds. */
struct verified_time {
    struct estimate predicted; /* level 0: no interval is claimed */
    struct estimate typical;   /* the predicted time of a typical real run; level 0: unknown */
    struct estimate for_real;  /* ... and of a single real run; level 0: unknown */
    struct estimate measured;  /* over the truths */
    double error;              /* (predicted - measured) / measured, of the medians */
};

/* A metric in a call path, or in all call paths: means over the ranks. */
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
    const struct result *original; /* NULL: unknown */
    const char *region;            /* compares this region only; NULL: everything */
};

struct verification {
    struct verification_input input;
    /* T; T without MPI_Init and MPI_Finalize (predictions keep the recorded length of start-up);
     * the time in the region, 0 without one. */
    struct verified_time times[TIME_COUNT];
    enum compared_time main_time; /* of the verdict: TIME_REGION with a region, else TIME_INNER */
    /* Of the main time; NAN if neither the original recording nor an unchanged replay is available.
     */
    double saving_estimated, saving_achieved;     /* fractions */
    double speed_up_estimated, speed_up_achieved; /* 1 / (1 - saving) */
    /* All stores in one numbering of call paths and metrics: the prediction's, then the truths'. */
    struct severity **stores;  /* [1 + truth_count], each with one location: the mean over ranks */
    struct verified_row *rows; /* metrics as a whole in order of the metric tree, then call paths:
                                  times first, of each unit the largest difference first */
    size_t row_count, total_count; /* `total_count` of them are metrics as a whole */
    bool trustworthy, same_ranks;
};

/* Process 0 only. The sides must outlive the verification. Free it with verification_clear; on
 * failure nothing is left to free. Fails with STATUS_INPUT if the region does not occur in one of
 * the sides, with STATUS_ENVIRONMENT when memory is out. */
enum status verification_make(const struct verification_input *input,
                              struct verification *verification, struct error *error);
void verification_clear(struct verification *verification);

/* True if the prediction lies in the interval of the truths; false if no interval is claimed. */
bool prediction_is_inside(const struct verified_time *time);
/* The predicted interval that the median of `truth_count` recordings should be in: that of a
 * typical run from TYPICAL_TRUTHS recordings on, if the prediction has it, else that of a single
 * run. Level 0: none is claimed. */
enum { TYPICAL_TRUTHS = 5 }; /* the interval is validated by as many pairs of runs (bench/truth) */
const struct estimate *expected_interval(const struct verified_time *time, size_t truth_count);
/* True if the median truth lies in that interval; false if none is claimed. */
bool truth_is_inside(const struct verified_time *time, size_t truth_count);

extern const char *const compared_time_names[TIME_COUNT];

/* Writers: false when memory is out or writing fails. */
struct verify_format {
    const char *name;
    bool (*write)(const struct verification *verification, FILE *stream);
};
extern const struct verify_format *const verify_format_list[]; /* ends with NULL */

#endif
