/* Sending synchronisation points from the processes that find them to the owners of the ranks in
 * them. */
#ifndef PATTERNS_SYNC_EXCHANGE_H
#define PATTERNS_SYNC_EXCHANGE_H

#include "base/mpi/exchange.h"
#include "patterns/sync_points.h"

/* Collective. Each process has collected the pairs in which its own ranks wait. Afterwards it also
 * has those in which others wait for its ranks; all are in order of the ranks that wait. */
enum status sync_exchange_pairs(const struct trace *trace, struct sync_collector *collector,
                                struct error *error);

/* Collective. Sends the collected instances of operations to the owners of their members: each
 * arrives as a struct sync_instance and its ends (sync_points.h says which). Empties those of the
 * collector. The caller frees the items, which are bytes. */
enum status sync_exchange_instances(const struct trace *trace, struct sync_collector *collector,
                                    struct received *arrived, struct error *error);

#endif
