/* Makes proposals from candidates whose savings were predicted. */
#ifndef ADVICE_CHOOSE_H
#define ADVICE_CHOOSE_H

#include "advise/advice.h"

/* Collective. Fills advice->items, best first and at most options->keep:
 *   - of the variants of one change, the first that saves nearly the maximum is kept;
 *   - of nested regions, the innermost that explains the saving is kept;
 *   - the best candidates are tried in pairs. If a pair saves hardly more than one of the two, both
 *     remove the same waiting: the one with less effort is kept, the other one is its alternative.
 * If a pair saves more than the sum, waiting only moves from one to the other, and the pair is a
 *     proposal;
 *   - savings below advice->resolution are left out. */
enum status advice_choose(const struct replay_session *base, const struct advice_options *options,
                          struct advice *advice, struct error *error);

/* Sorts the items again after their savings have changed. */
void advice_rank(struct advice *advice);

#endif
