/* What kind of balance would test whether a region's imbalance causes waits. */
#ifndef PATTERNS_BALANCE_CHOICE_H
#define PATTERNS_BALANCE_CHOICE_H

#include "patterns/pattern.h"

/* Collective. True if ranks take turns in being slow in the region, so that it has to be balanced
 * visit by visit: with the ranks' whole computation made even, more than half of the imbalance
 * would be left. */
enum status balance_by_visits(const struct trace *trace, uint32_t region, bool *by_visits,
                              struct error *error);

#endif
