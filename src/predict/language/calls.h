/* What follows from who calls whom. */
#ifndef PREDICTION_LANGUAGE_CALLS_H
#define PREDICTION_LANGUAGE_CALLS_H

#include "predict/language/names.h"

/* Refuses procedures and parts that would call themselves without end, because no condition, loop
 * or case is between. */
void calls_refuse_endless(struct resolver *resolver);

/* Sets `constant` of the procedures. */
void calls_find_constant(struct resolver *resolver);

#endif
