#include "trace/exchange.h"

#include "base/sort.h"
#include "trace/prefetch.h"

#include <stdlib.h>
#include <string.h>

void exchange_put_owner(struct exchange *outgoing, const struct trace *trace, uint32_t rank,
                        const void *record)
{
    exchange_put(outgoing, trace_owner(trace, rank), record);
}

struct partner_record {
    uint32_t rank, message;                /* the recipient */
    uint64_t value[PARTNER_VALUE_MAX / 8]; /* only the first bytes, as many as the value has */
};

/* Sends the values of the ends in one stream. */
static void send_partner_values(const struct trace *trace, uint32_t s,
                                const struct partner_exchange *exchange, void *data,
                                struct exchange *outgoing)
{
    const struct stream *stream = &trace->streams[s];
    struct partner_record record = {0};
    trace_prefetch_messages(trace, s);
    for (uint32_t m = 0; m < stream->message_count; m++) {
        const struct message *message = &stream->messages[m];
        if (!message_takes_part(message))
            continue;
        record.rank = message->partner_rank;
        record.message = message->partner;
        memset(record.value, 0, exchange->size);
        if (!exchange->send(data, s, m, record.value))
            continue;
        uint32_t local = record.rank - trace->first_rank;
        if (local < trace->owned_count)
            exchange->receive(data, local, record.message, record.value);
        else
            exchange_put_owner(outgoing, trace, record.rank, &record);
    }
}

enum status partners_exchange(const struct trace *trace, bool ready,
                              const struct partner_exchange *exchange, void *data,
                              struct error *error)
{
    assert(exchange->size <= PARTNER_VALUE_MAX && exchange->send && exchange->receive);
    const size_t record_size =
        offsetof(struct partner_record, value) + (exchange->size + 7) / 8 * 8;
    struct exchange outgoing = exchange_open(trace->processes, record_size, exchange->purpose);
    struct received received;
    exchange_check(&outgoing, ready);
    for (uint32_t s = 0; s < trace->owned_count && ready; s++)
        send_partner_values(trace, s, exchange, data, &outgoing);
    enum status status = exchange_run(&outgoing, &received, error);
    for (size_t i = 0; i < received.count; i++) {
        const struct partner_record *record =
            (const void *)((const char *)received.items + i * record_size);
        exchange->receive(data, record->rank - trace->first_rank, record->message, record->value);
    }
    free(received.items);
    return status;
}

static uint64_t instance_key(uint32_t comm, uint32_t instance)
{
    return (uint64_t)comm << 32 | instance;
}

int instance_owner(const struct trace *trace, uint32_t comm, uint32_t instance)
{
    return (int)(map_mix(instance_key(comm, instance)) % (uint64_t)trace->processes->size);
}

uint32_t owned_instance_find(const struct owned_instances *instances, uint32_t comm,
                             uint32_t instance)
{
    uint32_t number = map_get(&instances->numbers, instance_key(comm, instance));
    assert(number < instances->instance_count);
    return number;
}

/* The place of a rank in a communicator, looked up once. */
struct comm_place {
    uint32_t comm_rank;
    bool known, second_group;
};

static struct comm_place comm_place_of(const struct trace *trace, uint32_t comm, uint32_t rank)
{
    const struct definitions *d = trace->definitions;
    const uint32_t remote = d->comms[comm].remote_group;
    return (struct comm_place){
        .known = true,
        .comm_rank = comm_rank_of(d, comm, rank),
        .second_group = remote != INDEX_NONE && group_place(&d->groups[remote], rank) != INDEX_NONE,
    };
}

/* The owned ranks as members of instances. */
struct member_sending {
    const struct trace *trace;
    const struct instance_exchange *exchange;
    void *data;
    struct comm_place *places; /* [comm], of the current stream; NULL with MEMBERS_BY_RANK */
    void *record;
};

static void send_member_records(const struct member_sending *sending, uint32_t s,
                                struct exchange *outgoing)
{
    const struct trace *trace = sending->trace;
    const struct stream *stream = &trace->streams[s];
    trace_prefetch_collectives(trace, s);
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        struct member_record member = {.comm = c->comm,
                                       .instance = c->instance,
                                       .rank = stream->rank,
                                       .collective = i,
                                       .comm_rank = INDEX_NONE};
        if (c->instance == INDEX_NONE)
            continue;
        if (sending->places) {
            struct comm_place *place = &sending->places[c->comm];
            if (!place->known)
                *place = comm_place_of(trace, c->comm, stream->rank);
            member.comm_rank = place->comm_rank;
            member.second_group = place->second_group;
        }
        memset(sending->record, 0, sending->exchange->record_size);
        memcpy(sending->record, &member, sizeof member);
        if (sending->exchange->send(sending->data, s, i, sending->record))
            exchange_put(outgoing, instance_owner(trace, c->comm, c->instance), sending->record);
    }
}

/* Collective. */
static enum status gather_records(struct member_sending *sending, struct received *records,
                                  struct error *error)
{
    const struct trace *trace = sending->trace;
    const struct instance_exchange *exchange = sending->exchange;
    const size_t comms = (size_t)trace->definitions->comm_count + 1;
    struct exchange outgoing =
        exchange_open(trace->processes, exchange->record_size, exchange->purpose);
    sending->record = malloc(exchange->record_size);
    bool ready = sending->record != NULL;
    if (exchange->order == MEMBERS_BY_COMM_RANK) {
        sending->places = malloc(comms * sizeof *sending->places);
        ready = ready && sending->places;
    }
    exchange_check(&outgoing, ready);
    for (uint32_t s = 0; s < trace->owned_count && ready; s++) {
        if (sending->places)
            memset(sending->places, 0, comms * sizeof *sending->places);
        send_member_records(sending, s, &outgoing);
    }
    free(sending->places);
    free(sending->record);
    return exchange_run(&outgoing, records, error);
}

static const struct member_record *record_number(const struct owned_instances *instances,
                                                 size_t number)
{
    return (const void *)((const char *)instances->records.items + number * instances->record_size);
}

/* Numbers the instances in order of arrival. False when memory is out. */
static bool number_owned_instances(struct owned_instances *instances, uint32_t *instance_of)
{
    for (size_t i = 0; i < instances->records.count; i++) {
        const struct member_record *member = record_number(instances, i);
        uint32_t *number = map_at(&instances->numbers, instance_key(member->comm, member->instance),
                                  instances->instance_count);
        if (!number)
            return false;
        instances->instance_count += *number == instances->instance_count;
        instance_of[i] = *number;
    }
    return true;
}

/* Sorts the records by instance (counting sort). Within an instance they stay in order of arrival,
 * which is that of world ranks. False when memory is out. */
static bool group_records(struct owned_instances *instances)
{
    const size_t records = instances->records.count;
    uint32_t *instance_of = malloc((records + 1) * sizeof *instance_of);
    instances->order = malloc((records + 1) * sizeof *instances->order);
    bool allocated =
        instance_of && instances->order && number_owned_instances(instances, instance_of);
    if (allocated)
        instances->first = calloc((size_t)instances->instance_count + 2, sizeof *instances->first);
    allocated = allocated && instances->first;
    if (allocated) {
        uint32_t *place = instances->first + 1; /* place[i] ends up as first[i + 1] */
        for (size_t i = 0; i < records; i++)
            place[instance_of[i] + 1]++;
        for (uint32_t i = 0; i < instances->instance_count; i++) {
            if (place[i + 1] > instances->largest)
                instances->largest = place[i + 1];
            place[i + 1] += place[i];
        }
        for (size_t i = 0; i < records; i++)
            instances->order[place[instance_of[i]]++] = (uint32_t)i;
    }
    free(instance_of);
    return allocated;
}

static int by_comm_rank(const void *a, const void *b, void *instances)
{
    const struct member_record *x = record_number(instances, *(const uint32_t *)a);
    const struct member_record *y = record_number(instances, *(const uint32_t *)b);
    return ORDER(x->second_group, y->second_group) ?: ORDER(x->comm_rank, y->comm_rank);
}

/* Sorts the members of each instance, which nearly always are in order already. */
static void sort_members(struct owned_instances *instances)
{
    for (uint32_t i = 0; i < instances->instance_count; i++) {
        uint32_t *order = instances->order + instances->first[i];
        uint32_t count = instance_member_count(instances, i), n = 1;
        while (n < count && by_comm_rank(&order[n - 1], &order[n], instances) < 0)
            n++;
        if (n < count)
            qsort_r(order, count, sizeof *order, by_comm_rank, instances);
    }
}

enum status owned_instances_open(struct owned_instances *instances, const struct trace *trace,
                                 const struct instance_exchange *exchange, void *data,
                                 struct error *error)
{
    assert(trace->processes && exchange->send);
    assert(exchange->record_size >= sizeof(struct member_record));
    struct member_sending sending = {.trace = trace, .exchange = exchange, .data = data};
    *instances = (struct owned_instances){.record_size = exchange->record_size};
    enum status status = gather_records(&sending, &instances->records, error);
    if (status == STATUS_OK) {
        bool grouped = group_records(instances);
        if (grouped && exchange->order == MEMBERS_BY_COMM_RANK)
            sort_members(instances);
        status = processes_agree_memory(trace->processes, grouped, exchange->purpose, error);
    }
    if (status != STATUS_OK)
        owned_instances_close(instances);
    return status;
}

void owned_instances_close(struct owned_instances *instances)
{
    free(instances->records.items);
    free(instances->first);
    free(instances->order);
    map_clear(&instances->numbers);
    *instances = (struct owned_instances){0};
}

enum status instances_exchange(const struct trace *trace, const struct instance_exchange *exchange,
                               void *data, struct error *error)
{
    assert(exchange->answer_size >= sizeof(struct instance_answer) && exchange->answer &&
           exchange->receive);
    struct owned_instances instances;
    struct received answers;
    enum status status = owned_instances_open(&instances, trace, exchange, data, error);
    if (status != STATUS_OK)
        return status;
    struct exchange outgoing =
        exchange_open(trace->processes, exchange->answer_size, exchange->purpose);
    bool answered = true;
    map_clear(&instances.numbers);
    for (uint32_t i = 0; i < instances.instance_count && answered; i++)
        answered = exchange->answer(data, &instances, i, &outgoing);
    exchange_check(&outgoing, answered);
    owned_instances_close(&instances);
    status = exchange_run(&outgoing, &answers, error);
    for (size_t i = 0; i < answers.count; i++) {
        const struct instance_answer *answer =
            (const void *)((const char *)answers.items + i * exchange->answer_size);
        exchange->receive(data, answer->rank - trace->first_rank, answer->collective, answer);
    }
    free(answers.items);
    return status;
}
