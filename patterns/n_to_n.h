/* Where everybody waits for the last to come (METHODS 8). B and E are a member's begin and end:
 *
 *     wait       = max(0, min(max B, E) - B)
 *     completion = max(0, E - max(min E, min(max B, E)))
 */
#ifndef PATTERNS_N_TO_N_H
#define PATTERNS_N_TO_N_H

#include "patterns/pattern.h"

struct n_to_n {
    int64_t last_begin, first_end;
    uint32_t last; /* who began last; the first of several */
};

static inline struct n_to_n n_to_n_span(const struct member *members, uint32_t count)
{
    struct n_to_n span = {INT64_MIN, INT64_MAX, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].begin > span.last_begin) {
            span.last_begin = members[i].begin;
            span.last = i;
        }
        span.first_end = earlier(span.first_end, members[i].end);
    }
    return span;
}

static inline struct member_wait n_to_n_wait(const struct member *member, struct n_to_n span)
{
    int64_t released = earlier(span.last_begin, member->end);
    return (struct member_wait){.wait = later(0, released - member->begin),
                                .completion =
                                    later(0, member->end - later(span.first_end, released)),
                                .cause = span.last};
}

/* All members wait for the last. */
static inline void n_to_n_wait_all(const struct member *members, uint32_t count, struct n_to_n span,
                                   struct member_wait *waits)
{
    for (uint32_t i = 0; i < count; i++)
        waits[i] = n_to_n_wait(&members[i], span);
}

static inline void n_to_n_search(const struct member *members, uint32_t count,
                                 struct member_wait *waits)
{
    n_to_n_wait_all(members, count, n_to_n_span(members, count), waits);
}

#endif
