/* How much is communicated: messages and bytes, with payload (communications) and without
 * (synchronisations). A send counts at the call that posts it, a receive at the one that completes
 * it, a collective by what its member sends and receives. */
#include "patterns/pattern.h"

static void add_message(const struct search_rank *rank, uint32_t index)
{
    const struct message *message = &rank->stream->messages[index];
    bool is_send = message->flags & MESSAGE_SEND;
    uint32_t call = is_send ? rank->post_call[index] : rank->completion_call[index];
    if (call == CALL_NONE || message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED))
        return;
    const struct call *where = &rank->calls[call];
    if (message->bytes == 0) {
        search_rank_add(rank, is_send ? METRIC_SYNCS_SEND : METRIC_SYNCS_RECV, where, 1);
        return;
    }
    search_rank_add(rank, is_send ? METRIC_COMMS_SEND : METRIC_COMMS_RECV, where, 1);
    search_rank_add(rank, is_send ? METRIC_BYTES_SENT : METRIC_BYTES_RCVD, where,
                    (int64_t)message->bytes);
}

static void add_collective(const struct search_rank *rank, uint32_t index)
{
    const struct collective *c = &rank->stream->collectives[index];
    if (rank->collective_call[index] == CALL_NONE || c->flags & COLLECTIVE_WINDOW)
        return;
    const struct call *where = &rank->calls[rank->collective_call[index]];
    enum metric as_source = c->received > 0 ? METRIC_COMMS_CXCH : METRIC_COMMS_CSRC;
    enum metric otherwise = c->received > 0 ? METRIC_COMMS_CDST : METRIC_SYNCS_COLL;
    search_rank_add(rank, c->sent > 0 ? as_source : otherwise, where, 1);
    search_rank_add(rank, METRIC_BYTES_COUT, where, (int64_t)c->sent);
    search_rank_add(rank, METRIC_BYTES_CIN, where, (int64_t)c->received);
}

static void search_rank(const struct search_rank *rank)
{
    for (uint32_t i = 0; i < rank->stream->message_count; i++)
        add_message(rank, i);
    for (uint32_t i = 0; i < rank->stream->collective_count; i++)
        add_collective(rank, i);
}

const struct pattern volume_pattern = {
    .name = "volume",
    .description = "messages and bytes",
    .search_rank = search_rank,
};
