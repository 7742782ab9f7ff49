/* How much is communicated, and how many pairs of processes are synchronised. */
#include "patterns/epochs.h"

/* Messages and bytes, with payload (communications) and without (synchronisations). A send counts
 * at the call that posts it, a receive at the one that completes it, a collective operation by what
 * its member sends and receives. */
static void add_message_volume(const struct search_rank *rank, uint32_t index)
{
    const struct message *message = &rank->stream->messages[index];
    bool is_send = message->flags & MESSAGE_SEND;
    uint32_t call = is_send ? rank->post_call[index] : rank->completion_call[index];
    if (call == CALL_NONE || !message_is_kept(message))
        return;
    const struct search_call *where = &rank->calls[call];
    if (message->bytes == 0) {
        search_rank_add(rank, is_send ? METRIC_SYNCS_SEND : METRIC_SYNCS_RECV, where, 1);
        return;
    }
    search_rank_add(rank, is_send ? METRIC_COMMS_SEND : METRIC_COMMS_RECV, where, 1);
    search_rank_add(rank, is_send ? METRIC_BYTES_SENT : METRIC_BYTES_RCVD, where,
                    (int64_t)message->bytes);
}

static void add_collective_volume(const struct search_rank *rank, uint32_t index)
{
    const struct collective *c = &rank->stream->collectives[index];
    if (rank->collective_call[index] == CALL_NONE || c->flags & COLLECTIVE_WINDOW)
        return;
    const struct search_call *where = &rank->calls[rank->collective_call[index]];
    enum metric as_source = c->received > 0 ? METRIC_COMMS_CXCH : METRIC_COMMS_CSRC;
    enum metric otherwise = c->received > 0 ? METRIC_COMMS_CDST : METRIC_SYNCS_COLL;
    search_rank_add(rank, c->sent > 0 ? as_source : otherwise, where, 1);
    search_rank_add(rank, METRIC_BYTES_COUT, where, (int64_t)c->sent);
    search_rank_add(rank, METRIC_BYTES_CIN, where, (int64_t)c->received);
}

static void count_message_volume(const struct search_rank *rank)
{
    for (uint32_t i = 0; i < rank->stream->message_count; i++)
        add_message_volume(rank, i);
    for (uint32_t i = 0; i < rank->stream->collective_count; i++)
        add_collective_volume(rank, i);
}

const struct pattern volume_pattern = {
    .name = "volume",
    .description = "messages and bytes",
    .search_rank = count_message_volume,
};

/* Operations count at the calls that begin them. Pairs count at the origin's call that ends the
 * epoch: the other members of the group of MPI_Win_complete, or of the window of a fence. Pairs
 * without an operation of this origin in the epoch were not needed. */
static void add_operation_volume(const struct search_rank *rank, const struct rma_op *op,
                                 uint32_t index)
{
    if (rank->rma_op_call[index] == CALL_NONE)
        return;
    const struct search_call *call = &rank->calls[rank->rma_op_call[index]];
    const enum metric count = op->kind == RMA_PUT   ? METRIC_COMMS_PUT
                              : op->kind == RMA_GET ? METRIC_COMMS_GET
                                                    : METRIC_COMMS_ATOMIC;
    search_rank_add(rank, count, call, 1);
    search_rank_add(rank, METRIC_BYTES_PUT, call, (int64_t)op->sent);
    search_rank_add(rank, METRIC_BYTES_GET, call, (int64_t)op->received);
}

static void add_synchronised_pairs(const struct search_rank *rank, const struct search_call *call,
                                   uint32_t pairs, uint32_t needed)
{
    search_rank_add(rank, METRIC_MPI_RMA_PAIRSYNC_COUNT, call, pairs);
    search_rank_add(rank, METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, call,
                    pairs > needed ? pairs - needed : 0);
}

static const struct search_call *fence_call(const struct search_rank *rank, uint32_t index)
{
    const struct collective *fence = &rank->stream->collectives[index];
    const bool counts = fence->flags & COLLECTIVE_WINDOW && fence->op == COLLECTIVE_BARRIER &&
                        fence->comm != INDEX_NONE && fence->end != INDEX_NONE &&
                        collective_synchronises(fence);
    return counts ? &rank->calls[rank->collective_call[index]] : NULL;
}

static void add_fences(const struct search_rank *rank)
{
    const struct definitions *d = rank->trace->definitions;
    for (uint32_t i = 0; i < rank->stream->collective_count; i++) {
        const struct search_call *call = fence_call(rank, i);
        const uint32_t comm = rank->stream->collectives[i].comm;
        if (call && !d->comms[comm].self)
            add_synchronised_pairs(rank, call, comm_size(d, comm, rank->stream->rank, false) - 1,
                                   0);
    }
}

static void add_epoch(const struct search_rank *rank, const struct epoch *epoch)
{
    const struct stream *stream = rank->stream;
    if (epoch->closed == INDEX_NONE)
        return;
    if (epoch->kind == EPOCH_ACCESS) {
        const uint32_t group = stream->rma_syncs[epoch->opened].group;
        add_synchronised_pairs(rank, &rank->calls[rank->rma_sync_call[epoch->closed]],
                               rank->trace->definitions->groups[group].count, epoch->target_count);
    } else if (epoch->kind == EPOCH_FENCE && fence_call(rank, epoch->closed)) {
        search_rank_add(rank, METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT,
                        fence_call(rank, epoch->closed), -(int64_t)epoch->target_count);
    }
}

static void count_one_sided(const struct search_rank *rank)
{
    if (!rank->epochs)
        return;
    for (uint32_t i = 0; i < rank->stream->rma_op_count; i++)
        add_operation_volume(rank, &rank->stream->rma_ops[i], i);
    add_fences(rank);
    for (size_t i = 0; i < rank->epochs->list.count; i++)
        add_epoch(rank, &rank->epochs->list.items[i]);
}

const struct pattern one_sided_volume_pattern = {
    .name = "one-sided volume",
    .description = "one-sided operations, their bytes, and the pairs that are synchronised",
    .search_rank = count_one_sided,
};
