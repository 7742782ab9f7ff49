/* Waits in collective operations: the search for them (instances.c) and the rules that families
 * share (n_to_n.c, needs.c). */
#ifndef PATTERNS_COLLECTIVE_WAITS_H
#define PATTERNS_COLLECTIVE_WAITS_H

#include "patterns/sync_points.h"

/* Collective. The data of all members of an instance are brought together on one process
 * (trace/exchange.h), where the pattern for the operation computes the waits. These are added to
 * the members' findings. The collector, unless it is NULL, gets the instances with waits. */
enum status search_instances(const struct trace *trace, struct search_rank *ranks,
                             const struct pattern *const *patterns,
                             struct sync_collector *collector, struct error *error);

/* With B and E a member's begin and end:
 *
 *     wait       = max(0, min(max B, E) - B)
 *     completion = max(0, E - max(min E, min(max B, E))) */
struct n_to_n {
    int64_t last_begin, first_end;
    uint32_t last; /* the member that began last; the first of several */
};

/* max B and min E over at least one member. */
struct n_to_n n_to_n_span(const struct member *members, uint32_t count);

/* The wait of each member for the last: fills waits[count]. */
void n_to_n_wait_all(const struct member *members, uint32_t count, struct n_to_n span,
                     struct member_wait *waits);

/* needs.c: nonblocking operations, neighbourhoods, operations between two groups, and those whose
 * recorded counts say which members send data to which. */

/* True if needs_search finds the waits of this operation instead of its pattern. */
bool needs_apply(const struct definitions *definitions, const struct collective *collective);

/* Fills waits[] for one instance of at least one member, in order of groups and ranks in them.
 * limits[i] is the time at which the last member that i needs has begun; INT64_MIN if it is
 * unknown, as in a neighbourhood without recorded counts. */
void needs_search(const struct definitions *definitions, const struct member *members,
                  uint32_t count, struct member_wait *waits, int64_t *limits);

#endif
