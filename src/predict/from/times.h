/* Lengths of computation as expressions. */
#ifndef PREDICTION_FROM_TIMES_H
#define PREDICTION_FROM_TIMES_H

#include "predict/from/expressions.h"

/* The mean length, by rank and, where that explains most of its variation, by the iterations of
 * loops around it. What varies beyond that and amounts to a noticeable part of the run time is
 * written in the form of the expressions: with means alone, no rank would wait for one that is late
 * by chance. A factor is drawn at random from 16 quantiles of the recorded ones. Text NULL: no rank
 * computes there. */
struct expressed express_time(struct expressions *expressions, const struct value_column *column,
                              uint32_t depth, const char *name);

#endif
