/* Delays: at each call path, how much longer the culprit of a wait was busy than its victim since
 * their last synchronisation. */
#ifndef PATTERNS_DELAYS_H
#define PATTERNS_DELAYS_H

#include "base/array.h"
#include "patterns/intervals.h"
#include "patterns/thread_path.h"

struct delay {
    int64_t ticks; /* > 0 */
    uint32_t path;
};

/* Collective. Finds the delays of all waits: `delay` and `delays` of each caused wait, with the
 * lists in `lists`, which the caller clears. `culprits` [wait] receives for each own wait its place
 * among the caused waits of its culprit's owner. */
enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct thread_path *threads,
                        struct caused_waits *caused, struct bytes *lists, uint32_t *culprits,
                        struct error *error);

/* Reads the delay at `*place` and moves `*place` to the next one. At the end of the list it returns
 * false and moves `*place` to the byte after the list. */
bool delay_list_next(const unsigned char **place, struct delay *delay);

#endif
