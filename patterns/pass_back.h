/* Passes amounts back along the waits: the amount of a wait is passed to its culprit's own waits,
 * from these to the waits that caused them, and so on. The waits are processed from the last to the
 * first: in order of the arrival of their culprits, then of the ranks and rows that wait. So an
 * amount is complete when it is passed on, because the waits of an interval end before the wait at
 * its end, and sums do not depend on the number of processes. With wrong clocks a wait may receive
 * an amount after it was processed.
 *
 * When a wait is processed, its owner sends the amount to the owner of its culprit, as in a replay
 * of the program backwards (Boehme et al., see intervals.h). */
#ifndef PATTERNS_PASS_BACK_H
#define PATTERNS_PASS_BACK_H

#include "patterns/causes.h"

enum { PASSED_MOST = 8 }; /* numbers of an amount */

struct passing;

struct pass_back {
    const struct causes *causes;
    void *data;
    uint32_t width; /* numbers of an amount, at most PASSED_MOST */
    /* Optional. Sets the amount, which is all 0 before, with which an own wait starts. Returns
     * false if it has none. */
    bool (*begin)(void *data, uint32_t wait, double *amount);
    /* Called when a caused wait (causes.h) is processed: adds to the amounts of its culprit's waits
     * by passed_to. `amount` is its final amount; NULL: none. It does no other work, because other
     * processes wait for it. */
    void (*pass)(void *data, uint32_t caused, const double *amount, struct passing *passing);
    /* Called for each caused wait with its final amount. Calls for one culprit come in processing
     * order; they may be delayed. */
    void (*spend)(void *data, uint32_t caused, const double *amount);
    bool spends_late; /* `spend` also gets amounts that come after the wait was processed: at the
                         end, in the order of caused waits; false: they are lost */
};

/* The amount of an own wait, to add to. Valid until the next call. */
double *passed_to(struct passing *passing, uint32_t wait);

/* Collective. Fails if out of memory. */
enum status pass_back(const struct pass_back *rules, struct error *error);

#endif
