/* For programs that check what MPI gives them: they must get the same with and without the tracer.
 */
#ifndef CHAPTER_H
#define CHAPTER_H

#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD         MPI_COMM_WORLD

/* MPICH 4.0 with UCX takes the next lower multiple of 16 for the address of a window. */
#define WINDOW_MEMORY _Alignas(64)

static int rank, size, left, right;

/* Ends the whole job, with the line, if MPI gave something else than the standard says. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
            MPI_Abort(WORLD, 1);                                                                   \
        }                                                                                          \
    } while (0)

static inline void chapter_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
}

static inline void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

#endif
