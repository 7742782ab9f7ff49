/* What the two ends of a message must know of each other. */
#ifndef PATTERNS_ENDS_H
#define PATTERNS_ENDS_H

#include "patterns/pattern.h"

/* Collective. Fills `other` of every matched message of the swept ranks: one exchange for all. */
enum status exchange_ends(const struct trace *trace, struct search_rank *ranks,
                          struct error *error);

#endif
