/* Waits in collective operations of whose members each needs others of its own: nonblocking
 * operations, neighbourhoods, operations between two groups, and those whose counts say who gets
 * data from whom. */
#ifndef PATTERNS_NEEDS_H
#define PATTERNS_NEEDS_H

#include "patterns/pattern.h"

/* True if needs_search must find the waits of this operation instead of its pattern. */
bool needs_apply(const struct definitions *definitions, const struct collective *collective);

/* Fills waits[] for one instance of at least one member, in order of groups and ranks in them.
 * limits[i] is when the last member that i needs has begun, INT64_MIN if that is not known: in a
 * neighbourhood only counts tell who needs whom. */
void needs_search(const struct definitions *definitions, const struct member *members,
                  uint32_t count, struct member_wait *waits, int64_t *limits);

#endif
