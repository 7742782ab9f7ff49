/* Expressions, from syntax to struct expression: names are looked up, constants computed. */
#ifndef PREDICTION_LANGUAGE_EXPRESSIONS_H
#define PREDICTION_LANGUAGE_EXPRESSIONS_H

#include "predict/language/names.h"

/* Refuses what may not be used where the resolver is. */
const struct expression *expression_resolve(struct resolver *resolver, const struct syntax *node);

/* The children of a node from number `first` on. */
const struct expression *const *expressions_resolve(struct resolver *resolver,
                                                    const struct syntax *node, uint32_t first);

/* Refuses a call that has not this many arguments. `usage` may be "". */
void expressions_require(struct resolver *resolver, const struct syntax *node, uint32_t count,
                         const char *usage);

/* The communicator that a name stands for. */
uint32_t communicator_resolve(struct resolver *resolver, const char *name, struct place place);
/* The same for a grid, which others are refused. */
uint32_t grid_resolve(struct resolver *resolver, const char *name, struct place place);
/* Number of dimensions of a grid. */
uint32_t grid_dimensions(const struct script *script, uint32_t comm);
bool comm_is_grid(const struct script *script, uint32_t comm);

/* True if the value may differ between ranks. For expressions of USAGE_DECLARATION, whose
 * measurements are in `script` already. */
bool expression_varies(const struct script *script, const struct expression *expression);
/* True if it is of no use for USAGE_EARLY. */
bool expression_is_late(const struct resolver *resolver, const struct expression *expression);

#endif
