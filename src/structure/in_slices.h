/* The structure of a trace that is loaded slice by slice (trace/load/slices.h). Each slice is
 * searched like a trace; iterations that continue in the next slice are followed there. */
#ifndef STRUCTURE_IN_SLICES_H
#define STRUCTURE_IN_SLICES_H

#include "structure/structure.h"
#include "trace/load/slices.h"

/* Collective. As structure_find, but an iteration must be shorter than half a slice, and `own` of
 * samples is NULL. The representative iteration is one of the first slice of the stretch. `*trace`
 * belongs to the slices: its definitions, call tree, begin and end are those of the whole. */
enum status structure_find_in_slices(struct trace_slices *slices,
                                     const struct structure_options *options,
                                     const struct trace **trace, struct stretch **whole,
                                     struct error *error);

#endif
