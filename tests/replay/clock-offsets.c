/* Processes of one host share a clock, so the measured offsets must be zero. */
#include "replay/realtime/clock_offsets.h"
#include "tests/mpi_check.h"

#include <math.h>

int main(int argc, char **argv)
{
    struct processes processes;
    struct clock clock;
    struct error error;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes");
    clock_open(&clock);
    MPI_Bcast(&clock, sizeof clock, MPI_BYTE, 0, MPI_COMM_WORLD);
    struct clock_offset offset = clock_offset_measure(&processes, &clock);
    /* The error is at most half the round trip: microseconds, or time slices on a loaded
     * machine. */
    mpi_check(fabs(offset.offset) < 0.05, "the offset is small");
    mpi_check(processes.rank != 0 || offset.offset == 0, "rank 0 is the reference");
    /* The same with a clock that is ahead on all but rank 0. */
    struct clock ahead = clock;
    if (processes.rank > 0)
        ahead.ticks_per_second *= 0.5; /* seconds since the start count twice */
    double before = (double)clock_now(&clock) / clock.ticks_per_second;
    offset = clock_offset_measure(&processes, &ahead);
    mpi_check(processes.rank == 0 || fabs(offset.offset + before) < 0.01 * before + 1,
              "a clock that shows double the time is corrected");
    processes_close(&processes);
    return mpi_check_end();
}
