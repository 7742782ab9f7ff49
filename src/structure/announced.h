/* Messages that announce the sizes of others. A program whose ranks do not know how much they will
 * receive exchanges the sizes first and then the data, with the same partners and often from the
 * same function. Then messages of one size take turns with messages whose sizes vary. Both together
 * are one iteration, not two of different kinds. */
#ifndef STRUCTURE_ANNOUNCED_H
#define STRUCTURE_ANNOUNCED_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

/* The calls of a rank as far as this search reads them. */
struct sized_calls {
    size_t count;
    const uint32_t *bytes; /* [count]: of the message of a call, or `none` */
    uint32_t none;
    uint32_t *which; /* [count]: the number of a call; messages with the same number have the same
                        call path, partner and tag */
};

/* Gives calls that announce sizes other numbers than the calls that follow them. `numbers` is the
 * map from which the calls have their numbers. The time is linear. False if out of memory. */
bool announcing_calls_number(const struct sized_calls *calls, struct map *numbers);

#endif
