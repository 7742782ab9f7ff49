/* The iteration that represents the others. */
#ifndef STRUCTURE_MEDOID_H
#define STRUCTURE_MEDOID_H

#include "structure/iterations.h"

#include <stdbool.h>

/* Collective. Sets `*number` to the medoid of the `eligible` iterations from <= i < to, of which
 * there is one or more: the one whose times in all call paths and ranks have the smallest sum of
 * distances to the medians; of equal ones the first. Fails if out of memory. */
enum status medoid_find(const struct trace *trace, const struct iterations *iterations, size_t from,
                        size_t to, const bool *eligible, size_t *number, struct error *error);

#endif
