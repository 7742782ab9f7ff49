/* Late post: an origin waits for its targets to open their windows. The wait stands in the call
 * that does wait: implementations may do so in MPI_Win_start, in an operation or only in
 * MPI_Win_complete. With e and l enter and leave of such a call and P_t the enter of MPI_Win_post
 * at target t, over the targets that the call concerns (an operation's own; else all of the group):
 *
 *     wait = max { P_t : e < P_t <= l } - e
 *
 * A call that returns before a target has posted did not wait for it.
 *
 * M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote memory access
 * inefficiency patterns, IJHPCA 26(3), 2012. */
#include "patterns/epochs.h"

/* Until when the call waits for that member of its epoch's group. */
static int64_t post_of(const struct epochs *epochs, const struct rma_sync *start, uint32_t member,
                       const struct call *call)
{
    const int64_t post = epochs->partners[start->partners + member].enter;
    return post > call->enter && post <= call->leave ? post : call->enter;
}

static int64_t until(const struct search_rank *rank, const struct epoch_access *access,
                     uint32_t *hint)
{
    const struct epoch *epoch = &rank->epochs->list.items[access->epoch];
    const struct rma_sync *start = &rank->stream->rma_syncs[epoch->opened];
    const struct group *group = &rank->trace->definitions->groups[start->group];
    const struct call *call = &rank->calls[access->call];
    int64_t last = call->enter;
    if (start->partners == INDEX_NONE)
        return last;
    if (access->operation) {
        const uint32_t target = epoch_target_rank(rank->trace, rank, epoch->window, access->target);
        const uint32_t member = epoch_member(group, target, hint);
        return member == INDEX_NONE ? last : post_of(rank->epochs, start, member, call);
    }
    for (uint32_t i = 0; i < group->count; i++)
        last = later(last, post_of(rank->epochs, start, i, call));
    return last;
}

static void search_rank(const struct search_rank *rank)
{
    const struct epochs *epochs = rank->epochs;
    uint32_t hint = 0;
    for (size_t i = 0; epochs && i < epochs->accesses.count; i++) {
        const struct epoch_access *access = &epochs->accesses.items[i];
        const struct call *call = &rank->calls[access->call];
        if (epochs->list.items[access->epoch].kind == EPOCH_ACCESS)
            search_rank_add(rank,
                            access->operation ? METRIC_MPI_RMA_COMM_LATE_POST
                                              : METRIC_MPI_RMA_SYNC_LATE_POST,
                            call, until(rank, access, &hint) - call->enter);
    }
}

const struct pattern late_post_pattern = {
    .name = "late post",
    .description = "an origin waits for its targets to open their windows",
    .search_rank = search_rank,
};
