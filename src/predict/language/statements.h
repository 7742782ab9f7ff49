/* Statements, from syntax to struct statement. */
#ifndef PREDICTION_LANGUAGE_STATEMENTS_H
#define PREDICTION_LANGUAGE_STATEMENTS_H

#include "predict/language/names.h"

/* The statements of a body: a statement, or a block, whose variables end with it. Blocks within
 * blocks become part of the outer one. */
struct block block_resolve(struct resolver *resolver, const struct syntax *node);

#endif
