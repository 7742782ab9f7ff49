/* A whole script, from syntax to struct script. */
#ifndef PREDICTION_LANGUAGE_DECLARATIONS_H
#define PREDICTION_LANGUAGE_DECLARATIONS_H

#include "predict/language/names.h"

/* Fills `resolver->script` from a parsed script. `resolver->reader` and `->script` are set, all
 * else is zero. */
void declarations_resolve(struct resolver *resolver, const struct syntax *tree);

#endif
