/* The MPI calls that SILAS knows. The table src/base/mpi_calls.list is also the source of the
 * tracer's wrappers, the replay's dispatch and doc/mpi-coverage.md. */
#ifndef BASE_MPI_CALL_H
#define BASE_MPI_CALL_H

#include "base/collective_op.h"
#include "base/mpi_call_ids.h" /* generated: enum mpi_call { MPI_CALL_NONE, MPI_CALL_SEND, ... } */

#include <stdbool.h>

/* The kinds of calls that replays and pattern searches distinguish. */
enum mpi_class {
    MPI_CLASS_NONE,  /* not an MPI call */
    MPI_CLASS_LOCAL, /* returns without communicating: counts as computation */
    MPI_CLASS_INIT,
    MPI_CLASS_FINALIZE,
    MPI_CLASS_ABORT,
    MPI_CLASS_PCONTROL,
    MPI_CLASS_SEND, /* blocking sends */
    MPI_CLASS_RECV,
    MPI_CLASS_SENDRECV,
    MPI_CLASS_ISEND,
    MPI_CLASS_IRECV,
    MPI_CLASS_ISENDRECV,
    MPI_CLASS_PERSISTENT,      /* Send_init, Recv_init, ...: local */
    MPI_CLASS_COLLECTIVE_INIT, /* Bcast_init, ...: the operation begins with Start */
    MPI_CLASS_NEIGHBOUR_INIT,
    MPI_CLASS_START, /* Start, Startall */
    MPI_CLASS_READY, /* Pready, ...: a partitioned message is sent when all its parts are ready */
    MPI_CLASS_WAIT,
    MPI_CLASS_WAITALL,
    MPI_CLASS_WAITANY,
    MPI_CLASS_WAITSOME,
    MPI_CLASS_TEST,
    MPI_CLASS_TESTALL,
    MPI_CLASS_TESTANY,
    MPI_CLASS_TESTSOME,
    MPI_CLASS_ARRIVED,      /* Parrived */
    MPI_CLASS_REQUEST_TEST, /* Request_get_status */
    MPI_CLASS_REQUEST_FREE,
    MPI_CLASS_CANCEL,
    MPI_CLASS_PROBE,
    MPI_CLASS_IPROBE,
    MPI_CLASS_MPROBE,
    MPI_CLASS_IMPROBE,
    MPI_CLASS_MRECV,
    MPI_CLASS_IMRECV,
    MPI_CLASS_COLLECTIVE,
    MPI_CLASS_ICOLLECTIVE,
    MPI_CLASS_NEIGHBOUR, /* neighbourhood collectives */
    MPI_CLASS_INEIGHBOUR,
    MPI_CLASS_COMM_CREATE,  /* collective creation of a communicator */
    MPI_CLASS_COMM_ICREATE, /* Comm_idup */
    MPI_CLASS_COMM_FREE,
    MPI_CLASS_WINDOW,      /* collective calls on windows */
    MPI_CLASS_SYNCHRONISE, /* collective calls on files; replayed as a barrier and computation */
    MPI_CLASS_RMA,         /* put, get, accumulate, ... */
    MPI_CLASS_RMA_SYNC,    /* passive and PSCW synchronisation */
    MPI_CLASS_IO,          /* reads and writes */
};

/* True if such a call is a collective operation, also one of neighbours, or begins a nonblocking
 * one. Calls that only prepare a persistent operation are not. */
static inline bool mpi_class_is_collective(enum mpi_class class)
{
    return class == MPI_CLASS_COLLECTIVE || class == MPI_CLASS_ICOLLECTIVE ||
           class == MPI_CLASS_NEIGHBOUR || class == MPI_CLASS_INEIGHBOUR;
}

/* True if time inside such a call is communication. All other time is computation (doc/methods.md,
 * section 1): the replay keeps its length, transformations may change it. Calls that leave no event
 * besides enter and leave and cannot block are computation too. */
static inline bool mpi_class_communicates(enum mpi_class class)
{
    switch (class) {
    case MPI_CLASS_NONE:
    case MPI_CLASS_LOCAL:
    case MPI_CLASS_PCONTROL:
    case MPI_CLASS_PERSISTENT:
    case MPI_CLASS_COLLECTIVE_INIT:
    case MPI_CLASS_NEIGHBOUR_INIT:
    case MPI_CLASS_REQUEST_FREE:
    case MPI_CLASS_CANCEL:
        return false;
    default:
        return true;
    }
}

/* Blocking calls that send or receive a message. */
static inline bool mpi_class_is_blocking_message(enum mpi_class class)
{
    return class >= MPI_CLASS_SEND && class <= MPI_CLASS_SENDRECV;
}

/* Calls that send or receive messages, blocking or not. */
static inline bool mpi_class_is_message(enum mpi_class class)
{
    return class >= MPI_CLASS_SEND && class <= MPI_CLASS_ISENDRECV;
}

/* Calls that wait for requests. */
static inline bool mpi_class_waits(enum mpi_class class)
{
    return class >= MPI_CLASS_WAIT && class <= MPI_CLASS_WAITSOME;
}

/* Calls that test whether requests are complete. */
static inline bool mpi_class_tests(enum mpi_class class)
{
    return class >= MPI_CLASS_TEST && class <= MPI_CLASS_REQUEST_TEST;
}

/* Calls that test or wait for an incoming message. */
static inline bool mpi_class_probes(enum mpi_class class)
{
    return class >= MPI_CLASS_PROBE && class <= MPI_CLASS_IMPROBE;
}

/* Calls that wait for an incoming message. */
static inline bool mpi_class_is_blocking_probe(enum mpi_class class)
{
    return class == MPI_CLASS_PROBE || class == MPI_CLASS_MPROBE;
}

/* Neighbourhood collectives. */
static inline bool mpi_class_has_neighbours(enum mpi_class class)
{
    return class == MPI_CLASS_NEIGHBOUR || class == MPI_CLASS_INEIGHBOUR ||
           class == MPI_CLASS_NEIGHBOUR_INIT;
}

struct mpi_call_info {
    const char *name; /* "MPI_Send" */
    enum mpi_class class;
    enum collective_op operation; /* that it carries out, or begins; COLLECTIVE_OP_COUNT: none */
};

/* Indexed by enum mpi_call. */
extern const struct mpi_call_info mpi_call_infos[MPI_CALL_COUNT];

/* The call with a region's name, ignoring letter case, what tracers and compilers add to names
 * ("MPI_Send()" of TAU, "PMPI_Send", "mpi_send_" and "mpi_send_f08_" of Fortran), and blanks. For a
 * call with large counts ("MPI_Send_c") the one without: nothing but the tracer distinguishes them.
 * MPI_CALL_NONE if it is not an MPI call. */
enum mpi_call mpi_call_from_name(const char *name);

#endif
