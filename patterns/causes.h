/* All that is known of why ranks wait, once for all families that ask for it. */
#ifndef PATTERNS_CAUSES_H
#define PATTERNS_CAUSES_H

#include "patterns/delays.h"

struct causes {
    const struct trace *trace;
    struct sync_points points;
    struct interval *intervals; /* [wait] */
    struct delays delays;
};

/* Collective. The collector is empty then, and of the ranks only what needs no memory is left
 * (search_rank_clear). Clear the causes in any case. */
enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error);

void causes_clear(struct causes *causes);

/* --- what delays and waits cost: a delay makes others wait, who make others wait -------------- */

/* Ticks that the culprit's own waits in the interval take; with the wait's delays, the excess. */
int64_t wait_caused(const struct causes *causes, uint32_t wait);
int64_t wait_excess(const struct causes *causes, uint32_t wait);

/* What each tick of the excess accounts for of the wait: the short-term costs of a delay. */
double wait_scale(const struct causes *causes, uint32_t wait);

/* Takes what a wait causes of others' waits, ticks by their kinds. */
typedef void long_term_taker(void *data, uint32_t wait, const double passed[SYNC_KIND_COUNT]);

/* Calls `take` for all waits that cause others, in an order that is the same on all processes; for
 * some more than once, with a part each time. False when memory is out. */
bool long_term_pass_back(const struct causes *causes, long_term_taker *take, void *data);

#endif
