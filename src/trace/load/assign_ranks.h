/* What MPI says about locations and communicators. */
#ifndef TRACE_LOAD_ASSIGN_RANKS_H
#define TRACE_LOAD_ASSIGN_RANKS_H

#include "base/status.h"
#include "trace/definitions.h"

/* Which location is which rank: fills rank_count, rank_location and the ranks of all locations. */
enum status assign_ranks(struct definitions *definitions, const char *path, struct error *error);

/* Fills what the communicators' groups tell (mpi, self, world_comm), and refuses members that are
 * no ranks. After assign_ranks. */
enum status check_comms(struct definitions *definitions, const char *path, struct error *error);

#endif
