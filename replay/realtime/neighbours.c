/* Neighbourhood collectives: the trace records what is sent to and received from each neighbour. */
#include "replay/realtime/collective_calls.h"

#include <limits.h>
#include <stdlib.h>

/* Counts of one direction, from its recorded vector. */
static bool set_counts(struct making *making, uint32_t group, const int **counts,
                       const int **offsets, uint64_t *total)
{
    static const int nothing[1] = {0}; /* MPICH looks at the first element even if there is none */
    const struct group *vector = &making->calls->trace->definitions->groups[group];
    if (vector->count == 0) {
        *counts = *offsets = nothing;
        return true;
    }
    int64_t *bytes = calloc((size_t)vector->count + 1, sizeof *bytes);
    if (!bytes) {
        error_memory(making->error, "collective operations");
        return false;
    }
    for (uint32_t i = 0; i < vector->count; i++)
        bytes[i] = (int64_t)vector->members[i];
    making->size = vector->count;
    enum status status = counts_set(making, bytes, 1, counts, offsets, total);
    making->size = 0; /* equal vectors are shared, so their addresses are compared */
    free(bytes);
    return status == STATUS_OK;
}

static const MPI_Aint *places(struct making *making, const int *offsets, uint32_t count)
{
    MPI_Aint *wide = arena_alloc_array(making->calls->arena, (size_t)count + 1, sizeof *wide);
    for (uint32_t i = 0; wide && i < count; i++) /* the offset behind the last is 0 */
        wide[i] = offsets[i];
    return wide;
}

static bool set_types(struct making *making, uint32_t sends, uint32_t receives)
{
    struct collective_call *call = &making->call;
    uint32_t most = sends > receives ? sends : receives;
    MPI_Datatype *types = arena_alloc_array(making->calls->arena, (size_t)most + 1, sizeof *types);
    call->send_places = places(making, call->send_offsets, sends);
    call->recv_places = places(making, call->recv_offsets, receives);
    call->types = types;
    if (!types || !call->send_places || !call->recv_places) {
        error_memory(making->error, "collective operations");
        return false;
    }
    for (uint32_t i = 0; i <= most; i++)
        types[i] = MPI_BYTE;
    return true;
}

bool neighbour_call_make(struct making *making)
{
    const struct collective *collective = making->collective;
    const struct definitions *definitions = making->calls->trace->definitions;
    struct collective_call *call = &making->call;
    uint32_t sends = definitions->groups[collective->send_counts].count;
    uint32_t receives = definitions->groups[collective->receive_counts].count;
    call->neighbour = true;
    call->comm = making->calls->communicators->topology[collective->comm];
    if (!set_counts(making, collective->send_counts, &call->send_counts, &call->send_offsets,
                    &making->send_bytes) ||
        !set_counts(making, collective->receive_counts, &call->recv_counts, &call->recv_offsets,
                    &making->recv_bytes))
        return false;
    call->send_count = sends > 0 ? call->send_counts[0] : 0;
    call->recv_count = receives > 0 ? call->recv_counts[0] : 0;
    return call->op != COLLECTIVE_ALLTOALLW || set_types(making, sends, receives);
}
