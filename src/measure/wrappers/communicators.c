#include "measure/wrappers/communicators.h"

#include "base/log.h"

#include <stdlib.h>

struct communicator *communicator_slots[COMM_SLOTS];
pthread_mutex_t communicators_mutex = PTHREAD_MUTEX_INITIALIZER;

static MPI_Group world_group;
static int world_rank;
static uint32_t created; /* number of communicators of which this process was rank 0 */
static bool active;      /* true after communicators_begin */

/* An identity is the world rank of rank 0 and how many communicators that rank has created. */

static int64_t identity_of(int leader, uint32_t number)
{
    return (int64_t)leader << 32 | number;
}

static int64_t next_identity(int rank)
{
    return rank == 0 ? identity_of(world_rank, __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED))
                     : -1;
}

static int64_t agree_intra(MPI_Comm handle, int rank)
{
    int64_t identity = next_identity(rank);
    PMPI_Bcast(&identity, 1, MPI_INT64_T, 0, handle);
    return identity;
}

/* Rank 0 of each group proposes an identity; the one with the lower world rank is taken. A
 * reduction over an intercommunicator gives each group the other group's values, so a second one is
 * needed to learn the own group's proposal. */
static int64_t agree_inter(MPI_Comm handle, int rank)
{
    int64_t own = next_identity(rank), theirs, ours;
    PMPI_Allreduce(&own, &theirs, 1, MPI_INT64_T, MPI_MAX, handle);
    PMPI_Allreduce(&theirs, &ours, 1, MPI_INT64_T, MPI_MAX, handle);
    return ours < theirs ? ours : theirs;
}

/* --- members -------------------------------------------------------------------------------- */

struct members {
    uint32_t *world_ranks;
    int count;
};

/* Finds the world ranks of a group's members and frees the group. False if memory is out (then
 * world_ranks is NULL) or if some members are not in MPI_COMM_WORLD. */
static bool members_of(MPI_Group group, struct members *members)
{
    bool known = true;
    int *ranks = NULL, *world = NULL;
    members->world_ranks = NULL;
    PMPI_Group_size(group, &members->count);
    ranks = calloc(2 * (size_t)members->count + 1, sizeof *ranks);
    if (!ranks) {
        known = false;
        goto free_group;
    }
    world = ranks + members->count;
    for (int i = 0; i < members->count; i++)
        ranks[i] = i;
    PMPI_Group_translate_ranks(group, members->count, ranks, world_group, world);
    for (int i = 0; i < members->count; i++) {
        known = known && world[i] != MPI_UNDEFINED;
        ranks[i] = world[i];
    }
    members->world_ranks = (uint32_t *)ranks;
free_group:
    PMPI_Group_free(&group);
    return known;
}

uint32_t group_define(MPI_Group group)
{
    struct members members;
    MPI_Group copy; /* members_of frees it */
    PMPI_Group_union(group, MPI_GROUP_EMPTY, &copy);
    const bool known = members_of(copy, &members);
    uint64_t *ranks = malloc(((size_t)members.count + 1) * sizeof *ranks);
    uint32_t id = RECORD_NONE;
    if (known && ranks) {
        for (int i = 0; i < members.count; i++)
            ranks[i] = members.world_ranks[i];
        id = define_group(ranks, (size_t)members.count);
    }
    free(ranks);
    free(members.world_ranks);
    return id;
}

/* --- the table ------------------------------------------------------------------------------ */

static void insert(struct communicator *comm)
{
    struct communicator **slot = &communicator_slots[(uintptr_t)comm->handle % COMM_SLOTS];
    threads_lock(&communicators_mutex);
    comm->next = *slot;
    *slot = comm;
    threads_unlock(&communicators_mutex);
}

static struct communicator *describe(MPI_Comm handle)
{
    int inter;
    struct communicator *comm = calloc(1, sizeof *comm);
    if (!comm)
        return NULL;
    comm->handle = handle;
    comm->id = COMM_UNKNOWN;
    comm->source_count = comm->destination_count = -1;
    PMPI_Comm_rank(handle, &comm->rank);
    PMPI_Comm_size(handle, &comm->size);
    PMPI_Comm_test_inter(handle, &inter);
    comm->inter = inter != 0;
    comm->remote_size = comm->size;
    if (inter)
        PMPI_Comm_remote_size(handle, &comm->remote_size);
    return comm;
}

/* The members of a communicator; `remote` is empty unless it is an intercommunicator. */
struct membership {
    struct members own, remote;
    bool known; /* all members are in MPI_COMM_WORLD, and there was memory to list them */
};

static struct membership membership_of(const struct communicator *comm)
{
    MPI_Group group;
    struct membership membership = {0};
    PMPI_Comm_group(comm->handle, &group);
    membership.known = members_of(group, &membership.own);
    if (comm->inter) {
        PMPI_Comm_remote_group(comm->handle, &group);
        membership.known = members_of(group, &membership.remote) && membership.known;
    }
    return membership;
}

/* Defines a communicator whose members are all known, and frees `membership`. The first group of an
 * intercommunicator is the one of the identity's rank, so that both sides define the same. */
static void define(struct communicator *comm, struct membership *membership, int64_t identity,
                   MPI_Comm parent, const char *name)
{
    const uint32_t creator = (uint32_t)(identity >> 32);
    struct members *first = &membership->own, *second = &membership->remote;
    if (comm->inter && first->world_ranks[0] != creator) {
        first = &membership->remote;
        second = &membership->own;
    }
    comm->id = define_comm(creator, (uint32_t)identity, name, first->world_ranks,
                           (size_t)first->count, second->world_ranks, (size_t)second->count,
                           parent == MPI_COMM_NULL ? COMM_UNKNOWN : communicator_id(parent),
                           comm->handle == MPI_COMM_SELF);
    free(membership->own.world_ranks);
    free(membership->remote.world_ranks);
    insert(comm);
}

static void begin_with(MPI_Comm handle, int64_t identity, const char *name)
{
    struct communicator *comm = describe(handle);
    struct membership membership = {0};
    if (comm)
        membership = membership_of(comm);
    if (membership.known)
        define(comm, &membership, identity, MPI_COMM_NULL, name);
    else
        free(comm);
}

void communicators_begin(void)
{
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    begin_with(MPI_COMM_WORLD, identity_of(0, 0), "MPI_COMM_WORLD");
    begin_with(MPI_COMM_SELF, identity_of(0, 1), "MPI_COMM_SELF");
    created = 1;
    active = true;
}

/* `announcement` is NULL for a communicator whose members agree now. Members outside MPI_COMM_WORLD
 * may run without the tracer, so no member agrees if there are any; all members know that. */
static uint32_t add(MPI_Comm handle, MPI_Comm parent, const struct announcement *announcement)
{
    struct membership membership;
    int64_t identity;
    struct communicator *comm = describe(handle);
    if (!comm)
        return COMM_UNKNOWN;
    membership = membership_of(comm);
    if (!membership.known || (announcement && announcement->identity < 0))
        goto unknown;
    identity = announcement  ? announcement->identity
               : comm->inter ? agree_inter(handle, comm->rank)
                             : agree_intra(handle, comm->rank);
    define(comm, &membership, identity, parent, "");
    return comm->id;

unknown:
    free(membership.own.world_ranks);
    free(membership.remote.world_ranks);
    free(comm);
    return COMM_UNKNOWN;
}

uint32_t communicator_add(MPI_Comm handle, MPI_Comm parent)
{
    return active && handle != MPI_COMM_NULL ? add(handle, parent, NULL) : COMM_UNKNOWN;
}

void communicator_announce(struct announcement *announcement, MPI_Comm parent)
{
    const struct communicator *comm = communicator_find(parent);
    *announcement = (struct announcement){-1, MPI_REQUEST_NULL};
    if (!comm || comm->inter)
        return;
    announcement->identity = next_identity(comm->rank);
    PMPI_Ibcast(&announcement->identity, 1, MPI_INT64_T, 0, parent, &announcement->request);
}

uint32_t communicator_add_announced(struct announcement *announcement, MPI_Comm handle,
                                    MPI_Comm parent)
{
    PMPI_Wait(&announcement->request, MPI_STATUS_IGNORE);
    return add(handle, parent, announcement);
}

void communicator_named(MPI_Comm handle, const char *name)
{
    const uint32_t id = communicator_id(handle);
    if (id != COMM_UNKNOWN)
        define_comm_name(id, name);
}

void communicator_forget(MPI_Comm handle)
{
    struct communicator **slot = &communicator_slots[(uintptr_t)handle % COMM_SLOTS];
    threads_lock(&communicators_mutex);
    while (*slot && (*slot)->handle != handle)
        slot = &(*slot)->next;
    struct communicator *comm = *slot;
    if (comm)
        *slot = comm->next;
    threads_unlock(&communicators_mutex);
    if (comm) {
        free(comm->sources);
        free(comm->destinations);
        free(comm);
    }
}

void communicator_warn_unknown(void)
{
    log_warning("messages and collective calls on communicators with processes of other programs "
                "(MPI_Comm_spawn, MPI_Comm_connect, ...) are not recorded");
}
