/* Each instance of a collective operation has a home process, spread by hash over all processes.
 * Two exchanges for the whole trace: the members' parts go home, their waits come back. */
#include "patterns/instances.h"

#include <stdlib.h>
#include <string.h>

struct part { /* of a member, on its way to the home process */
    struct member member;
    uint32_t comm, instance;
    uint32_t collective; /* index at the member */
    uint32_t operation;
};

struct answer {
    uint32_t rank, collective, operation, unused;
    struct member_wait wait;
};

static const struct pattern *pattern_of(const struct pattern *const *patterns, uint32_t operation)
{
    for (; *patterns; patterns++)
        if ((*patterns)->search_instance && (*patterns)->operations >> operation & 1)
            return *patterns;
    return NULL;
}

/* Nonblocking and neighbourhood operations, those on windows, and those between two groups, do not
 * wait for all members in the call itself; in an operation of one member nobody waits. */
static bool is_searched(const struct trace *trace, const struct collective *collective,
                        uint32_t rank)
{
    const struct definitions *definitions = trace->definitions;
    const struct communicator *comm = &definitions->comms[collective->comm];
    return collective->instance != INDEX_NONE && collective->end != INDEX_NONE &&
           !(collective->flags &
             (COLLECTIVE_NONBLOCKING | COLLECTIVE_NEIGHBOUR | COLLECTIVE_WINDOW)) &&
           !comm->self && comm->remote_group == INDEX_NONE &&
           comm_size(definitions, collective->comm, rank, false) > 1;
}

/* The rank's rank in each communicator, looked up once; INDEX_NONE where not yet known. */
static uint32_t cached_comm_rank(const struct trace *trace, uint32_t *cache, uint32_t comm,
                                 uint32_t rank)
{
    if (cache[comm] == INDEX_NONE)
        cache[comm] = comm_rank_of(trace->definitions, comm, rank);
    return cache[comm];
}

static bool send_parts(const struct trace *trace, const struct search_rank *rank,
                       const struct pattern *const *patterns, struct outbox *outbox)
{
    const struct stream *stream = rank->stream;
    uint32_t comm_count = trace->definitions->comm_count;
    uint32_t *comm_ranks = malloc(((size_t)comm_count + 1) * sizeof *comm_ranks);
    bool complete = comm_ranks != NULL;
    if (comm_ranks)
        memset(comm_ranks, 0xff, comm_count * sizeof *comm_ranks);
    for (uint32_t i = 0; i < stream->collective_count && complete; i++) {
        const struct collective *c = &stream->collectives[i];
        if (!pattern_of(patterns, c->op) || !is_searched(trace, c, stream->rank))
            continue;
        uint32_t comm_rank = cached_comm_rank(trace, comm_ranks, c->comm, stream->rank);
        struct part part = {.comm = c->comm,
                            .instance = c->instance,
                            .collective = i,
                            .operation = c->op,
                            .member = {.begin = (int64_t)stream->time[c->begin],
                                       .end = (int64_t)stream->time[c->end],
                                       .rank = stream->rank,
                                       .comm_rank = comm_rank,
                                       .sends = c->sent > 0,
                                       .receives = c->received > 0,
                                       .is_root = comm_rank == c->root}};
        uint64_t home = map_mix((uint64_t)c->comm << 32 | c->instance);
        complete = outbox_put(&outbox[home % (uint64_t)trace->processes->size], &part, sizeof part);
    }
    free(comm_ranks);
    return complete;
}

/* The parts a home process has received, by instance. */
struct home {
    const struct part *parts; /* as received: world ranks ascend within an instance */
    size_t part_count;
    uint32_t *instance_of; /* [part] */
    uint32_t *first;       /* [instance + 1], into `order` */
    uint32_t *order;       /* parts, instance by instance */
    uint32_t instance_count, largest;
};

/* Numbers the instances in order of arrival. False when memory is out. */
static bool number_instances(struct home *home)
{
    struct map numbers = {0};
    bool complete = true;
    for (size_t i = 0; i < home->part_count && complete; i++) {
        const struct part *part = &home->parts[i];
        uint32_t *number =
            map_at(&numbers, (uint64_t)part->comm << 32 | part->instance, home->instance_count);
        complete = number != NULL;
        if (!complete)
            break;
        home->instance_count += *number == home->instance_count;
        home->instance_of[i] = *number;
    }
    map_clear(&numbers);
    return complete;
}

/* A counting sort of the parts by instance, stable. */
static bool group_parts(struct home *home)
{
    home->instance_of = malloc((home->part_count + 1) * sizeof *home->instance_of);
    home->order = malloc((home->part_count + 1) * sizeof *home->order);
    if (!home->instance_of || !home->order || !number_instances(home))
        return false;
    home->first = calloc((size_t)home->instance_count + 2, sizeof *home->first);
    if (!home->first)
        return false;
    uint32_t *place = home->first + 1; /* shifted: place[i] ends up as first[i + 1] */
    for (size_t i = 0; i < home->part_count; i++)
        place[home->instance_of[i] + 1]++;
    for (uint32_t i = 0; i < home->instance_count; i++) {
        if (place[i + 1] > home->largest)
            home->largest = place[i + 1];
        place[i + 1] += place[i];
    }
    for (size_t i = 0; i < home->part_count; i++)
        home->order[place[home->instance_of[i]]++] = (uint32_t)i;
    return true;
}

static void home_clear(struct home *home)
{
    free(home->instance_of);
    free(home->first);
    free(home->order);
}

/* Sorts an instance's parts by rank in the communicator: nearly always done already. */
static void sort_members(const struct part *parts, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = order[i], j = i;
        while (j > 0 && parts[order[j - 1]].member.comm_rank > parts[moved].member.comm_rank) {
            order[j] = order[j - 1];
            j--;
        }
        order[j] = moved;
    }
}

static bool answer_instance(const struct trace *trace, const struct pattern *const *patterns,
                            const struct part *parts, uint32_t *order, uint32_t count,
                            struct member *members, struct member_wait *waits,
                            struct outbox *outbox)
{
    uint32_t operation = parts[order[0]].operation;
    sort_members(parts, order, count);
    for (uint32_t i = 0; i < count; i++)
        members[i] = parts[order[i]].member;
    memset(waits, 0, count * sizeof *waits);
    pattern_of(patterns, operation)->search_instance(members, count, waits);
    for (uint32_t i = 0; i < count; i++) {
        struct answer answer = {.rank = members[i].rank,
                                .collective = parts[order[i]].collective,
                                .operation = operation,
                                .wait = waits[i]};
        if ((waits[i].wait != 0 || waits[i].completion != 0) &&
            !outbox_put(&outbox[trace_owner(trace, answer.rank)], &answer, sizeof answer))
            return false;
    }
    return true;
}

static bool answer_all(const struct trace *trace, const struct pattern *const *patterns,
                       const char *received, size_t size, struct outbox *outbox)
{
    struct home home = {.parts = (const struct part *)received,
                        .part_count = size / sizeof(struct part)};
    bool complete = group_parts(&home);
    struct member *members = malloc(((size_t)home.largest + 1) * sizeof *members);
    struct member_wait *waits = malloc(((size_t)home.largest + 1) * sizeof *waits);
    complete = complete && members && waits;
    for (uint32_t i = 0; i < home.instance_count && complete; i++)
        complete = answer_instance(trace, patterns, home.parts, home.order + home.first[i],
                                   home.first[i + 1] - home.first[i], members, waits, outbox);
    free(members);
    free(waits);
    home_clear(&home);
    return complete;
}

static void add_answers(const struct trace *trace, const struct search_rank *ranks,
                        const struct pattern *const *patterns, const char *received, size_t size)
{
    const struct answer *answers = (const struct answer *)received;
    for (size_t i = 0; i < size / sizeof *answers; i++) {
        const struct search_rank *rank = &ranks[answers[i].rank - trace->first_rank];
        const struct pattern *pattern = pattern_of(patterns, answers[i].operation);
        const struct call *call = &rank->calls[rank->collective_call[answers[i].collective]];
        search_rank_add(rank, pattern->wait_metric, call, answers[i].wait.wait);
        search_rank_add(rank, pattern->completion_metric, call, answers[i].wait.completion);
    }
}

/* One exchange whose outboxes were filled with `complete`; the error is agreed upon. */
static enum status exchange(const struct processes *processes, bool complete, struct outbox *outbox,
                            char **received, size_t *size, struct error *error)
{
    enum status status = complete ? STATUS_OK : error_memory(error, "matching collectives");
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK) {
        if (outbox)
            outbox_clear(outbox, processes->size);
        return status;
    }
    return processes_exchange(processes, outbox, received, size, NULL, error);
}

enum status search_instances(const struct trace *trace, struct search_rank *ranks,
                             const struct pattern *const *patterns, struct error *error)
{
    const struct processes *processes = trace->processes;
    char *parts = NULL, *answers = NULL;
    size_t parts_size = 0, answers_size = 0;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    bool complete = outbox != NULL;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++)
        complete = send_parts(trace, &ranks[i], patterns, outbox);
    enum status status = exchange(processes, complete, outbox, &parts, &parts_size, error);
    if (status == STATUS_OK) {
        complete = answer_all(trace, patterns, parts, parts_size, outbox);
        status = exchange(processes, complete, outbox, &answers, &answers_size, error);
    }
    if (status == STATUS_OK)
        add_answers(trace, ranks, patterns, answers, answers_size);
    free(parts);
    free(answers);
    free(outbox);
    return status;
}
