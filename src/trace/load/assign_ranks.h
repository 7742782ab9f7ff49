/* The ranks of locations and the members of communicators. */
#ifndef TRACE_LOAD_ASSIGN_RANKS_H
#define TRACE_LOAD_ASSIGN_RANKS_H

#include "base/status.h"
#include "trace/definitions.h"

/* Fills rank_count, rank_location and the ranks of all locations. */
enum status assign_ranks(struct definitions *definitions, const char *path, struct error *error);

/* Fills mpi and self from the communicators' groups, and fails if a member is not a rank. Call it
 * after assign_ranks. */
enum status check_comms(struct definitions *definitions, const char *path, struct error *error);

#endif
