#include "replay/model/layout.h"

#include "replay/model/calls.h"

#include <stdlib.h>
#include <string.h>

/* --- roles ------------------------------------------------------------------------------------ */

static bool is_root(const struct trace *trace, uint32_t rank, const struct collective *collective)
{
    if (collective->root >= ROOT_THIS_GROUP)
        return collective->root == ROOT_SELF;
    /* on intercommunicators the root is named by its rank in the other group */
    return trace->definitions->comms[collective->comm].remote_group == INDEX_NONE &&
           comm_world_rank(trace->definitions, collective->comm, rank, collective->root) == rank;
}

struct role collective_role(const struct trace *trace, uint32_t rank,
                            const struct collective *collective)
{
    const struct role all = {.arrives = true, .waits = true}, none = {0};
    const struct role gives = {.arrives = true}, takes = {.waits = true};
    if (collective->flags & COLLECTIVE_NEIGHBOUR)
        return all; /* as if all were neighbours */
    if (collective->flags & COLLECTIVE_WINDOW)
        return collective_synchronises(collective) ? all : gives;
    switch ((enum collective_op)collective->op) {
    case COLLECTIVE_BCAST:
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_SCATTERV:
        if (collective->root == ROOT_NONE)
            return all;
        if (collective->root == ROOT_THIS_GROUP)
            return none;
        return is_root(trace, rank, collective) ? gives : takes;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV:
    case COLLECTIVE_REDUCE:
        if (collective->root == ROOT_NONE)
            return all;
        if (collective->root == ROOT_THIS_GROUP)
            return none;
        if (is_root(trace, rank, collective))
            return takes;
        return collective->op != COLLECTIVE_GATHERV || collective->sent > 0 ? gives : none;
    case COLLECTIVE_ALLGATHERV:
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
    case COLLECTIVE_REDUCE_SCATTER:
        return (struct role){.arrives = collective->sent > 0, .waits = collective->received > 0};
    case COLLECTIVE_SCAN:
    case COLLECTIVE_EXSCAN:
        return (struct role){.arrives = true, .waits = true, .scans = true};
    default:
        return all;
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

static uint64_t scan_stride(const struct trace *trace, uint32_t comm)
{
    return 2 * (uint64_t)comm_size(trace->definitions, comm, 0, false) + 2;
}

uint32_t layout_scan_slot(const struct layout *layout, uint32_t comm, uint32_t n, uint32_t member)
{
    return layout->first_scan[comm] + n * (uint32_t)scan_stride(layout->trace, comm) + 1 +
           2 * member;
}

bool layout_number_scans(const struct layout *layout, const struct stream *stream,
                         uint32_t *numbers)
{
    uint32_t comms = layout->trace->definitions->comm_count;
    uint32_t *next = calloc(comms + 1, sizeof *next);
    if (!next)
        return false;
    for (uint32_t c = 0; c < stream->collective_count; c++) {
        const struct collective *collective = &stream->collectives[c];
        if (collective_takes_part(layout->trace, collective) &&
            collective_role(layout->trace, stream->rank, collective).scans)
            numbers[c] = next[collective->comm]++;
    }
    free(next);
    return true;
}

/* counts[rank]: messages; then [comm]: instances, [comm]: prefix reductions; of the owned ranks. */
static bool count_own(const struct trace *trace, int64_t *counts)
{
    uint32_t comms = trace->definitions->comm_count;
    int64_t *instances = counts + trace->rank_count, *scans = instances + comms;
    int64_t *own = calloc(comms + 1, sizeof *own);
    if (!own)
        return false;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = &trace->streams[i];
        memset(own, 0, comms * sizeof *own);
        counts[stream->rank] = stream->message_count;
        for (uint32_t c = 0; c < stream->collective_count; c++) {
            const struct collective *collective = &stream->collectives[c];
            if (!collective_takes_part(trace, collective))
                continue;
            if ((int64_t)collective->instance >= instances[collective->comm])
                instances[collective->comm] = (int64_t)collective->instance + 1;
            if (collective_role(trace, stream->rank, collective).scans &&
                ++own[collective->comm] > scans[collective->comm])
                scans[collective->comm] = own[collective->comm];
        }
    }
    free(own);
    return true;
}

/* Numbers what was counted; false if there are too many. */
static bool number(struct layout *layout, const int64_t *counts)
{
    const struct trace *trace = layout->trace;
    uint32_t comms = trace->definitions->comm_count;
    const int64_t *instances = counts + trace->rank_count, *scans = instances + comms;
    uint64_t slot = 0, instance = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        layout->first_message[rank] = (uint32_t)slot;
        slot += (uint64_t)counts[rank];
    }
    layout->scan_slots = (uint32_t)slot;
    for (uint32_t comm = 0; comm < comms; comm++) {
        layout->first_instance[comm] = (uint32_t)instance;
        instance += (uint64_t)instances[comm];
        layout->first_scan[comm] = (uint32_t)slot;
        if (scans[comm] > 0)
            slot += (uint64_t)scans[comm] * scan_stride(trace, comm);
    }
    layout->finalize = (uint32_t)instance++;
    layout->slot_count = (uint32_t)slot;
    layout->instance_count = (uint32_t)instance;
    return slot < UINT32_MAX && instance < UINT32_MAX;
}

enum status layout_make(const struct trace *trace, struct layout *layout, struct error *error)
{
    uint32_t comms = trace->definitions->comm_count;
    size_t count = trace->rank_count + 2 * (size_t)comms;
    memset(layout, 0, sizeof *layout);
    layout->trace = trace;
    layout->first_message = malloc((trace->rank_count + 1) * sizeof *layout->first_message);
    layout->first_instance = malloc((comms + 1) * sizeof *layout->first_instance);
    layout->first_scan = malloc((comms + 1) * sizeof *layout->first_scan);
    int64_t *counts = calloc(count + 1, sizeof *counts);
    bool room = layout->first_message && layout->first_instance && layout->first_scan && counts &&
                count_own(trace, counts);
    enum status status = processes_agree(
        trace->processes, room ? STATUS_OK : error_memory(error, "the model"), error);
    if (status == STATUS_OK) {
        processes_max(trace->processes, counts, count);
        if (!number(layout, counts))
            status = error_set(error, STATUS_INPUT,
                               "%s: more than four thousand million messages: too many for the "
                               "model engine",
                               trace->path ? trace->path : "the trace");
    }
    free(counts);
    if (status != STATUS_OK)
        layout_clear(layout);
    return status;
}

void layout_clear(struct layout *layout)
{
    free(layout->first_message);
    free(layout->first_instance);
    free(layout->first_scan);
    memset(layout, 0, sizeof *layout);
}
