/* Costs that are passed back: a delay makes others wait, who so make others wait. */
#ifndef PATTERNS_LONG_TERM_H
#define PATTERNS_LONG_TERM_H

#include "patterns/causes.h"

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
