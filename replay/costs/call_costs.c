#include "replay/costs/call_costs.h"

#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void find_call_groups(struct call_costs *costs)
{
    for (uint32_t s = 0; s < costs->trace->owned_count; s++) {
        const struct stream *stream = &costs->trace->streams[s];
        for (size_t c = costs->list.first[s]; c < costs->list.first[s + 1]; c++) {
            const struct listed_call *call = &costs->list.calls.items[c];
            costs->groups[c] =
                stream->kind[call->enter] == EVENT_ENTER
                    ? call_group(stream, stream->arg[call->enter], call->enter, call->leave)
                    : CALL_GROUP_NONE;
        }
    }
}

static enum status make_call_list(struct call_costs *costs, double poll_gap_s, struct error *error)
{
    enum status status = call_list_make(costs->trace, poll_gap_s, &costs->list, error);
    if (status != STATUS_OK)
        return status;
    costs->groups = malloc((costs->list.count + 1) * sizeof *costs->groups);
    costs->costs = calloc(costs->list.count + 1, sizeof *costs->costs);
    costs->lags = calloc(costs->list.waits.count + 1, sizeof *costs->lags);
    if (!costs->groups || !costs->costs || !costs->lags)
        return error_memory(error, "the costs of calls");
    find_call_groups(costs);
    return platform_open(&costs->platform, costs->trace, error);
}

enum status call_costs_open(const struct trace *trace, double poll_gap_s, struct call_costs *costs,
                            struct error *error)
{
    assert(trace->matched);
    memset(costs, 0, sizeof *costs);
    costs->trace = trace;
    enum status status =
        processes_agree(trace->processes, make_call_list(costs, poll_gap_s, error), error);
    if (status == STATUS_OK)
        status = layout_make(trace, &costs->layout, error);
    if (status == STATUS_OK)
        status = message_ends_make(trace, &costs->ends, error);
    if (status == STATUS_OK)
        status = meetings_make(trace, &costs->layout, &costs->list, &costs->meetings, error);
    if (status != STATUS_OK)
        call_costs_close(costs);
    return status;
}

void call_costs_close(struct call_costs *costs)
{
    meetings_clear(&costs->meetings);
    message_ends_clear(&costs->ends);
    layout_clear(&costs->layout);
    platform_close(&costs->platform);
    call_list_clear(&costs->list);
    free(costs->groups);
    free(costs->costs);
    free(costs->lags);
    memset(costs, 0, sizeof *costs);
}

bool call_costs_synchronous(const struct call_costs *costs, uint32_t s, uint32_t message)
{
    const struct both_ends *end = &costs->ends.ends[s][message];
    const struct stream *stream = &costs->trace->streams[s];
    return message_is_synchronous(end->mode, end->bytes, &costs->platform, stream->rank,
                                  stream->messages[message].partner_rank);
}

/* The arrival according to LogGPS, in ticks of the trace. False: the call never waits. */
static bool arrival_of(const struct call_costs *costs, const struct trace *times, uint32_t s,
                       size_t wait, int64_t *arrival)
{
    assert(wait < costs->list.waits.count);
    const struct stream *stream = &costs->trace->streams[s];
    struct wait what = costs->list.waits.items[wait];
    if (wait_is_removed(stream, what))
        return false;
    if (what.kind == WAIT_SEND) {
        *arrival = costs->ends.ends[s][what.index].post;
        return call_costs_synchronous(costs, s, what.index);
    }
    if (what.kind == WAIT_RECEIVE) {
        const struct both_ends *end = &costs->ends.ends[s][what.index];
        const struct loggps *loggps = platform_between(
            &costs->platform, stream->messages[what.index].partner_rank, stream->rank);
        bool synchronous = call_costs_synchronous(costs, s, what.index);
        *arrival = end->post +
                   platform_ticks(&costs->platform, transfer_time(loggps, end->bytes, synchronous));
        return true;
    }
    int64_t last = meetings_last(&costs->meetings, wait);
    *arrival = (int64_t)times->begin + last;
    return last >= 0;
}

bool call_costs_passed(const struct call_costs *costs, uint32_t s, size_t wait)
{
    struct wait what = costs->list.waits.items[wait];
    return what.kind == WAIT_SYNC && costs->lags[wait] < 0 &&
           sync_may_pass(&costs->trace->streams[s].rma_syncs[what.index]);
}

static void measure_listed_call(struct call_costs *costs, const struct trace *times, uint32_t s,
                                size_t c)
{
    const struct listed_call *call = &costs->list.calls.items[c];
    const uint64_t *time = times->streams[s].time;
    int64_t last = (int64_t)time[call->enter], leave = (int64_t)time[call->leave], arrival;
    for (size_t w = call->first_wait; w < call[1].first_wait; w++) {
        costs->lags[w] = 0;
        if (!arrival_of(costs, times, s, w, &arrival))
            continue;
        if (arrival > leave) {
            costs->lags[w] = leave - arrival;
            arrival = leave;
        }
        if (!call_costs_passed(costs, s, w) && arrival > last)
            last = arrival;
    }
    costs->costs[c] = leave - last;
}

/* Collective. */
static enum status share_arrivals(struct call_costs *costs, const struct trace *times,
                                  struct error *error)
{
    meetings_reset(&costs->meetings);
    for (uint32_t s = 0; s < costs->trace->owned_count; s++) {
        size_t end = costs->list.calls.items[costs->list.first[s + 1]].first_post;
        for (size_t p = costs->list.calls.items[costs->list.first[s]].first_post; p < end; p++)
            meetings_arrive(
                &costs->meetings, p,
                (int64_t)(times->streams[s].time[costs->list.posts.items[p].when] - times->begin));
    }
    return meetings_share(&costs->meetings, error);
}

enum status call_costs_measure(struct call_costs *costs, const struct trace *times,
                               const struct machine *machine, struct error *error)
{
    assert(times->owned_count == costs->trace->owned_count);
    enum status status = message_ends_exchange(&costs->ends, times, error);
    if (status != STATUS_OK)
        return status;
    if (machine)
        costs->platform.machine = *machine;
    else
        fit_machine(times, costs->ends.ends, &costs->platform);
    status = share_arrivals(costs, times, error);
    for (uint32_t s = 0; s < costs->trace->owned_count && status == STATUS_OK; s++)
        for (size_t c = costs->list.first[s]; c < costs->list.first[s + 1]; c++)
            measure_listed_call(costs, times, s, c);
    return status;
}

/* Whether a call can wait there, according to the measured times. */
static bool can_wait(const struct call_costs *costs, uint32_t s, struct wait wait)
{
    const struct stream *stream = &costs->trace->streams[s];
    if (wait_is_removed(stream, wait))
        return false;
    if (wait.kind == WAIT_SEND)
        return call_costs_synchronous(costs, s, wait.index);
    if (wait.kind != WAIT_COLLECTIVE)
        return true;
    struct collective_role role =
        collective_role(costs->trace, stream->rank, &stream->collectives[wait.index]);
    return role.waits || role.scans;
}

struct call_cost call_cost_of(const struct call_costs *costs, const struct trace *times, uint32_t s,
                              size_t call)
{
    assert(call < costs->list.count);
    const struct listed_call *rows = &costs->list.calls.items[call];
    const uint64_t *time = times->streams[s].time;
    struct call_cost cost = {0};
    int64_t lag = 0;
    for (size_t w = rows->first_wait; w < rows[1].first_wait; w++)
        if (can_wait(costs, s, costs->list.waits.items[w])) {
            cost.waits = true;
            lag = costs->lags[w] < lag ? costs->lags[w] : lag;
        }
    cost.ticks =
        cost.waits ? costs->costs[call] + lag : (int64_t)(time[rows->leave] - time[rows->enter]);
    return cost;
}
