#include "replay/realtime/communicators.h"

#include <stdlib.h>
#include <string.h>

/* A communicator that MPI created. The replays of a job take turns and share all of them. */
struct granted {
    uint64_t group; /* hash of the ordered members on both sides */
    const uint64_t *members, *remote;
    uint32_t member_count, remote_count;
    uint32_t lane; /* number among communicators with the same members */
    MPI_Comm comm;
};

/* The communicators created for one numbering of the processes. A replay with ranks on other places
 * numbers the processes differently, so the same group has other processes. */
struct communicator_pool {
    ARRAY(struct granted) list;
    struct arena *arena; /* copies of the members */
    MPI_Comm world;
    uint32_t users;
    struct communicator_pool *next;
};

static struct communicator_pool *pools;

/* --- which communicators may share ------------------------------------------------------------ */

/* The first and last time at which any rank posts something on a communicator. */
struct span {
    int64_t first, last;
};

static void extend(struct span *span, uint64_t time)
{
    if ((int64_t)time < span->first)
        span->first = (int64_t)time;
    if ((int64_t)time > span->last)
        span->last = (int64_t)time;
}

/* Collective. `spans` and `values`: [comm_count]; `values` is scratch memory. */
static void find_spans(const struct trace *trace, struct span *spans, int64_t *values)
{
    uint32_t count = trace->definitions->comm_count;
    for (uint32_t i = 0; i < count; i++)
        spans[i] = (struct span){INT64_MAX, INT64_MIN};
    const struct stream *stream = trace_stream(trace, (uint32_t)trace->processes->rank);
    for (uint32_t i = 0; i < stream->message_count; i++)
        if (stream->messages[i].comm < count)
            extend(&spans[stream->messages[i].comm], stream->time[stream->messages[i].post]);
    for (uint32_t i = 0; i < stream->collective_count; i++)
        if (stream->collectives[i].comm < count)
            extend(&spans[stream->collectives[i].comm], stream->time[stream->collectives[i].begin]);
    for (uint32_t i = 0; i < stream->rma_sync_count; i++) {
        const struct rma_sync *sync = &stream->rma_syncs[i];
        extend(&spans[trace->definitions->windows[sync->window].own], stream->time[sync->row]);
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = spans[i].first;
    processes_min(trace->processes, values, count);
    for (uint32_t i = 0; i < count; i++) {
        spans[i].first = values[i];
        values[i] = spans[i].last;
    }
    processes_max(trace->processes, values, count);
    for (uint32_t i = 0; i < count; i++)
        spans[i].last = values[i];
}

static const struct group *group_at(const struct definitions *definitions, uint32_t index)
{
    static const struct group nobody;
    return index == INDEX_NONE ? &nobody : &definitions->groups[index];
}

static uint64_t hash_members(uint64_t hash, const struct group *group)
{
    hash = map_mix(hash ^ group->count);
    for (uint32_t i = 0; i < group->count; i++)
        hash = map_mix(hash ^ group->members[i]) + i;
    return hash;
}

static uint64_t hash_group(const struct definitions *definitions, uint32_t comm)
{
    const struct communicator *communicator = &definitions->comms[comm];
    return hash_members(hash_members(1, group_at(definitions, communicator->group)),
                        group_at(definitions, communicator->remote_group));
}

struct candidate {
    uint64_t group;
    struct span span;
    uint32_t comm, lane;
};

static int by_group_and_start(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->span.first != y->span.first)
        return x->span.first < y->span.first ? -1 : 1;
    return x->comm < y->comm ? -1 : x->comm > y->comm;
}

static int by_comm(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->comm < y->comm ? -1 : x->comm > y->comm;
}

/* Gives each communicator of one group the first free lane, in order of first use. `free_from`:
 * [count], the last use on each lane. */
static void assign_lanes(struct candidate *candidates, size_t count, int64_t *free_from)
{
    uint32_t lanes = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || candidates[i].group != candidates[i - 1].group)
            lanes = 0;
        uint32_t lane = 0;
        while (lane < lanes && free_from[lane] >= candidates[i].span.first)
            lane++;
        if (lane == lanes)
            lanes++;
        free_from[lane] = candidates[i].span.last;
        candidates[i].lane = lane;
    }
}

/* --- making them ------------------------------------------------------------------------------ */

static bool same_members(const uint64_t *a, uint32_t a_count, const struct group *group)
{
    return a_count == group->count &&
           (a_count == 0 || memcmp(a, group->members, a_count * sizeof *a) == 0);
}

static struct granted *find_granted(const struct communicator_pool *pool,
                                    const struct definitions *definitions,
                                    const struct candidate *candidate)
{
    const struct communicator *comm = &definitions->comms[candidate->comm];
    for (size_t i = 0; i < pool->list.count; i++) {
        struct granted *granted = &pool->list.items[i];
        if (granted->group == candidate->group && granted->lane == candidate->lane &&
            same_members(granted->members, granted->member_count,
                         group_at(definitions, comm->group)) &&
            same_members(granted->remote, granted->remote_count,
                         group_at(definitions, comm->remote_group)))
            return granted;
    }
    return NULL;
}

/* `ranks` has room for the ranks of the group. */
static MPI_Comm create_from_group(MPI_Comm world, const struct group *group, int *ranks, int tag)
{
    MPI_Comm created = MPI_COMM_NULL;
    MPI_Group all, members;
    for (uint32_t i = 0; i < group->count; i++)
        ranks[i] = (int)group->members[i];
    MPI_Comm_group(world, &all);
    if (MPI_Group_incl(all, (int)group->count, ranks, &members) == MPI_SUCCESS) {
        if (MPI_Comm_create_group(world, members, tag, &created) != MPI_SUCCESS)
            created = MPI_COMM_NULL;
        MPI_Group_free(&members);
    }
    MPI_Group_free(&all);
    return created;
}

static bool is_in(const struct group *group, int rank)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i] == (uint64_t)rank)
            return true;
    return false;
}

/* Called by the members only. */
static MPI_Comm create(MPI_Comm world, const struct definitions *definitions, uint32_t comm,
                       int rank, int *ranks, int tag)
{
    const struct group *group = group_at(definitions, definitions->comms[comm].group);
    const struct group *remote = group_at(definitions, definitions->comms[comm].remote_group);
    if (definitions->comms[comm].remote_group == INDEX_NONE)
        return create_from_group(world, group, ranks, tag);
    const struct group *mine = is_in(group, rank) ? group : remote;
    const struct group *other = mine == group ? remote : group;
    MPI_Comm local = create_from_group(world, mine, ranks, tag), created = MPI_COMM_NULL;
    if (local == MPI_COMM_NULL || other->count == 0)
        return MPI_COMM_NULL;
    if (MPI_Intercomm_create(local, 0, world, (int)other->members[0], tag, &created) != MPI_SUCCESS)
        created = MPI_COMM_NULL;
    MPI_Comm_free(&local);
    return created;
}

/* Adds a place for a communicator that is to be created. */
static bool add_place(struct communicator_pool *pool, const struct definitions *definitions,
                      const struct candidate *candidate)
{
    const struct communicator *communicator = &definitions->comms[candidate->comm];
    const struct group *group = group_at(definitions, communicator->group);
    const struct group *remote = group_at(definitions, communicator->remote_group);
    struct granted granted = {
        .group = candidate->group,
        .members = arena_memdup(pool->arena, group->members, group->count * sizeof(uint64_t)),
        .remote = arena_memdup(pool->arena, remote->members, remote->count * sizeof(uint64_t)),
        .member_count = group->count,
        .remote_count = remote->count,
        .lane = candidate->lane,
        .comm = MPI_COMM_NULL,
    };
    return granted.members && granted.remote && array_push(&pool->list, granted);
}

static bool is_member(const struct definitions *definitions, uint32_t comm, int rank)
{
    const struct communicator *communicator = &definitions->comms[comm];
    return is_in(group_at(definitions, communicator->group), rank) ||
           is_in(group_at(definitions, communicator->remote_group), rank);
}

/* Adds a place for each communicator that this rank needs, and finds the size of the largest group.
 * All memory is allocated here, so that no rank is missing when the communicators are created. */
static bool add_places(struct communicator_pool *pool, const struct trace *trace,
                       const struct candidate *candidates, size_t count, size_t *largest)
{
    const struct definitions *definitions = trace->definitions;
    *largest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct communicator *comm = &definitions->comms[candidates[i].comm];
        const struct group *sides[] = {group_at(definitions, comm->group),
                                       group_at(definitions, comm->remote_group)};
        if (!is_member(definitions, candidates[i].comm, trace->processes->rank))
            continue;
        for (int side = 0; side < 2; side++)
            if (sides[side]->count > *largest)
                *largest = sides[side]->count;
        if (!find_granted(pool, definitions, &candidates[i]) &&
            !add_place(pool, definitions, &candidates[i]))
            return false;
    }
    return true;
}

/* All processes pass the candidates in the same order, so the creations cannot block each other. A
 * failed creation does not end the pass, because others may be waiting in a later one. `ranks` has
 * room for the ranks of the largest group. */
static enum status create_all(struct communicator_pool *pool, const struct trace *trace,
                              const struct candidate *candidates, size_t count,
                              MPI_Errhandler handler, int *ranks, MPI_Comm *real,
                              struct error *error)
{
    enum { TAGS = 32768 };
    int rank = trace->processes->rank;
    size_t wanted = 0, created = 0, in_use = 0;
    for (size_t i = 0; i < pool->list.count; i++)
        in_use += pool->list.items[i].comm != MPI_COMM_NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_member(trace->definitions, candidates[i].comm, rank))
            continue;
        struct granted *granted = find_granted(pool, trace->definitions, &candidates[i]);
        if (granted->comm == MPI_COMM_NULL) {
            wanted++;
            granted->comm = create(pool->world, trace->definitions, candidates[i].comm, rank, ranks,
                                   (int)(i % TAGS));
            if (granted->comm != MPI_COMM_NULL) {
                created++;
                MPI_Comm_set_errhandler(granted->comm, handler);
            }
        }
        real[candidates[i].comm] = granted->comm;
    }
    if (created < wanted)
        return error_set(error, STATUS_ENVIRONMENT,
                         "the replay needs %zu communicators at the same time on rank %d, but MPI "
                         "grants only %zu more than the %zu in use",
                         wanted, rank, created, in_use);
    return STATUS_OK;
}

/* --- the interface ---------------------------------------------------------------------------- */

/* The pool of processes in this order, or NULL; the same on all processes. */
static struct communicator_pool *find_pool(MPI_Comm world)
{
    struct communicator_pool *pool = pools;
    for (int order = MPI_UNEQUAL; pool; pool = pool->next) {
        MPI_Comm_compare(pool->world, world, &order);
        if (order == MPI_IDENT || order == MPI_CONGRUENT)
            break;
    }
    return pool;
}

/* Collective. To be closed if it has been opened. */
static enum status open_pool(const struct trace *trace, MPI_Errhandler handler,
                             struct communicator_pool **opened, struct error *error)
{
    struct communicator_pool *pool = find_pool(trace->processes->comm);
    *opened = pool;
    if (pool) {
        pool->users++;
        return STATUS_OK;
    }
    pool = calloc(1, sizeof *pool);
    struct arena *arena = arena_create();
    enum status status =
        processes_agree_memory(trace->processes, pool && arena, "communicators", error);
    if (status != STATUS_OK) {
        arena_destroy(arena);
        free(pool);
        return status;
    }
    pool->arena = arena;
    pool->users = 1;
    pool->next = pools;
    MPI_Comm_dup(trace->processes->comm, &pool->world);
    MPI_Comm_set_errhandler(pool->world, handler);
    *opened = pools = pool;
    return STATUS_OK;
}

/* Collective. */
static void close_pool(struct communicator_pool *pool)
{
    if (!pool || --pool->users > 0)
        return;
    for (struct communicator_pool **link = &pools; *link; link = &(*link)->next)
        if (*link == pool) {
            *link = pool->next;
            break;
        }
    for (size_t i = 0; i < pool->list.count; i++)
        if (pool->list.items[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&pool->list.items[i].comm);
    free(pool->list.items);
    MPI_Comm_free(&pool->world);
    arena_destroy(pool->arena);
    free(pool);
}

/* The used communicators with their lanes, in order of definition, without MPI_COMM_SELF and the
 * like. */
static size_t choose(const struct trace *trace, const struct span *spans, int64_t *free_from,
                     struct candidate *candidates)
{
    const struct definitions *definitions = trace->definitions;
    size_t count = 0;
    for (uint32_t comm = 0; comm < definitions->comm_count; comm++) {
        if (spans[comm].first > spans[comm].last || definitions->comms[comm].self)
            continue;
        candidates[count++] = (struct candidate){
            .group = hash_group(definitions, comm), .span = spans[comm], .comm = comm};
    }
    qsort(candidates, count, sizeof *candidates, by_group_and_start);
    assign_lanes(candidates, count, free_from);
    qsort(candidates, count, sizeof *candidates, by_comm);
    return count;
}

enum status communicators_create(const struct trace *trace, MPI_Errhandler handler,
                                 struct communicators *communicators, struct error *error)
{
    const struct definitions *definitions = trace->definitions;
    size_t room = (size_t)definitions->comm_count + 1, largest = 0;
    struct communicator_pool *pool;
    enum status status = open_pool(trace, handler, &pool, error);
    if (status != STATUS_OK)
        return status;
    struct span *spans = malloc(room * sizeof *spans);
    int64_t *values = malloc(room * sizeof *values);
    struct candidate *candidates = malloc(room * sizeof *candidates);
    MPI_Comm *real = malloc(room * sizeof *real);
    int *ranks = NULL;
    communicators->real = real;
    communicators->pool = pool;
    communicators->world = pool->world;
    bool fits = spans && values && candidates && real;
    status = processes_agree_memory(trace->processes, fits, "communicators", error);
    if (status != STATUS_OK)
        goto free_spans;
    for (size_t i = 0; i < room; i++)
        real[i] = MPI_COMM_NULL;
    for (uint32_t i = 0; i < definitions->comm_count; i++)
        if (definitions->comms[i].self)
            real[i] = MPI_COMM_SELF;
    find_spans(trace, spans, values);
    size_t count = choose(trace, spans, values, candidates);
    fits = add_places(pool, trace, candidates, count, &largest) &&
           (ranks = malloc((largest + 1) * sizeof *ranks));
    status = processes_agree_memory(trace->processes, fits, "communicators", error);
    if (status == STATUS_OK) {
        MPI_Comm_set_errhandler(pool->world, MPI_ERRORS_RETURN);
        status = create_all(pool, trace, candidates, count, handler, ranks, real, error);
        MPI_Comm_set_errhandler(pool->world, handler);
        status = processes_agree(trace->processes, status, error);
    }
    free(ranks);

free_spans:
    free(spans);
    free(values);
    free(candidates);
    return status;
}

void communicators_release(struct communicators *communicators)
{
    free(communicators->real);
    close_pool(communicators->pool);
    memset(communicators, 0, sizeof *communicators);
}
