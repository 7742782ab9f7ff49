/* Communicators made during the run. The replay uses communicators that it makes before the start
 * (communicators.c). It makes these only because making them takes time, and frees them at once. So
 * the call and its members must be as recorded, but not all of its arguments. */
#include "replay/realtime/compiler.h"

#include <stdlib.h>

/* The communicator that the call made on this rank; INDEX_NONE: it made none. */
static uint32_t made_in(const struct stream *stream, const struct recorded_call *call)
{
    for (uint32_t row = call->enter + 1; row < call->leave; row++)
        if (stream->kind[row] == EVENT_COMM_CREATE)
            return stream->arg[row];
    return INDEX_NONE;
}

/* Sets arguments of MPI_Comm_split that make it: the colour is the first member of the group. */
static void set_split(const struct compiler *compiler, uint32_t made, struct comm_call *call)
{
    const struct definitions *definitions = compiler->trace->definitions;
    uint32_t rank = compiler->stream->rank;
    call->color = MPI_UNDEFINED;
    if (made == INDEX_NONE)
        return;
    bool alone = definitions->comms[made].self;
    call->color = alone ? (int)rank : (int)comm_world_rank(definitions, made, rank, 0);
    call->key = alone ? 0 : (int)comm_rank_of(definitions, made, rank);
}

static bool group_has(const struct group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group_rank(group, i) == rank)
            return true;
    return false;
}

/* For MPI_Intercomm_merge: whether the other group comes first. */
static bool is_high(const struct compiler *compiler, uint32_t parent, uint32_t made)
{
    const struct definitions *definitions = compiler->trace->definitions;
    const struct group *group = &definitions->groups[definitions->comms[parent].group];
    uint32_t rank = compiler->stream->rank;
    return group_has(group, rank) != group_has(group, comm_world_rank(definitions, made, rank, 0));
}

static MPI_Group make_subgroup(const struct compiler *compiler, MPI_Comm parent, uint32_t made)
{
    const struct definitions *definitions = compiler->trace->definitions;
    MPI_Comm world = compiler->calls->communicators->world;
    MPI_Group all, world_group, group = MPI_GROUP_NULL;
    uint32_t count = comm_size(definitions, made, compiler->stream->rank, false);
    int *ranks = malloc(((size_t)count + 1) * sizeof *ranks);
    int *places = malloc(((size_t)count + 1) * sizeof *places);
    if (ranks && places) {
        for (uint32_t i = 0; i < count; i++)
            ranks[i] = (int)comm_world_rank(definitions, made, compiler->stream->rank, i);
        MPI_Comm_group(world, &world_group);
        MPI_Comm_group(parent, &all);
        MPI_Group_translate_ranks(world_group, (int)count, ranks, all, places);
        MPI_Group_incl(all, (int)count, places, &group);
        MPI_Group_free(&all);
        MPI_Group_free(&world_group);
    }
    free(ranks);
    free(places);
    return group;
}

/* The group belongs to the windows, which free it. */
static bool set_group(struct compiler *compiler, uint32_t made, struct comm_call *call)
{
    call->group = MPI_GROUP_EMPTY;
    if (made == INDEX_NONE)
        return true;
    struct window_group group = {INDEX_NONE, INDEX_NONE, MPI_GROUP_NULL};
    if (compiler->trace->definitions->comms[made].self)
        MPI_Comm_group(MPI_COMM_SELF, &group.real);
    else
        group.real = make_subgroup(compiler, call->parent, made);
    if (group.real == MPI_GROUP_NULL)
        return false;
    if (!array_push(&compiler->calls->windows->groups, group)) {
        MPI_Group_free(&group.real);
        return false;
    }
    call->group = group.real;
    return true;
}

/* Whether the trace has the members, and all arguments that decide which ranks wait for each other.
 * The record is on the parent; that of MPI_Comm_create_group is on the new communicator. */
static bool has_all_arguments(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_COMM_DUP:
    case MPI_CALL_COMM_DUP_WITH_INFO:
    case MPI_CALL_COMM_SPLIT:
    case MPI_CALL_COMM_SPLIT_TYPE:
    case MPI_CALL_COMM_CREATE:
    case MPI_CALL_COMM_CREATE_GROUP:
    case MPI_CALL_CART_CREATE:
    case MPI_CALL_CART_SUB:
    case MPI_CALL_GRAPH_CREATE:
    case MPI_CALL_DIST_GRAPH_CREATE:
    case MPI_CALL_DIST_GRAPH_CREATE_ADJACENT:
    case MPI_CALL_INTERCOMM_MERGE:
        return true;
    default:
        return false;
    }
}

bool compile_creation(struct compiler *compiler, const struct collective *collective)
{
    enum mpi_call mpi_call = compiler->walk.call.mpi_call;
    const struct definitions *definitions = compiler->trace->definitions;
    bool between = definitions->comms[collective->comm].remote_group != INDEX_NONE;
    if (compiler->input->crowded || collective->op != COLLECTIVE_CREATE_HANDLE ||
        !has_all_arguments(mpi_call) || between != (mpi_call == MPI_CALL_INTERCOMM_MERGE))
        return false;
    uint32_t made = made_in(compiler->stream, &compiler->walk.call);
    struct comm_call *call = arena_alloc(compiler->program->arena, sizeof *call);
    if (!compile_check(compiler, call))
        return true;
    *call = (struct comm_call){.call = mpi_call,
                               .parent = compiler->calls->communicators->real[collective->comm],
                               .size = 1};
    if (!definitions->comms[collective->comm].self)
        call->size = (int)comm_size(definitions, collective->comm, compiler->stream->rank, false);
    if (mpi_call == MPI_CALL_COMM_SPLIT || mpi_call == MPI_CALL_CART_SUB)
        set_split(compiler, made, call);
    if (mpi_call == MPI_CALL_INTERCOMM_MERGE)
        call->key = made != INDEX_NONE && is_high(compiler, collective->comm, made);
    if (mpi_call == MPI_CALL_COMM_CREATE_GROUP)
        call->parent = compiler->calls->communicators->world;
    if (mpi_call == MPI_CALL_COMM_CREATE || mpi_call == MPI_CALL_COMM_CREATE_GROUP)
        compile_check(compiler, set_group(compiler, made, call));
    struct op op = {.code = OP_COMM_CREATE, .creation = call};
    add_op(compiler, &op);
    return true;
}
