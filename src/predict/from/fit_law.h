/* Laws of noisy positive numbers: sums of few terms c * f(n) * g(P) with positive coefficients (the
 * performance model normal form; doc/methods.md, section 11.4). */
#ifndef PREDICTION_FROM_FIT_LAW_H
#define PREDICTION_FROM_FIT_LAW_H

#include "predict/from/fit_search.h"

#define JITTER 30e-9 /* seconds: clocks and the tracer's own cost vary by that */

struct law {
    const struct formula *formula;
    double error; /* relative: left out one by one and predicted by the others (root of the mean of
                     the squares); where that is not possible, that of the best single term */
    bool weak;    /* as many coefficients as points */
};

/* Finds the law for the targets at points of which none differ in the rank only. Targets are
 * positive; `noise` is their relative standard deviation as far as it is known, or 0. False when
 * memory is out. */
bool fit_law(struct formulas *formulas, const struct points *points, double noise, struct law *law);

#endif
