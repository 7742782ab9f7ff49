/* The causes of all waits: found once, for all families that need them. */
#ifndef PATTERNS_CAUSES_H
#define PATTERNS_CAUSES_H

#include "patterns/delays.h"

struct causes {
    const struct trace *trace;
    struct sync_points points;
    const struct interval *intervals; /* [wait] */
    struct host_memory interval_memory;
    struct delays delays;
};

/* Collective. Empties the collector, and frees the ranks' memory (search_rank_clear). Clear the
 * causes in any case, before the trace's processes are closed. */
enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error);

void causes_clear(struct causes *causes);

/* --- what delays and waits cost --------------------------------------------------------------- */

/* A delay makes other ranks wait, which make others wait. Waits are numbered as in points.waits. */

/* Ticks of the culprit's own waits in the interval; and the excess: these plus the delays. */
int64_t wait_caused(const struct causes *causes, uint32_t wait);
int64_t wait_excess(const struct causes *causes, uint32_t wait);

/* The part of the wait that each tick of the excess accounts for. A delay times this is its
 * short-term cost. */
double wait_scale(const struct causes *causes, uint32_t wait);

/* Receives the ticks of others' waits that a wait has caused, by their kinds. */
typedef void long_term_taker(void *data, uint32_t wait, const double passed[SYNC_KIND_COUNT]);

/* Calls `take` for all waits that cause others, in an order that is the same on all processes. It
 * may be called several times for a wait, each time with a part. False when memory is out. */
bool long_term_pass_back(const struct causes *causes, long_term_taker *take, void *data);

#endif
