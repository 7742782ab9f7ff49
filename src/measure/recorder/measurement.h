/* Begins, pauses and ends the measurement of a traced process, in MPI_Init, MPI_Pcontrol, MPI_Abort
 * and MPI_Finalize. It begins when the library is loaded and ends with the process. Then the keeper
 * (keeper.h) writes the archive. */
#ifndef MEASURE_MEASUREMENT_H
#define MEASURE_MEASUREMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Called before PMPI_Init. Ends the process with one message if it has loaded another MPI, whose
 * handles have no meaning for the MPI that the tracer was built for. Counts the process if
 * MPI_Comm_spawn has started it (worlds.h). */
void measurement_initialises(void);

/* Called after MPI was initialised; `world` contains all processes. Opens the buffers, compares
 * clocks and turns recording on. Does nothing the second time. Collective over all ranks. The
 * wrapper then records MPI_Init's enter and leave through recorder_get(). A failure is printed; it
 * ends the tracing but not the program. */
void measurement_begin(MPI_Comm world);

/* MPI has failed in a call that the tracer has made before it records: the program continues
 * untraced. */
void measurement_leave_untraced(void);

/* MPI_Pcontrol: switches recording of all threads off or on, and records that. False if it was so
 * already, or cannot be switched. */
bool measurement_switch(uint64_t time, bool on);

/* Called before PMPI_Abort. Prints where the archive will be, because the launcher then kills all
 * ranks at once. */
void measurement_abort(void);

/* Called before PMPI_Finalize. Collective. Turns recording off and compares clocks. The wrapper has
 * recorded the enter of MPI_Finalize; it records the leave with the recorder that it still has. */
void measurement_finalize_enter(void);

/* After MPI_Finalize's leave was recorded. User functions are still recorded until the process
 * ends. */
void measurement_end(void);

/* Defines this process: rank in the archive, size of MPI_COMM_WORLD, host, CPUs it is bound to,
 * command line. */
void machine_define_process(uint32_t rank, uint32_t size);

/* Defines the properties of the archive that are the same on all ranks (base/otf2_attributes.h). */
void machine_define_properties(void);

/* A number that is equal on processes that read the same clock. */
uint64_t machine_clock_identity(void);

#endif
