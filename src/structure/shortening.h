/* The calls of a rank without most of their exact repeats: a loop that makes the same calls ten
 * thousand times is found from fewer iterations as well. */
#ifndef STRUCTURE_SHORTENING_H
#define STRUCTURE_SHORTENING_H

#include "structure/calls.h"

#include "base/array.h"

#include <stddef.h>

/* Repeats that a round has left out. */
struct repeat_gap {
    uint32_t at;     /* number of the first call after them, among the calls after the round */
    uint32_t period; /* length of a repeat, in calls before the round */
    uint32_t repeats;
};

typedef ARRAY(struct repeat_gap) repeat_gaps;

struct shortened_calls {
    struct rank_calls rank;    /* the calls that are left; without bytes and tags */
    ARRAY(repeat_gaps) rounds; /* each in order of the calls */
};

/* Leaves out calls of `rank` that repeat exactly, compared by `likeness`. If `*shortened` is not
 * all zero, it is the result for a stricter likeness, and is shortened further. The time is linear
 * in the number of calls. False if out of memory. Free the result with shortened_calls_clear, also
 * after a failure.
 */
bool rank_calls_shorten(const struct rank_calls *rank, enum likeness likeness,
                        struct shortened_calls *shortened);
void shortened_calls_clear(struct shortened_calls *shortened);

/* Replaces the boundaries of a loop's iterations, `*begin` [*iterations + 1], by those among all
 * calls, with the iterations that were left out. False if out of memory. */
bool shortened_calls_undo(const struct shortened_calls *shortened, uint32_t **begin,
                          size_t *iterations);

#endif
