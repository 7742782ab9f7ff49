#include "trace/definitions.h"

#include "base/arena.h"
#include "base/names.h"
#include "base/otf2_attributes.h"
#include "base/sort.h"

#include <assert.h>
#include <otf2/OTF2_Definitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *region_plain_name(const struct region *region)
{
    return region->mpi_call != MPI_CALL_NONE && strstr(region->name, CALL_SITE_MARK)
               ? region->canonical
               : region->name;
}

bool region_is_named(const struct region *region, const char *name)
{
    return strcmp(region->name, name) == 0 ||
           (region->mpi_call != MPI_CALL_NONE && name_is_of(region->name, name));
}

bool region_matches_list(const struct region *region, const char *list, bool *out_of_memory)
{
    const char *plain = region_plain_name(region);
    return names_match(list, region->name, out_of_memory) ||
           (plain != region->name && names_match(list, plain, out_of_memory));
}

bool region_waits_for_threads(const struct region *region)
{
    switch (region->role) {
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
    case OTF2_REGION_ROLE_CRITICAL: /* the work inside is a separate region */
    case OTF2_REGION_ROLE_ORDERED:
    case OTF2_REGION_ROLE_TASK_CREATE:
    case OTF2_REGION_ROLE_TASK_WAIT:
    case OTF2_REGION_ROLE_THREAD_CREATE:
    case OTF2_REGION_ROLE_THREAD_WAIT:
        return true;
    default:
        return false;
    }
}

bool group_has_ranks(const struct definitions *definitions, const struct group *group)
{
    if (group->paradigm != OTF2_PARADIGM_MPI)
        return true;
    if (group->type == GROUP_COMM_LOCATIONS)
        return group->count <= definitions->rank_count;
    for (uint32_t i = 0; group->type == GROUP_COMM_GROUP && i < group->count; i++)
        if (group->members[i] >= definitions->rank_count)
            return false;
    return true;
}

static bool members_ascend(const struct group *group)
{
    for (uint32_t i = 1; i < group->count; i++)
        if (group->members[i] <= group->members[i - 1])
            return false;
    return true;
}

bool group_order(struct group *group, struct arena *arena)
{
    assert(group->members || group->count == 0);
    if (group->type != GROUP_COMM_GROUP)
        return true;
    group->by_rank = NULL;
    group->ascends = members_ascend(group);
    if (group->ascends)
        return true;
    struct keyed *members = malloc(group->count * sizeof *members);
    uint32_t *by_rank = arena_alloc_array(arena, group->count, sizeof *by_rank);
    for (uint32_t i = 0; members && i < group->count; i++)
        members[i] = (struct keyed){group->members[i], i};
    const bool allocated = members && by_rank && keyed_sort(members, group->count);
    for (uint32_t i = 0; allocated && i < group->count; i++)
        by_rank[i] = members[i].value;
    free(members);
    group->by_rank = allocated ? by_rank : NULL;
    return allocated;
}

/* The index of the member at a place in ascending order of ranks. */
static uint32_t member_at(const struct group *group, uint32_t place)
{
    return group->by_rank ? group->by_rank[place] : place;
}

uint32_t group_place(const struct group *group, uint32_t rank)
{
    if (group->type == GROUP_COMM_LOCATIONS)
        return rank < group->count ? rank : INDEX_NONE;
    if (rank < group->count && group->members[rank] == rank) /* all ranks, or the first ones */
        return rank;
    if (!group->ascends && !group->by_rank) {
        for (uint32_t i = 0; i < group->count; i++)
            if (group->members[i] == rank)
                return i;
        return INDEX_NONE;
    }
    const uint32_t place =
        first_where(0, group->count, i, group->members[member_at(group, i)] >= rank);
    const uint32_t member = place < group->count ? member_at(group, place) : INDEX_NONE;
    return member != INDEX_NONE && group->members[member] == rank ? member : INDEX_NONE;
}

/* The group of `caller` (own) or of its peers (remote). */
static const struct group *group_seen_by(const struct definitions *definitions, uint32_t comm,
                                         uint32_t caller, bool remote)
{
    assert(comm < definitions->comm_count);
    const struct communicator *c = &definitions->comms[comm];
    const struct group *first = &definitions->groups[c->group];
    if (c->remote_group == INDEX_NONE)
        return first;
    const struct group *second = &definitions->groups[c->remote_group];
    const bool in_first = group_place(first, caller) != INDEX_NONE;
    return in_first == remote ? second : first;
}

uint32_t comm_size(const struct definitions *definitions, uint32_t comm, uint32_t caller,
                   bool remote)
{
    assert(comm < definitions->comm_count);
    if (definitions->comms[comm].self)
        return 1;
    return group_seen_by(definitions, comm, caller, remote)->count;
}

uint32_t definitions_world(const struct definitions *definitions)
{
    for (uint32_t c = 0; c < definitions->comm_count; c++) {
        const struct communicator *comm = &definitions->comms[c];
        if (comm->mpi && !comm->self && comm->remote_group == INDEX_NONE &&
            comm->parent == INDEX_NONE &&
            comm_member_count(definitions, c) == definitions->rank_count)
            return c;
    }
    return INDEX_NONE;
}

uint32_t comm_member_count(const struct definitions *definitions, uint32_t comm)
{
    const struct communicator *c = &definitions->comms[comm];
    uint32_t first = definitions->groups[c->group].count;
    return c->remote_group == INDEX_NONE ? first
                                         : first + definitions->groups[c->remote_group].count;
}

uint32_t comm_member(const struct definitions *definitions, uint32_t comm, uint32_t i)
{
    const struct communicator *c = &definitions->comms[comm];
    const struct group *first = &definitions->groups[c->group];
    return i < first->count ? group_rank(first, i)
                            : group_rank(&definitions->groups[c->remote_group], i - first->count);
}

uint32_t comm_world_rank(const struct definitions *definitions, uint32_t comm, uint32_t caller,
                         uint32_t peer)
{
    assert(comm < definitions->comm_count);
    if (definitions->comms[comm].self)
        return peer == 0 ? caller : INDEX_NONE;
    const struct group *group = group_seen_by(definitions, comm, caller, true);
    if (peer >= group->count)
        return INDEX_NONE;
    uint64_t member = group->type == GROUP_COMM_LOCATIONS ? peer : group->members[peer];
    return member < definitions->rank_count ? (uint32_t)member : INDEX_NONE;
}

uint32_t comm_rank_of(const struct definitions *definitions, uint32_t comm, uint32_t member)
{
    assert(comm < definitions->comm_count);
    if (definitions->comms[comm].self)
        return 0;
    return group_place(group_seen_by(definitions, comm, member, false), member);
}

const char *comm_name(const struct definitions *definitions, uint32_t comm)
{
    static char text[64];
    if (comm >= definitions->comm_count) {
        snprintf(text, sizeof text, "an undefined communicator");
        return text;
    }
    const char *name = definitions->comms[comm].name;
    if (name && *name)
        return name;
    snprintf(text, sizeof text, "communicator %u", comm);
    return text;
}

uint32_t definitions_group(const struct definitions *definitions, const char *name, uint32_t from)
{
    while (from < definitions->group_count && strcmp(definitions->groups[from].name, name) != 0)
        from++;
    return from < definitions->group_count ? from : INDEX_NONE;
}

const char *definitions_property(const struct definitions *definitions, const char *name)
{
    for (uint32_t i = 0; i < definitions->property_count; i++)
        if (strcmp(definitions->properties[i].name, name) == 0)
            return definitions->properties[i].value;
    return NULL;
}

bool definitions_cut_short(const struct definitions *definitions)
{
    const char *allocated = definitions_property(definitions, "OTF2::MPI_COMMUNICATION_COMPLETE");
    return allocated && strcmp(allocated, "false") == 0;
}

bool definitions_paused(const struct definitions *definitions)
{
    return definitions_property(definitions, SILAS_PROPERTY_PAUSED) != NULL;
}

const char *rank_host(const struct definitions *definitions, uint32_t rank)
{
    assert(rank < definitions->rank_count);
    assert(rank < definitions->rank_count);
    uint32_t location = definitions->rank_location[rank];
    if (location == INDEX_NONE)
        return "";
    uint32_t group = definitions->locations[location].group;
    if (group == INDEX_NONE)
        return "";
    uint32_t node = definitions->location_groups[group].node;
    return node == INDEX_NONE ? "" : definitions->nodes[node].name;
}

struct host_rank {
    const char *host;
    uint32_t rank;
};

static int order_hosts(const void *a, const void *b)
{
    const struct host_rank *x = a, *y = b;
    return strcmp(x->host, y->host) ?: ORDER(x->rank, y->rank);
}

int definitions_placement(const struct definitions *definitions, uint32_t *lowest)
{
    const uint32_t ranks = definitions->rank_count;
    if (definitions_property(definitions, SILAS_PROPERTY_PREDICTED))
        return 0;
    struct host_rank *order = malloc(((size_t)ranks + 1) * sizeof *order);
    bool known = order;
    for (uint32_t i = 0; i < ranks && known; i++) {
        order[i] = (struct host_rank){rank_host(definitions, i), i};
        known = *order[i].host;
    }
    if (known)
        qsort(order, ranks, sizeof *order, order_hosts);
    for (uint32_t i = 0; i < ranks && known; i++) {
        const bool same = i > 0 && strcmp(order[i].host, order[i - 1].host) == 0;
        lowest[order[i].rank] = same ? lowest[order[i - 1].rank] : order[i].rank;
    }
    int result = !order ? -1 : known;
    free(order);
    return result;
}
