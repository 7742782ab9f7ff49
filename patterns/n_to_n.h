/* Every member waits for the last one (doc/methods.md, section 8). B and E are a member's begin and
 * end:
 *
 *     wait       = max(0, min(max B, E) - B)
 *     completion = max(0, E - max(min E, min(max B, E))) */
#ifndef PATTERNS_N_TO_N_H
#define PATTERNS_N_TO_N_H

#include "patterns/pattern.h"

struct n_to_n {
    int64_t last_begin, first_end;
    uint32_t last; /* the member that began last; the first of several */
};

/* max B and min E over at least one member. */
struct n_to_n n_to_n_span(const struct member *members, uint32_t count);

/* One member's wait for the last. */
struct member_wait n_to_n_wait(const struct member *member, struct n_to_n span);

/* The same for all members: fills waits[count]. */
void n_to_n_wait_all(const struct member *members, uint32_t count, struct n_to_n span,
                     struct member_wait *waits);

#endif
