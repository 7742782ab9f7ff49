/* Computation whose speed depends on who else computes at the same time (doc/methods.md, section
 * 14): ranks of one memory domain share its bandwidth as a fluid, by processor sharing. */
#ifndef REPLAY_MODEL_FLUID_H
#define REPLAY_MODEL_FLUID_H

#include "replay/model/evaluate.h"

/* A piece of computation of a rank. Times in ticks. */
struct fluid_piece {
    int64_t begin;  /* R of its beginning (equations.h) */
    int64_t length; /* in the trace of the equations */
    double work;    /* what it would take alone; fluid_history_works finds it */
    double share;   /* the part of the domain's bandwidth that it needs, 0 to 1 */
};

/* The pieces of all ranks, rank after rank, each rank's in order of time. */
struct fluid {
    const struct fluid_piece *pieces;
    const size_t *first;     /* [rank_count + 1] */
    const uint32_t *domains; /* [rank] */
    uint32_t rank_count, domain_count;
};

/* How many times as long computation takes while `load`, the sum of the shares of the pieces that
 * run in its domain, needs bandwidth. */
static inline double fluid_slowdown(double load)
{
    return load > 1 ? load : 1;
}

/* Recorded pieces in order of time, for any number of questions about other shares. */
struct fluid_history;

/* Only lack of memory is a failure. The pieces' times must not change meanwhile. */
enum status fluid_history_create(const struct fluid *fluid, struct fluid_history **history,
                                 struct error *error);
void fluid_history_destroy(struct fluid_history *history); /* NULL is allowed */

/* Sets works[piece] for pieces that ran from `begin` for `length` at the same time as the others,
 * with the shares that they have now. */
void fluid_history_works(struct fluid_history *history, double *works);

/* Solves equations with a STEP_SHARED for each piece, in the order of the pieces. Sets
 * lengths[piece] to what it takes beside the others. `*stuck` is the rank count or, if ranks wait
 * for each other forever, a stuck rank; `*last_time` the predicted time of the last event. */
enum status fluid_solve(const struct fluid *fluid, const struct equations *equations,
                        int64_t *lengths, uint32_t *stuck, int64_t *last_time, struct error *error);

#endif
