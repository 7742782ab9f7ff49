/* The handles of MPI behind struct processes, for files that make MPI calls themselves. Only these
 * files depend on the binary interface of an MPI: they are built once for each MPI
 * (libmpipart.a, ARCHITECTURE.md). All others include processes.h, and are built once. In
 * libmpipart.a, names of MPI's functions stand for pointers to them (load.h). */
#ifndef BASE_MPI_HANDLES_H
#define BASE_MPI_HANDLES_H

#include "base/mpi/processes.h"

#include <mpi.h>

#ifdef SILAS_LOADS_MPI
#include "base/mpi_functions.h"
#endif

/* The communicator of processes that MPI has started. */
static inline MPI_Comm processes_comm(const struct processes *processes)
{
    _Static_assert(sizeof(MPI_Comm) <= sizeof processes->comm, "handles fit into an integer");
    return (MPI_Comm)processes->comm;
}

/* Collective. Makes a communicator of the processes on this process's host, in their order; the
 * caller frees it. MPI_Comm_split_type does not do, because some MPIs find hosts of one process
 * each if their launcher does not say where processes run (MPICH 5.0.2 of Debian). False if MPI
 * fails. */
bool processes_split_hosts(const struct processes *processes, MPI_Comm *host);

/* Collective. Duplicates `comm` and checks whether a host has fewer cores than processes
 * (base/cpus.h). Hosts that share cores (containers) look as if each had all of them; set
 * SILAS_SHARED_CORES in the environment there. Fails with STATUS_ENVIRONMENT. */
enum status processes_open(struct processes *processes, MPI_Comm comm, struct error *error);

/* Completes the request. Sleeps between tests if processes share cores: a spinning process takes
 * the core of the one it waits for (a barrier of MPICH then takes 10 ms per rank). Not
 * collective. */
void processes_wait(const struct processes *processes, MPI_Request *request);

#endif
