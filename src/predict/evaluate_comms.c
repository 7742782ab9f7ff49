/* Communicators of a script, and where a rank is in them. All processes make all communicators,
 * because definitions are the same on all processes. */
#include "base/plural.h"
#include "base/sort.h"
#include "predict/evaluate_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A member of a communicator that is made, in the order of its ranks. */
struct comm_joining {
    uint32_t parent; /* the builder's number of the communicator that it comes from */
    double color, key;
    uint32_t parent_rank;
    uint32_t world_rank;
};

ORDER_BY(order_of_joining, struct comm_joining,
         ASCENDING(parent) ?: ASCENDING(color) ?: ASCENDING(key) ?: ASCENDING(parent_rank))

/* The colour and the key of the current rank, a member of the parent; false: it does not join. */
static bool choose_place(struct script_evaluator *e, const struct comm_declaration *comm,
                         const struct cartesian_grid *grid, struct comm_joining *joining)
{
    const struct evaluated_comm *parent = comm_part_of(e, comm->parent);
    joining->key = joining->parent_rank;
    switch ((enum comm_kind)comm->kind) {
    case COMM_SPLIT:
        joining->color = (double)evaluate_whole(e, comm->color, "a colour", INT64_MIN);
        if (comm->key)
            joining->key = (double)evaluate_whole(e, comm->key, "a key", INT64_MIN);
        return joining->color >= 0;
    case COMM_GRID: {
        uint64_t places = 1;
        for (uint32_t d = 0; d < grid->count; d++)
            places *= grid->extents[d];
        return joining->parent_rank < places;
    }
    case COMM_SUB: /* one colour for each combination of the dimensions that go */
        joining->color = 0;
        for (uint32_t d = 0; d < parent->grid.count; d++)
            if (!evaluate(e, comm->flags[d]))
                joining->color = joining->color * parent->grid.extents[d] +
                                 (double)grid_coordinate(&parent->grid, joining->parent_rank, d);
        return true;
    default:
        return true;
    }
}

/* The extents as the current rank sees them. */
static struct cartesian_grid grid_of(struct script_evaluator *e,
                                     const struct comm_declaration *comm)
{
    const struct evaluated_comm *parent = comm_part_of(e, comm->parent);
    struct cartesian_grid grid = {0};
    uint64_t places = 1;
    if (comm->kind == COMM_DUP)
        return parent->grid;
    if (comm->kind == COMM_SUB) {
        if (comm->count != parent->grid.count)
            evaluation_fail(e, comm->place, "%u flags for a grid of %u dimensions", comm->count,
                            parent->grid.count);
        for (uint32_t d = 0; d < parent->grid.count && e->status == STATUS_OK; d++)
            if (evaluate(e, comm->flags[d])) {
                grid.extents[grid.count] = parent->grid.extents[d];
                grid.periodic[grid.count++] = parent->grid.periodic[d];
            }
        return grid;
    }
    if (comm->kind != COMM_GRID)
        return grid;
    if (comm->count > DIMS_MOST)
        evaluation_fail(e, comm->place, "a grid has %d dimensions at most", DIMS_MOST);
    for (uint32_t d = 0; d < comm->count && e->status == STATUS_OK; d++) {
        int64_t extent = evaluate_whole(e, comm->dimensions[d], "an extent", 1);
        if (extent > parent->size)
            evaluation_fail(e, comm->dimensions[d]->place,
                            "an extent of %lld in a communicator of %u rank%s", (long long)extent,
                            parent->size, plural(parent->size));
        grid.extents[d] = (uint32_t)extent;
        grid.periodic[d] = evaluate(e, comm->flags[d]) != 0;
        grid.count = d + 1;
        places *= (uint64_t)extent;
        if (places > parent->size)
            evaluation_fail(e, comm->place,
                            "the grid has more places than its communicator ranks "
                            "(%u)",
                            parent->size);
    }
    return grid;
}

/* Collects the ranks that join. */
static size_t collect(struct script_evaluator *e, const struct comm_declaration *comm,
                      struct comm_joining *joining, struct cartesian_grid *first)
{
    size_t count = 0;
    const struct comm_places *parents = &e->comms[comm->parent];
    for (uint32_t rank = 0; rank < e->input->ranks && e->status == STATUS_OK; rank++) {
        if (parents->part[rank] == INDEX_NONE)
            continue;
        struct comm_joining *next = &joining[count];
        evaluate_set_rank(e, rank, &comm->place);
        struct cartesian_grid grid = grid_of(e, comm);
        if (e->status != STATUS_OK)
            break;
        *next = (struct comm_joining){.parent = parents->parts.items[parents->part[rank]].number,
                                      .parent_rank = parents->rank[rank],
                                      .world_rank = rank};
        if (choose_place(e, comm, &grid, next)) {
            first[rank] = grid;
            count++;
        }
    }
    return count;
}

/* Makes one communicator of members first .. end - 1. */
static void make_part(struct script_evaluator *e, const struct comm_declaration *comm,
                      const struct comm_joining *members, size_t count,
                      const struct cartesian_grid *grids, struct comm_places *places)
{
    uint32_t *ranks = malloc((count + 1) * sizeof *ranks);
    if (!ranks) {
        evaluation_out_of_memory(e);
        return;
    }
    for (size_t i = 0; i < count; i++)
        ranks[i] = members[i].world_rank;
    struct evaluated_comm part = {
        .size = (uint32_t)count, .parent = members[0].parent, .grid = grids[members[0].world_rank]};
    part.number = builder_comm(e->builder, comm->name, part.parent, ranks, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        places->part[ranks[i]] = (uint32_t)places->parts.count;
        places->rank[ranks[i]] = (uint32_t)i;
    }
    if (!array_push(&places->parts, part))
        evaluation_out_of_memory(e);
    free(ranks);
}

static bool make_places(struct script_evaluator *e, struct comm_places *places)
{
    places->part = arena_alloc_array(e->arena, e->input->ranks, sizeof *places->part);
    places->rank = arena_alloc_array(e->arena, e->input->ranks, sizeof *places->rank);
    if (!places->part || !places->rank) {
        evaluation_out_of_memory(e);
        return false;
    }
    for (uint32_t rank = 0; rank < e->input->ranks; rank++) {
        places->part[rank] = INDEX_NONE;
        places->rank[rank] = INDEX_NONE;
    }
    return true;
}

static void make_world(struct script_evaluator *e, struct comm_places *places)
{
    struct evaluated_comm world = {
        .number = BUILDER_WORLD, .size = e->input->ranks, .parent = INDEX_NONE};
    for (uint32_t rank = 0; rank < e->input->ranks; rank++) {
        places->part[rank] = 0;
        places->rank[rank] = rank;
    }
    if (!array_push(&places->parts, world))
        evaluation_out_of_memory(e);
}

void evaluate_comm(struct script_evaluator *e, uint32_t number)
{
    assert(number < e->script->comm_count && e->comms[number].part == NULL);
    const struct comm_declaration *comm = &e->script->comms[number];
    struct comm_places *places = &e->comms[number];
    if (!make_places(e, places))
        return;
    if (comm->kind == COMM_WORLD) {
        make_world(e, places);
        return;
    }
    struct comm_joining *joining = malloc(e->input->ranks * sizeof *joining);
    struct cartesian_grid *grids = malloc(e->input->ranks * sizeof *grids);
    if (joining && grids) {
        size_t count = collect(e, comm, joining, grids), first = 0;
        qsort(joining, count, sizeof *joining, order_of_joining);
        for (size_t i = 1; i <= count && e->status == STATUS_OK; i++)
            if (i == count || joining[i].parent != joining[first].parent ||
                joining[i].color != joining[first].color) {
                make_part(e, comm, &joining[first], i - first, grids, places);
                first = i;
            }
    } else {
        evaluation_out_of_memory(e);
    }
    free(joining);
    free(grids);
}
