/* Solves the model's equations (equations/equations.h) for all declared assumptions at once:
 * instead of times, with differences (reduce/rules/difference.h). The result says
 * which arrivals no call needs. */
#ifndef REDUCTION_SOLVE_H
#define REDUCTION_SOLVE_H

#include "base/status.h"
#include "equations/equations.h"
#include "reduce/rules/moments.h"

#include <stdbool.h>

/* Needed arrivals: without one of them some call might end at another time. */
struct needed {
    bool *slots;     /* [slot] */
    bool *instances; /* [instance]: needed by at least one of its members */
};

/* Waits of at least `least_wait` ticks may be left out; INT64_MAX: no wait. The equations must have
 * a STEP_FREE where other assumptions change something (struct part_assumed). MOMENTS_PAIRS is
 * replaced by MOMENTS_TERMS if too many messages are in flight at once. Returns the rank count or,
 * if ranks wait for each other forever, one of these ranks; UINT32_MAX if out of memory, and
 * nothing is left to free then. The caller frees `needed` with needed_clear. */
uint32_t equations_solve(const struct equations *equations, int64_t least_wait,
                         enum moments_kind kind, struct needed *needed);
void needed_clear(struct needed *needed);

#endif
