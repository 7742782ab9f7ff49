/* How well the calls of a rank can be predicted from the calls before them. Calls in random order
 * are not iterations, however similar long parts of them are. */
#ifndef STRUCTURE_PREDICTION_H
#define STRUCTURE_PREDICTION_H

#include "structure/calls.h"

enum { PREDICTION_LENGTHS = 2 };

/* For each call, numbers of calls before it: those that follow a sequence of calls that has
 * occurred before, and among these the ones that are the most frequent successor of their sequence.
 * For sequences of two lengths. */
struct call_prediction {
    uint32_t *repeated[PREDICTION_LENGTHS], *predicted[PREDICTION_LENGTHS];
};

/* The call paths are compared. False if out of memory; then nothing is left to free. */
bool call_prediction_make(const struct rank_calls *rank, struct call_prediction *prediction);
void call_prediction_clear(struct call_prediction *prediction);

/* Whether the calls from <= i < to are not in random order: most of them follow a sequence of calls
 * that has occurred before, and most of these are its most frequent successor. */
bool calls_are_predictable(const struct call_prediction *prediction, uint32_t from, uint32_t to);

#endif
