/* The one pass over a rank's events that all patterns share. */
#ifndef PATTERNS_SWEEP_H
#define PATTERNS_SWEEP_H

#include "patterns/pattern.h"

/* Fills `rank` from its stream (trace, stream, index and findings are set) and adds time and visits
 * per call path to the findings. False when memory is out. */
bool search_rank_sweep(struct search_rank *rank);

/* Frees the calls and columns; may be called twice. */
void search_rank_clear(struct search_rank *rank);

#endif
