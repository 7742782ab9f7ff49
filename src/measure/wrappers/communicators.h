/* The communicators of this process: what a handle means in the trace. */
#ifndef MEASURE_COMMUNICATORS_H
#define MEASURE_COMMUNICATORS_H

#include "measure/wrappers/call.h"
#include "measure/wrappers/threads.h"

#include <mpi.h>

#define COMM_UNKNOWN RECORD_NONE

struct communicator {
    MPI_Comm handle;
    struct communicator *next; /* in the same slot */
    uint32_t id;               /* of define_comm */
    int rank, size;            /* of this process in its own group */
    int remote_size;           /* of the group that peers are in; = size of an intracommunicator */
    bool inter;
    uint32_t window_count;                /* windows made on it so far */
    int *sources, *destinations;          /* neighbours, once asked for */
    int source_count, destination_count;  /* -1: not asked for yet */
    uint32_t sources_id, destinations_id; /* of define_counts: without MPI_PROC_NULL */
};

#define COMM_SLOTS 1024 /* MPICH grants 2,046 communicators */
extern struct communicator *communicator_slots[COMM_SLOTS] __attribute__((visibility("hidden")));
extern pthread_mutex_t communicators_mutex __attribute__((visibility("hidden"))); /* of the slots */

/* What is known of a handle; NULL for a communicator that this tracer did not see being made (or
 * that reaches other programs: MPI_Comm_spawn), whose messages are not recorded. */
static inline struct communicator *communicator_find(MPI_Comm handle)
{
    threads_lock(&communicators_mutex);
    struct communicator *comm = communicator_slots[(uintptr_t)handle % COMM_SLOTS];
    while (comm && comm->handle != handle)
        comm = comm->next;
    threads_unlock(&communicators_mutex);
    return comm;
}

static inline uint32_t communicator_id(MPI_Comm handle)
{
    const struct communicator *comm = communicator_find(handle);
    return __builtin_expect(comm != NULL, 1) ? comm->id : COMM_UNKNOWN;
}

/* After PMPI_Init: MPI_COMM_WORLD and MPI_COMM_SELF. */
void communicators_begin(void);

/* After a communicator was made: agrees with its other members on its identity and defines it.
 * Collective over the new communicator. `handle` may be MPI_COMM_NULL. Returns the id in the trace,
 * COMM_UNKNOWN if there is none. */
uint32_t communicator_add(MPI_Comm handle, MPI_Comm parent);

/* The same for a communicator whose identity is agreed upon while it is being made
 * (MPI_Comm_idup): communicator_announce starts the agreement on the parent, which must be an
 * intracommunicator, communicator_add_announced ends it. */
struct announcement {
    int64_t identity; /* in flight until `request` completes */
    MPI_Request request;
};
void communicator_announce(struct announcement *announcement, MPI_Comm parent);
uint32_t communicator_add_announced(struct announcement *announcement, MPI_Comm handle,
                                    MPI_Comm parent);

/* Defines a group in the trace (definitions.h: define_group); RECORD_NONE if it has members outside
 * MPI_COMM_WORLD. */
uint32_t group_define(MPI_Group group);

/* MPI_Comm_set_name. */
void communicator_named(MPI_Comm handle, const char *name);

/* Before a communicator is freed. */
void communicator_forget(MPI_Comm handle);

/* Fills in the neighbours of a communicator with a topology. */
void communicator_ask_neighbours(struct communicator *comm);

/* A message on a communicator that is not known; says so once. */
void communicator_warn_unknown(void);

#endif
