/* The iteration that represents the others. */
#ifndef STRUCTURE_MEDOID_H
#define STRUCTURE_MEDOID_H

#include "structure/iterations.h"

/* Collective. `*number` is the one of the iterations from <= i < to whose times in all call paths
 * and ranks are nearest to the medians over all of these: the sum of the distances is smallest. Of
 * equal ones it is the first. Fails if memory is out. */
enum status medoid_find(const struct trace *trace, const struct iterations *iterations, size_t from,
                        size_t to, size_t *number, struct error *error);

#endif
