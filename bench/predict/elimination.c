/* elimination N ITERATIONS: the forward elimination of an alternating-direction method on N rows of
 * N columns. Each rank has N / size columns and gets the element left of them, row by row, from the
 * rank before it. Prints "time: SECONDS s" between two barriers. After figure 3 of D. J. Kerbyson
 * et al., Is predictive tracing too late for HPC users?, 1999. elimination.silas counts its
 * operations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
    float *rows;      /* [n][columns + 1]; the first one of each row is the left rank's */
    float *diagonals; /* [columns] */
    int n, columns, rank, size;
};

/* Each element needs the one before it. */
static __attribute__((noinline)) void eliminate_row(const struct part *part, float *row)
{
    for (int j = 0; j < part->columns; j++)
        row[j + 1] -= 0.3f / part->diagonals[j] * row[j];
}

static void eliminate_all(const struct part *part)
{
    for (int i = 0; i < part->n; i++) {
        float *row = part->rows + (size_t)i * ((size_t)part->columns + 1);
        if (part->rank > 0)
            MPI_Recv(row, 1, MPI_FLOAT, part->rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        eliminate_row(part, row);
        if (part->rank + 1 < part->size)
            MPI_Send(row + part->columns, 1, MPI_FLOAT, part->rank + 1, 1, MPI_COMM_WORLD);
    }
}

static int allocate(struct part *part)
{
    const size_t row = (size_t)part->columns + 1;
    part->rows = malloc((size_t)part->n * row * sizeof *part->rows);
    part->diagonals = malloc((size_t)part->columns * sizeof *part->diagonals);
    if (!part->rows || !part->diagonals)
        return 0;
    for (size_t i = 0; i < (size_t)part->n * row; i++)
        part->rows[i] = (float)(1 + i % 7);
    for (int j = 0; j < part->columns; j++)
        part->diagonals[j] = (float)(1 + j % 3);
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct part part = {.n = argc > 1 ? atoi(argv[1]) : 1024};
    const int iterations = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &part.size);
    part.columns = part.n / part.size;
    if (part.columns < 1 || !allocate(&part)) {
        fprintf(stderr,
                "usage: elimination N ITERATIONS, with at least as many columns as ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int iteration = 0; iteration < iterations; iteration++)
        eliminate_all(&part);
    MPI_Barrier(MPI_COMM_WORLD);
    if (part.rank == 0)
        printf("time: %.6f s\n", MPI_Wtime() - begin);
    free(part.rows);
    free(part.diagonals);
    MPI_Finalize();
    return 0;
}
