/* Definitions and call tree as bytes. Each function writes or reads, as its coder does. */
#ifndef TRACE_FOLDED_DEFINITIONS_CODE_H
#define TRACE_FOLDED_DEFINITIONS_CODE_H

#include "trace/folded/packing.h"
#include "trace/trace.h"

/* Definitions and call tree, without Cartesian grids. Reading allocates `*definitions` with a new
 * arena, which the caller destroys; it is NULL if memory is out. Sets coder->failed if memory is
 * out or the bytes are invalid. */
void definitions_code(struct coder *coder, struct definitions **definitions,
                      struct calltree *calltree);

/* The Cartesian grids. Everything else must be in `definitions` already. */
void grids_code(struct coder *coder, struct definitions *definitions);

/* definitions->threads, which must not be NULL for writing (trace/threads.h). Everything else must
 * be in `definitions` already. */
void threads_code(struct coder *coder, struct definitions *definitions);

/* A dictionary of texts that most traces define: names of MPI functions in the order of Score-P's
 * archives. It is part of the format and must not change. */
extern const struct dictionary known_definitions;

#endif
