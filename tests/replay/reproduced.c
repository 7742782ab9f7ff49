/* A program whose calls depend on more than bytes: reductions of several types and operators, and
 * memory that is received into for the first time (tests/replay/reproduced.sh). For two ranks. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 1 << 16 };

static void *new_memory(void)
{
    return mmap(NULL, 4 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void add_squares(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] += ((double *)in)[i] * ((double *)in)[i];
}

/* Doubles, with as much space after each. */
static void keep_last(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[2 * i] = ((double *)in)[2 * i];
}

static void reduce(void)
{
    static int64_t in[8], out[8]; /* long enough for two of any type */
    MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 2, MPI_UNSIGNED_LONG, MPI_BAND, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 2, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 2, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 2, MPI_SIGNED_CHAR, MPI_MIN, MPI_COMM_WORLD);
    MPI_Reduce(in, out, 2, MPI_FLOAT, MPI_MIN, 1, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Iallreduce(in, out, 2, MPI_SHORT, MPI_BOR, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int counts[] = {1, 1};
    MPI_Reduce_scatter(in, out, counts, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Op own;
    MPI_Op_create(add_squares, 1, &own);
    MPI_Allreduce(in, out, 2, MPI_DOUBLE, own, MPI_COMM_WORLD);
    MPI_Op_free(&own);
    MPI_Datatype pair;
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(keep_last, 0, &own);
    MPI_Allreduce(in, out, 4, pair, own, MPI_COMM_WORLD);
    MPI_Op_free(&own);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *sent = new_memory(), *received = new_memory(), *touched = new_memory();
    memset(sent, 1, 4 * BYTES);
    memset(touched, 1, 4 * BYTES);
    reduce();
    int counts[] = {BYTES, BYTES}, offsets[] = {0, BYTES};
    for (int i = 0; i < 2; i++) /* only the first one pays for the pages */
        MPI_Alltoallv(sent, counts, offsets, MPI_BYTE, received, counts, offsets, MPI_BYTE,
                      MPI_COMM_WORLD);
    MPI_Alltoallv(sent, counts, offsets, MPI_BYTE, touched, counts, offsets, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            MPI_Send(sent, BYTES, MPI_BYTE, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(received + 2 * BYTES, BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
