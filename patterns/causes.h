/* The causes of all waits: found once, for all families that need them. */
#ifndef PATTERNS_CAUSES_H
#define PATTERNS_CAUSES_H

#include "patterns/delays.h"
#include "patterns/thread_path.h"

/* A process has the waits of its ranks (`points`, numbered as in points.waits), and the waits for
 * its ranks (`caused`), of which it knows intervals and delays. */
struct causes {
    const struct trace *trace;
    struct sync_points points;
    struct caused_waits caused;
    struct bytes delay_lists;
    struct thread_path threads; /* and the waits for them */
    uint32_t *culprits; /* [wait]: its place among the caused waits of its culprit's owner */
};

/* Collective. Empties the collector, and frees the ranks' memory (search_rank_clear). Free the
 * causes with causes_clear; after a failure nothing is left to free. */
enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error);

void causes_clear(struct causes *causes);

/* The next functions take the place of a caused wait. */

/* The wait itself; and the rank that it waits for, which is owned. */
static inline const struct sync_end *caused_end(const struct causes *causes, uint32_t caused)
{
    return &causes->points.ends[causes->caused.all[caused].end];
}

static inline const struct search_rank *
caused_culprit(const struct causes *causes, const struct search_rank *ranks, uint32_t caused)
{
    const uint32_t rank = sync_culprit(&causes->points, caused_end(causes, caused))->rank;
    return search_rank_owned(ranks, causes->trace, rank);
}

static inline enum sync_kind caused_kind(const struct causes *causes, uint32_t caused)
{
    return sync_kind_of(&causes->points, caused_end(causes, caused));
}

/* For loops over all caused waits, to be called for each: prefetches what the functions above read
 * of this wait and the next ones (prefetch_batch). */
void caused_prefetch(const struct causes *causes, uint32_t caused);

/* The beginning of its list of delays. */
static inline const unsigned char *caused_delays(const struct causes *causes, uint32_t caused)
{
    return (const unsigned char *)causes->delay_lists.data + causes->caused.all[caused].delays;
}

/* The waits of the culprit's thread for other threads in the interval: numbers of waits in
 * `threads`, from the returned one up to `*end`. */
size_t caused_thread_waits(const struct causes *causes, uint32_t caused, size_t *end);

/* Ticks of the culprit's own waits in the interval, also for threads; and the excess: these plus
 * the delays. */
int64_t caused_by_waits(const struct causes *causes, uint32_t caused);
int64_t caused_excess(const struct causes *causes, uint32_t caused);

/* The part of the wait that each tick of the excess accounts for. A delay times this is its
 * short-term cost. */
double caused_scale(const struct causes *causes, uint32_t caused);

#endif
