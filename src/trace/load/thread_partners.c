/* The partners of messages between MPI processes of which several threads communicate at the same
 * time (doc/methods.md, section 3). Archives only have the processes of messages. The sends from
 * one process to another with one communicator and tag, in the order in which all threads of the
 * sender post them, are paired with the receives in the order in which all threads of the receiver
 * post them. MPI orders the messages of one thread but not those of several threads. So where the
 * sizes differ, a receive takes the first send of its size that is the oldest of its thread; if
 * there is none, the first send of its size; otherwise the oldest send. */
#include "base/map.h"
#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "trace/load/split_threads_private.h"

#include <stdlib.h>
#include <string.h>

/* A send, as sent to the owner of the receiving process. */
struct process_send {
    uint64_t bytes, time; /* of the post */
    uint32_t from, to;    /* MPI processes */
    uint32_t comm, tag;
    uint32_t rank, index; /* of the sender */
};

/* The answer to the sender. */
struct receiver_answer {
    uint32_t rank, index; /* of the sender */
    uint32_t receiver;    /* rank */
};

/* An end of a message in the order of its MPI process. */
struct ordered_end {
    uint64_t time;
    uint32_t rank, index;
};

typedef ARRAY(struct ordered_end) ordered_ends;

ORDER_BY(by_post, struct ordered_end, ASCENDING(time) ?: ASCENDING(rank) ?: ASCENDING(index))

/* The rows at which messages are posted or matched by a probe; NULL when memory is out. */
static uint32_t *probe_rows(const struct stream *stream)
{
    uint32_t *rows = malloc(((size_t)stream->message_count + 1) * sizeof *rows);
    for (uint32_t i = 0; rows && i < stream->message_count; i++)
        rows[i] = stream->messages[i].post;
    for (uint32_t row = 0; rows && row < stream->count; row++)
        if (stream->kind[row] == EVENT_MATCHED && stream->arg[row] != INDEX_NONE)
            rows[stream->arg[row]] = row;
    return rows;
}

static bool is_end(const struct message *m, bool sends)
{
    return !(m->flags & MESSAGE_SEND) == !sends && message_is_kept(m) && m->comm != INDEX_NONE &&
           m->peer != PEER_UNKNOWN;
}

/* Lists the sends or receives of an owned MPI process in the order of posting. */
static bool list_message_ends(const struct splitting *s, uint32_t mpi_process, bool sends,
                              ordered_ends *list)
{
    list->count = 0;
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(s->trace, rank);
        uint32_t *rows = probe_rows(stream);
        bool allocated = rows != NULL;
        for (uint32_t i = 0; allocated && i < stream->message_count; i++) {
            struct ordered_end end = {split_post_time(s, rank, i, rows[i]), rank, i};
            allocated = !is_end(&stream->messages[i], sends) || array_push(list, end);
        }
        free(rows);
        if (!allocated)
            return false;
    }
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_post);
    return true;
}

/* Calls `visit` for each MPI process that this process owns. */
static bool each_process(struct splitting *s, bool (*visit)(struct splitting *, uint32_t, void *),
                         void *data)
{
    const uint32_t first = s->trace->first_rank, behind = first + s->trace->owned_count;
    for (uint32_t rank = first; rank < behind;) {
        const uint32_t mpi_process = s->threads->mpi_process[rank];
        if (!visit(s, mpi_process, data))
            return false;
        rank = s->threads->first_rank[mpi_process + 1];
    }
    return true;
}

static bool put_sends(struct splitting *s, uint32_t mpi_process, void *exchange)
{
    ordered_ends list = {0};
    bool allocated = list_message_ends(s, mpi_process, true, &list);
    for (size_t i = 0; allocated && i < list.count; i++) {
        const struct ordered_end *end = &list.items[i];
        const struct message *m = &trace_stream(s->trace, end->rank)->messages[end->index];
        struct process_send send = {m->bytes, end->time, mpi_process, m->partner_rank,
                                    m->comm,  m->tag,    end->rank,   end->index};
        exchange_put(exchange, trace_owner(s->trace, s->threads->first_rank[m->partner_rank]),
                     &send);
    }
    free(list.items);
    return allocated;
}

/* A send or a receive, for sorting by channel. */
struct channel_end {
    struct process_send send; /* of a receive: the channel, its bytes, the time of its completion,
                                 and its own rank and index */
    uint32_t place;           /* in the order of its process */
    bool taken;
};

typedef ARRAY(struct channel_end) channel_ends;

static int order_channels(const struct process_send *x, const struct process_send *y)
{
    return ORDER(x->to, y->to)
               ?: ORDER(x->from, y->from)
               ?: ORDER(x->comm, y->comm)
               ?: ORDER(x->tag, y->tag);
}

static int by_channel(const void *a, const void *b)
{
    const struct channel_end *x = a, *y = b;
    return order_channels(&x->send, &y->send) ?: ORDER(x->place, y->place);
}

static bool list_receives(struct splitting *s, uint32_t mpi_process, void *data)
{
    channel_ends *all = data;
    ordered_ends list = {0};
    bool allocated = list_message_ends(s, mpi_process, false, &list);
    for (size_t i = 0; allocated && i < list.count; i++) {
        const struct ordered_end *end = &list.items[i];
        const struct message *m = &trace_stream(s->trace, end->rank)->messages[end->index];
        struct channel_end receive = {.place = (uint32_t)i};
        const uint64_t *time = trace_stream(s->trace, end->rank)->time;
        receive.send = (struct process_send){
            m->bytes,        m->completion == INDEX_NONE ? UINT64_MAX : time[m->completion],
            m->partner_rank, mpi_process,
            m->comm,         m->tag,
            end->rank,       end->index};
        allocated = array_push(all, receive);
    }
    free(list.items);
    return allocated;
}

static bool has_older(const struct channel_end *sends, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!sends[k].taken && sends[k].send.rank == sends[i].send.rank)
            return true;
    return false;
}

/* The send that a receive of `bytes` takes; `count` if none is left. */
static size_t choose_send(const struct channel_end *sends, size_t count, uint64_t bytes)
{
    size_t oldest = count, sized = count;
    for (size_t i = 0; i < count; i++) {
        if (sends[i].taken)
            continue;
        const bool same_size = sends[i].send.bytes == bytes;
        if (same_size && !has_older(sends, i))
            return i;
        if (same_size && sized == count)
            sized = i;
        if (oldest == count)
            oldest = i;
    }
    return sized < count ? sized : oldest;
}

static void join_pair(struct splitting *s, struct channel_end *send,
                      const struct channel_end *receive, struct exchange *answers)
{
    struct receiver_answer answer = {send->send.rank, send->send.index, receive->send.rank};
    struct stream *stream = trace_stream(s->trace, receive->send.rank);
    stream->messages[receive->send.index].partner_rank = send->send.rank;
    send->taken = true;
    exchange_put(answers, trace_owner(s->trace, send->send.rank), &answer);
}

ORDER_BY(by_receive_completion, struct channel_end, ASCENDING(send.time) ?: ASCENDING(place))

ORDER_BY(by_receive_post, struct channel_end, ASCENDING(place))

/* True if the n-th send and the n-th receive have the same size, and `in_time` also if no receive
 * is complete before its send is posted. */
static bool are_in_order(const struct channel_end *sends, const struct channel_end *receives,
                         size_t count, bool in_time)
{
    for (size_t i = 0; i < count; i++)
        if (sends[i].send.bytes != receives[i].send.bytes ||
            (in_time && sends[i].send.time > receives[i].send.time))
            return false;
    return true;
}

static void join_channel(struct splitting *s, struct channel_end *sends, size_t send_count,
                         struct channel_end *receives, size_t receive_count,
                         struct exchange *answers)
{
    const size_t both = send_count < receive_count ? send_count : receive_count;
    if (!are_in_order(sends, receives, both, true)) {
        qsort(receives, receive_count, sizeof *receives, by_receive_completion);
        if (!are_in_order(sends, receives, both, true))
            qsort(receives, receive_count, sizeof *receives, by_receive_post);
    }
    const bool in_order = are_in_order(sends, receives, both, false);
    for (size_t i = 0; i < both; i++) {
        const size_t k = in_order ? i : choose_send(sends, send_count, receives[i].send.bytes);
        if (k < send_count)
            join_pair(s, &sends[k], &receives[i], answers);
    }
}

static void join_all(struct splitting *s, channel_ends *sends, channel_ends *receives,
                     struct exchange *answers)
{
    for (size_t from = 0, r = 0; from < sends->count;) {
        size_t to = from + 1;
        const struct process_send *channel = &sends->items[from].send;
        while (to < sends->count && order_channels(&sends->items[to].send, channel) == 0)
            to++;
        while (r < receives->count && order_channels(&receives->items[r].send, channel) < 0)
            r++;
        size_t behind = r;
        while (behind < receives->count &&
               order_channels(&receives->items[behind].send, channel) == 0)
            behind++;
        if (behind > r)
            join_channel(s, sends->items + from, to - from, receives->items + r, behind - r,
                         answers);
        r = behind;
        from = to;
    }
}

/* Ends without a partner get the rank that takes part in the communicator's operations. Matching
 * reports them. */
static bool set_default(struct splitting *s, uint32_t mpi_process, void *data)
{
    (void)data;
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(s->trace, rank);
        for (uint32_t i = 0; i < stream->message_count; i++) {
            struct message *m = &stream->messages[i];
            if (m->comm == INDEX_NONE || m->partner_rank == INDEX_NONE)
                continue;
            m->partner_rank =
                s->d->comms[m->comm].self ? rank : split_default_rank(s, m->comm, m->partner_rank);
        }
    }
    return true;
}

/* True if a rank of the message is not in the first part of the communicator. */
static bool needs_wide(const struct splitting *s, uint32_t rank, const struct message *m)
{
    if (s->d->comms[m->comm].self)
        return m->partner_rank != rank;
    const uint32_t *process = s->threads->mpi_process;
    return split_default_rank(s, m->comm, process[rank]) != rank ||
           split_default_rank(s, m->comm, process[m->partner_rank]) != m->partner_rank;
}

static bool note_wide(struct splitting *s, uint32_t mpi_process, void *data)
{
    int64_t *wide = data;
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(s->trace, rank);
        for (uint32_t i = 0; i < stream->message_count; i++) {
            const struct message *m = &stream->messages[i];
            if (m->comm != INDEX_NONE && m->partner_rank != INDEX_NONE && !wide[m->comm])
                wide[m->comm] = needs_wide(s, rank, m);
        }
    }
    return true;
}

/* The partner's rank in the wide part, in which the ranks of the processes follow each other in
 * order. */
static uint32_t wide_peer(const struct splitting *s, uint32_t rank, const struct message *m)
{
    const uint32_t *first = s->threads->first_rank;
    const struct communicator *c = &s->d->comms[m->comm];
    if (c->self)
        return m->partner_rank;
    const struct group *group = &s->d->groups[c->group];
    if (c->remote_group != INDEX_NONE)
        for (uint32_t i = 0; i < group->count; i++)
            if (group_rank(group, i) == s->threads->mpi_process[rank]) {
                group = &s->d->groups[c->remote_group];
                break;
            }
    uint32_t before = 0;
    for (uint32_t i = 0; i < m->peer; i++) {
        const uint32_t p = group_rank(group, i);
        before += first[p + 1] - first[p];
    }
    return before + m->partner_rank - first[s->threads->mpi_process[m->partner_rank]];
}

static bool move_messages(struct splitting *s, uint32_t mpi_process, void *data)
{
    (void)data;
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(s->trace, rank);
        for (uint32_t i = 0; i < stream->message_count; i++) {
            struct message *m = &stream->messages[i];
            if (m->comm == INDEX_NONE || m->partner_rank == INDEX_NONE || !needs_wide(s, rank, m))
                continue;
            m->peer = wide_peer(s, rank, m);
            m->comm = s->wide[m->comm];
        }
    }
    return true;
}

/* Creates the wide parts that any process needs, and assigns messages to them. */
static enum status widen(struct splitting *s, uint32_t comms, struct error *error)
{
    const struct processes *processes = s->trace->processes;
    int64_t *wide = calloc((size_t)comms + 1, sizeof *wide);
    s->wide = malloc(((size_t)comms + 1) * sizeof *s->wide);
    bool allocated = wide && s->wide;
    enum status status = processes_agree_memory(processes, allocated, "communicators", error);
    if (status == STATUS_OK) {
        each_process(s, note_wide, wide);
        processes_max(processes, wide, comms);
        for (uint32_t c = 0; c < comms && allocated; c++) {
            s->wide[c] = wide[c] ? split_add_part(s, c, NULL) : INDEX_NONE;
            allocated = !wide[c] || s->wide[c] != INDEX_NONE;
        }
        if (allocated)
            each_process(s, move_messages, NULL);
        status = processes_agree_memory(processes, allocated, "communicators", error);
    }
    free(wide);
    return status;
}

/* Pairs the sends that have arrived with the receives of this process, and answers the senders. */
static enum status join_owned(struct splitting *s, const struct received *told, struct error *error)
{
    const struct processes *processes = s->trace->processes;
    channel_ends sends = {0}, receives = {0};
    struct exchange answers = exchange_open(processes, sizeof(struct receiver_answer), "messages");
    struct received heard;
    bool allocated = true;
    for (size_t i = 0; allocated && i < told->count; i++) {
        struct channel_end end = {((const struct process_send *)told->items)[i], (uint32_t)i,
                                  false};
        allocated = array_push(&sends, end);
    }
    allocated = allocated && each_process(s, list_receives, &receives);
    if (allocated && sends.count > 1)
        qsort(sends.items, sends.count, sizeof *sends.items, by_channel);
    if (allocated && receives.count > 1)
        qsort(receives.items, receives.count, sizeof *receives.items, by_channel);
    each_process(s, set_default, NULL);
    if (allocated)
        join_all(s, &sends, &receives, &answers);
    free(sends.items);
    free(receives.items);
    exchange_check(&answers, allocated);
    enum status status = exchange_run(&answers, &heard, error);
    for (size_t i = 0; status == STATUS_OK && i < heard.count; i++) {
        const struct receiver_answer *answer = (const struct receiver_answer *)heard.items + i;
        struct stream *stream = trace_stream(s->trace, answer->rank);
        stream->messages[answer->index].partner_rank = answer->receiver;
    }
    free(heard.items);
    return status;
}

enum status split_partners(struct splitting *s, struct error *error)
{
    struct exchange exchange =
        exchange_open(s->trace->processes, sizeof(struct process_send), "messages");
    struct received told;
    exchange_check(&exchange, each_process(s, put_sends, &exchange));
    enum status status = exchange_run(&exchange, &told, error);
    if (status != STATUS_OK)
        return status;
    status = join_owned(s, &told, error);
    free(told.items);
    return status == STATUS_OK ? widen(s, s->d->comm_count, error) : status;
}
