/* Definitions and call tree as bytes. */
#ifndef LOOPS_DEFINITIONS_CODE_H
#define LOOPS_DEFINITIONS_CODE_H

#include "trace/folded/packing.h"
#include "trace/trace.h"

/* Writes the definitions and the call tree, or makes them: then `*definitions` is new, with an
 * arena of its own, and not NULL unless memory is out; the caller destroys the arena. Sets
 * coder->failed if memory is out or if the bytes make no sense. */
void definitions_code(struct coder *coder, struct definitions **definitions,
                      struct calltree *calltree);

/* The Cartesian grids, for definitions with the rest of them. */
void grids_code(struct coder *coder, struct definitions *definitions);

/* Texts that most traces define: names of MPI's functions in the order of Score-P's archives. It is
 * part of the format and must not change. */
extern const struct dictionary known_definitions;

#endif
