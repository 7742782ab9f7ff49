/* The members of an operation send their data to one process (trace/exchange.h), which answers each
 * with its wait. */
#include "patterns/collective_waits.h"
#include "base/sort.h"
#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct member_answer {
    struct instance_answer to;
    bool violates; /* it ends before a member that it needs begins */
    bool in_pairs; /* it waits only for this member: */
    uint32_t culprit_rank, culprit_collective;
    uint32_t pattern; /* place in the list */
    int64_t wait, completion;
};

/* A wait in a call that completes nonblocking operations. As with messages, only the longest one of
 * each call counts. */
struct completion_wait {
    uint32_t rank, call, culprit;
    enum metric metric;
    int64_t wait;
};

struct instance_search {
    const struct trace *trace;
    const struct search_rank *ranks;
    const struct pattern *const *patterns;
    struct sync_collector *collector; /* NULL: causes are not needed */
    ARRAY(struct completion_wait) nonblocking;
    bool out_of_memory;
    /* of the instance that is searched here; allocated for the largest */
    struct member *members;
    struct member_wait *waits;
    struct order_member *order;
    int64_t *limits;
};

enum { PATTERN_NONE = UINT32_MAX };

/* The first pattern for an operation, from place `from` in the list on; PATTERN_NONE: none is left.
 * Other patterns are for operations on windows. */
static uint32_t next_pattern(const struct instance_search *search, uint32_t from,
                             enum collective_op op, bool on_window)
{
    for (const struct pattern *p; (p = search->patterns[from]); from++)
        if (p->search_instance && p->flows >> collective_operations[op].flow & 1 &&
            p->on_windows == on_window)
            return from;
    return PATTERN_NONE;
}

static bool is_on_window(const struct collective *collective)
{
    return collective->flags & COLLECTIVE_WINDOW;
}

/* An operation of one member has no waits, and in some operations no member waits. */
static bool is_searched(const struct trace *trace, const struct collective *collective,
                        uint32_t rank)
{
    if (collective->instance == INDEX_NONE || collective->end == INDEX_NONE ||
        collective->flags & COLLECTIVE_LOCAL)
        return false;
    const struct definitions *definitions = trace->definitions;
    const struct communicator *comm = &definitions->comms[collective->comm];
    return !comm->self && (comm->remote_group != INDEX_NONE ||
                           comm_size(definitions, collective->comm, rank, false) > 1);
}

/* A member's part; false if the operation is not searched. */
static bool write_member_part(void *data, uint32_t s, uint32_t index, void *part)
{
    const struct instance_search *search = data;
    const struct search_rank *rank = &search->ranks[s];
    const struct stream *stream = rank->stream;
    const struct collective *c = &stream->collectives[index];
    const struct definitions *definitions = search->trace->definitions;
    if (!is_searched(search->trace, c, stream->rank) ||
        next_pattern(search, 0, c->op, is_on_window(c)) == PATTERN_NONE)
        return false;
    const bool between_groups = definitions->comms[c->comm].remote_group != INDEX_NONE;
    const struct search_call *begun = &rank->calls[rank->collective_call[index]];
    struct member *member = part;
    member->begin = member->from = (int64_t)stream->time[c->begin];
    member->end = (int64_t)stream->time[c->end];
    member->enter_row = begun->enter_row;
    member->end_row = c->end;
    member->path = begun->path;
    member->enter = begun->enter;
    member->sends = c->sent > 0;
    member->receives = c->received > 0;
    member->operation = c->op;
    member->on_window = is_on_window(c);
    member->neighbourhood = c->flags & COLLECTIVE_NEIGHBOUR;
    member->by_needs = needs_apply(definitions, c);
    member->ends_no_epoch = is_on_window(c) && c->type_size & SILAS_ASSERTION_NOPRECEDE;
    member->is_root = between_groups ? c->root == ROOT_SELF : member->part.comm_rank == c->root;
    member->nonblocking = c->flags & COLLECTIVE_NONBLOCKING;
    member->no_wait = c->no_wait;
    member->receive_counts = c->receive_counts;
    member->sources = c->flags & COLLECTIVE_NEIGHBOUR ? c->sources : INDEX_NONE;
    if (member->nonblocking) {
        const struct search_call *call = &rank->calls[rank->collective_completion_call[index]];
        member->from = call->enter;
        member->never_waits = call_is_test(call->mpi_call);
    }
    return true;
}

/* limits[i]: when the last member that i needs has begun; INT64_MIN where that is not known, as on
 * windows. If all have begun before the first ends, nothing is violated. */
static void find_limits(const struct instance_search *search, uint32_t count)
{
    const struct member *members = search->members;
    int64_t last_begin = INT64_MIN, first_end = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        last_begin = int64_max(last_begin, members[i].begin);
        first_end = int64_min(first_end, members[i].end);
        search->limits[i] = INT64_MIN;
    }
    if (first_end >= last_begin || members[0].on_window)
        return;
    for (uint32_t i = 0; i < count; i++)
        search->order[i] = (struct order_member){members[i].begin, members[i].sends,
                                                 members[i].receives, members[i].is_root};
    collective_limits((enum collective_op)members[0].operation, search->order, count,
                      search->limits);
}

/* False if out of memory. */
static bool alloc_members(struct instance_search *search, uint32_t largest)
{
    const size_t room = (size_t)largest + 1;
    if (search->members) /* `largest` does not change between calls */
        return true;
    search->members = malloc(room * sizeof *search->members);
    search->waits = malloc(room * sizeof *search->waits);
    search->order = malloc(room * sizeof *search->order);
    search->limits = malloc(room * sizeof *search->limits);
    return search->members && search->waits && search->order && search->limits;
}

/* Sends the members what a pattern has found for them. */
static void put_answers(const struct instance_search *search, uint32_t pattern, bool in_pairs,
                        uint32_t count, struct exchange *answers)
{
    const struct member *members = search->members;
    for (uint32_t i = 0; i < count; i++) {
        const struct member_wait *wait = &search->waits[i];
        const struct member_record *part = &members[i].part, *culprit = &members[wait->cause].part;
        const struct member_answer answer = {.to = {part->rank, part->collective},
                                             .violates = search->limits[i] > members[i].end,
                                             .in_pairs = in_pairs,
                                             .culprit_rank = culprit->rank,
                                             .culprit_collective = culprit->collective,
                                             .pattern = pattern,
                                             .wait = wait->wait,
                                             .completion = wait->completion};
        if (answer.wait != 0 || answer.completion != 0 || answer.violates)
            exchange_put_owner(answers, search->trace, part->rank, &answer);
    }
}

static void drop_removed_waits(const struct instance_search *search, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (search->members[i].no_wait) {
            search->waits[i] = (struct member_wait){0};
            search->limits[i] = INT64_MIN;
        }
}

/* Lets the patterns after the first search the instance, too. */
static void search_further(const struct instance_search *search, uint32_t first, uint32_t count,
                           struct exchange *answers)
{
    const struct member *members = search->members;
    assert(count > 0);
    for (uint32_t i = 0; i < count; i++)
        search->limits[i] = INT64_MIN;
    for (uint32_t p = first; (p = next_pattern(search, p + 1, members[0].operation,
                                               members[0].on_window)) != PATTERN_NONE;) {
        memset(search->waits, 0, count * sizeof *search->waits);
        search->patterns[p]->search_instance(members, count, search->waits);
        drop_removed_waits(search, count);
        put_answers(search, p, false, count, answers);
    }
}

static bool search_all_members(void *data, const struct owned_instances *instances,
                               uint32_t instance, struct exchange *answers)
{
    struct instance_search *search = data;
    const uint32_t count = instance_member_count(instances, instance);
    bool by_needs = false;
    if (!alloc_members(search, instances->largest))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        search->members[i] = *(const struct member *)instance_record(instances, instance, i);
        by_needs |= search->members[i].by_needs;
    }
    memset(search->waits, 0, count * sizeof *search->waits);
    const struct member *members = search->members, *first = &members[0];
    const uint32_t place = next_pattern(search, 0, first->operation, first->on_window);
    assert(place != PATTERN_NONE); /* write_member_part sends no other operations */
    const struct pattern *pattern = search->patterns[place];
    const bool in_pairs = by_needs || pattern->sync_kind == SYNC_PREFIX;
    if (by_needs) {
        needs_search(search->trace->definitions, members, count, search->waits, search->limits);
        drop_removed_waits(search, count);
    } else {
        pattern->search_instance(members, count, search->waits);
        find_limits(search, count);
        drop_removed_waits(search, count);
        if (search->collector && !in_pairs &&
            !sync_collect_instance(search->collector, pattern->sync_kind, members, count,
                                   search->waits))
            return false;
    }
    put_answers(search, place, in_pairs, count, answers);
    search_further(search, place, count, answers);
    return true;
}

/* The longest wait of a call comes first. */
ORDER_BY(by_completing_call, struct completion_wait,
         ASCENDING(rank) ?: ASCENDING(call) ?: ASCENDING(metric) ?: DESCENDING(wait))

/* A call that completes several operations waits for them at the same time. */
static void add_completion_waits(const struct trace *trace, const struct search_rank *ranks,
                                 struct completion_wait *waits, size_t count)
{
    if (count)
        qsort(waits, count, sizeof *waits, by_completing_call);
    for (size_t i = 0; i < count; i++) {
        const struct completion_wait *w = &waits[i];
        const struct search_rank *rank = &ranks[w->rank - trace->first_rank];
        if (i == 0 || w->rank != w[-1].rank || w->call != w[-1].call || w->metric != w[-1].metric)
            search_rank_add_wait(rank, w->metric, &rank->calls[w->call], w->wait, w->culprit);
    }
}

static void store_answer(void *data, uint32_t s, uint32_t index, const void *value)
{
    struct instance_search *search = data;
    const struct member_answer *answer = value;
    const struct search_rank *rank = &search->ranks[s];
    const struct collective *collective = &rank->stream->collectives[index];
    const struct pattern *pattern = search->patterns[answer->pattern];
    const uint32_t completion = rank->collective_completion_call[index];
    const struct search_call *call = &rank->calls[completion];
    bool allocated = true;
    findings_use_metrics(rank->findings, pattern->metrics);
    search_rank_add(rank, METRIC_CLOCK_VIOLATIONS, call, answer->violates);
    if (search->collector && answer->in_pairs && answer->wait > 0 &&
        pattern->sync_kind != SYNC_NONE)
        allocated =
            sync_collect_operation(search->collector, rank, index, pattern->sync_kind, answer->wait,
                                   answer->culprit_rank, answer->culprit_collective);
    if (collective->flags & COLLECTIVE_NONBLOCKING) {
        const struct completion_wait wait = {rank->stream->rank, completion, answer->culprit_rank,
                                             findings_metric(rank->findings, pattern->wait_metric),
                                             answer->wait};
        allocated = array_push(&search->nonblocking, wait) && allocated;
    } else {
        search_rank_add_wait(rank, pattern->wait_metric, call, answer->wait, answer->culprit_rank);
        search_rank_add(rank, pattern->completion_metric, call, answer->completion);
    }
    search->out_of_memory |= !allocated;
}

enum status search_instances(const struct trace *trace, struct search_rank *ranks,
                             const struct pattern *const *patterns,
                             struct sync_collector *collector, struct error *error)
{
    static const struct instance_exchange exchange = {.purpose = "the collective operations",
                                                      .record_size = sizeof(struct member),
                                                      .answer_size = sizeof(struct member_answer),
                                                      .order = MEMBERS_BY_COMM_RANK,
                                                      .send = write_member_part,
                                                      .answer = search_all_members,
                                                      .receive = store_answer};
    struct instance_search search = {
        .trace = trace, .ranks = ranks, .patterns = patterns, .collector = collector};
    enum status status = instances_exchange(trace, &exchange, &search, error);
    if (status == STATUS_OK && search.out_of_memory)
        status = error_memory(error, exchange.purpose);
    if (status == STATUS_OK)
        add_completion_waits(trace, ranks, search.nonblocking.items, search.nonblocking.count);
    free(search.members);
    free(search.waits);
    free(search.order);
    free(search.limits);
    free(search.nonblocking.items);
    return processes_agree(trace->processes, status, error);
}
