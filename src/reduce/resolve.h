/* Finds what the declared assumptions may change in a trace. */
#ifndef REDUCTION_RESOLVE_H
#define REDUCTION_RESOLVE_H

#include "reduce/assumptions.h"
#include "reduce/folding.h"

struct resolved {
    struct folding_input input; /* without `machine`; `poll_gap_s` is 0: the default */
    bool everything; /* an assumption may change the cost or the waits of every call: nothing folds
                      */
    struct trace *altered; /* the trace in another environment; NULL: none is assumed */
    struct arena *arena;
};

/* Collective. Replaces "computation at_least=..." by an assumption for each region that itself
 * computes so long between two MPI calls, at least once on a rank. Fails if there is none. */
enum status assumptions_expand(struct assumptions *assumptions, const struct trace *trace,
                               struct error *error);

/* Collective. The trace must be matched, and the assumptions expanded. Fails as a hypothesis would
 * if an assumption chooses nothing in this trace; nothing is left to free then. */
enum status assumptions_resolve(const struct assumptions *assumptions, const struct trace *trace,
                                struct resolved *resolved, struct error *error);
void resolved_clear(struct resolved *resolved);

#endif
