/* Computation whose speed depends on other ranks' computation at the same time (doc/methods.md,
 * section 14): the ranks of a memory domain share its bandwidth like a fluid (processor sharing).
 */
#ifndef REPLAY_MODEL_FLUID_H
#define REPLAY_MODEL_FLUID_H

#include "replay/model/evaluate.h"

/* A piece of computation of a rank. Times in ticks. */
struct fluid_piece {
    int64_t begin;  /* R of its beginning (equations/equations.h) */
    int64_t length; /* in the trace of the equations */
    double work;    /* its length without other ranks; fluid_history_works finds it */
    double share;   /* the part of the domain's bandwidth that it needs, 0 to 1 */
};

/* The pieces of all ranks, rank after rank, each rank's in order of time. */
struct fluid {
    const struct fluid_piece *pieces;
    const size_t *first;     /* [rank_count + 1] */
    const uint32_t *domains; /* [rank] */
    uint32_t rank_count, domain_count;
};

/* The factor by which computation is slower while the pieces that run in its domain have shares
 * that sum up to `load`. */
static inline double fluid_slowdown(double load)
{
    return load > 1 ? load : 1;
}

/* The beginnings and ends of recorded pieces in order of time, to find works for any shares. */
struct fluid_history;

/* The times of the pieces must not change while the history is used. Fails only when memory is out;
 * nothing is left to free then. */
enum status fluid_history_create(const struct fluid *fluid, struct fluid_history **history,
                                 struct error *error);
void fluid_history_destroy(struct fluid_history *history); /* NULL is allowed */

/* Sets works[piece], for the current shares of the pieces: their lengths without other ranks, given
 * that they ran from `begin` for `length`. */
void fluid_history_works(struct fluid_history *history, double *works);

/* Solves equations with a STEP_SHARED for each piece, in the order of the pieces. Sets
 * lengths[piece] to its length with the pieces of all other ranks. `*stuck` becomes the rank count
 * or, if ranks wait for each other forever, a stuck rank; `*last_time` the predicted time of the
 * last event. */
enum status fluid_solve(const struct fluid *fluid, const struct equations *equations,
                        int64_t *lengths, uint32_t *stuck, int64_t *last_time, struct error *error);

#endif
