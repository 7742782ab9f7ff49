/* Waits in collective operations where begin and end of all members do not tell them: nonblocking
 * ones, neighbourhoods, operations between two groups, and those whose counts say who gets data
 * from whom. */
#ifndef PATTERNS_NEEDS_H
#define PATTERNS_NEEDS_H

#include "patterns/pattern.h"

/* True if needs_search is to find the waits of this instance, not its pattern. */
bool needs_apply(const struct definitions *definitions, const struct collective *collective);

/* Fills waits[] for one instance; members are ordered by side and rank in the communicator.
 * limits[i] is when the last member that i needs has begun, INT64_MIN if that is not known: in a
 * neighbourhood only counts tell who needs whom. */
void needs_search(const struct definitions *definitions, const struct member *members,
                  uint32_t count, struct member_wait *waits, int64_t *limits);

#endif
