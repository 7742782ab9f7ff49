/* Ticks by call path in as few bytes as they take: there are ten times as many delays as waits.
 * A list ends with a zero; the others are pairs of path + 1 and ticks, seven bits a byte, the
 * lowest first. */
#ifndef PATTERNS_DELAY_LIST_H
#define PATTERNS_DELAY_LIST_H

#include "base/bytes.h"

#include <stdint.h>

struct delay {
    int64_t ticks; /* > 0 */
    uint32_t path;
};

/* Append to a list; false when memory is out. */
bool delay_list_put(struct bytes *lists, struct delay delay);
bool delay_list_end(struct bytes *lists);

/* Takes the next delay of the list at `*place`, which moves on. False at its end, which is then
 * passed. */
bool delay_list_next(const unsigned char **place, struct delay *delay);

#endif
