/* The exchange of times between ranks: each end of a message sends its time to its partner, each
 * member of a collective operation to the owner of the instance, which answers with the members'
 * limits. A round sends only the times that have changed. */
#include "trace/clocks/clock_private.h"

#include "base/sort.h"
#include "trace/calls/collective_operations.h"
#include "trace/exchange.h"

#include <stdlib.h>
#include <string.h>

static const char purpose[] = "the correction of clocks";

struct clock_member { /* of an instance, at its owner */
    struct member_record from;
    uint8_t op;
    bool sends, receives, is_root;
    int64_t time; /* of its begin; for caps, of its end */
    int64_t sent; /* the limit that was sent to it last */
};

struct clock_instances {
    struct owned_instances owned;
    ARRAY(uint32_t) changed; /* instances */
    bool *is_changed;        /* [instance] */
    struct order_member *members;
    int64_t *results; /* both have room for the largest instance */
};

struct member_time { /* sent by a member to the owner of the instance */
    uint32_t comm, instance, comm_rank, unused;
    int64_t time;
};

struct limit_answer {
    struct instance_answer to;
    int64_t time;
};

struct clock_sending {
    const struct trace *trace;
    struct clock_rank *ranks;
};

static bool send_clock_member(void *data, uint32_t stream, uint32_t collective, void *record)
{
    const struct clock_sending *sending = data;
    struct clock_rank *rank = &sending->ranks[stream];
    const struct collective *c = &rank->stream->collectives[collective];
    struct clock_member *member = record;
    if (!collective_is_ordered(sending->trace->definitions, c, rank->stream->rank))
        return false;
    rank->comm_rank[collective] = member->from.comm_rank;
    member->op = c->op;
    member->sends = c->sent > 0;
    member->receives = c->received > 0;
    member->is_root = member->from.comm_rank == c->root;
    member->time = member->sent = INT64_MIN;
    return true;
}

enum status clock_instances_create(const struct trace *trace, struct clock_rank *ranks,
                                   struct clock_instances **instances, struct error *error)
{
    static const struct instance_exchange exchange = {.purpose = purpose,
                                                      .record_size = sizeof(struct clock_member),
                                                      .order = MEMBERS_BY_COMM_RANK,
                                                      .send = send_clock_member};
    struct clock_sending sending = {trace, ranks};
    struct clock_instances *made = calloc(1, sizeof *made);
    enum status status = processes_agree_memory(trace->processes, made, purpose, error);
    if (status == STATUS_OK)
        status = owned_instances_open(&made->owned, trace, &exchange, &sending, error);
    if (status == STATUS_OK) {
        const size_t largest = (size_t)made->owned.largest + 1;
        made->is_changed = calloc((size_t)made->owned.instance_count + 1, sizeof(bool));
        made->members = malloc(largest * sizeof *made->members);
        made->results = malloc(largest * sizeof *made->results);
        bool allocated = made->is_changed && made->members && made->results;
        status = processes_agree_memory(trace->processes, allocated, purpose, error);
    }
    if (status == STATUS_OK)
        *instances = made;
    else
        clock_instances_destroy(made);
    return status;
}

void clock_instances_destroy(struct clock_instances *instances)
{
    if (!instances)
        return;
    owned_instances_close(&instances->owned);
    free(instances->changed.items);
    free(instances->is_changed);
    free(instances->members);
    free(instances->results);
    free(instances);
}

struct clock_round {
    const struct trace *trace;
    struct clock_rank *ranks;
    struct clock_instances *instances;
    bool caps;
    int64_t changes; /* times that were sent */
};

/* Sends the time at which a send was posted, if it has changed; for caps, the time at which a
 * receive was completed. */
static bool send_message_time(void *data, uint32_t stream, uint32_t message, void *value)
{
    struct clock_round *round = data;
    struct clock_rank *rank = &round->ranks[stream];
    const struct message *m = &rank->stream->messages[message];
    const bool sends = m->flags & MESSAGE_SEND;
    if (sends == round->caps || (!sends && m->completion == INDEX_NONE))
        return false;
    const int64_t time = rank->time[round->caps ? m->completion : m->post];
    if (!round->caps) {
        if (rank->message[message] == time)
            return false;
        rank->message[message] = time;
    }
    memcpy(value, &time, sizeof time);
    round->changes++;
    return true;
}

static void receive_message_time(void *data, uint32_t stream, uint32_t message, const void *value)
{
    const struct clock_round *round = data;
    struct clock_rank *rank = &round->ranks[stream];
    const uint32_t row = rank->stream->messages[message].completion;
    int64_t time;
    memcpy(&time, value, sizeof time);
    rank->message[message] = time;
    if (!round->caps && row < rank->dirty && time > rank->time[row])
        rank->dirty = row;
}

/* Sends the begins of members that have changed, or, for caps, all ends. */
static void send_member_times(struct clock_round *round, struct clock_rank *rank,
                              struct exchange *exchange)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        if (rank->comm_rank[i] == INDEX_NONE)
            continue;
        const int64_t time = rank->time[round->caps ? c->end : c->begin];
        if (!round->caps) {
            if (rank->begin[i] == time)
                continue;
            rank->begin[i] = time;
        }
        const struct member_time sent = {.comm = c->comm,
                                         .instance = c->instance,
                                         .comm_rank = rank->comm_rank[i],
                                         .time = time};
        exchange_put(exchange, instance_owner(round->trace, c->comm, c->instance), &sent);
        round->changes++;
    }
}

/* False when memory is out. */
static bool receive_member_time(struct clock_instances *instances,
                                const struct member_time *received)
{
    const uint32_t instance =
        owned_instance_find(&instances->owned, received->comm, received->instance);
    const uint32_t members = instance_member_count(&instances->owned, instance);
    const uint32_t after =
        first_where(1, members, i,
                    ((const struct clock_member *)instance_record(&instances->owned, instance, i))
                            ->from.comm_rank > received->comm_rank);
    struct clock_member *member = instance_record(&instances->owned, instance, after - 1);
    member->time = received->time;
    if (instances->is_changed[instance])
        return true;
    instances->is_changed[instance] = true;
    return array_push(&instances->changed, instance);
}

static void answer_limits(const struct clock_round *round, uint32_t instance,
                          struct exchange *answers)
{
    struct clock_instances *instances = round->instances;
    const uint32_t count = instance_member_count(&instances->owned, instance);
    enum collective_op op = COLLECTIVE_BARRIER;
    for (uint32_t i = 0; i < count; i++) {
        const struct clock_member *member = instance_record(&instances->owned, instance, i);
        instances->members[i] =
            (struct order_member){member->time, member->sends, member->receives, member->is_root};
        if (i == 0)
            op = (enum collective_op)member->op;
    }
    if (round->caps)
        collective_caps(op, instances->members, count, instances->results);
    else
        collective_limits(op, instances->members, count, instances->results);
    for (uint32_t i = 0; i < count; i++) {
        struct clock_member *member = instance_record(&instances->owned, instance, i);
        const struct limit_answer answer = {{member->from.rank, member->from.collective},
                                            instances->results[i]};
        if (!round->caps && member->sent == answer.time)
            continue;
        member->sent = answer.time;
        exchange_put_owner(answers, round->trace, answer.to.rank, &answer);
    }
    instances->is_changed[instance] = false;
}

static void receive_limit(const struct clock_round *round, const struct limit_answer *answer)
{
    struct clock_rank *rank = &round->ranks[answer->to.rank - round->trace->first_rank];
    const uint32_t row = rank->stream->collectives[answer->to.collective].end;
    if (round->caps) {
        rank->begin[answer->to.collective] = answer->time;
        return;
    }
    rank->limit[answer->to.collective] = answer->time;
    if (row < rank->dirty && answer->time > rank->time[row])
        rank->dirty = row;
}

/* Collective. Members send their times to the owners of instances, which answer with limits or
 * caps. */
static enum status exchange_with_owners(struct clock_round *round, struct error *error)
{
    const struct trace *trace = round->trace;
    struct clock_instances *instances = round->instances;
    struct exchange times = exchange_open(trace->processes, sizeof(struct member_time), purpose);
    struct received received, answered;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        send_member_times(round, &round->ranks[i], &times);
    enum status status = exchange_run(&times, &received, error);
    if (status != STATUS_OK)
        return status;
    struct exchange answers = exchange_open(trace->processes, sizeof(struct limit_answer), purpose);
    for (size_t i = 0; i < received.count; i++)
        exchange_check(&answers, receive_member_time(
                                     instances, (const struct member_time *)received.items + i));
    free(received.items);
    for (size_t i = 0; i < instances->changed.count; i++)
        answer_limits(round, instances->changed.items[i], &answers);
    instances->changed.count = 0;
    status = exchange_run(&answers, &answered, error);
    for (size_t i = 0; i < answered.count; i++)
        receive_limit(round, (const struct limit_answer *)answered.items + i);
    free(answered.items);
    return status;
}

static enum status exchange_times(struct clock_round *round, struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = purpose,
                                                     .size = sizeof(int64_t),
                                                     .send = send_message_time,
                                                     .receive = receive_message_time};
    enum status status = partners_exchange(round->trace, true, &exchange, round, error);
    if (status == STATUS_OK)
        status = exchange_with_owners(round, error);
    if (status == STATUS_OK)
        processes_sum(round->trace->processes, &round->changes, 1);
    return status;
}

enum status clock_exchange_limits(const struct trace *trace, struct clock_rank *ranks,
                                  struct clock_instances *instances, int64_t *changes,
                                  struct error *error)
{
    struct clock_round round = {.trace = trace, .ranks = ranks, .instances = instances};
    enum status status = exchange_times(&round, error);
    *changes = round.changes;
    return status;
}

enum status clock_exchange_caps(const struct trace *trace, struct clock_rank *ranks,
                                struct clock_instances *instances, struct error *error)
{
    struct clock_round round = {
        .trace = trace, .ranks = ranks, .instances = instances, .caps = true};
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = ranks[i].stream;
        for (uint32_t m = 0; m < stream->message_count; m++)
            if (stream->messages[m].flags & MESSAGE_SEND)
                ranks[i].message[m] = INT64_MAX;
        for (uint32_t c = 0; c < stream->collective_count; c++)
            ranks[i].begin[c] = INT64_MAX;
    }
    return exchange_times(&round, error);
}
