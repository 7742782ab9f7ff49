#include "replay/costs/recorded.h"

#include <stdlib.h>
#include <string.h>

static bool allocate(const struct trace *trace, struct recorded *recorded)
{
    recorded->streams = calloc((size_t)trace->owned_count + 1, sizeof *recorded->streams);
    for (uint32_t s = 0; s < trace->owned_count && recorded->streams; s++) {
        const struct stream *stream = &trace->streams[s];
        struct recorded_stream *own = &recorded->streams[s];
        size_t messages = (size_t)stream->message_count + 1;
        own->messages = calloc(messages, sizeof *own->messages);
        own->modes = calloc(messages, sizeof *own->modes);
        own->collectives = calloc((size_t)stream->collective_count + 1, sizeof *own->collectives);
        own->syncs = calloc((size_t)stream->rma_sync_count + 1, sizeof *own->syncs);
        if (!own->messages || !own->modes || !own->collectives || !own->syncs)
            return false;
    }
    return recorded->streams != NULL;
}

static bool keep_wait(struct recorded_stream *own, bool probes, struct wait wait,
                      struct recorded_wait kept)
{
    struct recorded_probe probe = {wait.index, kept};
    if (probes)
        return array_push(&own->probes, probe);
    switch (wait.kind) {
    case WAIT_SEND:
    case WAIT_RECEIVE:
        own->messages[wait.index] = kept;
        break;
    case WAIT_COLLECTIVE:
        own->collectives[wait.index] = kept;
        break;
    case WAIT_SYNC:
        own->syncs[wait.index] = kept;
        break;
    case WAIT_FINALIZE:
        own->finalize = kept;
        break;
    }
    return true;
}

/* False when memory is out. */
static bool keep_stream(const struct call_costs *costs, uint32_t s, struct recorded_stream *own)
{
    for (uint32_t m = 0; m < costs->trace->streams[s].message_count; m++)
        own->modes[m] = costs->ends.ends[s][m].mode;
    for (size_t c = costs->list.first[s]; c < costs->list.first[s + 1]; c++) {
        const struct listed_call *call = &costs->list.calls.items[c];
        for (size_t w = call->first_wait; w < call[1].first_wait; w++)
            if (!keep_wait(own, call->probes, costs->list.waits.items[w],
                           (struct recorded_wait){costs->lags[w], costs->costs[c]}))
                return false;
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
        bool room = allocate(trace, recorded);
        for (uint32_t s = 0; s < trace->owned_count && room; s++)
            room = keep_stream(&costs, s, &recorded->streams[s]);
        recorded->platform = costs.platform; /* with its hosts: costs no longer own them */
        memset(&costs.platform, 0, sizeof costs.platform);
        status = processes_agree_memory(trace->processes, room, "the model", error);
    }
    call_costs_close(&costs);
    if (status != STATUS_OK)
        recorded_clear(recorded);
    return status;
}

void recorded_clear(struct recorded *recorded)
{
    for (uint32_t s = 0; recorded->streams && s < recorded->trace->owned_count; s++) {
        free(recorded->streams[s].messages);
        free(recorded->streams[s].modes);
        free(recorded->streams[s].collectives);
        free(recorded->streams[s].syncs);
        free(recorded->streams[s].probes.items);
    }
    free(recorded->streams);
    platform_close(&recorded->platform);
    memset(recorded, 0, sizeof *recorded);
}
