#include "replay/costs/call_costs.h"

#include "replay/costs/recorded.h"

#include <stdlib.h>
#include <string.h>

/* NULL: it never waits. */
static const struct recorded_wait *find_wait(const struct recorded *recorded, uint32_t s,
                                             struct wait wait)
{
    const struct trace *trace = recorded->trace;
    const struct stream *stream = &trace->streams[s];
    const struct recorded_stream *own = &recorded->streams[s];
    switch (wait.kind) {
    case WAIT_SEND:
        return message_is_synchronous(own->modes[wait.index], stream->messages[wait.index].bytes,
                                      &recorded->platform, stream->rank,
                                      stream->messages[wait.index].partner_rank)
                   ? &own->messages[wait.index]
                   : NULL;
    case WAIT_RECEIVE:
        return &own->messages[wait.index];
    case WAIT_COLLECTIVE: {
        struct role role = collective_role(trace, stream->rank, &stream->collectives[wait.index]);
        return role.waits || role.scans ? &own->collectives[wait.index] : NULL;
    }
    case WAIT_SYNC:
        return &own->syncs[wait.index];
    case WAIT_FINALIZE:
        return &own->finalize;
    }
    return NULL;
}

static struct call_cost cost_of(const struct recorded *recorded, uint32_t s,
                                const struct call_walk *walk)
{
    struct call_cost cost = {.stream = s, .enter = walk->call.enter, .leave = walk->call.leave};
    int64_t lag = 0;
    for (size_t i = 0; i < walk->waits.count; i++) {
        const struct recorded_wait *wait = find_wait(recorded, s, walk->waits.items[i]);
        if (!wait)
            continue;
        cost.cost = wait->cost; /* the same for all waits of one call */
        lag = wait->lag < lag ? wait->lag : lag;
        cost.waits = true;
    }
    cost.cost += lag;
    if (!cost.waits)
        cost.cost =
            (int64_t)(walk->stream->time[walk->call.leave] - walk->stream->time[walk->call.enter]);
    return cost;
}

/* False when memory is out. */
static bool list_calls(const struct recorded *recorded, uint32_t s, double poll_gap_s,
                       struct call_costs *costs)
{
    struct call_walk walk;
    bool room = true;
    call_walk_open(&walk, recorded->trace, &recorded->trace->streams[s], poll_gap_s);
    while (room && call_walk_next(&walk))
        if (!walk.call.probes)
            room = array_push(&costs->list, cost_of(recorded, s, &walk));
    room = room && !walk.no_memory;
    call_walk_close(&walk);
    return room;
}

static bool is_known(const struct machine *machine)
{
    for (int d = 0; d < DISTANCE_COUNT; d++)
        if (machine->distances[d].known)
            return true;
    return false;
}

enum status call_costs_make(const struct trace *trace, double poll_gap_s, struct machine *machine,
                            struct call_costs *costs, struct error *error)
{
    struct recorded recorded;
    bool room = true;
    memset(costs, 0, sizeof *costs);
    enum status status =
        recorded_make(trace, is_known(machine) ? machine : NULL, poll_gap_s, &recorded, error);
    if (status != STATUS_OK)
        return status;
    *machine = recorded.platform.machine;
    for (uint32_t s = 0; s < trace->owned_count && room; s++)
        room = list_calls(&recorded, s, poll_gap_s, costs);
    recorded_clear(&recorded);
    status = processes_agree(trace->processes,
                             room ? STATUS_OK : error_memory(error, "the calls' costs"), error);
    if (status != STATUS_OK)
        call_costs_clear(costs);
    return status;
}

void call_costs_clear(struct call_costs *costs)
{
    free(costs->list.items);
    memset(costs, 0, sizeof *costs);
}
