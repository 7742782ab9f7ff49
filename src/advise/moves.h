/* The waiting that a change removes, and the waiting that it moves to other calls. */
#ifndef ADVICE_MOVES_H
#define ADVICE_MOVES_H

#include "advise/advice.h"

/* Collective. Fills `grows` and `shrinks` of all items, by the model of `base`. */
enum status advice_find_moves(const struct replay_session *base, struct advice *advice,
                              struct error *error);

#endif
