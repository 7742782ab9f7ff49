/* Early wait, late complete: a target waits in MPI_Win_wait for the last origin to complete. With e
 * and l enter and leave of that call, C the latest enter of MPI_Win_complete among the origins, and
 * A the latest leave of what they did in these epochs before (calls with operations; MPI_Win_start
 * where there are none):
 *
 *     early wait    = max(0, min(C, l) - e)
 *     late complete = max(0, min(C, l) - max(e, A))   its part in which nothing was left to access
 *
 * MPI_Win_test does not wait.
 *
 * M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote memory access
 * inefficiency patterns, IJHPCA 26(3), 2012. */
#include "patterns/epochs.h"

static void search_wait(const struct search_rank *rank, const struct rma_sync *sync,
                        const struct call *call)
{
    const uint32_t count = rank->trace->definitions->groups[sync->group].count;
    const struct epoch_partner *origins = &rank->epochs->partners[sync->partners];
    int64_t complete = TIME_UNKNOWN, accessed = TIME_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        complete = later(complete, origins[i].enter);
        accessed = later(accessed, origins[i].last_operation);
    }
    const int64_t released = earlier(complete, call->leave);
    if (released <= call->enter)
        return;
    search_rank_add(rank, METRIC_MPI_RMA_EARLY_WAIT, call, released - call->enter);
    search_rank_add(rank, METRIC_MPI_RMA_LATE_COMPLETE, call,
                    later(0, released - later(call->enter, accessed)));
}

static void search_rank(const struct search_rank *rank)
{
    for (uint32_t i = 0; rank->epochs && i < rank->stream->rma_sync_count; i++) {
        const struct rma_sync *sync = &rank->stream->rma_syncs[i];
        if (sync->kind != RMA_SYNC_WAIT || sync->partners == INDEX_NONE ||
            rank->rma_sync_call[i] == CALL_NONE)
            continue;
        const struct call *call = &rank->calls[rank->rma_sync_call[i]];
        if (call->mpi_call != MPI_CALL_WIN_TEST)
            search_wait(rank, sync, call);
    }
}

const struct pattern early_wait_pattern = {
    .name = "early wait",
    .description = "a target waits for the last origin to complete",
    .search_rank = search_rank,
};
