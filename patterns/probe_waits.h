/* The waits of MPI_Probe and MPI_Mprobe for messages that are sent late. */
#ifndef PATTERNS_PROBE_WAITS_H
#define PATTERNS_PROBE_WAITS_H

#include "patterns/search.h"

/* Appends the waits of a swept rank, which has the other ends of its messages. False if out of
 * memory. */
bool probe_waits_list(const struct search_rank *rank, struct call_waits *waits);

#endif
