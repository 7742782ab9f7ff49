/* Collective operations with MPI_IN_PLACE, with uneven counts that no eager message holds. */
#include <mpi.h>
#include <stdlib.h>

enum { EACH = 10000 };

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *data = calloc((size_t)(size * EACH + size * size), sizeof *data);
    int *counts = calloc((size_t)size, sizeof *counts),
        *places = calloc((size_t)size, sizeof *places);
    for (int i = 0; i < size; i++) {
        counts[i] = EACH + i;
        places[i] = i ? places[i - 1] + counts[i - 1] : 0;
    }
    for (int round = 0; round < 3; round++) {
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, places, MPI_DOUBLE,
                       MPI_COMM_WORLD);
        MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, data, EACH, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, EACH, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, EACH, MPI_DOUBLE, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, places, MPI_DOUBLE, 0,
                        MPI_COMM_WORLD);
        else
            MPI_Gatherv(data, counts[rank], MPI_DOUBLE, NULL, NULL, NULL, MPI_DOUBLE, 0,
                        MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Scatterv(data, counts, places, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0,
                         MPI_COMM_WORLD);
        else
            MPI_Scatterv(NULL, NULL, NULL, MPI_DOUBLE, data, counts[rank], MPI_DOUBLE, 0,
                         MPI_COMM_WORLD);
    }
    free(data);
    free(counts);
    free(places);
    MPI_Finalize();
    return 0;
}
