/* Passes amounts back along the waits: what a wait has received goes to its culprit's own waits,
 * from there to what caused these, and so on. Each wait has its turn when all that come after it
 * have had theirs, in order of the arrival of their culprits, then of the ranks and rows that wait.
 * So an amount is complete when it is passed on, and sums do not depend on the number of
 * processes: the waits of an interval are over before its own. With wrong clocks a wait may receive
 * something after its turn.
 *
 * The owner of a wait hands its amount to the owner of its culprit when the turn has come, as in a
 * replay of the program backwards (Boehme et al., see intervals.h). */
#ifndef PATTERNS_PASS_BACK_H
#define PATTERNS_PASS_BACK_H

#include "patterns/causes.h"

enum { PASSED_MOST = 8 }; /* numbers of an amount */

struct passing;

struct pass_back {
    const struct causes *causes;
    void *data;
    uint32_t width; /* numbers of an amount, at most PASSED_MOST */
    /* Sets what an own wait has before anything is passed to it, all 0 before; false: nothing.
     * NULL: none has anything. */
    bool (*begin)(void *data, uint32_t wait, double *amount);
    /* The turn of a caused wait (causes.h): adds to the amounts of its culprit's waits by
     * passed_to. `amount` is what it has received; NULL: nothing. Others wait for it, so it does no
     * more. */
    void (*pass)(void *data, uint32_t caused, const double *amount, struct passing *passing);
    /* What else is to be done with an amount that a caused wait has received: later, but for each
     * culprit in the order of turns. */
    void (*spend)(void *data, uint32_t caused, const double *amount);
    bool spends_late; /* also what is received after its turn, at the end, in the order of caused
                         waits; false: it is lost */
};

/* The amount of an own wait, to be added to, until the next call. */
double *passed_to(struct passing *passing, uint32_t wait);

/* Collective. Fails if memory is out. */
enum status pass_back(const struct pass_back *rules, struct error *error);

#endif
