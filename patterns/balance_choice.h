/* Which kind of [balance] would test whether the imbalance of a region causes waits. */
#ifndef PATTERNS_BALANCE_CHOICE_H
#define PATTERNS_BALANCE_CHOICE_H

#include "patterns/pattern.h"

/* Collective. Sets `*by_visits` if the ranks take turns in being slow in the region, so that it
 * must be balanced visit by visit: equal sums of computation would leave more than half of the
 * imbalance. */
enum status balance_by_visits(const struct trace *trace, uint32_t region, bool *by_visits,
                              struct error *error);

#endif
