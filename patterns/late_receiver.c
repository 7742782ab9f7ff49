/* Late receiver (METHODS 8): a synchronous send waits for its receive to be posted.
 *
 *     wait = max(0, e_recvrequest - e_sendcompletion), 0 if l_sendcompletion < e_recvrequest
 *
 * e_recvrequest: enter of the call that posts the receive; e, l_sendcompletion: enter and leave of
 * the call that completes the send. If that one was left before the receive was posted, the message
 * was buffered and nobody waited. Send, Ssend and the Wait calls are looked at. A call that
 * completes several sends takes the longest wait; one that waits for a late sender counts as that.
 */
#include "patterns/late_sender.h"

static bool may_wait_for_receiver(enum mpi_call call)
{
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_WAIT:
    case MPI_CLASS_WAITALL:
    case MPI_CLASS_WAITANY:
    case MPI_CLASS_WAITSOME:
        return true;
    default:
        return call == MPI_CALL_SEND || call == MPI_CALL_SSEND;
    }
}

int64_t late_receiver_wait(const struct search_rank *rank, const struct call *call,
                           uint32_t *message)
{
    uint32_t received;
    if (!may_wait_for_receiver(call->mpi_call) || late_sender_wait(rank, call, &received) > 0)
        return 0;
    const struct message *messages = rank->stream->messages;
    int64_t longest = 0;
    for (uint32_t i = call->first_completed; i != INDEX_NONE; i = rank->next_completed[i]) {
        if (!(messages[i].flags & MESSAGE_SEND) || !message_is_matched(&messages[i]))
            continue;
        int64_t posted = rank->other[i].enter;
        if (posted <= call->leave && posted - call->enter > longest) {
            longest = posted - call->enter;
            *message = i;
        }
    }
    return longest;
}

static void search_rank(const struct search_rank *rank)
{
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct call *call = &rank->calls[i];
        uint32_t message;
        int64_t wait = late_receiver_wait(rank, call, &message);
        if (wait == 0)
            continue;
        bool payload = rank->stream->messages[message].bytes > 0;
        search_rank_add(rank, METRIC_MPI_LATERECEIVER, call, wait);
        search_rank_add(rank, payload ? METRIC_MPI_CLR_COUNT : METRIC_MPI_SLR_COUNT, call, 1);
    }
}

const struct pattern late_receiver_pattern = {
    .name = "late receiver",
    .description = "a sender waits for the receive to be posted",
    .search_rank = search_rank,
};
