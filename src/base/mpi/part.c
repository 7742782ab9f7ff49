#include "base/mpi/part.h"

#include <assert.h>

enum { TAG = 0 };

/* The size of each piece goes before it. */
void part_send(const struct processes *processes, const void *piece, size_t size)
{
    MPI_Request request;
    int64_t count = (int64_t)size;
    assert(size <= PART_PIECE);
    PMPI_Isend(&count, 1, MPI_INT64_T, 0, TAG, processes->comm, &request);
    processes_wait(processes, &request);
    if (size == 0)
        return;
    PMPI_Isend(piece, (int)size, MPI_BYTE, 0, TAG, processes->comm, &request);
    processes_wait(processes, &request);
}

size_t part_receive(const struct processes *processes, int from, void *piece)
{
    MPI_Request request;
    int64_t size;
    PMPI_Irecv(&size, 1, MPI_INT64_T, from, TAG, processes->comm, &request);
    processes_wait(processes, &request);
    if (size > 0) {
        PMPI_Irecv(piece, (int)size, MPI_BYTE, from, TAG, processes->comm, &request);
        processes_wait(processes, &request);
    }
    return (size_t)size;
}
