/* Messages that announce the sizes of others. A program whose ranks do not know how much they will
 * receive exchanges the sizes first and then the data, with the same partners and often from the
 * same function. Then messages of one size take turns with messages whose sizes vary. Both together
 * are one iteration, not two of different kinds. */
#ifndef STRUCTURE_ANNOUNCED_H
#define STRUCTURE_ANNOUNCED_H

#include "base/map.h"
#include "structure/calls.h"

/* Gives calls that announce sizes other numbers, in the sense ALIKE_IN_PARTNER, than the calls that
 * follow them. `numbers` is the map of this sense, from which the calls have their numbers. The
 * time is linear. False if out of memory. */
bool announcing_calls_number(struct rank_calls *rank, struct map *numbers);

#endif
