/* Assigns locations to the ranks of MPI_COMM_WORLD, and checks communicators. */
#include "trace/load/raw_definitions.h"

#include <assert.h>
#include <otf2/otf2.h>

#include <stdlib.h>
#include <string.h>

static void assign_rank(struct definitions *d, uint32_t location, uint32_t rank)
{
    struct location *master = &d->locations[location];
    master->rank = rank;
    master->master = true;
    d->rank_location[rank] = location;
}

/* `rank` may be INDEX_NONE. */
static void assign_other(struct definitions *d, struct location *other, uint32_t rank)
{
    other->rank = rank;
    if (rank != INDEX_NONE)
        other->has_siblings = d->locations[d->rank_location[rank]].has_siblings = true;
}

/* Assigns the other locations of a rank's process to the rank. */
static bool assign_others(struct definitions *d)
{
    uint32_t *rank_of_group = malloc((d->location_group_count + 1) * sizeof *rank_of_group);
    if (!rank_of_group)
        return false;
    memset(rank_of_group, 0xff, d->location_group_count * sizeof *rank_of_group);
    for (uint32_t i = 0; i < d->location_count; i++)
        if (d->locations[i].master && d->locations[i].group != INDEX_NONE)
            rank_of_group[d->locations[i].group] = d->locations[i].rank;
    for (uint32_t i = 0; i < d->location_count; i++)
        if (!d->locations[i].master && d->locations[i].group != INDEX_NONE)
            assign_other(d, &d->locations[i], rank_of_group[d->locations[i].group]);
    free(rank_of_group);
    return true;
}

static const struct group *mpi_locations(const struct definitions *d)
{
    const struct group *best = NULL;
    for (uint32_t i = 0; i < d->group_count; i++)
        if (d->groups[i].type == GROUP_COMM_LOCATIONS && d->groups[i].paradigm == OTF2_PARADIGM_MPI)
            if (!best || d->groups[i].count > best->count)
                best = &d->groups[i];
    return best;
}

/* Without MPI each process becomes a rank; its first CPU thread is the master. */
static void number_processes(struct definitions *d)
{
    uint32_t rank = 0;
    for (uint32_t g = 0; g < d->location_group_count; g++) {
        if (d->location_groups[g].type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
            continue;
        d->rank_location[rank] = INDEX_NONE;
        for (uint32_t i = 0; i < d->location_count && d->rank_location[rank] == INDEX_NONE; i++)
            if (d->locations[i].group == g && d->locations[i].type == OTF2_LOCATION_TYPE_CPU_THREAD)
                assign_rank(d, i, rank);
        rank++;
    }
}

enum status assign_ranks(struct definitions *d, const char *path, struct error *error)
{
    assert(d->rank_count == 0);
    const struct group *group = mpi_locations(d);
    d->rank_count = group ? group->count : 0;
    if (!group) /* not an MPI program: its processes become ranks, in their order */
        for (uint32_t i = 0; i < d->location_group_count; i++)
            d->rank_count += d->location_groups[i].type == OTF2_LOCATION_GROUP_TYPE_PROCESS;
    if (d->rank_count == 0)
        return error_set(error, STATUS_INPUT, "%s: no process is defined in this archive", path);
    d->rank_location = arena_alloc_array(d->arena, d->rank_count, sizeof *d->rank_location);
    if (!d->rank_location)
        return error_memory(error, "definitions");
    struct id_map by_id = {0};
    bool allocated = true;
    for (uint32_t i = 0; i < d->location_count; i++)
        allocated &= id_map_set(&by_id, d->locations[i].id, i);
    for (uint32_t r = 0; allocated && group && r < d->rank_count; r++) {
        uint32_t location = id_map_get(&by_id, group->members[r]);
        if (location == INDEX_NONE) {
            id_map_clear(&by_id);
            return error_set(error, STATUS_INPUT,
                             "%s: rank %u is location %llu, which is not defined", path, r,
                             (unsigned long long)group->members[r]);
        }
        assign_rank(d, location, r);
    }
    id_map_clear(&by_id);
    if (!group)
        number_processes(d);
    return allocated && assign_others(d) ? STATUS_OK : error_memory(error, "definitions");
}

enum status check_comms(struct definitions *d, const char *path, struct error *error)
{
    assert(d->rank_count > 0);
    for (uint32_t i = 0; i < d->group_count; i++)
        if (!group_order(&d->groups[i], d->arena))
            return error_memory(error, "definitions");
    for (uint32_t i = 0; i < d->comm_count; i++) {
        struct communicator *c = &d->comms[i];
        if (c->group == INDEX_NONE)
            return error_set(error, STATUS_INPUT, "%s: %s has a group that is not defined", path,
                             comm_name(d, i));
        const struct group *g = &d->groups[c->group];
        c->mpi = g->paradigm == OTF2_PARADIGM_MPI;
        c->self = g->type == GROUP_COMM_SELF;
        if (!group_has_ranks(d, g) ||
            (c->remote_group != INDEX_NONE && !group_has_ranks(d, &d->groups[c->remote_group])))
            return error_set(error, STATUS_INPUT,
                             "%s: a member of %s is not a rank of this archive, which has %u", path,
                             comm_name(d, i), d->rank_count);
    }
    return STATUS_OK;
}
