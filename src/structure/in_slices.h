/* The structure of a trace that is not held as a whole (trace/load/slices.h). Each slice is
 * searched as if it were a trace; iterations that go on in the next slice are followed there. */
#ifndef STRUCTURE_IN_SLICES_H
#define STRUCTURE_IN_SLICES_H

#include "structure/structure.h"
#include "trace/load/slices.h"

/* Collective. As structure_find, but an iteration must be shorter than half a slice, and `own` is
 * NULL. The representative iteration is one of the first slice in which the stretch lies. `*trace`
 * belongs to the slices: its definitions, call tree, begin and end are those of the whole. */
enum status structure_find_in_slices(struct trace_slices *slices,
                                     const struct structure_options *options,
                                     const struct trace **trace, struct stretch **whole,
                                     struct error *error);

#endif
