#ifndef PATTERNS_LOCK_WAITS_H
#define PATTERNS_LOCK_WAITS_H

#include "patterns/epochs.h"

/* Collective. Fills `lock_until` of the swept ranks' epochs. */
enum status lock_waits_find(const struct trace *trace, const struct search_rank *ranks,
                            struct error *error);

#endif
