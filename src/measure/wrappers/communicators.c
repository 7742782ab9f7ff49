#include "measure/wrappers/communicators.h"

#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct traced_communicator *communicator_slots[COMM_SLOTS];
pthread_mutex_t communicators_mutex = PTHREAD_MUTEX_INITIALIZER;

static MPI_Group world_group;
static int world_rank;   /* in the archive, as all ranks that are recorded */
static uint32_t created; /* number of communicators of which this process was rank 0 */
static bool active;      /* true after communicators_begin */

/* An identity is the archive's rank of rank 0 and how many communicators that rank has created. */
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
    return PMPI_Bcast(&identity, 1, MPI_INT64_T, 0, handle) == MPI_SUCCESS ? identity : -1;
}

/* Rank 0 of each group proposes an identity, and the one with the lower rank is used. A
 * reduction over an intercommunicator gives each group the other group's values, so a second
 * reduction returns the own group's proposal. */
static int64_t agree_inter(MPI_Comm handle, int rank)
{
    int64_t own = next_identity(rank), theirs = -1, ours = -1;
    if (PMPI_Allreduce(&own, &theirs, 1, MPI_INT64_T, MPI_MAX, handle) != MPI_SUCCESS ||
        PMPI_Allreduce(&theirs, &ours, 1, MPI_INT64_T, MPI_MAX, handle) != MPI_SUCCESS)
        return -1;
    return ours < theirs ? ours : theirs;
}

/* Whether all members of a group are in MPI_COMM_WORLD. This allocates no memory, because all
 * members must get the same answer. Writes their ranks in the archive into `world_ranks`, which may
 * be NULL. */
static bool is_in_world(MPI_Group group, int count, uint64_t *world_ranks)
{
    enum { AT_ONCE = 256 };
    bool in_world = true;
    for (int first = 0; first < count; first += AT_ONCE) {
        int ranks[AT_ONCE], world[AT_ONCE], n = 0;
        for (; n < AT_ONCE && first + n < count; n++)
            ranks[n] = first + n;
        if (PMPI_Group_translate_ranks(group, n, ranks, world_group, world) != MPI_SUCCESS)
            return false;
        for (int i = 0; i < n; i++) {
            in_world = in_world && world[i] != MPI_UNDEFINED;
            if (world_ranks)
                world_ranks[first + i] = measurement_settings.world + (uint64_t)world[i];
        }
    }
    return in_world;
}

/* The members of a group, as ranks in the archive. */
struct members {
    uint64_t *world_ranks; /* owned; NULL if out of memory */
    int count;
    bool in_world; /* all of them */
};

/* Frees the group. */
static struct members take_members(MPI_Group *group)
{
    struct members members = {.count = 0};
    if (*group == MPI_GROUP_NULL || PMPI_Group_size(*group, &members.count) != MPI_SUCCESS)
        return members; /* not in the world: it is not recorded */
    members.world_ranks = malloc(((size_t)members.count + 1) * sizeof *members.world_ranks);
    members.in_world = is_in_world(*group, members.count, members.world_ranks);
    PMPI_Group_free(group);
    return members;
}

uint32_t group_define(MPI_Group group)
{
    MPI_Group copy = MPI_GROUP_NULL;
    PMPI_Group_union(group, MPI_GROUP_EMPTY, &copy);
    const struct members members = take_members(&copy);
    const uint32_t id =
        members.world_ranks && members.in_world
            ? define_numbers(DEFINITION_GROUP, members.world_ranks, (size_t)members.count)
            : RECORD_NONE;
    free(members.world_ranks);
    return id;
}

static void insert_communicator(struct traced_communicator *comm)
{
    struct traced_communicator **slot = &communicator_slots[communicator_slot(comm->handle)];
    threads_lock(&communicators_mutex);
    comm->next = *slot;
    *slot = comm;
    threads_unlock(&communicators_mutex);
}

/* False if MPI fails. */
static bool describe_communicator(MPI_Comm handle, struct traced_communicator *comm)
{
    int inter = 0;
    *comm = (struct traced_communicator){
        .handle = handle, .id = COMM_UNKNOWN, .source_count = -1, .destination_count = -1};
    if (PMPI_Comm_rank(handle, &comm->rank) != MPI_SUCCESS ||
        PMPI_Comm_size(handle, &comm->size) != MPI_SUCCESS ||
        PMPI_Comm_test_inter(handle, &inter) != MPI_SUCCESS)
        return false;
    comm->inter = inter != 0;
    comm->remote_size = comm->size;
    return !inter || PMPI_Comm_remote_size(handle, &comm->remote_size) == MPI_SUCCESS;
}

/* Defines the Cartesian grid of a communicator, if it has one. */
static void define_topology(MPI_Comm handle, uint32_t id)
{
    int topology = MPI_UNDEFINED, count = 0;
    PMPI_Topo_test(handle, &topology);
    if (topology == MPI_CART)
        PMPI_Cartdim_get(handle, &count);
    int *numbers =
        count > 0 && count <= UINT8_MAX ? malloc(3 * (size_t)count * sizeof *numbers) : NULL;
    if (!numbers)
        return; /* only reports use the grid */
    if (PMPI_Cart_get(handle, count, numbers, numbers + count, numbers + 2 * (size_t)count) ==
        MPI_SUCCESS)
        define_grid(id, (uint32_t)count, numbers, numbers + count);
    free(numbers);
}

/* Defines a communicator and adds it to the table. The first group of an intercommunicator is that
 * of the rank in its identity, so that both sides write the same definition. Returns the id in the
 * trace. Recording ends if out of memory. */
static uint32_t define_communicator(const struct traced_communicator *seen,
                                    const struct members *own, const struct members *remote,
                                    int64_t identity, MPI_Comm parent, const char *name)
{
    const uint32_t creator = (uint32_t)(identity >> 32);
    struct traced_communicator *comm = malloc(sizeof *comm);
    uint32_t id = COMM_UNKNOWN;
    if (comm && own->world_ranks && (remote->world_ranks || !seen->inter)) {
        const bool own_first = !seen->inter || own->world_ranks[0] == creator;
        const struct members *first = own_first ? own : remote, *second = own_first ? remote : own;
        id = define_comm(creator, (uint32_t)identity, name, first->world_ranks,
                         (size_t)first->count, second->world_ranks, (size_t)second->count,
                         parent == MPI_COMM_NULL ? COMM_UNKNOWN : communicator_id(parent),
                         seen->handle == MPI_COMM_SELF,
                         seen->inter && measurement_settings.compatible);
    }
    if (id == COMM_UNKNOWN) {
        measurement_out_of_memory();
        free(comm);
        return COMM_UNKNOWN;
    }
    if (!seen->inter && active) /* predefined communicators have no topology */
        define_topology(seen->handle, id);
    *comm = *seen;
    comm->id = id;
    insert_communicator(comm);
    return id;
}

/* The ranks in the archive of the members of an intercommunicator: each process gets those of its
 * peers, and then, from its peers, those of its group. False if MPI fails. */
static bool exchange_ranks(MPI_Comm handle, const struct traced_communicator *comm, int64_t *own,
                           int64_t *remote)
{
    const int64_t rank = world_rank;
    const int most = comm->size > comm->remote_size ? comm->size : comm->remote_size;
    return PMPI_Allgather(&rank, 1, MPI_INT64_T, remote, 1, MPI_INT64_T, handle) == MPI_SUCCESS &&
           PMPI_Allreduce(remote, own, most, MPI_INT64_T, MPI_MAX, handle) == MPI_SUCCESS;
}

/* Whether `ready` is true on all members. */
static bool all_ready(MPI_Comm handle, bool inter, bool ready)
{
    int own = ready, all = 0;
    if (PMPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, handle) != MPI_SUCCESS)
        return false;
    own = own && all; /* of the peers */
    return !inter ||
           (PMPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, handle) == MPI_SUCCESS && own && all);
}

/* Asks the members of a communicator for their ranks in the archive. NULL on all of them if one is
 * out of memory or MPI fails. */
static struct archive_ranks *gather_ranks(MPI_Comm handle, const struct traced_communicator *comm)
{
    const size_t own_count = (size_t)comm->size;
    const size_t remote_count = comm->inter ? (size_t)comm->remote_size : 0;
    const size_t most = own_count > remote_count ? own_count : remote_count;
    struct archive_ranks *found =
        malloc(sizeof *found + (own_count + remote_count) * sizeof *found->ranks);
    int64_t *own = calloc(2 * most, sizeof *own);
    const int64_t rank = world_rank;
    bool done = all_ready(handle, comm->inter, own != NULL && found != NULL);
    if (done && comm->inter)
        done = exchange_ranks(handle, comm, own, own + most);
    else if (done)
        done = PMPI_Allgather(&rank, 1, MPI_INT64_T, own, 1, MPI_INT64_T, handle) == MPI_SUCCESS;
    for (size_t i = 0; done && i < own_count; i++)
        found->ranks[i] = (uint64_t)own[i];
    for (size_t i = 0; done && i < remote_count; i++)
        found->ranks[own_count + i] = (uint64_t)own[most + i];
    free(own);
    if (done) {
        found->own_count = own_count;
        found->remote_count = remote_count;
        return found;
    }
    free(found);
    return NULL;
}

/* A copy of the members of a communicator that is duplicated. NULL if out of memory. */
static struct archive_ranks *copy_archive_ranks(const struct archive_ranks *from)
{
    const size_t size = sizeof *from + (from->own_count + from->remote_count) * sizeof *from->ranks;
    struct archive_ranks *copy = malloc(size);
    if (copy)
        memcpy(copy, from, size);
    return copy;
}

/* Adds a communicator of several worlds, all of whose members are recorded. `known` and the result
 * as for add_communicator. */
static uint32_t add_foreign(struct traced_communicator *comm, const int64_t *known, MPI_Comm parent,
                            const char *name)
{
    int64_t identity = known         ? *known
                       : comm->inter ? agree_inter(comm->handle, comm->rank)
                                     : agree_intra(comm->handle, comm->rank);
    const struct traced_communicator *from = known ? communicator_find(parent) : NULL;
    if (identity < 0 || (known && !(from && from->foreign)))
        return COMM_UNKNOWN;
    if (!known)
        comm->foreign = gather_ranks(comm->handle, comm);
    else
        comm->foreign = copy_archive_ranks(from->foreign);
    if (!comm->foreign) {
        measurement_out_of_memory();
        return COMM_UNKNOWN;
    }
    const struct members own = {comm->foreign->ranks, comm->size, false};
    const struct members remote = {comm->foreign->ranks + comm->size,
                                   (int)comm->foreign->remote_count, false};
    const uint32_t id = define_communicator(comm, &own, &remote, identity, parent, name);
    if (id == COMM_UNKNOWN)
        free(comm->foreign);
    return id;
}

/* Adds a communicator with the identity `known`, or with one on which its members agree now (NULL).
 * Members outside MPI_COMM_WORLD may run without the tracer; if there are any, the others try to
 * agree only if `recorded`: all members are recorded. A member that is out of memory takes part,
 * because the others wait for it. */
static uint32_t add_communicator(MPI_Comm handle, const int64_t *known, MPI_Comm parent,
                                 const char *name, bool recorded)
{
    struct traced_communicator comm;
    struct members own, remote = {.in_world = true};
    int64_t identity = known ? *known : -1;
    uint32_t id = COMM_UNKNOWN;
    MPI_Group group = MPI_GROUP_NULL;
    if (!describe_communicator(handle, &comm))
        return COMM_UNKNOWN;
    PMPI_Comm_group(handle, &group);
    own = take_members(&group);
    if (comm.inter) {
        group = MPI_GROUP_NULL;
        PMPI_Comm_remote_group(handle, &group);
        remote = take_members(&group);
    }
    const bool in_world = own.in_world && remote.in_world;
    if (in_world && !known)
        identity = comm.inter ? agree_inter(handle, comm.rank) : agree_intra(handle, comm.rank);
    if (in_world && identity >= 0)
        id = define_communicator(&comm, &own, &remote, identity, parent, name);
    else if (!in_world && recorded)
        id = add_foreign(&comm, known, parent, name);
    free(own.world_ranks);
    free(remote.world_ranks);
    return id;
}

static void give_up_after_failure(void)
{
    measurement_give_up("rank %u: recording stops: MPI failed in a call of the tracer",
                        measurement_rank);
}

/* Adds one of the two communicators that every program has. MPI is not asked about it, because it
 * does not exist in programs that only use sessions. */
static void add_predefined(MPI_Comm handle, const char *name, uint32_t number, MPI_Group group)
{
    struct traced_communicator comm = {
        .handle = handle, .source_count = -1, .destination_count = -1};
    if (PMPI_Group_rank(group, &comm.rank) != MPI_SUCCESS ||
        PMPI_Group_size(group, &comm.size) != MPI_SUCCESS) {
        give_up_after_failure();
        return;
    }
    comm.remote_size = comm.size;
    const struct members own = take_members(&group), none = {.in_world = true};
    const int first = (int)measurement_settings.world;
    define_communicator(&comm, &own, &none, identity_of(first, number), MPI_COMM_NULL, name);
    free(own.world_ranks);
}

void communicators_begin(MPI_Comm world)
{
    MPI_Group all = MPI_GROUP_NULL, self = MPI_GROUP_NULL;
    int rank;
    char name[48] = "MPI_COMM_WORLD";
    const uint32_t first = measurement_settings.world;
    if (active)
        return;
    if (PMPI_Comm_rank(world, &rank) != MPI_SUCCESS ||
        PMPI_Comm_group(world, &world_group) != MPI_SUCCESS ||
        PMPI_Comm_group(world, &all) != MPI_SUCCESS ||
        PMPI_Group_incl(world_group, 1, &rank, &self) != MPI_SUCCESS) {
        give_up_after_failure();
        return;
    }
    world_rank = (int)first + rank;
    if (first > 0)
        snprintf(name, sizeof name, "MPI_COMM_WORLD of rank %u", first);
    add_predefined(MPI_COMM_WORLD, name, 0, all);
    add_predefined(MPI_COMM_SELF, "MPI_COMM_SELF", 1, self);
    created = 1;
    active = true;
}

/* All members of a recorded communicator are recorded. */
static bool is_recorded(MPI_Comm handle)
{
    return handle != MPI_COMM_NULL && communicator_find(handle) != NULL;
}

uint32_t communicator_add(MPI_Comm handle, MPI_Comm parent)
{
    return active && handle != MPI_COMM_NULL
               ? add_communicator(handle, NULL, parent, "", is_recorded(parent))
               : COMM_UNKNOWN;
}

uint32_t communicator_add_spawned(MPI_Comm handle, MPI_Comm parent)
{
    return add_communicator(handle, NULL, parent, "", true);
}

void communicator_announce(struct announcement *announcement, MPI_Comm parent)
{
    *announcement = (struct announcement){-1, MPI_REQUEST_NULL};
    if (!active)
        return;
    struct traced_communicator comm;
    MPI_Group group;
    if (!describe_communicator(parent, &comm) || PMPI_Comm_group(parent, &group) != MPI_SUCCESS)
        return;
    if (!comm.inter && (is_recorded(parent) || is_in_world(group, comm.size, NULL))) {
        announcement->identity = next_identity(comm.rank);
        PMPI_Ibcast(&announcement->identity, 1, MPI_INT64_T, 0, parent, &announcement->request);
    }
    PMPI_Group_free(&group);
}

uint32_t communicator_add_announced(struct announcement *announcement, MPI_Comm handle,
                                    MPI_Comm parent)
{
    PMPI_Wait(&announcement->request, MPI_STATUS_IGNORE);
    return add_communicator(handle, &announcement->identity, parent, "", is_recorded(parent));
}

void communicator_named(MPI_Comm handle, const char *name)
{
    const uint32_t id = communicator_id(handle);
    if (id != COMM_UNKNOWN)
        define_comm_name(id, name);
}

void communicator_forget(MPI_Comm handle)
{
    struct traced_communicator **slot = &communicator_slots[communicator_slot(handle)];
    threads_lock(&communicators_mutex);
    while (*slot && (*slot)->handle != handle)
        slot = &(*slot)->next;
    struct traced_communicator *comm = *slot;
    if (comm)
        *slot = comm->next;
    threads_unlock(&communicators_mutex);
    if (comm) {
        free(comm->sources);
        free(comm->foreign);
    }
    free(comm);
}

void communicator_warn_unknown(void)
{
    log_warning("messages and collective calls on communicators with processes of other programs "
                "(MPI_Comm_connect, MPI_Comm_join, or MPI_Comm_spawn of a program that cannot be "
                "recorded) are not recorded");
}

/* Allocates the neighbours, and `more` numbers after them. */
static bool allocate_neighbours(struct traced_communicator *comm, int sources, int destinations,
                                int more)
{
    comm->sources = calloc((size_t)(sources + destinations + more) + 1, sizeof *comm->sources);
    if (!comm->sources)
        return false;
    comm->destinations = comm->sources + sources;
    comm->source_count = sources;
    comm->destination_count = destinations;
    return true;
}

/* A Cartesian communicator: both neighbours in each dimension. */
static void ask_cart(struct traced_communicator *comm)
{
    int dimensions;
    if (PMPI_Cartdim_get(comm->handle, &dimensions) != MPI_SUCCESS ||
        !allocate_neighbours(comm, 2 * dimensions, 2 * dimensions, 0))
        return;
    for (int d = 0; d < dimensions; d++)
        PMPI_Cart_shift(comm->handle, d, 1, &comm->sources[2 * d], &comm->sources[2 * d + 1]);
    memcpy(comm->destinations, comm->sources, 2 * (size_t)dimensions * sizeof *comm->sources);
}

static void ask_graph(struct traced_communicator *comm)
{
    int count;
    if (PMPI_Graph_neighbors_count(comm->handle, comm->rank, &count) != MPI_SUCCESS ||
        !allocate_neighbours(comm, count, count, 0))
        return;
    PMPI_Graph_neighbors(comm->handle, comm->rank, count, comm->sources);
    memcpy(comm->destinations, comm->sources, (size_t)count * sizeof *comm->sources);
}

static void ask_dist_graph(struct traced_communicator *comm)
{
    int sources, destinations, weighted;
    if (PMPI_Dist_graph_neighbors_count(comm->handle, &sources, &destinations, &weighted) !=
            MPI_SUCCESS ||
        !allocate_neighbours(comm, sources, destinations, sources + destinations))
        return;
    int *weights = comm->destinations + destinations;
    PMPI_Dist_graph_neighbors(comm->handle, sources, comm->sources, weights, destinations,
                              comm->destinations, weights + sources);
}

/* Defines the list of neighbours in the trace, without MPI_PROC_NULL. */
static uint32_t define_neighbours(const int *ranks, int count)
{
    uint64_t *present = malloc(((size_t)count + 1) * sizeof *present);
    size_t kept = 0;
    for (int i = 0; present && i < count; i++)
        if (ranks[i] != MPI_PROC_NULL)
            present[kept++] = (uint64_t)ranks[i];
    const uint32_t id = present ? define_numbers(DEFINITION_COUNTS, present, kept) : RECORD_NONE;
    free(present);
    return id;
}

void communicator_ask_neighbours(struct traced_communicator *comm)
{
    int topology = MPI_UNDEFINED;
    if (comm->source_count >= 0)
        return;
    comm->source_count = comm->destination_count = 0;
    PMPI_Topo_test(comm->handle, &topology);
    if (topology == MPI_CART)
        ask_cart(comm);
    else if (topology == MPI_GRAPH)
        ask_graph(comm);
    else if (topology == MPI_DIST_GRAPH)
        ask_dist_graph(comm);
    comm->sources_id = define_neighbours(comm->sources, comm->source_count);
    comm->destinations_id = define_neighbours(comm->destinations, comm->destination_count);
}
