/* Lengths of computation: a law of the parameters, the number of ranks and loop variables, and what
 * distinguishes ranks. */
#ifndef PREDICTION_FROM_FIT_SECONDS_H
#define PREDICTION_FROM_FIT_SECONDS_H

#include "predict/from/fit.h"

/* fit_expression for FIT_SECONDS. */
bool fit_seconds(const struct fit_context *context, const struct observation *observations,
                 uint32_t count, const char *table_name, struct fitted *fitted);

#endif
