#ifndef PATTERNS_PROGRESS_WAITS_H
#define PATTERNS_PROGRESS_WAITS_H

#include "patterns/epochs.h"

/* Collective. Fills `progress_until` of the swept ranks' epochs; lock_until is there. */
enum status progress_waits_find(const struct trace *trace, const struct search_rank *ranks,
                                struct error *error);

#endif
