/* The counts of v- and w-variants: recorded, or estimated from the members' totals. */
#include "replay/realtime/collective_calls.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum status counts_too_large(struct making *making)
{
    return error_set(making->error, STATUS_ENVIRONMENT,
                     "%s on %s moves more than 2 GiB between two ranks, which is too large for "
                     "MPI's counts",
                     collective_op_name(making->collective->op),
                     comm_name(making->calls->trace->definitions, making->collective->comm));
}

/* Returns a copy that stays valid; equal vectors share one. NULL if out of memory. */
static const int *share_equal_vector(struct collective_calls *calls, const int *values,
                                     uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = map_mix(hash ^ (uint32_t)values[i]) + i;
    uint32_t *known = map_at(&calls->known_vectors, hash, (uint32_t)calls->vectors.count);
    if (!known)
        return NULL;
    if (*known < calls->vectors.count) {
        const struct count_vector *vector = &calls->vectors.items[*known];
        if (vector->count == count && memcmp(vector->values, values, count * sizeof *values) == 0)
            return vector->values;
    }
    struct count_vector fresh = {arena_memdup(calls->arena, values, count * sizeof *values), count};
    return fresh.values && array_push(&calls->vectors, fresh) ? fresh.values : NULL;
}

enum status counts_set(struct making *making, const int64_t *bytes, int64_t element,
                       const int **counts, const int **offsets, uint64_t *total)
{
    assert(element > 0);
    uint32_t size = making->size;
    int *both = calloc(2 * (size_t)size + 1, sizeof *both);
    if (!both)
        return error_memory(making->error, "the counts of a collective operation");
    int64_t sum = 0, largest = 0, place = 0;
    for (uint32_t i = 0; i < size; i++) {
        int64_t count = bytes[i] / element;
        sum += count;
        largest = count > largest ? count : largest;
    }
    for (uint32_t i = 0; i < size && largest <= INT_MAX; i++) {
        both[i] = (int)(bytes[i] / element);
        both[size + i] = sum <= INT_MAX ? (int)place : 0;
        place += both[i];
    }
    const int *kept = largest <= INT_MAX ? share_equal_vector(making->calls, both, 2 * size) : NULL;
    free(both);
    if (largest > INT_MAX)
        return counts_too_large(making);
    if (!kept)
        return error_memory(making->error, "the counts of a collective operation");
    *counts = kept;
    *offsets = kept + size;
    *total = (uint64_t)((sum <= INT_MAX ? sum : largest) * element);
    return STATUS_OK;
}

/* This member's part in a vector that all members pass, from its totals. Some tracers do not count
 * the own part of an in-place call, and leave it out of the vector, too. */
static int64_t own_part(const struct making *making)
{
    const struct collective *collective = making->collective;
    uint64_t total =
        collective_op_scatters_vector(collective->op) ? collective->received : collective->sent;
    return making->size > 1 ? (int64_t)(total / (making->size - 1)) : 0;
}

/* Uses the recorded vector, if this and every other member has recorded its counts. */
static bool take_recorded_vector(const struct making *making, uint32_t group, int64_t *bytes)
{
    const struct definitions *definitions = making->calls->trace->definitions;
    if (group == INDEX_NONE || definitions->groups[group].count != making->size ||
        (making->agreed && making->agreed->totals))
        return false;
    for (uint32_t i = 0; i < making->size; i++)
        bytes[i] = (int64_t)definitions->groups[group].members[i];
    if (making->agreed && collective_operations[making->collective->op].flow == FLOW_ALL &&
        bytes[making->me] == 0)
        bytes[making->me] = own_part(making);
    return true;
}

/* The bytes from one member of an Alltoallv to another, if every receiver gets from each sender in
 * proportion to the sender's total. Both ends compute the same. */
static int64_t estimated_part(const struct totals *totals, uint32_t size, uint32_t from,
                              uint32_t to)
{
    double all = 0;
    for (uint32_t i = 0; i < size; i++)
        all += (double)totals[i].received;
    return all > 0 ? (int64_t)((double)totals[from].sent * ((double)totals[to].received / all)) : 0;
}

void counts_of_parts(struct making *making, uint32_t group, bool sent, int64_t *bytes)
{
    const struct totals *totals = making->agreed ? making->agreed->totals : NULL;
    /* unless the operation has a root, totals count a part once for each member */
    int64_t divisor = collective_op_is_rooted(making->collective->op) ? 1 : making->size;
    if (take_recorded_vector(making, group, bytes))
        return;
    making->calls->approximations->counts[APPROXIMATION_EVEN_SHARES]++;
    for (uint32_t i = 0; i < making->size; i++)
        bytes[i] = totals ? (sent ? totals[i].sent : totals[i].received) / divisor : 0;
}

void counts_of_exchange(struct making *making, uint32_t group, bool sent, int64_t *bytes)
{
    const struct totals *totals = making->agreed ? making->agreed->totals : NULL;
    if (take_recorded_vector(making, group, bytes))
        return;
    making->calls->approximations->counts[APPROXIMATION_EVEN_SHARES] += sent; /* once per call */
    for (uint32_t i = 0; i < making->size; i++)
        bytes[i] = !totals ? 0
                   : sent  ? estimated_part(totals, making->size, making->me, i)
                           : estimated_part(totals, making->size, i, making->me);
}

enum status counts_set_types(struct making *making, uint32_t count)
{
    MPI_Datatype *types = arena_alloc_array(making->calls->arena, (size_t)count + 1, sizeof *types);
    making->call.types = making->call.recv_types = types;
    for (uint32_t i = 0; types && i <= count; i++)
        types[i] = MPI_BYTE;
    return types ? STATUS_OK : error_memory(making->error, "collective operations");
}

/* Counts of one direction: the trace records the bytes sent to and received from each neighbour. */
static enum status set_direction(struct making *making, uint32_t group, const int **counts,
                                 const int **offsets, uint64_t *total)
{
    static const int nothing[1] = {0}; /* MPICH looks at the first element even if there is none */
    const struct group *vector = &making->calls->trace->definitions->groups[group];
    if (vector->count == 0) {
        *counts = *offsets = nothing;
        return STATUS_OK;
    }
    making->size = vector->count;
    enum status status =
        counts_set(making, (const int64_t *)vector->members, 1, counts, offsets, total);
    making->size = 0; /* equal vectors are shared, so their addresses are compared */
    return status;
}

/* One direction of a call: its counts of bytes, which become counts of elements. */
struct direction {
    bool sends;
    uint32_t peers;                /* of `counts` */
    const int **counts, **offsets; /* of v- and w-variants; else NULL */
    int *count;                    /* of others */
    MPI_Datatype *type;
    const MPI_Datatype **types; /* of w-variants; else NULL */
    uint64_t *bytes;            /* of the buffer */
    MPI_Aint *lowest;           /* place of the first byte in it */
};

/* The layout for a peer. NULL: bytes. `*fits`: it has been rebuilt, and the bytes are whole
 * elements of it. */
static const struct rebuilt_type *layout_for(struct making *making, bool sends, uint32_t peer,
                                             int bytes, bool *fits)
{
    const struct call_types *types =
        rebuilt_types_find(making->calls->rebuilt, making->collective->types);
    const struct rebuilt_type *layout = call_types_layout(types, sends, peer);
    *fits = layout && layout->type != MPI_DATATYPE_NULL && (uint64_t)bytes % layout->size == 0;
    return layout && layout->plain && bytes == 0 ? NULL : layout;
}

/* Sets counts, places and types of a w-variant. `both` has room for counts and places. */
static bool set_each_layout(struct making *making, const struct direction *direction, int *both)
{
    const uint32_t peers = direction->peers;
    MPI_Datatype *types = arena_alloc_array(making->calls->arena, (size_t)peers + 1, sizeof *types);
    uint64_t end = 0;
    bool fits = types != NULL;
    for (uint32_t i = 0; i < peers && fits; i++) {
        const int bytes = (*direction->counts)[i];
        const struct rebuilt_type *layout = layout_for(making, direction->sends, i, bytes, &fits);
        MPI_Aint lowest = 0;
        uint64_t span = (uint64_t)bytes;
        fits = fits || !layout;
        types[i] = layout && fits ? layout->type : MPI_BYTE;
        both[i] = layout && fits ? (int)((uint64_t)bytes / layout->size) : bytes;
        if (layout && fits)
            span = datatype_span(types[i], (uint64_t)both[i], &lowest);
        fits = fits && (int64_t)end - lowest <= INT_MAX && (int64_t)end - lowest >= 0;
        both[peers + i] = (int)((int64_t)end - lowest);
        end += (span + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    }
    if (fits) {
        types[peers] = MPI_BYTE;
        *direction->types = types;
        *direction->bytes = end;
    }
    return fits;
}

/* Sets counts and places of a v-variant. */
static bool set_one_layout(struct making *making, const struct direction *direction, int *both)
{
    const uint32_t peers = direction->peers;
    int64_t end = 0;
    const struct rebuilt_type *layout = NULL;
    for (uint32_t i = 0; i < peers; i++) {
        bool fits;
        layout = layout_for(making, direction->sends, 0, (*direction->counts)[i], &fits);
        if (!layout || !fits)
            return false;
        both[i] = (int)((uint64_t)(*direction->counts)[i] / layout->size);
        both[peers + i] = end <= INT_MAX ? (int)end : 0;
        end += both[i];
    }
    if (!layout || end > INT_MAX)
        return false;
    *direction->type = layout->type;
    *direction->bytes = datatype_span(layout->type, (uint64_t)end, direction->lowest);
    return true;
}

/* Uses the layouts of one direction of a call with counts for each peer. False if out of memory. */
static bool use_vector_layouts(struct making *making, const struct direction *direction, bool *used)
{
    const uint32_t peers = direction->peers;
    int *both = calloc(2 * (size_t)peers + 1, sizeof *both);
    if (!both)
        return false;
    *used = direction->types ? set_each_layout(making, direction, both)
                             : set_one_layout(making, direction, both);
    const int *kept = *used ? share_equal_vector(making->calls, both, 2 * peers) : NULL;
    if (kept) {
        *direction->counts = kept;
        *direction->offsets = kept + peers;
    }
    free(both);
    return kept || !*used;
}

/* The same for a call with one count. False if its layout cannot be used. */
static bool use_count_layout(struct making *making, const struct direction *direction)
{
    bool fits;
    const int bytes = *direction->count;
    const struct rebuilt_type *layout = layout_for(making, direction->sends, 0, bytes, &fits);
    if (!layout || !fits || *direction->type != MPI_BYTE || bytes <= 0)
        return !layout || layout->plain || bytes <= 0;
    const uint64_t blocks = *direction->bytes / (uint64_t)bytes;
    *direction->count = (int)((uint64_t)bytes / layout->size);
    *direction->type = layout->type;
    *direction->bytes =
        datatype_span(layout->type, blocks * (uint64_t)*direction->count, direction->lowest);
    return true;
}

static enum status use_direction_layouts(struct making *making, const struct direction *direction)
{
    bool used = true;
    if (*direction->counts) {
        if (direction->peers > 0 && !use_vector_layouts(making, direction, &used))
            return error_memory(making->error, "the datatypes of a collective operation");
    } else {
        used = use_count_layout(making, direction);
    }
    making->calls->approximations->counts[APPROXIMATION_LAYOUTS] += !used;
    return STATUS_OK;
}

static bool says_layouts(struct making *making, bool sent)
{
    return call_types_layout(rebuilt_types_find(making->calls->rebuilt, making->collective->types),
                             sent, 0);
}

/* The peers of one direction: members, or neighbours. */
static uint32_t peers_of(const struct making *making, uint32_t counts)
{
    return making->call.neighbour ? making->calls->trace->definitions->groups[counts].count
                                  : making->size;
}

enum status counts_use_layouts(struct making *making)
{
    struct replayed_collective *call = &making->call;
    const struct collective *collective = making->collective;
    if (collective->types == 0)
        return STATUS_OK;
    const bool each = collective_operations[call->op].types;
    const struct direction sending = {true,
                                      peers_of(making, collective->send_counts),
                                      &call->send_counts,
                                      &call->send_offsets,
                                      &call->send_count,
                                      &call->type,
                                      each ? &call->types : NULL,
                                      &making->send_bytes,
                                      &call->send_lowest};
    const struct direction receiving = {false,
                                        peers_of(making, collective->receive_counts),
                                        &call->recv_counts,
                                        &call->recv_offsets,
                                        &call->recv_count,
                                        &call->recv_type,
                                        each ? &call->recv_types : NULL,
                                        &making->recv_bytes,
                                        &call->recv_lowest};
    enum status status = STATUS_OK;
    if (call->op == COLLECTIVE_BCAST && !says_layouts(making, true)) {
        struct direction received = sending; /* one buffer, in which most members receive */
        received.sends = false;
        return use_direction_layouts(making, &received);
    }
    if (says_layouts(making, true))
        status = use_direction_layouts(making, &sending);
    if (status == STATUS_OK && says_layouts(making, false))
        status = use_direction_layouts(making, &receiving);
    return status;
}

static const MPI_Aint *wide_offsets(struct making *making, const int *offsets, uint32_t count)
{
    MPI_Aint *wide = arena_alloc_array(making->calls->arena, (size_t)count + 1, sizeof *wide);
    for (uint32_t i = 0; wide && i < count; i++) /* the one after the last is 0 */
        wide[i] = offsets[i];
    return wide;
}

/* MPI does not look at the count of a direction without neighbours. Open MPI 4 refuses it
 * (MPI_ERR_TRUNCATE) if it is not that of the other direction, and then numbers all later calls on
 * the communicator differently than the other members do. */
static void equal_count_without_neighbours(struct replayed_collective *call, uint32_t sends,
                                           uint32_t receives)
{
    if (sends == 0) {
        call->send_count = call->recv_count;
        call->type = call->recv_type;
    } else if (receives == 0) {
        call->recv_count = call->send_count;
        call->recv_type = call->type;
    }
}

enum status neighbour_call_make(struct making *making)
{
    assert(making->collective->flags & COLLECTIVE_NEIGHBOUR);
    const struct collective *collective = making->collective;
    const struct definitions *definitions = making->calls->trace->definitions;
    struct replayed_collective *call = &making->call;
    uint32_t sends = definitions->groups[collective->send_counts].count;
    uint32_t receives = definitions->groups[collective->receive_counts].count;
    call->neighbour = true;
    enum status status = set_direction(making, collective->send_counts, &call->send_counts,
                                       &call->send_offsets, &making->send_bytes);
    if (status == STATUS_OK)
        status = set_direction(making, collective->receive_counts, &call->recv_counts,
                               &call->recv_offsets, &making->recv_bytes);
    if (status != STATUS_OK)
        return status;
    if (collective_operations[call->op].types)
        status = counts_set_types(making, sends > receives ? sends : receives);
    if (status == STATUS_OK)
        status = counts_use_layouts(making);
    if (status != STATUS_OK)
        return status;
    call->send_count = sends > 0 ? call->send_counts[0] : 0;
    call->recv_count = receives > 0 ? call->recv_counts[0] : 0;
    equal_count_without_neighbours(call, sends, receives);
    if (!collective_operations[call->op].types)
        return STATUS_OK;
    call->send_places = wide_offsets(making, call->send_offsets, sends);
    call->recv_places = wide_offsets(making, call->recv_offsets, receives);
    if (!call->send_places || !call->recv_places)
        return error_memory(making->error, "collective operations");
    return STATUS_OK;
}
