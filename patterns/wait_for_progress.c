/* Wait for progress: an origin waits until its target, which computes, enters MPI and serves it.
 * progress_waits.c has the formula. The wait stands in the call that does wait, behind what it
 * waits for a lock.
 *
 * Definition: M.-A. Hermanns, S. Krishnamoorthy, F. Wolf: A scalable infrastructure for the
 * performance analysis of passive target synchronization, Parallel Computing 39(3), 2013. */
#include "patterns/epochs.h"

static void search_rank(const struct search_rank *rank)
{
    const struct epochs *epochs = rank->epochs;
    if (!epochs || !epochs->progress_until)
        return;
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct call *call = &rank->calls[i];
        if (epochs->progress_until[i] == TIME_UNKNOWN)
            continue;
        const bool operation = mpi_call_infos[call->mpi_call].class == MPI_CLASS_RMA;
        search_rank_add(rank,
                        operation ? METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS
                                  : METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS,
                        call,
                        epochs->progress_until[i] - later(call->enter, epochs->lock_until[i]));
    }
}

const struct pattern wait_for_progress_pattern = {
    .name = "wait for progress",
    .description = "an origin waits until its target enters MPI",
    .search_rank = search_rank,
};
