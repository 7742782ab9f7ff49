/* Late sender (METHODS 8): a call that completes a receive is entered before the message is sent.
 *
 *     wait = max(0, min(e_send, l_recv) - e_recv)
 *
 * e_send: enter of the call that posts the send; e_recv, l_recv: enter and leave of the call that
 * completes the receive. A call that completes several receives waits for the one that takes
 * longest. The Test calls do not wait. */
#include "patterns/late_sender.h"

bool call_is_test(enum mpi_call call)
{
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_TEST:
    case MPI_CLASS_TESTALL:
    case MPI_CLASS_TESTANY:
    case MPI_CLASS_TESTSOME:
    case MPI_CLASS_REQUEST_TEST:
        return true;
    default:
        return false;
    }
}

int64_t late_sender_wait(const struct search_rank *rank, const struct call *call, uint32_t *message)
{
    const struct message *messages = rank->stream->messages;
    int64_t longest = 0;
    if (call_is_test(call->mpi_call))
        return 0;
    for (uint32_t i = call->first_completed; i != INDEX_NONE; i = rank->next_completed[i]) {
        if (messages[i].flags & MESSAGE_SEND || !message_is_matched(&messages[i]))
            continue;
        int64_t wait = earlier(rank->other[i].enter, call->leave) - call->enter;
        if (wait > longest) {
            longest = wait;
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
        int64_t wait = late_sender_wait(rank, call, &message);
        if (wait == 0)
            continue;
        bool payload = rank->stream->messages[message].bytes > 0;
        search_rank_add(rank, METRIC_MPI_LATESENDER, call, wait);
        search_rank_add(rank, payload ? METRIC_MPI_CLS_COUNT : METRIC_MPI_SLS_COUNT, call, 1);
    }
}

const struct pattern late_sender_pattern = {
    .name = "late sender",
    .description = "a receiver waits for a message that is not yet sent",
    .search_rank = search_rank,
};
