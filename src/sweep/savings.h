/* Savings of the rounds of a run (doc/methods.md, section 12). */
#ifndef SWEEP_SAVINGS_H
#define SWEEP_SAVINGS_H

#include "base/estimate.h"
#include "sweep/objective.h"
#include "sweep/result.h"

/* The saving of a pair, as a fraction of the unchanged T of the same round; NAN if a time is
 * unknown. */
double pair_saving(const struct run_pair *pair);

/* By how much a pair improves the objective, as a fraction: pair_saving for T, otherwise a fraction
 * of `usual` (usual_objective), or of the changed value if `usual` is 0. NAN if a value is unknown.
 */
double pair_gain(const struct run_pair *pair, const struct objective *objective, double usual);

/* The median of the objective in the unchanged replays; 0 without pairs. */
double usual_objective(const struct run_result *result, const struct objective *objective);

/* The estimate of the fractions of all rounds, by paired_estimate. It is exact for a computed run
 * (low = median = high, level 1). Without fractions median, low and high are NAN and the level 0.
 */
struct estimate savings_estimate(const double *fractions, size_t count, bool computed);

/* True if the model has computed the result, so it has no noise. */
bool result_is_computed(const struct run_result *result);

#endif
