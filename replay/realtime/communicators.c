#include "replay/realtime/communicators.h"

#include "base/sort.h"
#include "trace/comm_uses.h"
#include "trace/threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A communicator that MPI has created. All replays of a job share it, because one runs at a time.
 */
struct pooled_comm {
    uint64_t hash;         /* of the ordered members on both sides */
    struct group sides[2]; /* the second one is empty unless this is an intercommunicator */
    uint32_t copy;         /* number among communicators with the same members */
    MPI_Comm comm;
};

/* The communicators created for one numbering of the processes. A replay with moved ranks (moved.h)
 * numbers the processes differently, so a group has other processes. */
struct communicator_pool {
    ARRAY(struct pooled_comm) list;
    struct arena *arena; /* copies of the members */
    MPI_Comm world;
    uint32_t users;
    struct communicator_pool *next;
};

static struct communicator_pool *pools;

/* A communicator that is used. */
struct same_members {
    struct comm_use use; /* times at which any rank posts something on it */
    const struct group *sides[2];
    bool between_groups, mine; /* this rank is a member */
};

/* Notes a use of a communicator, as first and last one. The last one is negated, so that one
 * reduction to the minimum finds both. */
static void note_use(int64_t *uses, uint32_t comm, uint64_t time)
{
    int64_t first = (int64_t)time, last = -first;
    uses[2 * comm] = first < uses[2 * comm] ? first : uses[2 * comm];
    uses[2 * comm + 1] = last < uses[2 * comm + 1] ? last : uses[2 * comm + 1];
}

static void note_stream(const struct trace *trace, const struct stream *stream, int64_t *uses)
{
    const uint32_t count = trace->definitions->comm_count;
    for (uint32_t i = 0; i < stream->message_count; i++)
        if (stream->messages[i].comm < count)
            note_use(uses, stream->messages[i].comm, stream->time[stream->messages[i].post]);
    for (uint32_t i = 0; i < stream->collective_count; i++)
        if (stream->collectives[i].comm < count)
            note_use(uses, stream->collectives[i].comm, stream->time[stream->collectives[i].begin]);
    for (uint32_t i = 0; i < stream->rma_sync_count; i++) {
        const struct rma_sync *sync = &stream->rma_syncs[i];
        note_use(uses, trace->definitions->windows[sync->window].own, stream->time[sync->row]);
    }
}

/* Collective. uses[2 * comm_count]: of all ranks. */
static void find_uses(const struct trace *trace, int64_t *uses)
{
    uint32_t count = trace->definitions->comm_count;
    for (uint32_t i = 0; i < 2 * count; i++)
        uses[i] = INT64_MAX;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        note_stream(trace, &trace->streams[i], uses);
    processes_min(trace->processes, uses, 2 * (size_t)count);
}

/* Whether a rank that this process replays is a member. */
static bool has_own_rank(const struct group *group, const struct trace *trace)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i] - trace->first_rank < trace->owned_count)
            return true;
    return false;
}

static struct same_members make_candidate(const struct trace *trace, const struct comm_use *use)
{
    static const struct group empty;
    const struct communicator *communicator = &trace->definitions->comms[use->comm];
    const struct group *groups = trace->definitions->groups;
    struct same_members candidate = {
        .use = *use,
        .sides = {communicator->group == INDEX_NONE ? &empty : &groups[communicator->group],
                  communicator->remote_group == INDEX_NONE ? &empty
                                                           : &groups[communicator->remote_group]},
        .between_groups = communicator->remote_group != INDEX_NONE,
    };
    candidate.mine =
        has_own_rank(candidate.sides[0], trace) || has_own_rank(candidate.sides[1], trace);
    return candidate;
}

ORDER_BY(by_comm, struct comm_use, ASCENDING(comm))

/* Lists the used communicators with their copies, in order of definition, except those of a single
 * process. `list` has room for all communicators. False if out of memory. */
static bool choose_candidates(const struct trace *trace, const int64_t *uses, struct comm_use *list,
                              struct same_members *candidates, size_t *count)
{
    const struct definitions *definitions = trace->definitions;
    *count = 0;
    for (uint32_t comm = 0; comm < definitions->comm_count; comm++)
        if (uses[2 * comm] < INT64_MAX && !definitions->comms[comm].self)
            list[(*count)++] = (struct comm_use){.members = comm_members_hash(definitions, comm),
                                                 .first = uses[2 * comm],
                                                 .last = -uses[2 * comm + 1],
                                                 .comm = comm};
    if (!comm_uses_number(list, *count))
        return false;
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_comm);
    for (size_t i = 0; i < *count; i++)
        candidates[i] = make_candidate(trace, &list[i]);
    return true;
}

static bool same_members(const struct group *a, const struct group *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->members, b->members, a->count * sizeof *a->members) == 0);
}

static struct pooled_comm *find_pooled(const struct communicator_pool *pool,
                                       const struct same_members *candidate)
{
    for (size_t i = 0; i < pool->list.count; i++) {
        struct pooled_comm *pooled = &pool->list.items[i];
        if (pooled->hash == candidate->use.members && pooled->copy == candidate->use.copy &&
            same_members(&pooled->sides[0], candidate->sides[0]) &&
            same_members(&pooled->sides[1], candidate->sides[1]))
            return pooled;
    }
    return NULL;
}

/* Adds each communicator that this rank needs to the pool, not created yet, and finds the size of
 * the largest group. Allocates all memory: no rank may be missing when communicators are created.
 */
static bool add_places(struct communicator_pool *pool, const struct same_members *candidates,
                       size_t count, size_t *largest)
{
    *largest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct same_members *candidate = &candidates[i];
        struct pooled_comm pooled = {
            .hash = candidate->use.members, .copy = candidate->use.copy, .comm = MPI_COMM_NULL};
        if (!candidate->mine)
            continue;
        for (int side = 0; side < 2; side++)
            if (candidate->sides[side]->count > *largest)
                *largest = candidate->sides[side]->count;
        if (find_pooled(pool, candidate))
            continue;
        for (int side = 0; side < 2; side++) {
            const struct group *group = candidate->sides[side];
            pooled.sides[side] = *group;
            pooled.sides[side].members =
                arena_memdup(pool->arena, group->members, group->count * sizeof *group->members);
            if (!pooled.sides[side].members)
                return false;
        }
        if (!array_push(&pool->list, pooled))
            return false;
    }
    return true;
}

/* `ranks` has room for the ranks of the group. The ranks of an MPI process are one member. */
static MPI_Comm create_from_group(MPI_Comm world, const struct definitions *d,
                                  const struct group *group, int *ranks, int tag)
{
    int count = 0;
    MPI_Comm created = MPI_COMM_NULL;
    MPI_Group all, members;
    for (uint32_t i = 0; i < group->count; i++) {
        const int process = (int)mpi_process_of(d, (uint32_t)group->members[i]);
        if (count == 0 || ranks[count - 1] != process)
            ranks[count++] = process;
    }
    MPI_Comm_group(world, &all);
    if (MPI_Group_incl(all, count, ranks, &members) == MPI_SUCCESS) {
        if (MPI_Comm_create_group(world, members, tag, &created) != MPI_SUCCESS)
            created = MPI_COMM_NULL;
        MPI_Group_free(&members);
    }
    MPI_Group_free(&all);
    return created;
}

/* Called by the members only. */
static MPI_Comm create_comm(MPI_Comm world, const struct same_members *candidate,
                            const struct trace *trace, int *ranks, int tag)
{
    const struct definitions *d = trace->definitions;
    bool second = !has_own_rank(candidate->sides[0], trace);
    const struct group *other = candidate->sides[second ? 0 : 1];
    MPI_Comm local = create_from_group(world, d, candidate->sides[second], ranks, tag);
    MPI_Comm created = MPI_COMM_NULL;
    if (!candidate->between_groups || local == MPI_COMM_NULL || other->count == 0)
        return candidate->between_groups ? MPI_COMM_NULL : local;
    if (MPI_Intercomm_create(local, 0, world, (int)mpi_process_of(d, (uint32_t)other->members[0]),
                             tag, &created) != MPI_SUCCESS)
        created = MPI_COMM_NULL;
    MPI_Comm_free(&local);
    return created;
}

/* All processes create the candidates in the same order, so the creations cannot block each other.
 * After a failed one the loop continues, because other ranks may wait in a further one. `ranks` has
 * room for the ranks of the largest group. */
static enum status create_all(struct communicator_pool *pool, const struct trace *trace,
                              const struct same_members *candidates, size_t count,
                              MPI_Errhandler handler, int *ranks, MPI_Comm *real,
                              struct error *error)
{
    enum { TAGS = 32768 };
    size_t wanted = 0, created = 0, in_use = 0;
    for (size_t i = 0; i < pool->list.count; i++)
        in_use += pool->list.items[i].comm != MPI_COMM_NULL;
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i].mine)
            continue;
        struct pooled_comm *pooled = find_pooled(pool, &candidates[i]);
        if (pooled->comm == MPI_COMM_NULL) {
            wanted++;
            pooled->comm = create_comm(pool->world, &candidates[i], trace, ranks, (int)(i % TAGS));
            if (pooled->comm != MPI_COMM_NULL) {
                created++;
                MPI_Comm_set_errhandler(pooled->comm, handler);
            }
        }
        real[candidates[i].use.comm] = pooled->comm;
    }
    if (created < wanted)
        return error_set(error, STATUS_ENVIRONMENT,
                         "the replay needs %zu more communicators on rank %d, but MPI can create "
                         "only %zu in addition to the %zu in use",
                         wanted, trace->processes->rank, created, in_use);
    return STATUS_OK;
}

/* Neighbourhood collectives need a communicator with a topology. Its kind, Cartesian or graph, does
 * not matter: MPI sends each neighbour its block in the order of the lists, which are in the trace.
 */

/* This rank's part of a communicator's topology. */
struct neighbourhood {
    uint32_t destinations, sources; /* groups */
    uint8_t used, unknown; /* it has neighbourhood collectives; a list of neighbours is missing */
};

static void note_neighbours(const struct stream *stream, struct neighbourhood *all)
{
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        if (c->instance == INDEX_NONE || !(c->flags & COLLECTIVE_NEIGHBOUR))
            continue;
        struct neighbourhood *own = &all[c->comm];
        bool known = c->destinations != INDEX_NONE && c->sources != INDEX_NONE &&
                     c->send_counts != INDEX_NONE && c->receive_counts != INDEX_NONE;
        bool same =
            !own->used || (own->destinations == c->destinations && own->sources == c->sources);
        own->destinations = c->destinations;
        own->sources = c->sources;
        own->used = 1;
        own->unknown |= !known || !same;
    }
}

/* The largest number of neighbours of any topology, sources and destinations together. */
static size_t most_neighbours(const struct trace *trace, const struct neighbourhood *all)
{
    size_t most = 0;
    for (uint32_t comm = 0; comm < trace->definitions->comm_count; comm++) {
        if (!all[comm].used || all[comm].unknown)
            continue;
        size_t count = (size_t)trace->definitions->groups[all[comm].sources].count +
                       trace->definitions->groups[all[comm].destinations].count;
        most = count > most ? count : most;
    }
    return most;
}

static void copy_ranks(const struct group *group, int *ranks)
{
    for (uint32_t i = 0; i < group->count; i++)
        ranks[i] = (int)group->members[i];
}

/* `ranks` has room for the ranks of all neighbours. */
static MPI_Comm create_topology(const struct trace *trace, MPI_Comm real,
                                const struct neighbourhood *own, int *ranks)
{
    const struct group *from = &trace->definitions->groups[own->sources];
    const struct group *to = &trace->definitions->groups[own->destinations];
    int *sources = ranks, *destinations = ranks + from->count;
    MPI_Comm created = MPI_COMM_NULL;
    copy_ranks(from, sources);
    copy_ranks(to, destinations);
    MPI_Dist_graph_create_adjacent(real, (int)from->count, sources, MPI_UNWEIGHTED, (int)to->count,
                                   destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &created);
    return created;
}

/* Collective, after the communicators have been made: makes communicators->topology. All ranks do
 * so in order of definition, so the creations cannot block each other. */
static enum status add_topologies(const struct trace *trace, MPI_Errhandler handler,
                                  struct arena *scratch, struct communicators *communicators,
                                  struct error *error)
{
    uint32_t count = trace->definitions->comm_count;
    struct neighbourhood *all = arena_alloc_array(scratch, count, sizeof *all);
    int *ranks = NULL;
    if (all) {
        for (uint32_t i = 0; i < trace->owned_count; i++)
            note_neighbours(&trace->streams[i], all);
        ranks = arena_alloc_array(scratch, most_neighbours(trace, all), sizeof *ranks);
    }
    enum status status = processes_agree_memory(trace->processes, ranks, "communicators", error);
    for (uint32_t comm = 0; comm < count && status == STATUS_OK; comm++) {
        MPI_Comm real = communicators->real[comm], *made = &communicators->topology[comm];
        int unknown = all[comm].unknown, somewhere;
        if (!all[comm].used || real == MPI_COMM_NULL)
            continue;
        MPI_Allreduce(&unknown, &somewhere, 1, MPI_INT, MPI_MAX, real);
        if (somewhere)
            continue;
        *made = create_topology(trace, real, &all[comm], ranks);
        if (*made != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(*made, handler);
    }
    return status;
}

/* A copy of a communicator; MPI_COMM_NULL if MPI has no more. */
static MPI_Comm copy_comm(MPI_Comm comm, MPI_Errhandler handler)
{
    MPI_Comm copy;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (MPI_Comm_dup(comm, &copy) != MPI_SUCCESS)
        copy = MPI_COMM_NULL;
    else
        MPI_Comm_set_errhandler(copy, handler);
    MPI_Comm_set_errhandler(comm, handler);
    return copy;
}

/* True on communicators on which a rank begins operations in another order than they are numbered,
 * which only persistent ones may (trace/match/match_collectives.c). */
static void note_disorder(const struct stream *stream, uint32_t *last, int64_t *disorder)
{
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        if (c->instance == INDEX_NONE)
            continue;
        disorder[c->comm] |= c->instance < last[c->comm];
        last[c->comm] = c->instance;
    }
}

ORDER_BY(by_persistent_comm, struct persistent_comm, ASCENDING(comm) ?: ASCENDING(number))

static bool list_persistent_comms(const struct trace *trace, const int64_t *disorder,
                                  struct communicators *c)
{
    size_t distinct = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        for (uint32_t k = 0; k < trace->streams[i].collective_count; k++) {
            const struct collective *o = &trace->streams[i].collectives[k];
            const struct persistent_comm use = {o->comm, collective_persistent(o), MPI_COMM_NULL};
            if (o->instance != INDEX_NONE && disorder[o->comm] && use.number != INDEX_NONE &&
                c->real[o->comm] != MPI_COMM_SELF && !array_push(&c->persistent, use))
                return false;
        }
    struct persistent_comm *items = c->persistent.items;
    if (c->persistent.count > 1)
        qsort(items, c->persistent.count, sizeof *items, by_persistent_comm);
    for (size_t i = 0; i < c->persistent.count; i++)
        if (i == 0 || by_persistent_comm(&items[i], &items[distinct - 1]) != 0)
            items[distinct++] = items[i];
    c->persistent.count = distinct;
    return true;
}

/* Collective. All members have matched the same operations, so they make the copies in the same
 * order. */
static enum status add_persistent_comms(const struct trace *trace, MPI_Errhandler handler,
                                        struct arena *scratch, struct communicators *c,
                                        struct error *error)
{
    const size_t count = c->count;
    int64_t *disorder = arena_alloc_array(scratch, count + 1, sizeof *disorder);
    uint32_t *last = arena_alloc_array(scratch, count + 1, sizeof *last);
    bool room = disorder && last, made = true;
    for (uint32_t i = 0; i < trace->owned_count && room; i++) {
        memset(last, 0, count * sizeof *last);
        note_disorder(&trace->streams[i], last, disorder);
    }
    enum status status = processes_agree_memory(trace->processes, room, "communicators", error);
    if (status != STATUS_OK)
        return status;
    processes_max(trace->processes, disorder, count);
    status = processes_agree_memory(trace->processes, list_persistent_comms(trace, disorder, c),
                                    "communicators", error);
    for (size_t i = 0; i < c->persistent.count && status == STATUS_OK; i++) {
        struct persistent_comm *p = &c->persistent.items[i];
        const MPI_Comm topology = c->topology[p->comm];
        p->real = copy_comm(topology == MPI_COMM_NULL ? c->real[p->comm] : topology, handler);
        made = made && p->real != MPI_COMM_NULL;
    }
    if (status == STATUS_OK && !made)
        status = error_set(error, STATUS_ENVIRONMENT,
                           "MPI cannot create enough communicators for the persistent operations "
                           "that the ranks of this trace start in different orders");
    return processes_agree(trace->processes, status, error);
}

MPI_Comm communicators_of_collective(const struct communicators *communicators,
                                     const struct collective *collective)
{
    const struct persistent_comm *items = communicators->persistent.items;
    const struct persistent_comm use = {collective->comm, collective_persistent(collective),
                                        MPI_COMM_NULL};
    const size_t at = first_where(0, communicators->persistent.count, i,
                                  by_persistent_comm(&items[i], &use) >= 0);
    const MPI_Comm topology = communicators->topology[collective->comm];
    if (at < communicators->persistent.count && by_persistent_comm(&items[at], &use) == 0)
        return items[at].real;
    return collective->flags & COLLECTIVE_NEIGHBOUR && topology != MPI_COMM_NULL
               ? topology
               : communicators->real[collective->comm];
}

/* MPI addresses processes. Where messages of several threads of a process are on one communicator,
 * each pair of threads gets a separate one, so that a receive cannot take another thread's message.
 */
static bool is_wide(const struct definitions *d, uint32_t comm)
{
    const uint32_t recorded = recorded_comm(d, comm);
    return d->threads && recorded != comm &&
           (d->comms[recorded].self || comm_member_count(d, comm) > comm_member_count(d, recorded));
}

static size_t pair_of(const struct communicators *c, const struct definitions *d, uint32_t rank,
                      const struct message *message)
{
    const bool sends = message->flags & MESSAGE_SEND;
    const uint32_t from = thread_of_rank(d, sends ? rank : message->partner_rank);
    const uint32_t to = thread_of_rank(d, sends ? message->partner_rank : rank);
    return (size_t)from * c->threads + to;
}

/* Collective. Makes the pairs that any thread uses, in order of definition. */
static enum status make_pairs(const struct trace *trace, MPI_Errhandler handler,
                              struct communicators *c, int64_t *used, struct error *error)
{
    const struct definitions *d = trace->definitions;
    const size_t pairs = (size_t)c->threads * c->threads;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        for (uint32_t k = 0; k < trace->streams[i].message_count; k++) {
            const struct message *m = &trace->streams[i].messages[k];
            if (message_takes_part(m) && c->pairs[m->comm])
                used[m->comm * pairs + pair_of(c, d, trace->streams[i].rank, m)] = 1;
        }
    processes_max(trace->processes, used, c->count * pairs);
    bool made = true;
    for (uint32_t comm = 0; comm < c->count; comm++)
        for (size_t k = 0; c->pairs[comm] && k < pairs; k++) {
            if (!used[comm * pairs + k] || c->real[comm] == MPI_COMM_NULL)
                continue;
            c->pairs[comm][k] = copy_comm(c->real[comm], handler);
            made = made && c->pairs[comm][k] != MPI_COMM_NULL;
        }
    return made ? STATUS_OK
                : error_set(error, STATUS_ENVIRONMENT,
                            "MPI cannot create enough communicators for the messages between the "
                            "threads of this trace");
}

static enum status add_thread_pairs(const struct trace *trace, MPI_Errhandler handler,
                                    struct communicators *c, struct error *error)
{
    const struct definitions *d = trace->definitions;
    if (!d->threads)
        return STATUS_OK;
    for (uint32_t rank = 0; rank < d->rank_count; rank++)
        if (thread_of_rank(d, rank) >= c->threads)
            c->threads = thread_of_rank(d, rank) + 1;
    const size_t pairs = (size_t)c->threads * c->threads;
    int64_t *used = calloc(c->count * pairs + 1, sizeof *used);
    c->pairs = calloc((size_t)c->count + 1, sizeof *c->pairs);
    bool room = used && c->pairs;
    for (uint32_t comm = 0; comm < c->count && room; comm++) {
        if (!is_wide(d, comm))
            continue;
        c->pairs[comm] = malloc(pairs * sizeof **c->pairs);
        room = c->pairs[comm] != NULL;
        for (size_t k = 0; room && k < pairs; k++)
            c->pairs[comm][k] = MPI_COMM_NULL;
    }
    enum status status = processes_agree_memory(trace->processes, room, "communicators", error);
    if (status == STATUS_OK)
        status =
            processes_agree(trace->processes, make_pairs(trace, handler, c, used, error), error);
    free(used);
    return status;
}

void communicators_address(const struct communicators *communicators, const struct trace *trace,
                           const struct stream *stream, const struct message *message,
                           MPI_Comm *comm, int *peer)
{
    const struct definitions *d = trace->definitions;
    *comm = communicators->real[message->comm];
    *peer = (int)message->peer;
    if (!communicators->pairs || !communicators->pairs[message->comm])
        return;
    *comm = communicators->pairs[message->comm][pair_of(communicators, d, stream->rank, message)];
    *peer = (int)(d->comms[recorded_comm(d, message->comm)].self
                      ? mpi_process_of(d, stream->rank)
                      : recorded_peer(d, message->comm, stream->rank, message->peer));
}

static void release_pairs(struct communicators *c)
{
    const size_t pairs = (size_t)c->threads * c->threads;
    for (uint32_t comm = 0; c->pairs && comm < c->count; comm++) {
        for (size_t k = 0; c->pairs[comm] && k < pairs; k++)
            if (c->pairs[comm][k] != MPI_COMM_NULL)
                MPI_Comm_free(&c->pairs[comm][k]);
        free(c->pairs[comm]);
    }
    free(c->pairs);
}

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

/* Collective. Opens a pool, or a further use of the pool for this order of processes. */
static enum status open_pool(const struct trace *trace, MPI_Errhandler handler,
                             struct communicator_pool **opened, struct error *error)
{
    struct communicator_pool *pool = find_pool(processes_comm(trace->processes));
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
    MPI_Comm_dup(processes_comm(trace->processes), &pool->world);
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

/* Collective. `communicators` has its pool, and places for all of it. */
static enum status make_communicators(const struct trace *trace, MPI_Errhandler handler,
                                      struct arena *scratch, struct communicators *communicators,
                                      struct error *error)
{
    const struct definitions *definitions = trace->definitions;
    struct communicator_pool *pool = communicators->pool;
    size_t comms = definitions->comm_count, count = 0, largest;
    int64_t *uses = arena_alloc_array(scratch, 2 * comms, sizeof *uses);
    struct comm_use *list = arena_alloc_array(scratch, comms, sizeof *list);
    struct same_members *candidates = arena_alloc_array(scratch, comms, sizeof *candidates);
    int *ranks = NULL;
    enum status status = processes_agree_memory(trace->processes, uses && list && candidates,
                                                "communicators", error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < comms; i++) {
        communicators->topology[i] = MPI_COMM_NULL;
        communicators->real[i] = definitions->comms[i].self ? MPI_COMM_SELF : MPI_COMM_NULL;
    }
    communicators->count = definitions->comm_count;
    find_uses(trace, uses);
    if (choose_candidates(trace, uses, list, candidates, &count) &&
        add_places(pool, candidates, count, &largest))
        ranks = arena_alloc_array(scratch, largest, sizeof *ranks);
    status = processes_agree_memory(trace->processes, ranks, "communicators", error);
    if (status != STATUS_OK)
        return status;
    MPI_Comm_set_errhandler(pool->world, MPI_ERRORS_RETURN);
    status = create_all(pool, trace, candidates, count, handler, ranks, communicators->real, error);
    MPI_Comm_set_errhandler(pool->world, handler);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = add_topologies(trace, handler, scratch, communicators, error);
    if (status == STATUS_OK)
        status = add_persistent_comms(trace, handler, scratch, communicators, error);
    return status == STATUS_OK ? add_thread_pairs(trace, handler, communicators, error) : status;
}

enum status communicators_create(const struct trace *trace, MPI_Errhandler handler,
                                 struct communicators *communicators, struct error *error)
{
    assert(trace->matched && !communicators->real);
    size_t room = (size_t)trace->definitions->comm_count + 1;
    struct arena *scratch = NULL;
    enum status status = open_pool(trace, handler, &communicators->pool, error);
    if (status != STATUS_OK)
        return status;
    communicators->world = communicators->pool->world;
    communicators->real = malloc(room * sizeof *communicators->real);
    communicators->topology = malloc(room * sizeof *communicators->topology);
    scratch = arena_create();
    status = processes_agree_memory(trace->processes,
                                    scratch && communicators->real && communicators->topology,
                                    "communicators", error);
    if (status == STATUS_OK)
        status = make_communicators(trace, handler, scratch, communicators, error);
    arena_destroy(scratch);
    if (status != STATUS_OK)
        communicators_release(communicators);
    return status;
}

void communicators_release(struct communicators *communicators)
{
    release_pairs(communicators);
    for (size_t i = 0; i < communicators->persistent.count; i++)
        if (communicators->persistent.items[i].real != MPI_COMM_NULL)
            MPI_Comm_free(&communicators->persistent.items[i].real);
    free(communicators->persistent.items);
    for (uint32_t i = 0; i < communicators->count; i++)
        if (communicators->topology[i] != MPI_COMM_NULL)
            MPI_Comm_free(&communicators->topology[i]);
    free(communicators->topology);
    free(communicators->real);
    close_pool(communicators->pool);
    memset(communicators, 0, sizeof *communicators);
}
