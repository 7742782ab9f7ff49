#include "measure/reduce/reduce_private.h"

#include "measure/recorder/openmp.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdlib.h>

static bool region_is_assumed(struct rank_stream *stream, const struct rank_region *region)
{
    const struct run_assumptions *assumptions = stream->reduction->assumptions;
    const char *name = region->name, *canonical = region->canonical;
    struct function_symbol symbol;
    bool no_memory = false;
    if (!assumptions->regions)
        return false;
    if (!name && !region->construct &&
        function_symbols_find(stream->reduction->symbols,
                              rank_object_path(&stream->definitions, region), region->address,
                              &symbol)) {
        name = symbol.name;
        canonical = symbol.canonical;
    }
    bool chosen = name && run_assumptions_choose(assumptions, name, canonical, &no_memory);
    if (no_memory)
        run_reduction_no_memory(stream->reduction);
    return chosen;
}

/* Constructs of OpenMP stay, and what is inside of them: waits of threads follow from all that the
 * threads of a team do. */
static bool add_region_view(struct rank_stream *stream, const struct rank_region *region)
{
    struct region_view view = {MPI_CALL_NONE, false};
    if (region->call != MPI_CALL_NONE)
        view.call = (enum mpi_call)region->call;
    else if (region->name && region->paradigm == OTF2_PARADIGM_MPI)
        view.call = mpi_call_from_name(region->name);
    else
        view.assumed = region->construct != OPENMP_NONE || region_is_assumed(stream, region);
    return array_push(&stream->regions, view);
}

static uint32_t *expand_members(const struct rank_members *members)
{
    uint32_t *ranks = malloc(((size_t)members->count + 1) * sizeof *ranks), count = 0;
    for (uint32_t run = 0; ranks && run < members->run_count; run++)
        for (uint32_t i = 0; i < members->runs[3 * run + 1]; i++)
            ranks[count++] = members->runs[3 * run] + i * members->runs[3 * run + 2];
    return ranks;
}

static uint32_t number_comm(struct run_reduction *reduction, uint64_t key, uint32_t members)
{
    uint32_t *place = map_at(&reduction->comm_index, key, (uint32_t)reduction->comms.count);
    struct run_comm comm = {.members = members};
    if (!place)
        return MAP_NONE;
    if (*place == reduction->comms.count && !array_push(&reduction->comms, comm))
        return MAP_NONE;
    return *place;
}

/* Sets the ranks of the groups, the own group first. Definitions have the groups of an
 * intercommunicator in the same order on its two sides. */
static bool set_groups(struct comm_view *view, const struct rank_comm *comm, uint32_t rank)
{
    const struct rank_members *own = &comm->members, *other = &comm->remote;
    for (int attempt = 0; attempt < 2; attempt++) {
        view->members = expand_members(own);
        view->size = own->count;
        for (view->me = 0; view->members && view->me < view->size; view->me++)
            if (view->members[view->me] == rank)
                break;
        if (!view->inter || !view->members || view->me < view->size || attempt > 0)
            break;
        free(view->members);
        own = &comm->remote;
        other = &comm->members;
    }
    view->peers = view->inter ? expand_members(other) : view->members;
    view->peer_count = view->inter ? other->count : view->size;
    return view->members && view->peers;
}

static bool add_comm_view(struct rank_stream *stream, const struct rank_comm *comm)
{
    struct comm_view view = {.self = comm->self, .inter = comm->remote.count > 0};
    /* duplicates of MPI_COMM_SELF are numbered by each rank */
    uint64_t key = comm->self
                       ? (uint64_t)1 << 63 | (uint64_t)stream->rank << 32 | stream->comms.count
                       : (uint64_t)comm->creator << 32 | comm->number;
    view.comm = number_comm(stream->reduction, key, comm->members.count + comm->remote.count);
    bool set = set_groups(&view, comm, stream->rank);
    if (set && view.comm != MAP_NONE && array_push(&stream->comms, view))
        return true;
    free(view.members);
    if (view.inter)
        free(view.peers);
    return false;
}

static void read_again(struct rank_stream *stream)
{
    struct run_reduction *reduction = stream->reduction;
    struct rank_definitions *definitions = &stream->definitions;
    if (reduction->status)
        return;
    rank_definitions_free(definitions);
    reduction->status =
        rank_definitions_read(reduction->directory, stream->rank, definitions, &reduction->error);
    bool room = true;
    while (!reduction->status && room && stream->regions.count < definitions->regions.count)
        room = add_region_view(stream, &definitions->regions.items[stream->regions.count]);
    while (!reduction->status && room && stream->comms.count < definitions->comms.count)
        room = add_comm_view(stream, &definitions->comms.items[stream->comms.count]);
    if (!room)
        run_reduction_no_memory(reduction);
}

const struct region_view *rank_stream_region(struct rank_stream *stream, uint32_t region)
{
    if (region >= stream->regions.count)
        read_again(stream);
    return region < stream->regions.count ? &stream->regions.items[region] : NULL;
}

struct comm_view *rank_stream_comm(struct rank_stream *stream, uint32_t comm)
{
    if (comm >= stream->comms.count)
        read_again(stream);
    return comm < stream->comms.count ? &stream->comms.items[comm] : NULL;
}

bool rank_stream_numbers(struct rank_stream *stream, uint32_t id, const uint64_t **numbers,
                         uint32_t *count)
{
    if (id >= stream->definitions.counts.count)
        read_again(stream);
    if (id >= stream->definitions.counts.count)
        return false;
    *numbers = stream->definitions.counts.items[id].counts;
    *count = stream->definitions.counts.items[id].count;
    return true;
}
