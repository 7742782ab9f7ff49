/* TAP for tests that run as several MPI processes. Every process calls mpi_check() in the same
 * order; a check passes when it holds on all of them; process 0 prints. A failed check never leaves
 * the others in a collective. Failing processes say why on standard error. */
#ifndef TESTS_MPI_CHECK_H
#define TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int mpi_check_count, mpi_check_failed;

#define mpi_check(condition, description) mpi_check_((condition), description, #condition, __LINE__)

static inline void mpi_check_(int holds, const char *description, const char *text, int line)
{
    int rank, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!holds)
        fprintf(stderr, "# rank %d, line %d: %s\n", rank, line, text);
    holds = holds != 0;
    MPI_Allreduce(&holds, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    mpi_check_count++;
    mpi_check_failed += !all;
    if (rank == 0) {
        printf("%sok %d - %s\n", all ? "" : "not ", mpi_check_count, description);
        fflush(stdout);
    }
}

/* Initialises MPI and checks that the launcher really started as many processes as asked for. */
static inline void mpi_check_begin(int *argc, char ***argv)
{
    int size;
    const char *expected = getenv("SILAS_TEST_NP");
    MPI_Init(argc, argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpi_check(!expected || size == atoi(expected), "the launcher started all processes as one job");
}

static inline int mpi_check_end(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("1..%d\n", mpi_check_count);
    MPI_Finalize();
    return mpi_check_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
