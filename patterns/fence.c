/* Wait at fence, early fence. With B and E begin and end of a member's MPI_Win_fence, and A the
 * latest leave of others' calls with an operation towards it in the epoch that the fence ends:
 *
 *     wait at fence = max(0, min(max B, E) - B)
 *     early fence   = max(0, min(A, E) - B)         its part while operations were still called
 *
 * A fence with MPI_MODE_NOPRECEDE ends no epoch and need not synchronise: nobody waits in it if one
 * leaves it before another has entered it.
 *
 * M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote memory access
 * inefficiency patterns, IJHPCA 26(3), 2012; A. Kuehnal, M.-A. Hermanns, B. Mohr, F. Wolf:
 * Specification of inefficiency patterns for MPI-2 one-sided communication, Euro-Par 2006. */
#include "patterns/epochs.h"
#include "patterns/n_to_n.h"

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    const struct n_to_n span = n_to_n_span(members, count);
    if (!members[0].ends_no_epoch || span.first_end >= span.last_begin)
        n_to_n_wait_all(members, count, span, waits);
}

static void search_rank(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; rank->epochs && i < stream->collective_count; i++) {
        const struct collective *fence = &stream->collectives[i];
        if (rank->epochs->last_access[i] == TIME_UNKNOWN || fence->end == INDEX_NONE ||
            !collective_synchronises(fence))
            continue;
        const int64_t begin = (int64_t)stream->time[fence->begin];
        const int64_t end = (int64_t)stream->time[fence->end];
        search_rank_add(rank, METRIC_MPI_RMA_EARLY_FENCE, &rank->calls[rank->collective_call[i]],
                        later(0, earlier(rank->epochs->last_access[i], end) - begin));
    }
}

const struct pattern wait_at_fence_pattern = {
    .name = "wait at fence",
    .description = "waits in a fence for the last process, and for operations before it",
    .flows = 1u << FLOW_BARRIER,
    .on_windows = true,
    .wait_metric = METRIC_MPI_RMA_WAIT_AT_FENCE,
    .completion_metric = METRIC_NONE,
    .search_instance = search_instance,
    .search_rank = search_rank,
};
