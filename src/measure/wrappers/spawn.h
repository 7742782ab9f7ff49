/* MPI_Comm_spawn and MPI_Comm_spawn_multiple. The root starts silas-trace in place of each command,
 * with the options of the present run; silas-trace then becomes the command. The new processes get
 * ranks of the same archive (recorder/worlds.h). In the trace, MPI_Comm_spawn and the children's
 * MPI_Init create the intercommunicator together: it is a collective operation on it, which all
 * members wait for.
 *
 * A command that silas-trace cannot find, or cannot trace, runs without the tracer, and its
 * intercommunicator is not recorded. So are all spawned processes with --reduce, and those that a
 * program spawns whose communicator is not recorded itself. */
#ifndef MEASURE_SPAWN_H
#define MEASURE_SPAWN_H

#include <stdint.h>

/* Called by the spawned processes when MPI is initialised. Collective over the intercommunicator
 * with their parents, whose id in the trace is returned; COMM_UNKNOWN if there is none or this
 * process is not recorded. */
uint32_t spawned_add_parent(void);

#endif
