/* Layouts of datatypes, and operators of the program, in calls of all kinds; for calls.sh. Two
 * processes. */
#include <mpi.h>

#include <stddef.h>

#define WORLD MPI_COMM_WORLD

/* The datatype where MPI does not look at it. Open MPI refuses MPI_DATATYPE_NULL also there. */
#ifdef OPEN_MPI
#define NO_TYPE MPI_INT
#else
#define NO_TYPE MPI_DATATYPE_NULL
#endif

struct particle {
    double place[3];
    int id;
};

static int rank, other;
static double grid[32], in[64];

static void exchange(MPI_Datatype type, int tag)
{
    MPI_Sendrecv(grid, 1, type, other, tag, in, 1, type, other, tag, WORLD, MPI_STATUS_IGNORE);
}

/* Types that are freed, whose handles MPI uses again for others. */
static void reused_handles(void)
{
    for (int length = 1; length <= 2; length++) {
        MPI_Datatype type;
        MPI_Type_vector(2, length, 4, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        exchange(type, 1);
        MPI_Type_free(&type);
    }
}

static void layouts(void)
{
    MPI_Datatype types[8], data, named;
    MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 3}, MPI_DOUBLE, &types[0]);
    MPI_Type_create_hindexed(1, (int[]){2}, (MPI_Aint[]){8}, MPI_INT, &types[1]);
    MPI_Type_create_indexed_block(2, 1, (int[]){0, 4}, MPI_DOUBLE, &types[2]);
    MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_FORTRAN,
                             MPI_DOUBLE, &types[3]);
    MPI_Type_create_darray(2, 0, 1, (int[]){8}, (int[]){MPI_DISTRIBUTE_CYCLIC},
                           (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2}, MPI_ORDER_C, MPI_DOUBLE,
                           &types[4]);
    MPI_Type_create_struct(2, (int[]){3, 1}, (MPI_Aint[]){0, offsetof(struct particle, id)},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &data);
    MPI_Type_create_resized(data, 0, sizeof(struct particle), &types[5]);
    MPI_Type_dup(types[5], &types[6]);
    MPI_Type_contiguous(2, MPI_DOUBLE, &types[7]); /* has no gaps */
    MPI_Type_free(&data);
    for (int i = 0; i < 8; i++) {
        MPI_Type_commit(&types[i]);
        exchange(types[i], 2 + i);
    }
    MPI_Type_contiguous(2, types[0], &named);
    MPI_Type_commit(&named);
    exchange(named, 10);
    MPI_Type_free(&named);
    for (int i = 0; i < 8; i++)
        MPI_Type_free(&types[i]);
}

/* A pending and a persistent request keep the layout of a type that has been freed. */
static void requests(void)
{
    MPI_Request both[2];
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(in, 1, type, other, 20, WORLD, &both[0]);
    MPI_Isend(grid, 1, type, other, 20, WORLD, &both[1]);
    MPI_Type_free(&type);
    MPI_Start(&both[0]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Request_free(&both[0]);
}

static void collectives(void)
{
    MPI_Datatype column, pair;
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    const MPI_Datatype some[] = {pair, column}, nothing[] = {column, NO_TYPE};
    const MPI_Datatype mine[] = {rank ? column : pair, rank ? column : pair};
    MPI_Bcast(grid, 1, column, 0, WORLD);
    MPI_Gather(grid, 1, column, in, 2, MPI_INT, 0, WORLD);
    MPI_Alltoall(grid, 1, column, in, 1, pair, WORLD);
    MPI_Alltoallw(grid, (const int[]){1, 1}, (const int[]){0, 64}, some, in, (const int[]){1, 1},
                  (const int[]){0, 64}, mine, WORLD);
    MPI_Alltoallw(grid, (const int[]){rank == 0, 0}, (const int[]){0, 0}, nothing, in,
                  (const int[]){rank == 0, 0}, (const int[]){0, 0}, nothing, WORLD);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
}

static void first(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)b)[i] = ((double *)a)[i];
}

static void operators(void)
{
    MPI_Op either, ordered;
    MPI_Op_create(first, 1, &either);
    MPI_Op_create(first, 0, &ordered);
    MPI_Allreduce(grid, in, 4, MPI_DOUBLE, either, WORLD);
    MPI_Allreduce(grid, in, 4, MPI_DOUBLE, ordered, WORLD);
    MPI_Op_free(&ordered);
    MPI_Op_create(first, 0, &ordered); /* is the same one again */
    MPI_Reduce(grid, in, 4, MPI_DOUBLE, ordered, 1, WORLD);
    MPI_Op_free(&ordered);
    MPI_Op_free(&either);
}

static void one_sided(void)
{
    MPI_Win window;
    MPI_Datatype column;
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(grid, 2, MPI_DOUBLE, other, 0, 1, column, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    other = 1 - rank;
    reused_handles();
    layouts();
    requests();
    collectives();
    operators();
    one_sided();
    MPI_Finalize();
    return 0;
}
