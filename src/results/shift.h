/* By how much one group of measurements lies above another one, if nothing pairs them: each run of
 * a program before a change with each run after it (doc/methods.md, section 1). */
#ifndef RESULTS_SHIFT_H
#define RESULTS_SHIFT_H

#include "base/estimate.h"

/* `pairs` has what each of `after` >= 1 values and each of `before` >= 1 values make together,
 * after * before numbers in any order: differences, or ratios. They are sorted. Returns their
 * median (Hodges and Lehmann 1963), and the interval of the rank-sum test (Mann and Whitney 1947)
 * with at least 98 %, so that one bound is wrong in at most one case of a hundred. With five values
 * on each side it reaches from the second smallest to the second largest pair (98.4 %). Where 98 %
 * cannot be had, as with four values on each side, it reaches from the smallest to the largest
 * pair, and none is claimed. */
struct estimate shift_estimate(double *pairs, size_t after, size_t before);

#endif
