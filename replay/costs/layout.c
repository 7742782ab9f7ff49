#include "replay/costs/layout.h"

#include "trace/calls/collective_operations.h"
#include "trace/calls/semantics.h"
#include "trace/spawned.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t scan_stride(const struct trace *trace, uint32_t comm)
{
    return 2 * (uint64_t)comm_size(trace->definitions, comm, 0, false) + 2;
}

/* Numbers the prefix reductions and neighbourhood collectives of a stream on their communicators.
 * Counts them in counters[2 * comm_count], first the prefix reductions; `numbers` may be NULL. */
static void number_collectives(const struct trace *trace, const struct stream *stream,
                               uint32_t *counters, uint32_t *numbers)
{
    for (uint32_t c = 0; c < stream->collective_count; c++) {
        const struct collective *collective = &stream->collectives[c];
        if (!collective_takes_part(trace->definitions, collective))
            continue;
        struct collective_role role = collective_role(trace, stream->rank, collective);
        if (!role.scans && !role.neighbours)
            continue;
        uint32_t *counter =
            &counters[collective->comm + (role.scans ? 0 : trace->definitions->comm_count)];
        if (numbers)
            numbers[c] = *counter;
        ++*counter;
    }
}

/* The numbers to be numbered; pointers into one array. */
struct layout_counts {
    int64_t *messages, *syncs;               /* [rank] */
    int64_t *scans, *neighbours, *instances; /* [comm] */
};

/* Counts of the owned ranks. */
static bool count_own(const struct trace *trace, const struct layout_counts *counts)
{
    uint32_t comms = trace->definitions->comm_count;
    uint32_t *own = malloc(2 * (size_t)comms * sizeof *own + 1);
    if (!own)
        return false;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = &trace->streams[i];
        counts->messages[stream->rank] = stream->message_count;
        counts->syncs[stream->rank] = stream->rma_sync_count;
        memset(own, 0, 2 * (size_t)comms * sizeof *own);
        number_collectives(trace, stream, own, NULL);
        for (uint32_t c = 0; c < 2 * comms; c++)
            if (own[c] > counts->scans[c]) /* and then neighbours */
                counts->scans[c] = own[c];
        for (uint32_t c = 0; c < stream->collective_count; c++) {
            const struct collective *collective = &stream->collectives[c];
            if (collective_takes_part(trace->definitions, collective) &&
                (int64_t)collective->instance >= counts->instances[collective->comm])
                counts->instances[collective->comm] = (int64_t)collective->instance + 1;
        }
    }
    free(own);
    return true;
}

/* Assigns the numbers. False if there are too many. */
static bool number_counted(struct layout *layout, const struct layout_counts *counts)
{
    const struct trace *trace = layout->trace;
    const int64_t *scans = counts->scans;
    uint64_t slot = 0, instance = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        layout->first_message[rank] = (uint32_t)slot;
        slot += (uint64_t)counts->messages[rank];
        layout->first_sync[rank] = (uint32_t)instance;
        instance += (uint64_t)counts->syncs[rank];
    }
    layout->scan_slots = (uint32_t)slot;
    for (uint32_t comm = 0; comm < trace->definitions->comm_count; comm++) {
        layout->first_instance[comm] = (uint32_t)instance;
        instance += (uint64_t)counts->instances[comm];
        layout->first_neighbour[comm] = (uint32_t)instance;
        layout->neighbours += (uint32_t)counts->neighbours[comm];
        if (counts->neighbours[comm] > 0)
            instance +=
                (uint64_t)counts->neighbours[comm] * comm_size(trace->definitions, comm, 0, false);
        layout->first_scan[comm] = (uint32_t)slot;
        if (scans[comm] > 0)
            slot += (uint64_t)scans[comm] * scan_stride(trace, comm);
    }
    layout->first_start = (uint32_t)slot;
    const uint32_t worlds = spawned_world_count(trace->definitions);
    if (trace->definitions->threads || worlds > 1)
        slot += trace->rank_count;
    layout->finalize = (uint32_t)instance;
    instance += worlds;
    layout->slot_count = (uint32_t)slot;
    layout->instance_count = (uint32_t)instance;
    return slot < UINT32_MAX && instance < UINT32_MAX;
}

enum status layout_make(const struct trace *trace, struct layout *layout, struct error *error)
{
    size_t ranks = trace->rank_count, comms = trace->definitions->comm_count;
    size_t count = 2 * ranks + 3 * comms;
    uint32_t *first = malloc(count * sizeof *first + 1);
    int64_t *array = calloc(count + 1, sizeof *array);
    assert(trace->matched);
    *layout = (struct layout){.trace = trace, .first_message = first};
    struct layout_counts counts = {.messages = array};
    if (first && array) {
        layout->first_sync = first + ranks;
        layout->first_scan = layout->first_sync + ranks;
        layout->first_neighbour = layout->first_scan + comms;
        layout->first_instance = layout->first_neighbour + comms;
        counts.syncs = array + ranks;
        counts.scans = counts.syncs + ranks;
        counts.neighbours = counts.scans + comms;
        counts.instances = counts.neighbours + comms;
    }
    bool room = first && array && count_own(trace, &counts);
    enum status status = processes_agree_memory(trace->processes, room, "the model", error);
    if (status == STATUS_OK) {
        processes_max(trace->processes, array, count);
        if (!number_counted(layout, &counts))
            status = error_set(error, STATUS_INPUT,
                               "%s: the model engine allows at most 4,294,967,294 messages and "
                               "collective operations",
                               trace->path ? trace->path : "the trace");
    }
    free(array);
    if (status != STATUS_OK)
        layout_clear(layout);
    return status;
}

void layout_clear(struct layout *layout)
{
    free(layout->first_message);
    memset(layout, 0, sizeof *layout);
}

bool places_open(struct places *places, const struct layout *layout, const struct stream *stream)
{
    *places = (struct places){.layout = layout, .stream = stream};
    if (layout->slot_count == layout->scan_slots && layout->neighbours == 0)
        return true;
    uint32_t *counters =
        calloc(2 * (size_t)layout->trace->definitions->comm_count + 1, sizeof *counters);
    places->numbers = calloc((size_t)stream->collective_count + 1, sizeof *places->numbers);
    bool room = counters && places->numbers;
    if (room)
        number_collectives(layout->trace, stream, counters, places->numbers);
    else
        places_close(places);
    free(counters);
    return room;
}

void places_close(struct places *places)
{
    free(places->numbers);
    places->numbers = NULL;
}

/* World rank of a member of a communicator, modulo its size; 0 if the group is damaged. */
static uint32_t member_rank(const struct trace *trace, uint32_t comm, uint32_t member)
{
    const struct group *group = &trace->definitions->groups[trace->definitions->comms[comm].group];
    uint32_t rank = group->count > 0 ? group_rank(group, member % group->count) : 0;
    return rank < trace->rank_count ? rank : 0;
}

static struct wait_place instance_place(const struct places *places,
                                        const struct collective *collective)
{
    const struct layout *layout = places->layout;
    return (struct wait_place){
        .kind = PLACE_INSTANCE,
        .number = layout->first_instance[collective->comm] + collective->instance,
        .owner = member_rank(layout->trace, collective->comm, collective->instance)};
}

static struct wait_place neighbour_place(const struct places *places, uint32_t index,
                                         uint32_t member)
{
    const struct layout *layout = places->layout;
    uint32_t comm = places->stream->collectives[index].comm;
    uint32_t members = comm_size(layout->trace->definitions, comm, 0, false);
    return (struct wait_place){.kind = PLACE_INSTANCE,
                               .number = layout->first_neighbour[comm] +
                                         places->numbers[index] * members + member,
                               .owner = member_rank(layout->trace, comm, member)};
}

static struct wait_place scan_place(const struct places *places, uint32_t index)
{
    const struct layout *layout = places->layout;
    uint32_t comm = places->stream->collectives[index].comm, n = places->numbers[index];
    uint32_t member = comm_rank_of(layout->trace->definitions, comm, places->stream->rank);
    return (struct wait_place){.kind = PLACE_SCAN,
                               .number = layout->first_scan[comm] +
                                         n * (uint32_t)scan_stride(layout->trace, comm) + 1 +
                                         2 * member,
                               .owner = member_rank(layout->trace, comm, n),
                               .member = member};
}

static struct wait_place finalize_place(const struct places *places)
{
    const uint32_t world =
        spawned_world_of(places->layout->trace->definitions, places->stream->rank);
    return (struct wait_place){.kind = PLACE_INSTANCE, .number = places->layout->finalize + world};
}

static struct wait_place sync_place(const struct places *places, uint32_t rank, uint32_t sync)
{
    return (struct wait_place){
        .kind = PLACE_INSTANCE, .number = places->layout->first_sync[rank] + sync, .owner = rank};
}

struct wait_place place_of_post(const struct places *places, const struct post *post)
{
    const struct trace *trace = places->layout->trace;
    const struct stream *stream = places->stream;
    const struct wait_place none = {.kind = PLACE_NONE};
    switch (post->kind) {
    case POST_COLLECTIVE: {
        const struct collective *collective = &stream->collectives[post->index];
        struct collective_role role = collective_role(trace, stream->rank, collective);
        if (role.neighbours)
            return neighbour_place(
                places, post->index,
                comm_rank_of(trace->definitions, collective->comm, stream->rank));
        if (role.scans)
            return scan_place(places, post->index);
        return role.arrives ? instance_place(places, collective) : none;
    }
    case POST_SYNC:
        return sync_place(places, stream->rank, post->index);
    case POST_FINALIZE:
        return finalize_place(places);
    case POST_SEND:
    case POST_RECEIVE:
        break;
    }
    return none;
}

uint32_t layout_source_count(const struct layout *layout, uint32_t rank,
                             const struct collective *collective)
{
    const struct definitions *definitions = layout->trace->definitions;
    return collective->sources == INDEX_NONE /* then all take part */
               ? comm_size(definitions, collective->comm, rank, false)
               : definitions->groups[collective->sources].count;
}

uint32_t places_of_wait(const struct places *places, struct wait wait)
{
    const struct trace *trace = places->layout->trace;
    const struct stream *stream = places->stream;
    switch (wait.kind) {
    case WAIT_COLLECTIVE: {
        const struct collective *collective = &stream->collectives[wait.index];
        struct collective_role role = collective_role(trace, stream->rank, collective);
        return role.neighbours ? layout_source_count(places->layout, stream->rank, collective)
                               : role.waits;
    }
    case WAIT_SYNC:
        return trace->definitions->groups[sync_awaited(stream, wait.index)->group].count;
    case WAIT_FINALIZE:
        return 1;
    case WAIT_SEND:
    case WAIT_RECEIVE:
        break;
    }
    return 0;
}

struct wait_place place_of_wait(const struct places *places, struct wait wait, uint32_t k)
{
    const struct group *groups = places->layout->trace->definitions->groups;
    const struct stream *stream = places->stream;
    assert(k < places_of_wait(places, wait));
    if (wait.kind == WAIT_FINALIZE)
        return finalize_place(places);
    if (wait.kind == WAIT_SYNC) {
        const struct rma_sync *sync = sync_awaited(stream, wait.index);
        return sync_place(places, group_rank(&groups[sync->group], k),
                          stream->rma_partners[sync->partners + k]);
    }
    const struct collective *collective = &stream->collectives[wait.index];
    struct collective_role role = collective_role(places->layout->trace, stream->rank, collective);
    if (role.neighbours)
        return neighbour_place(places, wait.index,
                               collective->sources == INDEX_NONE
                                   ? k
                                   : (uint32_t)groups[collective->sources].members[k]);
    return role.scans ? scan_place(places, wait.index) : instance_place(places, collective);
}
