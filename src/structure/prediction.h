/* How well the calls of a rank are told by those before them. Calls in random order do not repeat,
 * however similar long parts of them are. */
#ifndef STRUCTURE_PREDICTION_H
#define STRUCTURE_PREDICTION_H

#include "structure/calls.h"

enum { PREDICTION_LENGTHS = 2 };

/* Sums over the calls before each: of those that follow calls that were made in this order before,
 * and of those of them that mostly do so. For sequences of two lengths. */
struct call_prediction {
    uint32_t *repeated[PREDICTION_LENGTHS], *told[PREDICTION_LENGTHS];
};

/* The call paths are compared. False if out of memory; then nothing is left to free. */
bool call_prediction_make(const struct rank_calls *rank, struct call_prediction *prediction);
void call_prediction_clear(struct call_prediction *prediction);

/* Whether the calls from <= i < to are not in random order: most follow calls that were made in
 * this order before, and most of these do as then. */
bool calls_are_predictable(const struct call_prediction *prediction, uint32_t from, uint32_t to);

#endif
