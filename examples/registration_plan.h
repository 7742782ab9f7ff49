/* What the ranks of an image registration do, step by step: the program of F. Ino, Y. Kanbe,
 * M. Okita, K. Hagihara, "Trace reduction for performance improvement assessment of message passing
 * parallel programs", Figure 8. registration.c runs these steps; bench/replay/registration.c makes
 * a trace of them with computed times.
 *
 * Each rank has a block of the image. A control point is moved by the ranks whose blocks have
 * pixels in its neighbourhood: its group. Neighbourhoods become smaller from iteration to
 * iteration, at most 12 ranks in the first, 4 in the fourth, 2 in the sixth. In the first
 * iterations each point has another group, and a rank belongs to many of them; later a group
 * keeps its point for many rounds. The numbers of MPI calls in each iteration and outside of them
 * are the paper's (Table I, where a call is two events), in proportion to the number of ranks. */
#ifndef EXAMPLES_REGISTRATION_PLAN_H
#define EXAMPLES_REGISTRATION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* X(identifier, name): regions; what one iteration has follows its number */
#define REGISTRATION_REGIONS(X)     \
    X(DISTRIBUTE, distribute_image) \
    X(ITERATION_1, iteration_1)     \
    X(ITERATION_2, iteration_2)     \
    X(ITERATION_3, iteration_3)     \
    X(ITERATION_4, iteration_4)     \
    X(ITERATION_5, iteration_5)     \
    X(ITERATION_6, iteration_6)     \
    X(DEFORM, deform_image)         \
    X(GATHER, gather_displacements) \
    X(SEARCH, search_landmark)

enum registration_region {
#define X(identifier, name) REGISTRATION_##identifier,
    REGISTRATION_REGIONS(X)
#undef X
        REGISTRATION_REGION_COUNT
};

enum { REGISTRATION_ITERATIONS = 6, REGISTRATION_LEAST_RANKS = 4, REGISTRATION_MOST_BYTES = 16384 };

struct registration {
    int ranks; /* REGISTRATION_LEAST_RANKS at least */
    uint64_t seed;
    int iterations; /* 1 .. REGISTRATION_ITERATIONS */
    bool search;    /* at some points one rank searches for a landmark, and the others wait */
};

/* Hears the steps in an order in which they can happen: each rank does those that name it, one
 * after the other. */
struct registration_sink {
    void *context;
    void (*region)(void *context, int rank, enum registration_region region, bool enters);
    void (*compute)(void *context, int rank, double share); /* of the mean local computation */
    /* MPI_Send and MPI_Recv; and MPI_Sendrecv on both ranks. `number` is the message's. */
    void (*transfer)(void *context, int from, int to, int bytes, uint32_t number);
    void (*exchange)(void *context, int rank, int other, int bytes, uint32_t number);
};

/* False when memory is out. Equal arguments give equal steps. */
bool registration_walk(const struct registration *registration,
                       const struct registration_sink *sink);

#endif
