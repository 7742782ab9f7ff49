/* Savings of the rounds of a run (doc/methods.md, section 12). */
#ifndef SWEEP_SAVINGS_H
#define SWEEP_SAVINGS_H

#include "base/estimate.h"
#include "sweep/objective.h"
#include "sweep/result.h"

/* What a pair saves, as a fraction of the unchanged T of the same round; NAN if a time is not
 * known. */
double pair_saving(const struct run_pair *pair);

/* By how much a pair makes the objective better, as a fraction. Of T it is pair_saving, otherwise a
 * fraction of `usual`, or of the changed value where `usual` is 0; NAN if a value is not known. */
double pair_gain(const struct run_pair *pair, const struct objective *objective, double usual);

/* `usual`: the median of the objective in the unchanged replays; 0 for no pairs. */
double usual_objective(const struct run_result *result, const struct objective *objective);

/* The estimate of the fractions of all rounds: by paired_estimate, and exact for a computed run
 * (low = median = high, level 1). Median, low and high are NAN and the level 0 without fractions.
 */
struct estimate savings_estimate(const double *fractions, size_t count, bool computed);

/* True if the result's figures are computed by the model, so they have no noise. */
bool result_is_computed(const struct run_result *result);

#endif
