/* One-sided communication with active targets: late post, early wait, wait at fence.
 *
 * Definitions: M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote
 * memory access inefficiency patterns, IJHPCA 26(3), 2012; A. Kuehnal, M.-A. Hermanns, B. Mohr,
 * F. Wolf: Specification of inefficiency patterns for MPI-2 one-sided communication, Euro-Par
 * 2006. */
#include "patterns/collective_waits.h"
#include "patterns/epochs.h"

#include <assert.h>

/* An origin waits for its targets to open their windows. The wait counts at the call that really
 * waits: implementations may wait in MPI_Win_start, in an operation or only in MPI_Win_complete.
 * With e and l enter and leave of such a call and P_t the enter of MPI_Win_post at target t, over
 * the targets that the call concerns (an operation's own; else all of the group):
 *
 *     wait = max { P_t : e < P_t <= l } - e
 *
 * A call that returns before a target has posted did not wait for it. */

/* Extends the call's wait if it waits longer for that member of its epoch's group. */
static void wait_for_post(const struct search_rank *rank, const struct rma_sync *start,
                          uint32_t member, const struct search_call *call, struct epoch_wait *wait)
{
    const struct group *group = &rank->trace->definitions->groups[start->group];
    const int64_t post = rank->epochs->partners[start->partners + member].enter;
    if (post <= call->leave)
        epoch_wait_extend(wait, (struct epoch_wait){post, group_rank(group, member)});
}

static struct epoch_wait wait_for_posts(const struct search_rank *rank,
                                        const struct epoch_access *access, uint32_t *hint)
{
    const struct epoch *epoch = &rank->epochs->list.items[access->epoch];
    const struct rma_sync *start = &rank->stream->rma_syncs[epoch->opened];
    const struct group *group = &rank->trace->definitions->groups[start->group];
    const struct search_call *call = &rank->calls[access->call];
    struct epoch_wait wait = {call->enter, INDEX_NONE};
    if (start->partners == INDEX_NONE)
        return wait;
    if (access->operation) {
        const uint32_t target = epoch_target_rank(rank->trace, rank, epoch->window, access->target);
        const uint32_t member = epoch_member(group, target, hint);
        if (member != INDEX_NONE)
            wait_for_post(rank, start, member, call, &wait);
        return wait;
    }
    for (uint32_t i = 0; i < group->count; i++)
        wait_for_post(rank, start, i, call, &wait);
    return wait;
}

static void search_late_post(const struct search_rank *rank)
{
    const struct epochs *epochs = rank->epochs;
    uint32_t hint = 0;
    for (size_t i = 0; epochs && i < epochs->accesses.count; i++) {
        const struct epoch_access *access = &epochs->accesses.items[i];
        const struct search_call *call = &rank->calls[access->call];
        if (epochs->list.items[access->epoch].kind != EPOCH_ACCESS)
            continue;
        const struct epoch_wait wait = wait_for_posts(rank, access, &hint);
        search_rank_add_wait(
            rank, access->operation ? METRIC_MPI_RMA_COMM_LATE_POST : METRIC_MPI_RMA_SYNC_LATE_POST,
            call, wait.until - call->enter, wait.culprit);
    }
}

const struct pattern late_post_pattern = {
    .name = "late post",
    .description = "an origin waits for its targets to open their windows",
    .search_rank = search_late_post,
};

/* A target waits in MPI_Win_wait for the last origin to complete. With e and l enter and leave of
 * that call, C the latest enter of MPI_Win_complete among the origins, and A the latest leave of
 * the origins' previous calls in these epochs (with operations; MPI_Win_start if there are none):
 *
 *     early wait    = max(0, min(C, l) - e)
 *     late complete = max(0, min(C, l) - max(e, A))   when nothing was left to access
 *
 * MPI_Win_test does not wait. */
static void add_early_wait(const struct search_rank *rank, const struct rma_sync *sync,
                           const struct search_call *call)
{
    const struct group *group = &rank->trace->definitions->groups[sync->group];
    const struct epoch_partner *origins = &rank->epochs->partners[sync->partners];
    struct epoch_wait complete = {TIME_UNKNOWN, INDEX_NONE};
    int64_t accessed = TIME_UNKNOWN;
    for (uint32_t i = 0; i < group->count; i++) {
        epoch_wait_extend(&complete, (struct epoch_wait){origins[i].enter, group_rank(group, i)});
        accessed = int64_max(accessed, origins[i].last_operation);
    }
    const int64_t released = int64_min(complete.until, call->leave);
    if (released <= call->enter)
        return;
    search_rank_add_wait(rank, METRIC_MPI_RMA_EARLY_WAIT, call, released - call->enter,
                         complete.culprit);
    search_rank_add(rank, METRIC_MPI_RMA_LATE_COMPLETE, call,
                    int64_max(0, released - int64_max(call->enter, accessed)));
}

static void search_early_wait(const struct search_rank *rank)
{
    for (uint32_t i = 0; rank->epochs && i < rank->stream->rma_sync_count; i++) {
        const struct rma_sync *sync = &rank->stream->rma_syncs[i];
        if (sync->kind != RMA_SYNC_WAIT || sync->partners == INDEX_NONE || sync->no_wait ||
            rank->rma_sync_call[i] == CALL_NONE)
            continue;
        const struct search_call *call = &rank->calls[rank->rma_sync_call[i]];
        if (call->mpi_call != MPI_CALL_WIN_TEST)
            add_early_wait(rank, sync, call);
    }
}

const struct pattern early_wait_pattern = {
    .name = "early wait",
    .description = "a target waits for the last origin to complete",
    .search_rank = search_early_wait,
};

/* With B and E begin and end of a member's MPI_Win_fence, and A the latest leave of others' calls
 * with an operation on its window in the epoch that the fence ends:
 *
 *     wait at fence = max(0, min(max B, E) - B)
 *     early fence   = max(0, min(A, E) - B)         when operations were still called
 *
 * A fence with MPI_MODE_NOPRECEDE ends no epoch and need not synchronise: its members do not wait
 * if one of them leaves it before another has entered it. */
static void wait_at_fence(const struct member *members, uint32_t count, struct member_wait *waits)
{
    assert(count > 0);
    const struct n_to_n span = n_to_n_span(members, count);
    if (!members[0].ends_no_epoch || span.first_end >= span.last_begin)
        n_to_n_wait_all(members, count, span, waits);
}

static void search_early_fence(const struct search_rank *rank)
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
                        int64_max(0, int64_min(rank->epochs->last_access[i], end) - begin));
    }
}

const struct pattern wait_at_fence_pattern = {
    .name = "wait at fence",
    .description = "waits in a fence for the last process, and for operations before it",
    .flows = 1u << FLOW_BARRIER,
    .on_windows = true,
    .wait_metric = METRIC_MPI_RMA_WAIT_AT_FENCE,
    .completion_metric = METRIC_NONE,
    .search_instance = wait_at_fence,
    .search_rank = search_early_fence,
};
