/* The exchange of times between ranks: the ends of a message tell their partners, the members of a
 * collective operation tell the operation's home. Each round sends only the times that have
 * changed. */
#include "trace/clocks/clock_private.h"

#include "base/sort.h"
#include "trace/calls/collective_operations.h"
#include "trace/tell.h"

#include <stdlib.h>
#include <string.h>

static const char purpose[] = "the correction of clocks";

struct clock_part { /* a member, as the home knows it */
    struct home_part from;
    uint8_t op;
    bool sends, receives, is_root;
    int64_t time; /* of its begin; for caps, of its end */
    int64_t told; /* the limit that was sent to it last */
};

struct clock_homes {
    struct homes homes;
    ARRAY(uint32_t) changed; /* instances */
    bool *is_changed;        /* [instance] */
    struct order_member *members;
    int64_t *results; /* both have room for the largest instance */
};

struct part_time { /* sent by a member to the home of its part */
    uint32_t comm, instance, comm_rank, unused;
    int64_t time;
};

struct answer {
    struct home_answer to;
    int64_t time;
};

struct limit_question {
    const struct trace *trace;
    struct clock_rank *ranks;
};

static bool tell_part(void *data, uint32_t stream, uint32_t collective, void *part)
{
    const struct limit_question *asking = data;
    struct clock_rank *rank = &asking->ranks[stream];
    const struct collective *c = &rank->stream->collectives[collective];
    struct clock_part *told = part;
    if (!collective_is_ordered(asking->trace->definitions, c, rank->stream->rank))
        return false;
    rank->comm_rank[collective] = told->from.comm_rank;
    told->op = c->op;
    told->sends = c->sent > 0;
    told->receives = c->received > 0;
    told->is_root = told->from.comm_rank == c->root;
    told->time = told->told = INT64_MIN;
    return true;
}

enum status clock_homes_create(const struct trace *trace, struct clock_rank *ranks,
                               struct clock_homes **homes, struct error *error)
{
    struct limit_question asking = {trace, ranks};
    struct clock_homes *made = calloc(1, sizeof *made);
    enum status status = processes_agree_memory(trace->processes, made, purpose, error);
    if (status == STATUS_OK)
        status = homes_open(&made->homes, trace, sizeof(struct clock_part), HOME_BY_COMM_RANK,
                            purpose, tell_part, &asking, error);
    if (status == STATUS_OK) {
        const size_t largest = (size_t)made->homes.largest + 1;
        made->is_changed = calloc((size_t)made->homes.instance_count + 1, sizeof(bool));
        made->members = malloc(largest * sizeof *made->members);
        made->results = malloc(largest * sizeof *made->results);
        bool complete = made->is_changed && made->members && made->results;
        status = processes_agree_memory(trace->processes, complete, purpose, error);
    }
    if (status == STATUS_OK)
        *homes = made;
    else
        clock_homes_destroy(made);
    return status;
}

void clock_homes_destroy(struct clock_homes *homes)
{
    if (!homes)
        return;
    homes_close(&homes->homes);
    free(homes->changed.items);
    free(homes->is_changed);
    free(homes->members);
    free(homes->results);
    free(homes);
}

struct round {
    const struct trace *trace;
    struct clock_rank *ranks;
    struct clock_homes *homes;
    bool caps;
    int64_t changes; /* times that were sent */
};

/* A send tells when it was posted, if that has changed; for caps, a receive tells when it was
 * completed. */
static bool tell_message(void *data, uint32_t stream, uint32_t message, void *value)
{
    struct round *round = data;
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

static void hear_message(void *data, uint32_t stream, uint32_t message, const void *value)
{
    const struct round *round = data;
    struct clock_rank *rank = &round->ranks[stream];
    const uint32_t row = rank->stream->messages[message].completion;
    int64_t time;
    memcpy(&time, value, sizeof time);
    rank->message[message] = time;
    if (!round->caps && row < rank->dirty && time > rank->time[row])
        rank->dirty = row;
}

/* Sends the begins of members that have changed, or, for caps, all ends. */
static void tell_parts(struct round *round, struct clock_rank *rank, struct exchange *exchange)
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
        const struct part_time told = {.comm = c->comm,
                                       .instance = c->instance,
                                       .comm_rank = rank->comm_rank[i],
                                       .time = time};
        exchange_put(exchange, homes_process(round->trace, c->comm, c->instance), &told);
        round->changes++;
    }
}

/* False when memory is out. */
static bool hear_part(struct clock_homes *homes, const struct part_time *told)
{
    const uint32_t instance = homes_find(&homes->homes, told->comm, told->instance);
    const uint32_t members = homes_members(&homes->homes, instance);
    const uint32_t after = first_where(
        1, members, i,
        ((const struct clock_part *)homes_part(&homes->homes, instance, i))->from.comm_rank >
            told->comm_rank);
    ((struct clock_part *)homes_part(&homes->homes, instance, after - 1))->time = told->time;
    if (homes->is_changed[instance])
        return true;
    homes->is_changed[instance] = true;
    return array_push(&homes->changed, instance);
}

static void answer_instance(const struct round *round, uint32_t instance, struct exchange *answers)
{
    struct clock_homes *homes = round->homes;
    const uint32_t count = homes_members(&homes->homes, instance);
    enum collective_op op = COLLECTIVE_BARRIER;
    for (uint32_t i = 0; i < count; i++) {
        const struct clock_part *part = homes_part(&homes->homes, instance, i);
        homes->members[i] =
            (struct order_member){part->time, part->sends, part->receives, part->is_root};
        if (i == 0)
            op = (enum collective_op)part->op;
    }
    if (round->caps)
        collective_caps(op, homes->members, count, homes->results);
    else
        collective_limits(op, homes->members, count, homes->results);
    for (uint32_t i = 0; i < count; i++) {
        struct clock_part *part = homes_part(&homes->homes, instance, i);
        const struct answer answer = {{part->from.rank, part->from.collective}, homes->results[i]};
        if (!round->caps && part->told == answer.time)
            continue;
        part->told = answer.time;
        exchange_put_owner(answers, round->trace, answer.to.rank, &answer);
    }
    homes->is_changed[instance] = false;
}

static void hear_answer(const struct round *round, const struct answer *answer)
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

/* Collective. Members send their times to the homes, which send limits or caps back. */
static enum status tell_members(struct round *round, struct error *error)
{
    const struct trace *trace = round->trace;
    struct clock_homes *homes = round->homes;
    struct exchange parts = exchange_open(trace->processes, sizeof(struct part_time), purpose);
    struct received told, answered;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        tell_parts(round, &round->ranks[i], &parts);
    enum status status = exchange_run(&parts, &told, error);
    if (status != STATUS_OK)
        return status;
    struct exchange answers = exchange_open(trace->processes, sizeof(struct answer), purpose);
    for (size_t i = 0; i < told.count; i++)
        exchange_check(&answers, hear_part(homes, (const struct part_time *)told.items + i));
    free(told.items);
    for (size_t i = 0; i < homes->changed.count; i++)
        answer_instance(round, homes->changed.items[i], &answers);
    homes->changed.count = 0;
    status = exchange_run(&answers, &answered, error);
    for (size_t i = 0; i < answered.count; i++)
        hear_answer(round, (const struct answer *)answered.items + i);
    free(answered.items);
    return status;
}

static enum status tell_all(struct round *round, struct error *error)
{
    static const struct partner_talk talk = {
        .purpose = purpose, .size = sizeof(int64_t), .tell = tell_message, .hear = hear_message};
    enum status status = tell_partners(round->trace, true, &talk, round, error);
    if (status == STATUS_OK)
        status = tell_members(round, error);
    if (status == STATUS_OK)
        processes_sum(round->trace->processes, &round->changes, 1);
    return status;
}

enum status clock_tell(const struct trace *trace, struct clock_rank *ranks,
                       struct clock_homes *homes, int64_t *changes, struct error *error)
{
    struct round round = {.trace = trace, .ranks = ranks, .homes = homes};
    enum status status = tell_all(&round, error);
    *changes = round.changes;
    return status;
}

enum status clock_tell_caps(const struct trace *trace, struct clock_rank *ranks,
                            struct clock_homes *homes, struct error *error)
{
    struct round round = {.trace = trace, .ranks = ranks, .homes = homes, .caps = true};
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = ranks[i].stream;
        for (uint32_t m = 0; m < stream->message_count; m++)
            if (stream->messages[m].flags & MESSAGE_SEND)
                ranks[i].message[m] = INT64_MAX;
        for (uint32_t c = 0; c < stream->collective_count; c++)
            ranks[i].begin[c] = INT64_MAX;
    }
    return tell_all(&round, error);
}
