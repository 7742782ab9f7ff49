#include "replay/costs/recorded.h"

#include <stdlib.h>
#include <string.h>

static bool allocate_modes(const struct trace *trace, struct recorded *recorded)
{
    struct arena *arena = recorded->arena = arena_create();
    if (!arena)
        return false;
    recorded->streams = arena_alloc_array(arena, trace->owned_count, sizeof *recorded->streams);
    for (uint32_t s = 0; s < trace->owned_count && recorded->streams; s++) {
        struct recorded_stream *own = &recorded->streams[s];
        own->modes = arena_alloc_array(arena, trace->streams[s].message_count, sizeof *own->modes);
        if (!own->modes)
            return false;
    }
    return recorded->streams != NULL;
}

static bool allocate_waits(const struct trace *trace, struct recorded *recorded)
{
    bool room = allocate_modes(trace, recorded);
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        const struct stream *stream = &trace->streams[s];
        struct recorded_stream *own = &recorded->streams[s];
        struct arena *arena = recorded->arena;
        const uint32_t counts[] = {[WAIT_RECEIVE] = stream->message_count,
                                   [WAIT_SYNC] = stream->rma_sync_count,
                                   [WAIT_COLLECTIVE] = stream->collective_count,
                                   [WAIT_FINALIZE] = 1};
        for (int kind = 0; kind <= WAIT_FINALIZE; kind++) {
            own->waits[kind] = kind == WAIT_SEND
                                   ? own->waits[WAIT_RECEIVE]
                                   : arena_alloc_array(arena, counts[kind], sizeof **own->waits);
            room = room && own->waits[kind];
        }
    }
    return room;
}

/* False if out of memory. */
static bool record_stream(const struct call_costs *costs, uint32_t s, struct recorded_stream *own)
{
    for (uint32_t m = 0; m < costs->trace->streams[s].message_count; m++)
        own->modes[m] = costs->ends.ends[s][m].mode;
    for (size_t c = costs->list.first[s]; c < costs->list.first[s + 1]; c++) {
        const struct listed_call *call = &costs->list.calls.items[c];
        for (size_t w = call->first_wait; w < call[1].first_wait; w++) {
            struct wait wait = costs->list.waits.items[w];
            struct recorded_probe probe = {wait.index, {costs->lags[w], costs->costs[c]}};
            if (!call->probes)
                own->waits[wait.kind][wait.index] = probe.wait;
            else if (!array_push(&own->probes, probe))
                return false;
        }
    }
    return true;
}

enum status recorded_make(const struct trace *trace, const struct machine *machine,
                          double poll_gap_s, struct recorded *recorded, struct error *error)
{
    struct call_costs costs;
    memset(recorded, 0, sizeof *recorded);
    recorded->trace = trace;
    enum status status = call_costs_open(trace, poll_gap_s, &costs, error);
    if (status != STATUS_OK)
        return status;
    status = call_costs_measure(&costs, trace, machine, error);
    if (status == STATUS_OK) {
        bool room = allocate_waits(trace, recorded);
        for (uint32_t s = 0; s < trace->owned_count && room; s++)
            room = record_stream(&costs, s, &recorded->streams[s]);
        recorded->platform = costs.platform; /* with its hosts: costs no longer own them */
        memset(&costs.platform, 0, sizeof costs.platform);
        status = processes_agree_memory(trace->processes, room, "the model", error);
    }
    call_costs_close(&costs);
    if (status != STATUS_OK)
        recorded_clear(recorded);
    return status;
}

enum status recorded_make_modes(const struct trace *trace, struct recorded *recorded,
                                struct error *error)
{
    struct message_ends ends;
    memset(recorded, 0, sizeof *recorded);
    recorded->trace = trace;
    enum status status = message_ends_make(trace, &ends, error);
    if (status != STATUS_OK)
        return status;
    status = message_ends_exchange(&ends, trace, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes, platform_open(&recorded->platform, trace, error),
                                 error);
    if (status == STATUS_OK) {
        fit_machine(trace, ends.ends, &recorded->platform);
        bool room = allocate_modes(trace, recorded);
        for (uint32_t s = 0; s < trace->owned_count && room; s++)
            for (uint32_t m = 0; m < trace->streams[s].message_count; m++)
                recorded->streams[s].modes[m] = ends.ends[s][m].mode;
        status = processes_agree_memory(trace->processes, room, "the model", error);
    }
    message_ends_clear(&ends);
    if (status != STATUS_OK)
        recorded_clear(recorded);
    return status;
}

void recorded_clear(struct recorded *recorded)
{
    for (uint32_t s = 0; recorded->streams && s < recorded->trace->owned_count; s++)
        free(recorded->streams[s].probes.items);
    arena_destroy(recorded->arena);
    platform_close(&recorded->platform);
    memset(recorded, 0, sizeof *recorded);
}
