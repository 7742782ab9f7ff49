/* Point-to-point messages of one (communicator, sender, receiver, tag) match in the order of
 * posting (doc/methods.md, section 3). The owners of senders send all sends to the owners of the
 * receivers, which match them and answer. The tables are in the order of posting already. */
#include "base/log.h"
#include "base/progress.h"
#include "trace/prefetch.h"
#include "trace/match/match_private.h"
#include "trace/exchange.h"
#include "trace/threads.h"

#include <stdlib.h>
#include <string.h>

/* Partitioned messages match only each other, as if they had a separate communicator. */
enum { PARTITIONED_BIT = 1 << 30 };

/* A send, as it is sent to the owner of its receiver. */
struct send_record {
    uint32_t sender, receiver, tag;
    uint32_t comm;  /* with PARTITIONED_BIT */
    uint32_t index; /* in the sender's messages */
    uint32_t next;  /* at the receiver's owner: the next one in the queue */
    uint64_t bytes;
};

/* Sends of one (communicator, sender, receiver, tag), in order. */
struct send_queue {
    uint32_t first;      /* index of the first send record, matched or not */
    uint32_t head, tail; /* of the unmatched ones */
};

enum { AHEAD = 4 }; /* messages from the current one to the one whose queue is prefetched */

struct pairing {
    struct send_record *sends;
    uint32_t send_count;
    uint32_t *partners; /* [send record]: index of its receive */
    struct map queues_by_key;
    ARRAY(struct send_queue) queues;
    int64_t lengths_differ;
};

static uint32_t comm_of(const struct message *m)
{
    return m->comm | (m->flags & MESSAGE_PARTITIONED ? PARTITIONED_BIT : 0);
}

static void post_sends(struct trace *trace, struct exchange *exchange)
{
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        struct stream *s = &trace->streams[i];
        trace_prefetch_messages(trace, i);
        for (uint32_t k = 0; k < s->message_count; k++) {
            struct message *m = &s->messages[k];
            m->partner = INDEX_NONE;
            if (!(m->flags & MESSAGE_SEND) || !message_is_kept(m))
                continue;
            struct send_record record = {.sender = s->rank,
                                         .receiver = m->partner_rank,
                                         .comm = comm_of(m),
                                         .tag = m->tag,
                                         .index = k,
                                         .next = INDEX_NONE,
                                         .bytes = m->bytes};
            exchange_put_owner(exchange, trace, m->partner_rank, &record);
        }
        progress_add(0.5 * s->message_count);
    }
}

static bool same_channel(const struct send_record *a, const struct send_record *b)
{
    return a->sender == b->sender && a->receiver == b->receiver && a->comm == b->comm &&
           a->tag == b->tag;
}

static uint64_t channel_key(const struct send_record *r)
{
    return map_mix(((uint64_t)r->sender << 32 | r->receiver) ^
                   map_mix((uint64_t)r->comm << 32 | r->tag));
}

/* The queue of a channel; NULL if there is none. Empty queues are kept. */
static struct send_queue *find_queue(struct pairing *p, const struct send_record *channel)
{
    for (uint64_t key = channel_key(channel);; key++) {
        uint32_t index = map_get(&p->queues_by_key, key);
        if (index == MAP_NONE)
            return NULL;
        if (same_channel(&p->sends[p->queues.items[index].first], channel))
            return &p->queues.items[index];
    }
}

/* Sorts the sends into queues. */
static bool build_queues(struct pairing *p)
{
    for (uint32_t i = 0; i < p->send_count; i++) {
        if (i + AHEAD < p->send_count)
            map_prefetch(&p->queues_by_key, channel_key(&p->sends[i + AHEAD]));
        struct send_queue *queue = find_queue(p, &p->sends[i]);
        if (queue) {
            p->sends[queue->tail].next = i;
            queue->tail = i;
            continue;
        }
        uint32_t fresh = (uint32_t)p->queues.count;
        uint64_t key = channel_key(&p->sends[i]);
        while (map_get(&p->queues_by_key, key) != MAP_NONE)
            key++;
        if (!map_at(&p->queues_by_key, key, fresh) ||
            !array_push(&p->queues, ((struct send_queue){i, i, i})))
            return false;
    }
    return true;
}

static void join_message(struct pairing *p, uint32_t send, struct stream *s, uint32_t receive)
{
    p->partners[send] = receive;
    s->messages[receive].partner = p->sends[send].index;
    if (s->messages[receive].completion == INDEX_NONE) /* its length has not been recorded */
        s->messages[receive].bytes = p->sends[send].bytes;
    p->lengths_differ += p->sends[send].bytes != s->messages[receive].bytes;
}

/* The channel of a received message. */
static struct send_record message_channel(const struct stream *s, const struct message *m)
{
    return (struct send_record){
        .sender = m->partner_rank, .receiver = s->rank, .comm = comm_of(m), .tag = m->tag};
}

static void pair_receive(struct pairing *p, struct stream *s, uint32_t receive)
{
    const struct message *m = &s->messages[receive];
    if (m->flags & MESSAGE_SEND || !message_is_kept(m) || m->peer == PEER_UNKNOWN)
        return;
    const struct send_record channel = message_channel(s, m);
    struct send_queue *queue = find_queue(p, &channel);
    if (!queue || queue->head == INDEX_NONE)
        return;
    uint32_t send = queue->head;
    queue->head = p->sends[send].next;
    join_message(p, send, s, receive);
}

static void prefetch_queue(const struct pairing *p, const struct stream *s, const struct message *m)
{
    if (m->flags & MESSAGE_SEND)
        return;
    const struct send_record channel = message_channel(s, m);
    map_prefetch(&p->queues_by_key, channel_key(&channel));
}

static bool has_matched_probes(const struct stream *s)
{
    for (uint32_t k = 0; k < s->message_count; k++)
        if (s->messages[k].flags & MESSAGE_MATCHED)
            return true;
    return false;
}

/* For streams with matched probes, which take their message out of the queue before it is received.
 */
static void pair_by_rows(struct pairing *p, struct stream *s)
{
    for (uint32_t row = 0; row < s->count; row++) {
        bool probed = s->kind[row] == EVENT_MATCHED && s->arg[row] != INDEX_NONE;
        bool posted = (s->kind[row] == EVENT_RECV || s->kind[row] == EVENT_IRECV_REQUEST) &&
                      !(s->messages[s->arg[row]].flags & MESSAGE_MATCHED);
        if (probed || posted)
            pair_receive(p, s, s->arg[row]);
    }
}

static void pair_stream(struct pairing *p, struct stream *s)
{
    if (has_matched_probes(s)) {
        pair_by_rows(p, s);
        return;
    }
    for (uint32_t k = 0; k < s->message_count; k++) {
        if (k + AHEAD < s->message_count)
            prefetch_queue(p, s, &s->messages[k + AHEAD]);
        pair_receive(p, s, k);
    }
}

/* The first unmatched send to `rank`, from index `from` on; send_count if there is none. */
static uint32_t next_left(const struct pairing *p, uint32_t rank, uint32_t from)
{
    while (from < p->send_count &&
           (p->sends[from].receiver != rank || p->partners[from] != INDEX_NONE))
        from++;
    return from;
}

/* Matches receives that never completed, for example because their request was freed. They have no
 * recorded source. If all unmatched sends to their rank have the same sender and tag, they are
 * matched in the order of posting; otherwise the match is ambiguous, and they are dropped. */
static int64_t match_unfinished(struct pairing *p, struct trace *trace, struct stream *s)
{
    const uint32_t first = next_left(p, s->rank, 0);
    uint32_t left = first;
    int64_t dropped = 0;
    for (uint32_t i = first; i < p->send_count; i = next_left(p, s->rank, i + 1))
        if (!same_channel(&p->sends[i], &p->sends[first]))
            left = p->send_count;
    for (uint32_t k = 0; k < s->message_count; k++) {
        struct message *m = &s->messages[k];
        if (m->flags & MESSAGE_SEND || !message_is_kept(m) || m->peer != PEER_UNKNOWN)
            continue;
        if (left < p->send_count) {
            const struct send_record *r = &p->sends[left];
            m->comm = r->comm & ~(uint32_t)PARTITIONED_BIT;
            m->tag = r->tag;
            m->bytes = r->bytes;
            m->partner_rank = r->sender;
            m->peer = comm_rank_of(trace->definitions, m->comm, r->sender);
            join_message(p, left, s, k);
            left = next_left(p, s->rank, left + 1);
        } else {
            m->flags |= MESSAGE_CUT;
            dropped++;
        }
    }
    return dropped;
}

static bool has_unfinished(const struct stream *s)
{
    for (uint32_t k = 0; k < s->message_count; k++)
        if (s->messages[k].peer == PEER_UNKNOWN && message_is_kept(&s->messages[k]))
            return true;
    return false;
}

static bool pair_all_messages(struct pairing *p, struct trace *trace, struct dropped *dropped)
{
    p->partners = malloc((p->send_count + 1) * sizeof *p->partners);
    bool allocated = p->partners && build_queues(p);
    if (allocated) {
        memset(p->partners, 0xff, p->send_count * sizeof *p->partners);
        for (uint32_t i = 0; i < trace->owned_count; i++) {
            trace_prefetch_messages(trace, i);
            pair_stream(p, &trace->streams[i]);
            if (has_unfinished(&trace->streams[i]))
                dropped->unfinished += match_unfinished(p, trace, &trace->streams[i]);
            progress_add(0.5 * trace->streams[i].message_count);
        }
    }
    return allocated;
}

static bool send_partner(void *data, uint32_t stream, uint32_t message, void *value)
{
    const struct trace *trace = data;
    memcpy(value, &message, sizeof message);
    return !(trace->streams[stream].messages[message].flags & MESSAGE_SEND);
}

static void receive_partner(void *data, uint32_t stream, uint32_t message, const void *value)
{
    const struct trace *trace = data;
    memcpy(&trace->streams[stream].messages[message].partner, value, sizeof(uint32_t));
}

/* Leaves out message ends without a partner. Lists them, except those that never completed, because
 * no rank has waited for them, and except in a program that was cut short. */
static bool list_unmatched_messages(struct trace *trace, struct mismatches *mismatches,
                                    struct dropped *dropped)
{
    const struct definitions *d = trace->definitions;
    const bool incomplete = definitions_cut_short(d) || definitions_paused(d);
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        struct stream *s = &trace->streams[i];
        trace_prefetch_messages(trace, i);
        for (uint32_t k = 0; k < s->message_count; k++) {
            struct message *m = &s->messages[k];
            if (m->partner != INDEX_NONE || !message_is_kept(m))
                continue;
            if (m->completion == INDEX_NONE) {
                m->flags |= MESSAGE_CUT;
                dropped->unfinished++;
                continue;
            }
            if (incomplete) {
                m->flags |= MESSAGE_CUT;
                dropped->unpaired++;
                continue;
            }
            m->flags |= MESSAGE_CUT;
            bool send = m->flags & MESSAGE_SEND;
            char name[RANK_NAME_SIZE];
            rank_name(d, m->partner_rank, name);
            if (!mismatch_add(mismatches, trace, s, m->post,
                              "%s %s (%u of %s), tag %u, %llu bytes: %s has no matching %s",
                              send ? "message to" : "message from", name,
                              recorded_peer(d, m->comm, s->rank, m->peer), comm_name(d, m->comm),
                              m->tag, (unsigned long long)m->bytes, name,
                              send ? "receive" : "send"))
                return false;
        }
    }
    return true;
}

enum status match_messages(struct trace *trace, struct mismatches *mismatches,
                           struct dropped *dropped, struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "matching",
                                                     .size = sizeof(uint32_t),
                                                     .send = send_partner,
                                                     .receive = receive_partner};
    struct exchange outgoing =
        exchange_open(trace->processes, sizeof(struct send_record), exchange.purpose);
    struct received sends;
    post_sends(trace, &outgoing);
    enum status status = exchange_run(&outgoing, &sends, error);
    if (status != STATUS_OK)
        return status;
    struct pairing p = {.sends = sends.items, .send_count = (uint32_t)sends.count};
    bool paired = pair_all_messages(&p, trace, dropped);
    free(p.sends);
    free(p.partners);
    free(p.queues.items);
    map_clear(&p.queues_by_key);
    status = partners_exchange(trace, paired, &exchange, trace, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &p.lengths_differ, 1);
    if (p.lengths_differ)
        log_warning(
            "messages with other lengths at the receiver than at the sender: %lld; both are "
            "kept as recorded",
            (long long)p.lengths_differ);
    return processes_agree_memory(trace->processes,
                                  list_unmatched_messages(trace, mismatches, dropped),
                                  "the list of mismatches", error);
}
