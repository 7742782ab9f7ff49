/* New regions and call paths for a trace that transformations change. The recording stays
 * unchanged. */
#ifndef TRACE_GROW_H
#define TRACE_GROW_H

#include "trace/trace.h"

/* Gives a trace that borrows its definitions and its call tree its own copies of both, with the
 * same numbers; the names stay those of the other trace, which must outlive it. */
enum status trace_own_definitions(struct trace *trace, struct error *error);

/* The call path of an MPI call from `parent` (CALLPATH_NONE: no caller), added if it is new. The
 * trace must have its own definitions, and all processes must call it in the same order.
 * CALLPATH_NONE when memory is out. */
uint32_t trace_mpi_path(struct trace *trace, uint32_t parent, enum mpi_call call);

/* The same if it exists already; CALLPATH_NONE otherwise. */
uint32_t trace_mpi_path_find(const struct trace *trace, uint32_t parent, enum mpi_call call);

#endif
