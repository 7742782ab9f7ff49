/* A call waits for the other ends of the messages that it completes: a late sender or a late
 * receiver. Equations: message_waits.h. */
#include "patterns/message_waits.h"

/* The longest of the call's waits for the other ends of its sends, or of its receives, and its
 * message; 0 if there is none. A send that was left before its receive was posted was buffered and
 * did not wait. */
static int64_t longest_message_wait(const struct search_rank *rank, const struct search_call *call,
                                    bool of_sends, uint32_t *message)
{
    const struct message *messages = rank->stream->messages;
    int64_t longest = 0;
    for (uint32_t i = call->first_completed; i != INDEX_NONE; i = rank->next_completed[i]) {
        const bool sends = messages[i].flags & MESSAGE_SEND;
        if (sends != of_sends || !message_takes_part(&messages[i]) ||
            messages[i].flags & MESSAGE_NO_WAIT)
            continue;
        const int64_t other = rank->other[i].enter;
        if (sends && other > call->leave)
            continue;
        const int64_t wait = int64_min(other, call->leave) - call->enter;
        if (wait > longest) {
            longest = wait;
            *message = i;
        }
    }
    return longest;
}

int64_t late_sender_wait(const struct search_rank *rank, const struct search_call *call,
                         uint32_t *message)
{
    return call_is_test(call->mpi_call) ? 0 : longest_message_wait(rank, call, false, message);
}

static bool may_wait_for_receiver(enum mpi_call call)
{
    return mpi_class_waits(mpi_call_infos[call].class) || call == MPI_CALL_SEND ||
           call == MPI_CALL_SSEND;
}

int64_t late_receiver_wait(const struct search_rank *rank, const struct search_call *call,
                           uint32_t *message)
{
    uint32_t received;
    if (!may_wait_for_receiver(call->mpi_call) || late_sender_wait(rank, call, &received) > 0)
        return 0;
    return longest_message_wait(rank, call, true, message);
}

/* The metrics for the waits of all calls: ticks, and instances with and without payload. */
struct wait_metrics {
    enum metric wait, communications, synchronisations;
};

typedef int64_t wait_finder(const struct search_rank *rank, const struct search_call *call,
                            uint32_t *message);

static void add_message_waits(const struct search_rank *rank, wait_finder *find,
                              struct wait_metrics metrics)
{
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct search_call *call = &rank->calls[i];
        uint32_t message;
        const int64_t wait = find(rank, call, &message);
        if (wait == 0)
            continue;
        const bool payload = rank->stream->messages[message].bytes > 0;
        search_rank_add_wait(rank, metrics.wait, call, wait,
                             rank->stream->messages[message].partner_rank);
        search_rank_add(rank, payload ? metrics.communications : metrics.synchronisations, call, 1);
    }
}

static void search_late_senders(const struct search_rank *rank)
{
    add_message_waits(
        rank, late_sender_wait,
        (struct wait_metrics){METRIC_MPI_LATESENDER, METRIC_MPI_CLS_COUNT, METRIC_MPI_SLS_COUNT});
}

static void search_late_receivers(const struct search_rank *rank)
{
    add_message_waits(
        rank, late_receiver_wait,
        (struct wait_metrics){METRIC_MPI_LATERECEIVER, METRIC_MPI_CLR_COUNT, METRIC_MPI_SLR_COUNT});
}

/* Impossible time stamps: a message that is received before it is sent. Members of collective
 * operations that end before one they need has begun are counted in instances.c. silas-analyze
 * --correct-clocks corrects both. */
static void search_violations(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (message->flags & (MESSAGE_SEND | MESSAGE_NO_WAIT) || !message_takes_part(message) ||
            message->completion == INDEX_NONE || rank->completion_call[i] == CALL_NONE)
            continue;
        if ((int64_t)stream->time[message->completion] < rank->other[i].time)
            search_rank_add(rank, METRIC_CLOCK_VIOLATIONS, &rank->calls[rank->completion_call[i]],
                            1);
    }
}

const struct pattern late_sender_pattern = {
    .name = "late sender",
    .description = "a receiver waits for a message that is not yet sent",
    .search_rank = search_late_senders,
};

const struct pattern late_receiver_pattern = {
    .name = "late receiver",
    .description = "a sender waits for the receive to be posted",
    .search_rank = search_late_receivers,
};

const struct pattern clock_violations_pattern = {
    .name = "clock violations",
    .description = "messages that are received before they are sent",
    .search_rank = search_violations,
};
