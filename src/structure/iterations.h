/* Iterations: periods of a signal, aligned with the calls that repeat (doc/methods.md, section 9).
 * The signal determines the length of an iteration, the calls its beginning; so counts are exact
 * even if the period drifts. */
#ifndef STRUCTURE_ITERATIONS_H
#define STRUCTURE_ITERATIONS_H

#include "structure/calls.h"

struct iterations {
    size_t count;    /* 0: no calls repeat like this */
    uint32_t path;   /* the call path whose visits begin the iterations: all of its visits, */
    uint32_t calls;  /* or those that begin the same sequence of this many calls (1: all) */
    uint64_t *begin; /* [count + 1], ticks: when the first rank begins it; at the end: when the last
                        rank ends the last iteration */
    uint64_t *own;   /* [owned rank][count + 1]: the same for one rank */
};

/* Collective. Searches for calls that are about `period` ticks or `between` calls (0: unknown)
 * apart on every rank, and equally often: visits of a call path with the same partner, or sequences
 * of calls. The search is for calls that repeat between `from` and `to`; further iterations before
 * and after are included. Of several candidates the call path nearest to the root is taken, and
 * then the one that comes first. An iteration counts if its calls are those of the others. Free the
 * result with iterations_clear. Fails if out of memory; then nothing is left to free. */
enum status iterations_find(const struct calls *calls, uint64_t from, uint64_t to, double period,
                            double between, struct iterations *iterations, struct error *error);
void iterations_clear(struct iterations *iterations);

/* The boundaries of owned rank s. */
static inline const uint64_t *iterations_of(const struct iterations *iterations, uint32_t s)
{
    return iterations->own + s * (iterations->count + 1);
}

#endif
