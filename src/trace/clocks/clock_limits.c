/* What ranks must know of each other's clocks, in two exchanges a round: messages' ends to their
 * partners and members' parts to their operation's home; from there what follows to the members. */
#include "trace/clocks/clock_private.h"

#include "trace/calls/collective_operations.h"

#include <stdlib.h>
#include <string.h>

struct home_part { /* a member of a collective operation, at the operation's home */
    uint32_t comm, instance, comm_rank;
    uint32_t rank, collective; /* whose, and where in its collectives */
    uint8_t op;
    bool sends, receives, is_root;
    int64_t time; /* of its begin; for caps: of its end */
    int64_t told; /* the limit it was told last */
};

struct clock_homes {
    struct home_part *parts; /* by comm, instance and comm_rank */
    uint32_t part_count;
    ARRAY(uint32_t) first;   /* [instance + 1], into parts */
    ARRAY(uint32_t) changed; /* instances */
    bool *is_changed;        /* [instance] */
    struct map numbers;      /* comm and instance -> instance here */
    struct order_member *members;
    int64_t *results; /* both as long as the largest instance */
};

enum told { TOLD_MESSAGE, TOLD_PART };

struct tell {
    uint32_t kind;         /* enum told */
    uint32_t to, at, rank; /* MESSAGE: rank, message; PART: comm, instance, rank in comm */
    int64_t time;
};

struct answer {
    uint32_t rank, collective;
    int64_t time;
};

static uint64_t key_of(uint32_t comm, uint32_t instance)
{
    return (uint64_t)comm << 32 | instance;
}

static int home_of(const struct trace *trace, uint32_t comm, uint32_t instance)
{
    return (int)(map_mix(key_of(comm, instance)) % (uint64_t)trace->processes->size);
}

static enum status exchange(const struct trace *trace, bool complete, struct outbox *outbox,
                            char **received, size_t *size, struct error *error)
{
    return processes_exchange_filled(trace->processes, outbox, complete, "the correction of clocks",
                                     received, size, error);
}

/* The rank's rank in each communicator, looked up once; free it. NULL when memory is out. */
static uint32_t *comm_ranks_of(const struct trace *trace, const struct stream *stream)
{
    uint32_t *ranks = malloc(((size_t)trace->definitions->comm_count + 1) * sizeof *ranks);
    if (!ranks)
        return NULL;
    memset(ranks, 0xff, trace->definitions->comm_count * sizeof *ranks);
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        uint32_t comm = stream->collectives[i].comm;
        if (comm != INDEX_NONE && ranks[comm] == INDEX_NONE)
            ranks[comm] = comm_rank_of(trace->definitions, comm, stream->rank);
    }
    return ranks;
}

/* --- homes ---------------------------------------------------------------------------------- */

static bool send_parts(const struct trace *trace, const struct stream *stream,
                       struct outbox *outbox)
{
    uint32_t *comm_ranks = comm_ranks_of(trace, stream);
    bool complete = comm_ranks != NULL;
    for (uint32_t i = 0; i < stream->collective_count && complete; i++) {
        const struct collective *c = &stream->collectives[i];
        if (!collective_is_ordered(trace->definitions, c, stream->rank))
            continue;
        struct home_part part = {.comm = c->comm,
                                 .instance = c->instance,
                                 .comm_rank = comm_ranks[c->comm],
                                 .rank = stream->rank,
                                 .collective = i,
                                 .op = c->op,
                                 .sends = c->sent > 0,
                                 .receives = c->received > 0,
                                 .is_root = comm_ranks[c->comm] == c->root,
                                 .time = INT64_MIN,
                                 .told = INT64_MIN};
        complete = outbox_put(&outbox[home_of(trace, c->comm, c->instance)], &part, sizeof part);
    }
    free(comm_ranks);
    return complete;
}

static int by_member(const void *a, const void *b)
{
    const struct home_part *x = a, *y = b;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->comm_rank > y->comm_rank) - (x->comm_rank < y->comm_rank);
}

static bool number_instances(struct clock_homes *homes)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < homes->part_count; i++) {
        const struct home_part *part = &homes->parts[i];
        uint32_t fresh = (uint32_t)homes->first.count;
        uint32_t *number = map_at(&homes->numbers, key_of(part->comm, part->instance), fresh);
        if (!number || (*number == fresh && !array_push(&homes->first, i)))
            return false;
        uint32_t members = i + 1 - homes->first.items[*number];
        largest = members > largest ? members : largest;
    }
    if (!array_push(&homes->first, homes->part_count))
        return false;
    homes->is_changed = calloc(homes->first.count, sizeof *homes->is_changed);
    homes->members = malloc(((size_t)largest + 1) * sizeof *homes->members);
    homes->results = malloc(((size_t)largest + 1) * sizeof *homes->results);
    return homes->is_changed && homes->members && homes->results;
}

enum status clock_homes_create(const struct trace *trace, struct clock_rank *ranks,
                               struct clock_homes **homes, struct error *error)
{
    size_t size = 0;
    char *received = NULL;
    struct clock_homes *made = calloc(1, sizeof *made);
    struct outbox *outbox = calloc((size_t)trace->processes->size, sizeof *outbox);
    bool complete = made && outbox;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++)
        complete = send_parts(trace, ranks[i].stream, outbox);
    enum status status = exchange(trace, complete, outbox, &received, &size, error);
    free(outbox);
    if (status == STATUS_OK) {
        made->parts = (struct home_part *)received;
        made->part_count = (uint32_t)(size / sizeof *made->parts);
        if (made->part_count)
            qsort(made->parts, made->part_count, sizeof *made->parts, by_member);
        if (!number_instances(made))
            status = error_memory(error, "the correction of clocks");
        status = processes_agree(trace->processes, status, error);
    }
    if (status != STATUS_OK) {
        clock_homes_destroy(made);
        return status;
    }
    *homes = made;
    return STATUS_OK;
}

void clock_homes_destroy(struct clock_homes *homes)
{
    if (!homes)
        return;
    free(homes->parts);
    free(homes->first.items);
    free(homes->changed.items);
    free(homes->is_changed);
    map_clear(&homes->numbers);
    free(homes->members);
    free(homes->results);
    free(homes);
}

/* --- telling -------------------------------------------------------------------------------- */

static bool tell_message(const struct trace *trace, const struct message *message, int64_t time,
                         struct outbox *outbox)
{
    struct tell tell = {
        .kind = TOLD_MESSAGE, .to = message->partner_rank, .at = message->partner, .time = time};
    return outbox_put(&outbox[trace_owner(trace, tell.to)], &tell, sizeof tell);
}

/* Sends tell when they were posted; for caps, receives tell when they were completed. */
static bool is_told(const struct message *message, bool caps)
{
    bool sends = message->flags & MESSAGE_SEND;
    return message->partner != INDEX_NONE && sends != caps &&
           (sends || message->completion != INDEX_NONE) &&
           !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED));
}

/* Messages' ends: sends where the time has changed, or, for caps, all receives. */
static bool tell_messages(const struct trace *trace, const struct clock_rank *rank, bool caps,
                          struct outbox *outbox, int64_t *changes)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (!is_told(message, caps))
            continue;
        int64_t time = rank->time[caps ? message->completion : message->post];
        if (!caps && rank->message[i] == time)
            continue;
        if (!caps)
            rank->message[i] = time;
        if (!tell_message(trace, message, time, outbox))
            return false;
        ++*changes;
    }
    return true;
}

/* Members' begins where they have changed, or, for caps, all ends. */
static bool tell_homes(const struct trace *trace, const struct clock_rank *rank, bool caps,
                       struct outbox *outbox, int64_t *changes)
{
    const struct stream *stream = rank->stream;
    uint32_t *comm_ranks = comm_ranks_of(trace, stream);
    bool complete = comm_ranks != NULL;
    for (uint32_t i = 0; i < stream->collective_count && complete; i++) {
        const struct collective *c = &stream->collectives[i];
        if (!collective_is_ordered(trace->definitions, c, stream->rank))
            continue;
        int64_t time = rank->time[caps ? c->end : c->begin];
        if (!caps && rank->begin[i] == time)
            continue;
        if (!caps)
            rank->begin[i] = time;
        struct tell tell = {.kind = TOLD_PART,
                            .to = c->comm,
                            .at = c->instance,
                            .rank = comm_ranks[c->comm],
                            .time = time};
        complete = outbox_put(&outbox[home_of(trace, c->comm, c->instance)], &tell, sizeof tell);
        ++*changes;
    }
    free(comm_ranks);
    return complete;
}

/* A message's other end has told its time. */
static void hear_message(const struct trace *trace, struct clock_rank *ranks,
                         const struct tell *tell, bool caps)
{
    struct clock_rank *rank = &ranks[tell->to - trace->first_rank];
    uint32_t row = rank->stream->messages[tell->at].completion;
    rank->message[tell->at] = tell->time;
    if (!caps && row < rank->dirty && tell->time > rank->time[row])
        rank->dirty = row;
}

static bool hear_part(struct clock_homes *homes, const struct tell *tell)
{
    uint32_t instance = map_get(&homes->numbers, key_of(tell->to, tell->at));
    uint32_t low = homes->first.items[instance], high = homes->first.items[instance + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (homes->parts[middle].comm_rank <= tell->rank)
            low = middle;
        else
            high = middle;
    }
    homes->parts[low].time = tell->time;
    if (homes->is_changed[instance])
        return true;
    homes->is_changed[instance] = true;
    return array_push(&homes->changed, instance);
}

static bool answer_instance(const struct trace *trace, struct clock_homes *homes, uint32_t instance,
                            bool caps, struct outbox *outbox)
{
    uint32_t first = homes->first.items[instance];
    uint32_t count = homes->first.items[instance + 1] - first;
    struct home_part *parts = &homes->parts[first];
    enum collective_op op = (enum collective_op)parts->op;
    for (uint32_t i = 0; i < count; i++)
        homes->members[i] = (struct order_member){parts[i].time, parts[i].sends, parts[i].receives,
                                                  parts[i].is_root};
    if (caps)
        collective_caps(op, homes->members, count, homes->results);
    else
        collective_limits(op, homes->members, count, homes->results);
    for (uint32_t i = 0; i < count; i++) {
        struct answer answer = {parts[i].rank, parts[i].collective, homes->results[i]};
        if (!caps && parts[i].told == answer.time)
            continue;
        parts[i].told = answer.time;
        if (!outbox_put(&outbox[trace_owner(trace, answer.rank)], &answer, sizeof answer))
            return false;
    }
    homes->is_changed[instance] = false;
    return true;
}

static void hear_answers(const struct trace *trace, struct clock_rank *ranks, const char *received,
                         size_t size, bool caps)
{
    const struct answer *answers = (const struct answer *)received;
    for (size_t i = 0; i < size / sizeof *answers; i++) {
        struct clock_rank *rank = &ranks[answers[i].rank - trace->first_rank];
        uint32_t row = rank->stream->collectives[answers[i].collective].end;
        if (caps) {
            rank->begin[answers[i].collective] = answers[i].time;
            continue;
        }
        rank->limit[answers[i].collective] = answers[i].time;
        if (row < rank->dirty && answers[i].time > rank->time[row])
            rank->dirty = row;
    }
}

static enum status tell_all(const struct trace *trace, struct clock_rank *ranks,
                            struct clock_homes *homes, bool caps, int64_t *changes,
                            struct error *error)
{
    char *told = NULL, *answers = NULL;
    size_t told_size = 0, answers_size = 0;
    struct outbox *outbox = calloc((size_t)trace->processes->size, sizeof *outbox);
    bool complete = outbox != NULL;
    *changes = 0;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++)
        complete = tell_messages(trace, &ranks[i], caps, outbox, changes) &&
                   tell_homes(trace, &ranks[i], caps, outbox, changes);
    enum status status = exchange(trace, complete, outbox, &told, &told_size, error);
    if (status == STATUS_OK) {
        const struct tell *tells = (const struct tell *)told;
        for (size_t i = 0; i < told_size / sizeof *tells && complete; i++)
            if (tells[i].kind == TOLD_PART)
                complete = hear_part(homes, &tells[i]);
            else
                hear_message(trace, ranks, &tells[i], caps);
        for (size_t i = 0; i < homes->changed.count && complete; i++)
            complete = answer_instance(trace, homes, homes->changed.items[i], caps, outbox);
        homes->changed.count = 0;
        status = exchange(trace, complete, outbox, &answers, &answers_size, error);
    }
    if (status == STATUS_OK) {
        hear_answers(trace, ranks, answers, answers_size, caps);
        processes_sum(trace->processes, changes, 1);
    }
    free(told);
    free(answers);
    free(outbox);
    return status;
}

enum status clock_tell(const struct trace *trace, struct clock_rank *ranks,
                       struct clock_homes *homes, int64_t *changes, struct error *error)
{
    return tell_all(trace, ranks, homes, false, changes, error);
}

enum status clock_tell_caps(const struct trace *trace, struct clock_rank *ranks,
                            struct clock_homes *homes, struct error *error)
{
    int64_t told;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = ranks[i].stream;
        for (uint32_t m = 0; m < stream->message_count; m++)
            if (stream->messages[m].flags & MESSAGE_SEND)
                ranks[i].message[m] = INT64_MAX;
        for (uint32_t c = 0; c < stream->collective_count; c++)
            ranks[i].begin[c] = INT64_MAX;
    }
    return tell_all(trace, ranks, homes, true, &told, error);
}
