/* Lock competition (contention): an origin waits for a lock that others hold. lock_waits.c has the
 * formula. The wait stands in the call that does wait: an operation, or a call that synchronises
 * (MPI_Win_lock, _flush, _unlock, or MPI_Wait of a request).
 *
 * Definition: M.-A. Hermanns, S. Krishnamoorthy, F. Wolf: A scalable infrastructure for the
 * performance analysis of passive target synchronization, Parallel Computing 39(3), 2013. */
#include "patterns/epochs.h"

static void search_rank(const struct search_rank *rank)
{
    if (!rank->epochs || !rank->epochs->lock_until)
        return;
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct call *call = &rank->calls[i];
        if (rank->epochs->lock_until[i] == TIME_UNKNOWN)
            continue;
        const bool operation = mpi_call_infos[call->mpi_call].class == MPI_CLASS_RMA;
        search_rank_add(rank,
                        operation ? METRIC_MPI_RMA_COMM_LOCK_COMPETITION
                                  : METRIC_MPI_RMA_SYNC_LOCK_COMPETITION,
                        call, rank->epochs->lock_until[i] - call->enter);
    }
}

const struct pattern lock_competition_pattern = {
    .name = "lock competition",
    .description = "an origin waits for a lock that others hold",
    .search_rank = search_rank,
};
