/* Solves the model's equations (equations/equations.h) for all declared assumptions at once:
 * instead of times, with differences (reduce/rules/difference.h). The outcome tells which arrivals
 * no call ever needs to wait for. */
#ifndef REDUCTION_SOLVE_H
#define REDUCTION_SOLVE_H

#include "base/status.h"
#include "equations/equations.h"
#include "reduce/moments.h"

#include <stdbool.h>

/* What is needed: an arrival without which some call might end at another time. */
struct needed {
    bool *slots;     /* [slot] */
    bool *instances; /* [instance]: by one of its members or more */
};

/* `least_wait`: calls that wait at least so many ticks may be assumed not to wait; INT64_MAX: none.
 * The equations have a STEP_FREE where other assumptions change something (struct part_assumed).
 * With MOMENTS_PAIRS, goes over to terms where too many messages are on their way at once.
 * Returns the rank count or, if ranks wait for each other forever, a stuck rank. The caller frees
 * `needed` with needed_clear. UINT32_MAX if out of memory; nothing is left to free then. */
uint32_t equations_solve(const struct equations *equations, int64_t least_wait,
                         enum moments_kind kind, struct needed *needed);
void needed_clear(struct needed *needed);

#endif
