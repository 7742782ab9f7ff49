/* The table of this process's communicators: what the trace calls each handle of MPI. */
#ifndef MEASURE_COMMUNICATORS_H
#define MEASURE_COMMUNICATORS_H

#include "measure/wrappers/call.h"

#include <mpi.h>

#define COMM_UNKNOWN RECORD_NONE

/* The members of a communicator in the archive: those of the own group, then those of the peers' of
 * an intercommunicator. */
struct archive_ranks {
    size_t own_count, remote_count;
    uint64_t ranks[];
};

struct traced_communicator {
    MPI_Comm handle;
    struct traced_communicator *next; /* in the same slot */
    uint32_t id;                      /* of define_comm */
    int rank, size;                   /* of this process in its own group */
    int remote_size;                  /* of the peers' group; of an intracommunicator: its size */
    bool inter;
    struct archive_ranks *foreign;        /* members, if these include processes of other worlds */
    uint32_t window_count;                /* windows made on it so far */
    uint32_t persistent_count;            /* persistent collective operations made on it */
    int *sources, *destinations;          /* neighbours; one block, at `sources` */
    int source_count, destination_count;  /* -1: not queried yet */
    uint32_t sources_id, destinations_id; /* of define_numbers: without MPI_PROC_NULL */
};

#define COMM_SLOTS 1024 /* MPICH grants 2,046 communicators */
extern struct traced_communicator *communicator_slots[COMM_SLOTS]
    __attribute__((visibility("hidden")));
extern pthread_mutex_t communicators_mutex __attribute__((visibility("hidden"))); /* of the slots */

static inline size_t communicator_slot(MPI_Comm handle)
{
    return handle_hash((uintptr_t)handle, (uintptr_t)handle) % COMM_SLOTS;
}

/* The communicator of a handle. NULL if the tracer did not see its creation or if it has processes
 * that may run without the tracer; then its messages are not recorded. */
HOT_INLINE struct traced_communicator *communicator_find(MPI_Comm handle)
{
    threads_lock(&communicators_mutex);
    struct traced_communicator *comm = communicator_slots[communicator_slot(handle)];
    while (comm && comm->handle != handle)
        comm = comm->next;
    threads_unlock(&communicators_mutex);
    return comm;
}

static inline uint32_t communicator_id(MPI_Comm handle)
{
    const struct traced_communicator *comm = communicator_find(handle);
    return __builtin_expect(comm != NULL, 1) ? comm->id : COMM_UNKNOWN;
}

/* Called after MPI was initialised; `world` contains all processes. Adds MPI_COMM_WORLD and
 * MPI_COMM_SELF. Does nothing the second time. */
void communicators_begin(MPI_Comm world);

/* Called after a communicator was created. Its members agree on its identity, and each defines it.
 * Collective over the new communicator. `handle` may be MPI_COMM_NULL. `parent`, MPI_COMM_NULL if
 * there is none, contains all members. Returns the id in the trace, or COMM_UNKNOWN if the
 * communicator is not recorded: it has members of several worlds (recorder/worlds.h), and the
 * parent is not recorded. */
uint32_t communicator_add(MPI_Comm handle, MPI_Comm parent);

/* The same for the intercommunicator of MPI_Comm_spawn, in the spawning processes and in MPI_Init
 * of the spawned ones, all of which are recorded. `parent`: that of the spawning processes. */
uint32_t communicator_add_spawned(MPI_Comm handle, MPI_Comm parent);

/* The same for MPI_Comm_idup, whose members agree while MPI creates the communicator.
 * communicator_announce starts the agreement on the parent, which must be an intracommunicator;
 * communicator_add_announced completes it. */
struct announcement {
    int64_t identity; /* valid when `request` is complete; negative: none */
    MPI_Request request;
};
void communicator_announce(struct announcement *announcement, MPI_Comm parent);
uint32_t communicator_add_announced(struct announcement *announcement, MPI_Comm handle,
                                    MPI_Comm parent);

/* Defines a group in the trace (definitions.h: define_numbers). Returns RECORD_NONE if it has
 * members outside MPI_COMM_WORLD or if out of memory. */
uint32_t group_define(MPI_Group group);

/* Called by MPI_Comm_set_name. */
void communicator_named(MPI_Comm handle, const char *name);

/* Called before a communicator is freed. */
void communicator_forget(MPI_Comm handle);

/* Fills in the neighbours of a communicator with a topology; does nothing the second time. */
void communicator_ask_neighbours(struct traced_communicator *comm);

/* Warns, once, that calls on unknown communicators are not recorded. */
void communicator_warn_unknown(void);

#endif
