/* From the savings of single candidates to the short list. */
#ifndef ADVICE_CHOOSE_H
#define ADVICE_CHOOSE_H

#include "advise/advice.h"

/* Collective. Fills advice->items, best first and at most options->keep, from the candidates and
 * their savings:
 *   - of candidates with the same cause, and of regions inside of each other, those stay that
 *     explain it;
 *   - the best are tried in pairs. If a pair brings hardly more than one of the two, both are
 *     remedies for the same waiting: that with less effort stays, the other is its alternative. If
 *     it brings more than the sum, waits only move from one to the other, and the pair is advice of
 *     its own;
 *   - what is below advice->resolution is left out. */
enum status advice_choose(const struct replay_session *base, const struct advice_options *options,
                          struct advice *advice, struct error *error);

/* Sorts the items, after their savings have changed. */
void advice_rank(struct advice *advice);

#endif
