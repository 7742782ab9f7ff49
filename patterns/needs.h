/* Waits in collective operations in which each member needs other members: nonblocking operations,
 * neighbourhoods, operations between two groups, and those whose counts say who gets data from
 * whom. */
#ifndef PATTERNS_NEEDS_H
#define PATTERNS_NEEDS_H

#include "patterns/pattern.h"

/* True if needs_search finds the waits of this operation instead of its pattern. */
bool needs_apply(const struct definitions *definitions, const struct collective *collective);

/* Fills waits[] for one instance of at least one member, in order of groups and ranks in them.
 * limits[i] is when the last member that i needs has begun, INT64_MIN if that is unknown: in a
 * neighbourhood only counts tell who needs whom. */
void needs_search(const struct definitions *definitions, const struct member *members,
                  uint32_t count, struct member_wait *waits, int64_t *limits);

#endif
