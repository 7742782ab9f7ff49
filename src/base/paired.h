/* Savings from paired measurements: each round gives one difference (doc/methods.md, section 12).
 */
#ifndef BASE_PAIRED_H
#define BASE_PAIRED_H

#include "base/estimate.h"

enum { PAIRED_FEWEST = 5 }; /* differences that give an interval */

/* The median of `count` >= 1 finite differences, and an interval with at least 95 %: that of the
 * signed-rank test (Wilcoxon 1945; the interval by Walsh averages, Hollander and Wolfe, section
 * 3.2), which needs 6 differences; of PAIRED_FEWEST that of Student's test, which assumes that they
 * are normal. Fewer: the extremes, and no level claimed (0). The interval contains the median. */
struct estimate paired_estimate(const double *differences, size_t count);

/* The two-sided p value of the test that the median is 0. Signed-rank test: exact for up to 40
 * differences that are not 0, also with ties; normal approximation beyond. PAIRED_FEWEST
 * differences: Student's test. 1 for no differences. */
double paired_p_value(const double *differences, size_t count);

/* Holm's correction (Holm 1979) for `count` tests at once: significant[i] is set if p[i] is, at
 * `level` for the family (0.05). False if out of memory. */
bool holm_significant(const double *p, size_t count, double level, bool *significant);

/* The smallest number of rounds with which one of `count` runs can be significant at `level`; at
 * least 7. */
size_t paired_rounds_needed(size_t count, double level);

#endif
