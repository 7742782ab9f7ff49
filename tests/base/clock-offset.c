/* Offsets between clocks that differ: each rank reads the same clock with something added. */
#include "base/mpi/clock_offset.h"

#include "base/mpi/handles.h"
#include "tests/mpi_check.h"

#include <stdlib.h>
#include <time.h>

static uint64_t shifted(const void *data)
{
    const int64_t shift = *(const int64_t *)data;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + (uint64_t)shift;
}

int main(int argc, char **argv)
{
    struct processes all;
    struct error error;
    int rank;
    int64_t shift;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&all, MPI_COMM_WORLD, &error) == STATUS_OK, "the processes");
    rank = all.rank;

    /* Time slices of a shared core are the largest error; the shift is far larger. */
    const int64_t tolerance = 50000000;
    shift = rank * INT64_C(3600000000000);
    struct clock_offset found = clock_offset_measure(&all, (uint64_t)rank, shifted, &shift);
    mpi_check(llabs(found.offset + shift) < tolerance, "the offset of a clock that is ahead");
    mpi_check(llabs((int64_t)(shifted(&shift) - found.time)) < 1000000000000,
              "its time is on the rank's own clock");

    shift = -shift;
    found = clock_offset_measure(&all, (uint64_t)rank, shifted, &shift);
    mpi_check(llabs(found.offset + shift) < tolerance, "the offset of a clock that is behind");

    found = clock_offset_measure(&all, 7, shifted, &shift);
    mpi_check(found.offset == 0, "the same clock has no offset, and is not asked");

    /* Ranks of one host share the measurement of their first; rank 0's host has none. */
    shift = rank == 0 ? 0 : 1000000000000;
    found = clock_offset_measure(&all, rank > 0, shifted, &shift);
    mpi_check(llabs(found.offset + shift) < tolerance, "ranks of a host share an offset");
    int64_t low = rank == 0 ? INT64_MAX : found.offset, lowest;
    int64_t high = rank == 0 ? INT64_MIN : found.offset, highest;
    MPI_Allreduce(&low, &lowest, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&high, &highest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    mpi_check(lowest == highest, "to the tick");
    processes_close(&all);
    return mpi_check_end();
}
