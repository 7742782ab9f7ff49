#include "replay/realtime/collective_calls.h"

#include "base/otf2_attributes.h"
#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool collective_is_reenacted(const struct collective_calls *calls,
                             const struct collective *collective)
{
    return !collective_op_manages_handle(collective->op) &&
           (!(collective->flags & COLLECTIVE_NEIGHBOUR) ||
            calls->communicators->topology[collective->comm] != MPI_COMM_NULL);
}

/* The datatype and operator that replace those of a reduction. */
struct mpi_reduction {
    MPI_Datatype type;
    MPI_Op operation;
    int64_t element; /* bytes */
    bool replaced;   /* the recorded operator is the program's own, or does not fit the type */
};

/* The recorded operator if the kind of element allows it; MPI_OP_NULL: unknown. */
static MPI_Op reduction_operator(uint32_t operation, uint32_t element)
{
    bool integer = element == SILAS_ELEMENT_INTEGER || element == SILAS_ELEMENT_UNSIGNED;
    bool ordered = integer || element == SILAS_ELEMENT_FLOATING;
    bool logical = integer || element == SILAS_ELEMENT_LOGICAL;
    bool number = ordered || element == SILAS_ELEMENT_COMPLEX;
    const struct {
        MPI_Op op;
        bool allowed;
    } operators[] = {
        [SILAS_OPERATION_MAX] = {MPI_MAX, ordered},   [SILAS_OPERATION_MIN] = {MPI_MIN, ordered},
        [SILAS_OPERATION_SUM] = {MPI_SUM, number},    [SILAS_OPERATION_PROD] = {MPI_PROD, number},
        [SILAS_OPERATION_LAND] = {MPI_LAND, logical}, [SILAS_OPERATION_BAND] = {MPI_BAND, integer},
        [SILAS_OPERATION_LOR] = {MPI_LOR, logical},   [SILAS_OPERATION_BOR] = {MPI_BOR, integer},
        [SILAS_OPERATION_LXOR] = {MPI_LXOR, logical}, [SILAS_OPERATION_BXOR] = {MPI_BXOR, integer},
    };
    bool known = operation < sizeof operators / sizeof *operators && operators[operation].allowed;
    return known ? operators[operation].op : MPI_OP_NULL;
}

/* The recorded type and operator. An operator of the program's own is replayed as a sum. False if
 * the type is not recorded. */
static bool recorded_reduction(uint32_t recorded, int64_t size, struct mpi_reduction *reduction)
{
    uint32_t element = reduction_element(recorded);
    reduction->element = size;
    reduction->type = predefined_type(element, size);
    if (reduction->type == MPI_DATATYPE_NULL)
        return false;
    reduction->operation = reduction_operator(reduction_operation(recorded), element);
    reduction->replaced = reduction->operation == MPI_OP_NULL;
    if (reduction->replaced)
        reduction->operation = element == SILAS_ELEMENT_LOGICAL ? MPI_LOR : MPI_SUM;
    return true;
}

/* A trace without the type: the element size determines how fast bytes are reduced. */
static struct mpi_reduction guessed_reduction(int64_t element)
{
    if (element == 8)
        return (struct mpi_reduction){MPI_DOUBLE, MPI_SUM, 8, false};
    if (element == 4)
        return (struct mpi_reduction){MPI_FLOAT, MPI_SUM, 4, false};
    return (struct mpi_reduction){MPI_BYTE, MPI_BOR, 1, false};
}

/* Sets type and operator for `bytes`; returns the bytes of an element. Unknown element sizes count
 * as that of a double where the length allows it. */
static int64_t set_reduction(struct making *making, int64_t bytes, bool all_multiples_of_8)
{
    const struct collective *collective = making->collective;
    int64_t element = making->agreed ? making->agreed->type_size : collective->type_size;
    uint32_t recorded = making->agreed ? making->agreed->reduction : collective->reduction;
    struct mpi_reduction reduction;
    if (element == 0) {
        making->calls->approximations->counts[APPROXIMATION_REDUCED_BYTES] += bytes > 0;
        element = bytes % 8 == 0 && all_multiples_of_8 ? 8 : 1;
    }
    if (bytes % element != 0)
        element = 1;
    if (!recorded_reduction(recorded, element, &reduction))
        reduction = guessed_reduction(element);
    making->calls->approximations->counts[APPROXIMATION_REDUCTIONS] += reduction.replaced;
    making->call.operation = reduction.operation;
    making->call.type = reduction.type;
    return reduction.element;
}

/* Sets type and operator of a reduction by an operator of the program. Returns the bytes of an
 * element; 0: they cannot be rebuilt. */
static int64_t set_user_reduction(struct making *making)
{
    const struct collective *collective = making->collective;
    const struct call_types *types = rebuilt_types_find(making->calls->rebuilt, collective->types);
    const struct rebuilt_type *layout =
        call_types_layout(types, types && types->sent_count > 0, making->me);
    bool measured;
    const int64_t user_op = making->agreed
                                ? making->agreed->user_op
                                : rebuilt_types_operator(making->calls->trace->definitions,
                                                         collective->types, &measured);
    const int64_t size = making->agreed ? making->agreed->type_size : collective->type_size;
    if (user_op == 0 || !layout || layout->type == MPI_DATATYPE_NULL ||
        types->operation == MPI_OP_NULL || (int64_t)layout->size != size)
        return 0;
    making->call.operation = types->operation;
    making->call.type = layout->type;
    return size;
}

/* The bytes between the first and the last byte of `count` elements of the call's type. */
static uint64_t reduced_span(struct making *making, uint64_t count)
{
    const uint64_t span = datatype_span(making->call.type, count, &making->call.send_lowest);
    making->call.recv_lowest = making->call.send_lowest;
    return span;
}

static enum status make_reduction(struct making *making, uint64_t bytes)
{
    int64_t element = set_user_reduction(making);
    if (element == 0 || bytes % (uint64_t)element != 0)
        element = set_reduction(making, (int64_t)bytes, true);
    if (bytes / (uint64_t)element > INT_MAX)
        return counts_too_large(making);
    making->call.send_count = (int)(bytes / (uint64_t)element);
    making->call.recv_count = making->call.send_count;
    making->send_bytes = making->recv_bytes =
        reduced_span(making, (uint64_t)making->call.send_count);
    return STATUS_OK;
}

static enum status make_reduce_scatter(struct making *making, int64_t *bytes)
{
    counts_of_parts(making, making->collective->receive_counts, false, bytes);
    int64_t sum = 0;
    bool multiples = true;
    for (uint32_t i = 0; i < making->size; i++) {
        sum += bytes[i];
        multiples = multiples && bytes[i] % 8 == 0;
    }
    int64_t element = set_user_reduction(making);
    if (element == 0)
        element = set_reduction(making, sum, multiples);
    for (uint32_t i = 0; i < making->size; i++)
        if (bytes[i] % element != 0) { /* an estimate that splits elements */
            making->call.type = MPI_BYTE;
            making->call.operation = MPI_BOR;
            element = 1;
        }
    making->recv_bytes = reduced_span(making, (uint64_t)(bytes[making->me] / element));
    enum status status = counts_set(making, bytes, element, &making->call.recv_counts,
                                    &making->call.recv_offsets, &making->send_bytes);
    making->send_bytes = reduced_span(making, making->send_bytes / (uint64_t)element);
    return status;
}

/* Blocks of one size: one to all, all to one, or all to all. */
static enum status make_blocks(struct making *making, uint64_t block)
{
    const struct collective_operation *operation = &collective_operations[making->call.op];
    if (!datatype_for(making->calls->datatypes, MPI_BYTE, block, &making->call.type,
                      &making->call.send_count))
        return error_memory(making->error, "datatypes");
    making->call.recv_count = making->call.send_count;
    making->send_bytes = operation->sends_each ? block * making->size : block;
    making->recv_bytes = operation->receives_each ? block * making->size : block;
    return STATUS_OK;
}

/* Gatherv and Allgatherv receive a part from each member, Scatterv sends one to each; the other
 * direction is this member's own part. In rooted operations only the root needs the parts of all;
 * between two groups it is a rank of the other group, or ROOT_SELF, and has no part itself. */
static enum status make_parts(struct making *making, int64_t *bytes)
{
    const struct collective *collective = making->collective;
    struct replayed_collective *call = &making->call;
    bool scatters = collective_operations[call->op].send_counts,
         rooted = collective_op_is_rooted(call->op);
    bool has_part = making->agreed && (!rooted || collective->root == making->me);
    uint64_t own = scatters ? collective->received : collective->sent;
    if (!rooted)
        own /= making->size ? making->size : 1;
    if (!rooted || has_part || collective->root == ROOT_SELF) {
        counts_of_parts(making, scatters ? collective->send_counts : collective->receive_counts,
                        !scatters, bytes);
        enum status status = scatters ? counts_set(making, bytes, 1, &call->send_counts,
                                                   &call->send_offsets, &making->send_bytes)
                                      : counts_set(making, bytes, 1, &call->recv_counts,
                                                   &call->recv_offsets, &making->recv_bytes);
        if (status != STATUS_OK)
            return status;
        if (has_part)
            own = (uint64_t)bytes[making->me];
    }
    if (own > INT_MAX)
        return counts_too_large(making);
    *(scatters ? &call->recv_count : &call->send_count) = (int)own;
    *(scatters ? &making->recv_bytes : &making->send_bytes) = own;
    return STATUS_OK;
}

static enum status make_alltoallv(struct making *making, int64_t *bytes)
{
    const struct collective *collective = making->collective;
    counts_of_exchange(making, collective->send_counts, true, bytes);
    enum status status = counts_set(making, bytes, 1, &making->call.send_counts,
                                    &making->call.send_offsets, &making->send_bytes);
    if (status != STATUS_OK)
        return status;
    counts_of_exchange(making, collective->receive_counts, false, bytes);
    if (collective_operations[collective->op].types)
        status = counts_set_types(making, making->size);
    if (status != STATUS_OK)
        return status;
    return counts_set(making, bytes, 1, &making->call.recv_counts, &making->call.recv_offsets,
                      &making->recv_bytes);
}

static enum status make_operation(struct making *making, int64_t *bytes)
{
    uint64_t block =
        (uint64_t)(making->agreed ? making->agreed->bytes
                                  : collective_block(making->collective, making->size, making->me));
    const struct collective_operation *operation = &collective_operations[making->call.op];
    if (operation->flow <= FLOW_BARRIER) {
        making->call.op = COLLECTIVE_BARRIER;
        return STATUS_OK;
    }
    if (operation->reduces && operation->receive_counts)
        return make_reduce_scatter(making, bytes);
    if (operation->reduces) {
        enum status status = make_reduction(making, block);
        if (operation->sends_each)
            making->send_bytes =
                reduced_span(making, (uint64_t)making->call.send_count * making->size);
        return status;
    }
    if (operation->send_counts && operation->receive_counts)
        return make_alltoallv(making, bytes);
    return collective_op_has_counts(making->call.op) ? make_parts(making, bytes)
                                                     : make_blocks(making, block);
}

static uint64_t hash_ints(uint64_t hash, const int *values, uint32_t count)
{
    for (uint32_t i = 0; values && i < count; i++)
        hash = map_mix(hash ^ (uint32_t)values[i]);
    return hash;
}

static uint64_t hash_call(const struct making *making)
{
    const struct replayed_collective *call = &making->call;
    uint64_t hash = map_mix(making->collective->comm * 64ull + (uint64_t)call->op);
    hash = map_mix(hash ^ (uint32_t)call->root) + call->neighbour;
    hash = map_mix(hash ^ making->send_bytes) + making->recv_bytes;
    hash = map_mix(hash ^ (uint32_t)call->send_count) + (uint32_t)call->recv_count;
    hash = map_mix(hash ^ making->collective->reduction) + call->recorded_types;
    if (making->collective->flags & COLLECTIVE_UNTOUCHED)
        hash = map_mix(hash ^ making->collective->begin); /* it has a separate buffer */
    hash = hash_ints(hash, call->send_counts, making->size);
    return hash_ints(hash, call->recv_counts, making->size);
}

static bool same_ints(const int *a, const int *b, uint32_t count)
{
    return (!a && !b) || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

static bool same_call(const struct replayed_collective *a, const struct replayed_collective *b,
                      uint32_t size)
{
    return a->comm == b->comm && a->type == b->type && a->operation == b->operation &&
           a->send == b->send && a->recv == b->recv && a->send_count == b->send_count &&
           a->recv_count == b->recv_count && a->root == b->root && a->op == b->op &&
           a->neighbour == b->neighbour && a->recorded_types == b->recorded_types &&
           (!a->neighbour ||
            (a->send_counts == b->send_counts && a->recv_counts == b->recv_counts)) &&
           same_ints(a->send_counts, b->send_counts, size) &&
           same_ints(a->recv_counts, b->recv_counts, size);
}

static const struct replayed_collective *share_equal_call(struct making *making)
{
    struct collective_calls *calls = making->calls;
    uint32_t *known = map_at(&calls->known, hash_call(making), (uint32_t)calls->list.count);
    if (known && *known < calls->list.count &&
        same_call(calls->list.items[*known], &making->call, making->size))
        return calls->list.items[*known];
    struct replayed_collective *copy =
        known ? arena_memdup(calls->arena, &making->call, sizeof *copy) : NULL;
    if (copy && array_push(&calls->list, copy))
        return copy;
    error_memory(making->error, "collective operations");
    return NULL;
}

static int real_root(const struct collective *collective)
{
    switch (collective->root) {
    case ROOT_SELF:
        return MPI_ROOT;
    case ROOT_THIS_GROUP:
        return MPI_PROC_NULL;
    case ROOT_NONE:
        return 0;
    default:
        return (int)collective->root;
    }
}

static enum status reserve_buffers(struct making *making)
{
    struct replayed_collective *call = &making->call;
    struct buffers *buffers = making->calls->buffers;
    uint64_t key = map_mix(((uint64_t)making->collective->comm << 32) + 2 * call->op);
    bool untouched = making->collective->flags & COLLECTIVE_UNTOUCHED;
    /* a broadcast has one buffer, which the others receive into */
    bool broadcasts = collective_operations[call->op].flow == FLOW_FROM_ROOT &&
                      !collective_op_has_blocks(call->op);
    bool room = broadcasts && untouched
                    ? buffers_reserve_untouched(buffers, key, making->send_bytes, &call->send)
                    : buffers_reserve(buffers, key, BUFFER_SEND, making->send_bytes, &call->send);
    room = room &&
           (untouched && !broadcasts
                ? buffers_reserve_untouched(buffers, key + 1, making->recv_bytes, &call->recv)
                : buffers_reserve(buffers, key + 1, BUFFER_RECV, making->recv_bytes, &call->recv));
    return room ? STATUS_OK : error_memory(making->error, "collective operations");
}

/* The other operations move the bytes that their calls have so far. */
static enum status use_layouts(struct making *making)
{
    struct replayed_collective *call = &making->call;
    const struct collective_operation *operation = &collective_operations[call->op];
    if (operation->reduces || operation->flow <= FLOW_BARRIER)
        return STATUS_OK;
    if (!operation->types)
        call->recv_type = call->type;
    return counts_use_layouts(making);
}

/* Whether the operation on an intercommunicator needs counts that a member has not recorded. */
static bool is_inexpressible(const struct making *making)
{
    const struct collective *collective = making->collective;
    const struct agreed_between *between = making->calls->agreement->between[collective->comm];
    return between && between[collective->instance].lacks;
}

/* Members of the root's group have no data. Open MPI 4 returns from a nonblocking call without data
 * at once, and then numbers all later ones on the communicator differently than the other members
 * do: these never end. So the count, which MPI does not look at here, is not 0 if others move data.
 */
static void give_count_without_part(struct making *making)
{
    const struct collective *collective = making->collective;
    const struct agreed_between *between = making->calls->agreement->between[collective->comm];
    if (collective->root == ROOT_THIS_GROUP && between && between[collective->instance].moves)
        making->call.send_count = making->call.recv_count = 1;
}

const struct replayed_collective *collective_call_make(struct collective_calls *calls,
                                                       const struct collective *collective,
                                                       struct error *error)
{
    assert(calls->trace->owned_count == 1);
    const struct definitions *definitions = calls->trace->definitions;
    uint32_t rank = calls->trace->first_rank;
    const struct agreed *instances = calls->agreement->instances[collective->comm];
    struct making making = {
        .calls = calls,
        .collective = collective,
        .agreed = instances ? &instances[collective->instance] : NULL,
        /* Reduce_scatter has one count for each member of the own group */
        .size = comm_size(definitions, collective->comm, rank,
                          !collective_op_scatters_vector(collective->op)),
        .me = comm_rank_of(definitions, collective->comm, rank),
        .call = {.comm = communicators_of_collective(calls->communicators, collective),
                 .type = MPI_BYTE,
                 .recv_type = MPI_BYTE,
                 .operation = MPI_OP_NULL,
                 .root = real_root(collective),
                 .op = collective->op,
                 .recorded_types = collective->types},
        .error = error,
    };
    if (definitions->comms[collective->comm].self) {
        making.size = 1;
        making.me = 0;
    }
    enum status status = STATUS_OK;
    if (!collective_is_reenacted(calls, collective) || is_inexpressible(&making)) {
        making.call.op = COLLECTIVE_BARRIER;
    } else if (collective->flags & COLLECTIVE_NEIGHBOUR) {
        status = neighbour_call_make(&making);
    } else {
        int64_t *bytes = calloc(making.size + 1, sizeof *bytes);
        status =
            bytes ? make_operation(&making, bytes) : error_memory(error, "collective operations");
        free(bytes);
        if (status == STATUS_OK)
            status = use_layouts(&making);
        give_count_without_part(&making);
    }
    if (status == STATUS_OK && making.call.op != COLLECTIVE_BARRIER)
        status = reserve_buffers(&making);
    return status == STATUS_OK ? share_equal_call(&making) : NULL;
}

const struct replayed_collective *collective_call_barrier(struct collective_calls *calls,
                                                          MPI_Comm comm, struct error *error)
{
    struct replayed_collective *call = arena_alloc(calls->arena, sizeof *call);
    if (!call || !array_push(&calls->list, call)) {
        error_memory(error, "collective operations");
        return NULL;
    }
    call->comm = comm;
    call->type = call->recv_type = MPI_BYTE;
    call->op = COLLECTIVE_BARRIER;
    return call;
}

void collective_calls_clear(struct collective_calls *calls)
{
    free(calls->list.items);
    free(calls->vectors.items);
    map_clear(&calls->known);
    map_clear(&calls->known_vectors);
    memset(&calls->list, 0, sizeof calls->list);
    memset(&calls->vectors, 0, sizeof calls->vectors);
}
