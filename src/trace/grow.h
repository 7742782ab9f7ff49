/* New regions and call paths for traces that transformations change. The recording stays unchanged.
 */
#ifndef TRACE_GROW_H
#define TRACE_GROW_H

#include "trace/trace.h"

/* Replaces borrowed definitions and a borrowed call tree of a trace by copies, with the same
 * numbers. The names stay in the memory of the other trace, which must outlive this one. Does
 * nothing if the trace borrows nothing. */
enum status trace_own_definitions(struct trace *trace, struct error *error);

/* The call path of an MPI call from `parent` (CALLPATH_NONE: no caller), added if it is new. The
 * trace must have its own definitions, and all processes must call it in the same order.
 * CALLPATH_NONE when memory is out. */
uint32_t trace_mpi_path(struct trace *trace, uint32_t parent, enum mpi_call call);

/* The same call path if it exists; CALLPATH_NONE otherwise. */
uint32_t trace_mpi_path_find(const struct trace *trace, uint32_t parent, enum mpi_call call);

#endif
