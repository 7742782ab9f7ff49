/* [wait LABEL]: chosen calls do not wait (doc/methods.md, section 2): the messages that they wait
 * for arrive before the calls begin, and the other members of collective operations have come
 * before. What the calls take without waiting stays, and nothing else is earlier: the sender of
 * such a message, for example, goes on as before.
 *
 * `region`, `callpath` and `visit` choose the call that waits. A polling loop, or a loop of probes,
 * is one call. If a message is chosen, all calls of the rank that wait for it are: a probe, and the
 * receive after it. */
#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "replay/costs/recorded.h"
#include "trace/exchange.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <stdlib.h>

struct wait_removal {
    struct conditions conditions; /* only `section` and `all` */
    struct ranges rank, partner, tag, visit;
    int64_t longest; /* the number of calls; 0: all that meet the conditions */
};

static const struct ini_key wait_keys[] = {
    CALL_KEYS(wait_removal),
    INI_KEY(wait_removal, rank, RANGES),
    INI_KEY(wait_removal, partner, RANGES),
    INI_KEY(wait_removal, tag, RANGES),
    INI_KEY(wait_removal, visit, RANGES),
    INI_KEY(wait_removal, longest, INTEGER, .least = 1, .most = INT32_MAX),
    INI_KEYS_END,
};

static enum status wait_check(void *state, struct error *error)
{
    const struct wait_removal *wait = state;
    const struct ini_section *section = wait->conditions.section;
    const bool any = callpath_marks_wanted(section) || wait->rank.items || wait->partner.items ||
                     wait->tag.items || wait->visit.items;
    if (wait->conditions.all && any)
        return section_error(error, section, "all",
                             "\"all\" chooses every call, but the section also has a condition");
    if (!wait->conditions.all && !any && wait->longest == 0)
        return section_error(error, section, NULL,
                             "a condition is missing: region, callpath, rank, partner, tag, visit "
                             "or longest; \"all = yes\" chooses every call");
    return STATUS_OK;
}

/* A call that meets all conditions. */
struct chosen_call {
    int64_t wait; /* in the recording, ticks; 0 unless the longest are wanted */
    uint32_t rank, enter;
    uint32_t first_wait; /* in struct wait_chooser, up to the next call's */
};

struct wait_chooser {
    const struct wait_removal *wanted;
    struct trace *trace;
    struct callpath_marks marks;
    struct recorded recorded;        /* costs; all zero unless the longest are wanted */
    uint32_t *visits;                /* [call path]: those of the stream so far */
    ARRAY(struct chosen_call) calls; /* a further one ends the waits of the last */
    ARRAY(struct wait) waits;
    int64_t total; /* calls that can wait */
    bool out_of_memory;
};

/* Whether the wait is for a message with the chosen partner and tag; other waits have neither. */
static bool is_chosen_wait(const struct wait_removal *wanted, const struct stream *stream,
                           const struct wait *wait)
{
    if (wait->kind != WAIT_SEND && wait->kind != WAIT_RECEIVE)
        return !wanted->partner.items && !wanted->tag.items;
    const struct message *message = &stream->messages[wait->index];
    return ranges_contain(&wanted->partner, message->partner_rank) &&
           ranges_contain(&wanted->tag, message->tag);
}

/* Counts the visits from row `*row` to the end of the call. Returns whether the call, or a round of
 * a loop, is a chosen visit. */
static bool is_chosen_place(struct wait_chooser *chooser, const struct stream *stream,
                            const struct recorded_call *call, uint32_t *row)
{
    const struct wait_removal *wanted = chooser->wanted;
    const bool anywhere = !callpath_marks_wanted(wanted->conditions.section);
    bool chosen = anywhere && !wanted->visit.items;
    for (; *row <= call->leave && *row < stream->count; ++*row) {
        if (stream->kind[*row] != EVENT_ENTER)
            continue;
        const uint32_t path = stream->arg[*row], visit = ++chooser->visits[path];
        if (*row >= call->enter &&
            (anywhere || marks_of(&chooser->marks, path) & CALLPATH_INSIDE) &&
            ranges_contain(&wanted->visit, visit))
            chosen = true;
    }
    return chosen;
}

/* The cost in the recording of the call that waited for this; -1: unknown. */
static int64_t recorded_cost(const struct wait_chooser *chooser, uint32_t s,
                             const struct wait *wait, bool probes)
{
    const struct recorded_stream *recorded = &chooser->recorded.streams[s];
    const struct stream *stream = &chooser->trace->streams[s];
    const struct stream *before = &chooser->recorded.trace->streams[s];
    uint32_t index = wait->index;
    if (wait->kind == WAIT_SEND || wait->kind == WAIT_RECEIVE) {
        index = stream->messages[index].recorded;
        if (index >= before->message_count)
            return -1;
        for (size_t i = 0; probes && i < recorded->probes.count; i++)
            if (recorded->probes.items[i].message == index)
                return recorded->probes.items[i].wait.cost;
    } else if (wait->kind == WAIT_COLLECTIVE) {
        index = stream->collectives[index].recorded;
        if (index >= before->collective_count)
            return -1;
    }
    return recorded->waits[wait->kind][index].cost;
}

/* How long the call waited in the recording. A hypothesis keeps the length of a call. */
static int64_t recorded_wait_of(const struct wait_chooser *chooser, uint32_t s,
                                const struct call_walk *walk)
{
    const uint64_t *time = chooser->trace->streams[s].time;
    const int64_t length = (int64_t)(time[walk->call.leave] - time[walk->call.enter]);
    int64_t cost = -1;
    for (size_t i = 0; i < walk->waits.count; i++) {
        const int64_t other = recorded_cost(chooser, s, &walk->waits.items[i], walk->call.probes);
        cost = other > cost ? other : cost;
    }
    return cost < 0 ? 0 : length - cost;
}

/* Adds the call at which `walk` is, if it meets the conditions. */
static void choose_waiting_call(struct wait_chooser *chooser, uint32_t s,
                                const struct call_walk *walk)
{
    const struct stream *stream = &chooser->trace->streams[s];
    struct chosen_call call = {.rank = stream->rank,
                               .enter = walk->call.enter,
                               .first_wait = (uint32_t)chooser->waits.count};
    if (chooser->wanted->longest > 0) {
        call.wait = recorded_wait_of(chooser, s, walk);
        if (call.wait <= 0)
            return;
    }
    for (size_t i = 0; i < walk->waits.count; i++)
        if (is_chosen_wait(chooser->wanted, stream, &walk->waits.items[i]))
            chooser->out_of_memory |= !array_push(&chooser->waits, walk->waits.items[i]);
    if (chooser->waits.count > call.first_wait)
        chooser->out_of_memory |= !array_push(&chooser->calls, call);
}

static void choose_in_stream(struct wait_chooser *chooser, uint32_t s)
{
    const struct stream *stream = &chooser->trace->streams[s];
    const bool rank_is_chosen = ranges_contain(&chooser->wanted->rank, stream->rank);
    struct call_walk walk;
    uint32_t row = 0;
    for (size_t path = 0; path < chooser->trace->calltree.paths.count; path++)
        chooser->visits[path] = 0;
    call_walk_open(&walk, chooser->trace, stream, 0);
    while (!chooser->out_of_memory && call_walk_next(&walk)) {
        const bool here = is_chosen_place(chooser, stream, &walk.call, &row);
        if (walk.waits.count == 0)
            continue;
        chooser->total++;
        if (here && rank_is_chosen)
            choose_waiting_call(chooser, s, &walk);
    }
    chooser->out_of_memory |= walk.out_of_memory;
    call_walk_close(&walk);
}

/* The longest wait first; of several the first rank's, and of these the first. */
ORDER_BY(compare_chosen_calls, struct chosen_call,
         DESCENDING(wait) ?: ASCENDING(rank) ?: ASCENDING(enter))

/* Collective. `*last`: the last one of the longest waits of all processes. */
static enum status find_last_of_longest(const struct wait_chooser *chooser,
                                        struct chosen_call *last, struct error *error)
{
    const struct processes *processes = chooser->trace->processes;
    const size_t longest = (size_t)chooser->wanted->longest, own = chooser->calls.count;
    struct chosen_call *sorted = malloc((own + 1) * sizeof *sorted), *all = NULL;
    char *received = NULL;
    size_t size = 0;
    enum status status =
        processes_agree_memory(processes, sorted != NULL, "the choice of waits", error);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < own; i++)
            sorted[i] = chooser->calls.items[i];
        qsort(sorted, own, sizeof *sorted, compare_chosen_calls);
        status =
            exchange_gather(processes, sorted, (own < longest ? own : longest) * sizeof *sorted,
                            &received, &size, NULL, error);
    }
    free(sorted);
    if (status != STATUS_OK)
        return status;
    const size_t count = size / sizeof *all;
    all = (struct chosen_call *)received;
    *last = (struct chosen_call){.wait = INT64_MAX};
    if (count > 0) {
        qsort(all, count, sizeof *all, compare_chosen_calls);
        *last = all[(count < longest ? count : longest) - 1];
    }
    processes_broadcast(processes, last, sizeof *last);
    free(received);
    return STATUS_OK;
}

static void remove_wait(struct stream *stream, const struct wait *wait)
{
    if (wait->kind == WAIT_SEND || wait->kind == WAIT_RECEIVE)
        stream->messages[wait->index].flags |= MESSAGE_NO_WAIT;
    else if (wait->kind == WAIT_COLLECTIVE)
        stream->collectives[wait->index].no_wait = 1;
    else if (wait->kind == WAIT_SYNC)
        stream->rma_syncs[wait->index].no_wait = true;
    else
        stream->finalize_no_wait = true;
}

/* Removes the waits of the chosen calls up to `last`. Returns the number of these calls. */
static int64_t remove_waits(struct wait_chooser *chooser, const struct chosen_call *last)
{
    const struct chosen_call *calls = chooser->calls.items;
    int64_t removed = 0;
    for (size_t i = 0; i < chooser->calls.count; i++) {
        const size_t end =
            i + 1 < chooser->calls.count ? calls[i + 1].first_wait : chooser->waits.count;
        if (last && compare_chosen_calls(&calls[i], last) > 0)
            continue;
        for (size_t w = calls[i].first_wait; w < end; w++)
            remove_wait(trace_stream(chooser->trace, calls[i].rank), &chooser->waits.items[w]);
        removed++;
    }
    return removed;
}

static bool send_removed_wait(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct trace *trace = data;
    return *(bool *)value = trace->streams[s].messages[m].flags & MESSAGE_NO_WAIT;
}

static void note_removed_wait(void *data, uint32_t s, uint32_t m, const void *value)
{
    const struct trace *trace = data;
    if (*(const bool *)value)
        trace->streams[s].messages[m].flags |= MESSAGE_NOT_AWAITED;
}

/* Collective. Finds the calls that meet the conditions. */
static enum status choose_waiting_calls(struct wait_chooser *chooser, struct error *error)
{
    struct trace *trace = chooser->trace;
    const struct wait_removal *wanted = chooser->wanted;
    enum status status =
        callpath_marks_create(wanted->conditions.section, trace, &chooser->marks, error)
            ?: conditions_check_ranks(wanted->conditions.section, "rank", &wanted->rank, trace,
                                      error)
                   ?: conditions_check_ranks(wanted->conditions.section, "partner",
                                             &wanted->partner, trace, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK && wanted->longest > 0)
        status = recorded_make(trace->recording ? trace->recording : trace, NULL, 0,
                               &chooser->recorded, error);
    if (status != STATUS_OK)
        return status;
    chooser->visits = malloc((trace->calltree.paths.count + 1) * sizeof *chooser->visits);
    chooser->out_of_memory = !chooser->visits;
    for (uint32_t s = 0; s < trace->owned_count && !chooser->out_of_memory; s++)
        choose_in_stream(chooser, s);
    for (uint32_t s = 0; s < trace->owned_count && !chooser->out_of_memory; s++)
        chooser->out_of_memory = !stream_copy_tables(&trace->streams[s], trace->arena);
    return processes_agree_memory(trace->processes, !chooser->out_of_memory, "the choice of waits",
                                  error);
}

/* Collective. */
static enum status remove_chosen_waits(struct wait_chooser *chooser,
                                       struct hypothesis_outcome *outcome, struct error *error)
{
    static const struct partner_exchange removed = {.purpose = "the exchange of removed waits",
                                                    .size = sizeof(bool),
                                                    .send = send_removed_wait,
                                                    .receive = note_removed_wait};
    const bool longest = chooser->wanted->longest > 0;
    struct chosen_call last;
    enum status status = longest ? find_last_of_longest(chooser, &last, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    int64_t counts[] = {remove_waits(chooser, longest ? &last : NULL), chooser->total};
    processes_sum(chooser->trace->processes, counts, 2);
    *outcome = (struct hypothesis_outcome){
        .chosen = counts[0], .total = counts[1], .things = "calls that can wait"};
    if (counts[0] == 0)
        return section_error(
            error, chooser->wanted->conditions.section, NULL,
            "none of the %lld calls of the trace that can wait %s", (long long)counts[1],
            longest ? "meets all conditions and waited in the recording" : "meets all conditions");
    return partners_exchange(chooser->trace, true, &removed, chooser->trace, error);
}

static enum status wait_apply(const void *state, struct trace *trace,
                              struct hypothesis_outcome *outcome, struct error *error)
{
    struct wait_chooser chooser = {.wanted = state, .trace = trace};
    enum status status = choose_waiting_calls(&chooser, error);
    if (status == STATUS_OK)
        status = remove_chosen_waits(&chooser, outcome, error);
    callpath_marks_clear(&chooser.marks);
    if (chooser.recorded.trace)
        recorded_clear(&chooser.recorded);
    free(chooser.visits);
    free(chooser.calls.items);
    free(chooser.waits.items);
    return status;
}

const struct hypothesis_kind hypothesis_wait = {
    .name = "wait",
    .description = "remove the waiting of chosen calls",
    .state_size = sizeof(struct wait_removal),
    .keys = wait_keys,
    .check = wait_check,
    .apply = wait_apply,
};
