#include "trace/tell.h"

#include "base/sort.h"
#include "trace/ahead.h"

#include <stdlib.h>
#include <string.h>

void exchange_put_owner(struct exchange *exchange, const struct trace *trace, uint32_t rank,
                        const void *record)
{
    exchange_put(exchange, trace_owner(trace, rank), record);
}

struct partner_record {
    uint32_t rank, message;                 /* the recipient */
    uint64_t value[PARTNER_VALUE_MOST / 8]; /* only the first bytes, as many as the value has */
};

/* Tells the ends of one stream. */
static void tell_stream(const struct trace *trace, uint32_t s, const struct partner_talk *talk,
                        void *data, struct exchange *exchange)
{
    const struct stream *stream = &trace->streams[s];
    struct partner_record record = {0};
    next_messages_ahead(trace, s);
    for (uint32_t m = 0; m < stream->message_count; m++) {
        const struct message *message = &stream->messages[m];
        if (!message_takes_part(message))
            continue;
        record.rank = message->partner_rank;
        record.message = message->partner;
        memset(record.value, 0, talk->size);
        if (!talk->tell(data, s, m, record.value))
            continue;
        uint32_t local = record.rank - trace->first_rank;
        if (local < trace->owned_count)
            talk->hear(data, local, record.message, record.value);
        else
            exchange_put_owner(exchange, trace, record.rank, &record);
    }
}

enum status tell_partners(const struct trace *trace, bool ready, const struct partner_talk *talk,
                          void *data, struct error *error)
{
    assert(talk->size <= PARTNER_VALUE_MOST && talk->tell && talk->hear);
    const size_t record_size = offsetof(struct partner_record, value) + (talk->size + 7) / 8 * 8;
    struct exchange exchange = exchange_open(trace->processes, record_size, talk->purpose);
    struct received told;
    exchange_check(&exchange, ready);
    for (uint32_t s = 0; s < trace->owned_count && ready; s++)
        tell_stream(trace, s, talk, data, &exchange);
    enum status status = exchange_run(&exchange, &told, error);
    for (size_t i = 0; i < told.count; i++) {
        const struct partner_record *record =
            (const void *)((const char *)told.items + i * record_size);
        talk->hear(data, record->rank - trace->first_rank, record->message, record->value);
    }
    free(told.items);
    return status;
}

static uint64_t key_of(uint32_t comm, uint32_t instance)
{
    return (uint64_t)comm << 32 | instance;
}

int homes_process(const struct trace *trace, uint32_t comm, uint32_t instance)
{
    return (int)(map_mix(key_of(comm, instance)) % (uint64_t)trace->processes->size);
}

uint32_t homes_find(const struct homes *homes, uint32_t comm, uint32_t instance)
{
    uint32_t number = map_get(&homes->numbers, key_of(comm, instance));
    assert(number < homes->instance_count);
    return number;
}

/* The place of a rank in a communicator, looked up once. */
struct comm_place {
    uint32_t comm_rank;
    bool known, second_group;
};

static struct comm_place find_place(const struct trace *trace, uint32_t comm, uint32_t rank)
{
    const struct definitions *d = trace->definitions;
    const uint32_t remote = d->comms[comm].remote_group;
    return (struct comm_place){
        .known = true,
        .comm_rank = comm_rank_of(d, comm, rank),
        .second_group = remote != INDEX_NONE && group_place(&d->groups[remote], rank) != INDEX_NONE,
    };
}

struct telling {
    const struct trace *trace;
    enum home_order order;
    home_teller *tell;
    void *data;
    struct comm_place *places; /* [comm], of the current stream; NULL with HOME_BY_RANK */
    void *part;
    size_t part_size;
};

static void send_parts(const struct telling *telling, uint32_t s, struct exchange *exchange)
{
    const struct trace *trace = telling->trace;
    const struct stream *stream = &trace->streams[s];
    next_collectives_ahead(trace, s);
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        struct home_part part = {.comm = c->comm,
                                 .instance = c->instance,
                                 .rank = stream->rank,
                                 .collective = i,
                                 .comm_rank = INDEX_NONE};
        if (c->instance == INDEX_NONE)
            continue;
        if (telling->places) {
            struct comm_place *place = &telling->places[c->comm];
            if (!place->known)
                *place = find_place(trace, c->comm, stream->rank);
            part.comm_rank = place->comm_rank;
            part.second_group = place->second_group;
        }
        memset(telling->part, 0, telling->part_size);
        memcpy(telling->part, &part, sizeof part);
        if (telling->tell(telling->data, s, i, telling->part))
            exchange_put(exchange, homes_process(trace, c->comm, c->instance), telling->part);
    }
}

/* Collective. */
static enum status gather_parts(struct telling *telling, const char *purpose,
                                struct received *parts, struct error *error)
{
    const struct trace *trace = telling->trace;
    const size_t comms = (size_t)trace->definitions->comm_count + 1;
    struct exchange exchange = exchange_open(trace->processes, telling->part_size, purpose);
    telling->part = malloc(telling->part_size);
    bool ready = telling->part != NULL;
    if (telling->order == HOME_BY_COMM_RANK) {
        telling->places = malloc(comms * sizeof *telling->places);
        ready = ready && telling->places;
    }
    exchange_check(&exchange, ready);
    for (uint32_t s = 0; s < trace->owned_count && ready; s++) {
        if (telling->places)
            memset(telling->places, 0, comms * sizeof *telling->places);
        send_parts(telling, s, &exchange);
    }
    free(telling->places);
    free(telling->part);
    return exchange_run(&exchange, parts, error);
}

static const struct home_part *part_at(const struct homes *homes, size_t number)
{
    return (const void *)((const char *)homes->parts.items + number * homes->part_size);
}

/* Numbers the instances in order of arrival. False when memory is out. */
static bool number_instances(struct homes *homes, uint32_t *instance_of)
{
    for (size_t i = 0; i < homes->parts.count; i++) {
        const struct home_part *part = part_at(homes, i);
        uint32_t *number =
            map_at(&homes->numbers, key_of(part->comm, part->instance), homes->instance_count);
        if (!number)
            return false;
        homes->instance_count += *number == homes->instance_count;
        instance_of[i] = *number;
    }
    return true;
}

/* Sorts the parts by instance (counting sort). Within an instance they stay in order of arrival,
 * which is that of world ranks. False when memory is out. */
static bool group_parts(struct homes *homes)
{
    const size_t parts = homes->parts.count;
    uint32_t *instance_of = malloc((parts + 1) * sizeof *instance_of);
    homes->order = malloc((parts + 1) * sizeof *homes->order);
    bool complete = instance_of && homes->order && number_instances(homes, instance_of);
    if (complete)
        homes->first = calloc((size_t)homes->instance_count + 2, sizeof *homes->first);
    complete = complete && homes->first;
    if (complete) {
        uint32_t *place = homes->first + 1; /* place[i] ends up as first[i + 1] */
        for (size_t i = 0; i < parts; i++)
            place[instance_of[i] + 1]++;
        for (uint32_t i = 0; i < homes->instance_count; i++) {
            if (place[i + 1] > homes->largest)
                homes->largest = place[i + 1];
            place[i + 1] += place[i];
        }
        for (size_t i = 0; i < parts; i++)
            homes->order[place[instance_of[i]]++] = (uint32_t)i;
    }
    free(instance_of);
    return complete;
}

static int by_comm_rank(const void *a, const void *b, void *homes)
{
    const struct home_part *x = part_at(homes, *(const uint32_t *)a);
    const struct home_part *y = part_at(homes, *(const uint32_t *)b);
    return ORDER(x->second_group, y->second_group) ?: ORDER(x->comm_rank, y->comm_rank);
}

/* Sorts the members of each instance, which nearly always are in order already. */
static void sort_members(struct homes *homes)
{
    for (uint32_t i = 0; i < homes->instance_count; i++) {
        uint32_t *order = homes->order + homes->first[i], count = homes_members(homes, i), n = 1;
        while (n < count && by_comm_rank(&order[n - 1], &order[n], homes) < 0)
            n++;
        if (n < count)
            qsort_r(order, count, sizeof *order, by_comm_rank, homes);
    }
}

enum status homes_open(struct homes *homes, const struct trace *trace, size_t part_size,
                       enum home_order order, const char *purpose, home_teller *tell, void *data,
                       struct error *error)
{
    assert(part_size >= sizeof(struct home_part));
    struct telling telling = {
        .trace = trace, .order = order, .tell = tell, .data = data, .part_size = part_size};
    *homes = (struct homes){.part_size = part_size};
    enum status status = gather_parts(&telling, purpose, &homes->parts, error);
    if (status != STATUS_OK)
        return status;
    bool grouped = group_parts(homes);
    if (grouped && order == HOME_BY_COMM_RANK)
        sort_members(homes);
    status = processes_agree_memory(trace->processes, grouped, purpose, error);
    if (status != STATUS_OK)
        homes_close(homes);
    return status;
}

void homes_close(struct homes *homes)
{
    free(homes->parts.items);
    free(homes->first);
    free(homes->order);
    map_clear(&homes->numbers);
    *homes = (struct homes){0};
}

enum status tell_homes(const struct trace *trace, const struct home_talk *talk, void *data,
                       struct error *error)
{
    assert(talk->answer_size >= sizeof(struct home_answer) && talk->tell && talk->answer &&
           talk->hear);
    struct homes homes;
    struct received answers;
    enum status status = homes_open(&homes, trace, talk->part_size, talk->order, talk->purpose,
                                    talk->tell, data, error);
    if (status == STATUS_OK) {
        struct exchange exchange =
            exchange_open(trace->processes, talk->answer_size, talk->purpose);
        bool complete = true;
        map_clear(&homes.numbers);
        for (uint32_t i = 0; i < homes.instance_count && complete; i++)
            complete = talk->answer(data, &homes, i, &exchange);
        exchange_check(&exchange, complete);
        homes_close(&homes);
        status = exchange_run(&exchange, &answers, error);
        for (size_t i = 0; i < answers.count; i++) {
            const struct home_answer *answer =
                (const void *)((const char *)answers.items + i * talk->answer_size);
            talk->hear(data, answer->rank - trace->first_rank, answer->collective, answer);
        }
        free(answers.items);
    }
    return status;
}
