/* Each instance of a collective operation has a home process, spread by hash over all processes.
 * Two exchanges for the whole trace: the members' parts go home, their waits come back. */
#include "patterns/instances.h"

#include "patterns/needs.h"
#include "trace/calls/collective_operations.h"

#include <stdlib.h>
#include <string.h>

struct part { /* of a member, on its way to the home process */
    struct member member;
    uint32_t comm, instance;
    uint32_t collective; /* index at the member */
    uint32_t operation;
    bool by_needs, neighbourhood, on_window;
};

struct answer {
    uint32_t rank, collective, operation;
    bool violates; /* it has ended before another has begun that it needs */
    bool in_pairs; /* it waits for this member alone: */
    uint32_t culprit_rank, culprit_collective;
    int64_t wait, completion;
};

/* The longest wait in a call that completes nonblocking operations counts, as with messages. */
struct completion_wait {
    uint32_t rank, call;
    enum metric metric;
    int64_t wait;
};

struct home_work { /* room for the largest instance */
    struct member *members;
    struct member_wait *waits;
    struct order_member *order;
    int64_t *limits;
};

/* Those on windows have patterns of their own. */
static const struct pattern *pattern_of(const struct pattern *const *patterns,
                                        enum collective_op op, bool on_window)
{
    for (; *patterns; patterns++)
        if ((*patterns)->search_instance &&
            (*patterns)->flows >> collective_operations[op].flow & 1 &&
            (*patterns)->on_windows == on_window)
            return *patterns;
    return NULL;
}

static bool is_on_window(const struct collective *collective)
{
    return collective->flags & COLLECTIVE_WINDOW;
}

/* In an operation of one member nobody waits. */
static bool is_searched(const struct trace *trace, const struct collective *collective,
                        uint32_t rank)
{
    if (collective->instance == INDEX_NONE || collective->end == INDEX_NONE)
        return false;
    const struct definitions *definitions = trace->definitions;
    const struct communicator *comm = &definitions->comms[collective->comm];
    return !comm->self && (comm->remote_group != INDEX_NONE ||
                           comm_size(definitions, collective->comm, rank, false) > 1);
}

/* The rank's rank in each communicator, looked up once; INDEX_NONE where not yet known. */
static uint32_t cached_comm_rank(const struct trace *trace, uint32_t *cache, uint32_t comm,
                                 uint32_t rank)
{
    if (cache[comm] == INDEX_NONE)
        cache[comm] = comm_rank_of(trace->definitions, comm, rank);
    return cache[comm];
}

/* Between two groups: whether the rank is in the second one. */
static bool in_second_group(const struct definitions *definitions, uint32_t comm, uint32_t rank)
{
    uint32_t remote = definitions->comms[comm].remote_group;
    if (remote == INDEX_NONE)
        return false;
    const struct group *group = &definitions->groups[remote];
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i] == rank)
            return true;
    return false;
}

static struct member make_member(const struct search_rank *rank, uint32_t index, uint32_t comm_rank)
{
    const struct stream *stream = rank->stream;
    const struct collective *c = &stream->collectives[index];
    const struct definitions *definitions = rank->trace->definitions;
    bool between_groups = definitions->comms[c->comm].remote_group != INDEX_NONE;
    const struct call *begun = &rank->calls[rank->collective_call[index]];
    struct member member = {.begin = (int64_t)stream->time[c->begin],
                            .end = (int64_t)stream->time[c->end],
                            .rank = stream->rank,
                            .comm_rank = comm_rank,
                            .enter_row = begun->enter_row,
                            .end_row = c->end,
                            .path = begun->path,
                            .enter = begun->enter,
                            .sends = c->sent > 0,
                            .receives = c->received > 0,
                            .ends_no_epoch =
                                is_on_window(c) && c->type_size & SILAS_ASSERTION_NOPRECEDE,
                            .is_root = between_groups ? c->root == ROOT_SELF : comm_rank == c->root,
                            .nonblocking = c->flags & COLLECTIVE_NONBLOCKING,
                            .second_group = in_second_group(definitions, c->comm, stream->rank),
                            .receive_counts = c->receive_counts,
                            .sources = c->flags & COLLECTIVE_NEIGHBOUR ? c->sources : INDEX_NONE};
    member.from = member.begin;
    if (member.nonblocking) {
        const struct call *call = &rank->calls[rank->collective_completion_call[index]];
        member.from = call->enter;
        member.never_waits = call_is_test(call->mpi_call);
    }
    return member;
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
        if (!is_searched(trace, c, stream->rank) || !pattern_of(patterns, c->op, is_on_window(c)))
            continue;
        uint32_t comm_rank = cached_comm_rank(trace, comm_ranks, c->comm, stream->rank);
        struct part part = {.comm = c->comm,
                            .instance = c->instance,
                            .collective = i,
                            .operation = c->op,
                            .by_needs = needs_apply(trace->definitions, c),
                            .neighbourhood = c->flags & COLLECTIVE_NEIGHBOUR,
                            .on_window = is_on_window(c),
                            .member = make_member(rank, i, comm_rank)};
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

static bool comes_after(const struct member *a, const struct member *b)
{
    if (a->second_group != b->second_group)
        return a->second_group;
    return a->comm_rank > b->comm_rank;
}

/* Sorts an instance's parts by group and rank in the communicator: nearly always done already. */
static void sort_members(const struct part *parts, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = order[i], j = i;
        while (j > 0 && comes_after(&parts[order[j - 1]].member, &parts[moved].member)) {
            order[j] = order[j - 1];
            j--;
        }
        order[j] = moved;
    }
}

/* limits[i]: when the last has begun that member i needs; INT64_MIN where that is not known, as on
 * windows. Where all have begun before the first ends, nothing is violated. */
static void find_limits(enum collective_op op, bool on_window, const struct home_work *work,
                        uint32_t count)
{
    int64_t last_begin = INT64_MIN, first_end = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        last_begin = later(last_begin, work->members[i].begin);
        first_end = earlier(first_end, work->members[i].end);
        work->limits[i] = INT64_MIN;
    }
    if (first_end >= last_begin || on_window)
        return;
    for (uint32_t i = 0; i < count; i++)
        work->order[i] = (struct order_member){work->members[i].begin, work->members[i].sends,
                                               work->members[i].receives, work->members[i].is_root};
    collective_limits(op, work->order, count, work->limits);
}

static bool answer_instance(const struct trace *trace, const struct pattern *const *patterns,
                            const struct part *parts, uint32_t *order, uint32_t count,
                            const struct home_work *work, struct sync_collector *collector,
                            struct outbox *outbox)
{
    const struct part *first = &parts[order[0]];
    enum collective_op op = (enum collective_op)first->operation;
    bool by_needs = false;
    sort_members(parts, order, count);
    for (uint32_t i = 0; i < count; i++) {
        work->members[i] = parts[order[i]].member;
        by_needs |= parts[order[i]].by_needs;
    }
    memset(work->waits, 0, count * sizeof *work->waits);
    const struct pattern *pattern = pattern_of(patterns, op, first->on_window);
    const bool in_pairs = by_needs || pattern->sync_kind == SYNC_PREFIX;
    if (by_needs) {
        needs_search(trace->definitions, op, first->neighbourhood, work->members, count,
                     work->waits, work->limits);
    } else {
        pattern->search_instance(work->members, count, work->waits);
        find_limits(op, first->on_window, work, count);
        if (collector && !in_pairs &&
            !sync_collect_instance(collector, pattern->sync_kind, first->comm, first->instance,
                                   work->members, count, work->waits))
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct part *culprit = &parts[order[work->waits[i].cause]];
        struct answer answer = {.rank = work->members[i].rank,
                                .collective = parts[order[i]].collective,
                                .operation = op,
                                .violates = work->limits[i] > work->members[i].end,
                                .in_pairs = in_pairs,
                                .culprit_rank = culprit->member.rank,
                                .culprit_collective = culprit->collective,
                                .wait = work->waits[i].wait,
                                .completion = work->waits[i].completion};
        if ((answer.wait != 0 || answer.completion != 0 || answer.violates) &&
            !outbox_put(&outbox[trace_owner(trace, answer.rank)], &answer, sizeof answer))
            return false;
    }
    return true;
}

static bool answer_all(const struct trace *trace, const struct pattern *const *patterns,
                       const char *received, size_t size, struct sync_collector *collector,
                       struct outbox *outbox)
{
    struct home home = {.parts = (const struct part *)received,
                        .part_count = size / sizeof(struct part)};
    bool complete = group_parts(&home);
    size_t room = (size_t)home.largest + 1;
    struct home_work work = {.members = malloc(room * sizeof *work.members),
                             .waits = malloc(room * sizeof *work.waits),
                             .order = malloc(room * sizeof *work.order),
                             .limits = malloc(room * sizeof *work.limits)};
    complete = complete && work.members && work.waits && work.order && work.limits;
    for (uint32_t i = 0; i < home.instance_count && complete; i++)
        complete = answer_instance(trace, patterns, home.parts, home.order + home.first[i],
                                   home.first[i + 1] - home.first[i], &work, collector, outbox);
    free(work.members);
    free(work.waits);
    free(work.order);
    free(work.limits);
    home_clear(&home);
    return complete;
}

static int by_call(const void *a, const void *b)
{
    const struct completion_wait *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->metric != y->metric)
        return x->metric < y->metric ? -1 : 1;
    return (x->wait < y->wait) - (x->wait > y->wait); /* the longest first */
}

/* Several operations that one call completes are waited for at the same time. */
static void add_completion_waits(const struct trace *trace, const struct search_rank *ranks,
                                 struct completion_wait *waits, size_t count)
{
    if (count)
        qsort(waits, count, sizeof *waits, by_call);
    for (size_t i = 0; i < count; i++) {
        const struct completion_wait *w = &waits[i];
        const struct search_rank *rank = &ranks[w->rank - trace->first_rank];
        if (i == 0 || w->rank != w[-1].rank || w->call != w[-1].call || w->metric != w[-1].metric)
            search_rank_add(rank, w->metric, &rank->calls[w->call], w->wait);
    }
}

/* False when memory is out. */
static bool add_answers(const struct trace *trace, const struct search_rank *ranks,
                        const struct pattern *const *patterns, const char *received, size_t size,
                        struct sync_collector *collector)
{
    const struct answer *answers = (const struct answer *)received;
    ARRAY(struct completion_wait) nonblocking = {0};
    bool complete = true;
    for (size_t i = 0; i < size / sizeof *answers && complete; i++) {
        const struct answer *a = &answers[i];
        const struct search_rank *rank = &ranks[a->rank - trace->first_rank];
        const struct collective *collective = &rank->stream->collectives[a->collective];
        const struct pattern *pattern =
            pattern_of(patterns, a->operation, is_on_window(collective));
        uint32_t index = rank->collective_completion_call[a->collective];
        const struct call *call = &rank->calls[index];
        search_rank_add(rank, METRIC_CLOCK_VIOLATIONS, call, a->violates);
        if (collector && a->in_pairs && a->wait > 0 && pattern->sync_kind != SYNC_NONE)
            complete = sync_collect_operation(collector, rank, a->collective, pattern->sync_kind,
                                              a->wait, a->culprit_rank, a->culprit_collective);
        if (!(collective->flags & COLLECTIVE_NONBLOCKING)) {
            search_rank_add(rank, pattern->wait_metric, call, a->wait);
            search_rank_add(rank, pattern->completion_metric, call, a->completion);
            continue;
        }
        struct completion_wait wait = {a->rank, index, pattern->wait_metric, a->wait};
        complete = array_push(&nonblocking, wait) && complete;
    }
    if (complete)
        add_completion_waits(trace, ranks, nonblocking.items, nonblocking.count);
    free(nonblocking.items);
    return complete;
}

enum status search_instances(const struct trace *trace, struct search_rank *ranks,
                             const struct pattern *const *patterns,
                             struct sync_collector *collector, struct error *error)
{
    const struct processes *processes = trace->processes;
    char *parts = NULL, *answers = NULL;
    size_t parts_size = 0, answers_size = 0;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    bool complete = outbox != NULL;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++)
        complete = send_parts(trace, &ranks[i], patterns, outbox);
    enum status status = processes_exchange_filled(
        processes, outbox, complete, "the collective operations", &parts, &parts_size, error);
    if (status == STATUS_OK) {
        complete = answer_all(trace, patterns, parts, parts_size, collector, outbox);
        status = processes_exchange_filled(processes, outbox, complete, "the collective operations",
                                           &answers, &answers_size, error);
    }
    if (status == STATUS_OK &&
        !add_answers(trace, ranks, patterns, answers, answers_size, collector))
        status = error_memory(error, "matching collectives");
    status = processes_agree(processes, status, error);
    free(parts);
    free(answers);
    free(outbox);
    return status;
}
