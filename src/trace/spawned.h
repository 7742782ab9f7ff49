/* Ranks that MPI_Comm_spawn has started. Each such call makes a world: a range of ranks that have
 * a common MPI_COMM_WORLD and do not exist before the call. World 0 has the ranks that the
 * launcher has started. The archive states the others in its property SILAS::SPAWNED; a part of it
 * that makes no sense is ignored. `d` are the definitions of a trace. */
#ifndef TRACE_SPAWNED_H
#define TRACE_SPAWNED_H

#include "trace/definitions.h"

struct spawned_world {
    uint32_t first, end; /* its ranks: from `first` to `end` - 1 */
    uint32_t creator;    /* the rank that was the root of the call; lower than `first` */
};

/* The worlds after world 0. Set `*at` to 0 before the first call. False if there are no more. */
bool spawned_next(const struct definitions *d, size_t *at, struct spawned_world *world);

/* The number of worlds, at least 1, and the world of a rank. */
uint32_t spawned_world_count(const struct definitions *d);
uint32_t spawned_world_of(const struct definitions *d, uint32_t rank);

/* The rank that has started a rank; INDEX_NONE: the launcher has. */
uint32_t spawned_creator(const struct definitions *d, uint32_t rank);

#endif
