/* New regions and call paths for a trace that transformations change. What it shares with the
 * recording stays as it is. */
#ifndef TRACE_GROW_H
#define TRACE_GROW_H

#include "trace/trace.h"

/* Gives a trace that borrows its definitions and its call tree its own copies of both, with the
 * same numbers; they still use names of the other trace, which must outlive it. */
enum status trace_own_definitions(struct trace *trace, struct error *error);

/* The call path of an MPI call from `parent` (CALLPATH_NONE: no caller), made if it is new: only in
 * a trace that has its own definitions, and in the same order on all processes. CALLPATH_NONE when
 * memory is out. */
uint32_t trace_mpi_path(struct trace *trace, uint32_t parent, enum mpi_call call);

/* The same if it is there already, CALLPATH_NONE otherwise. */
uint32_t trace_mpi_path_find(const struct trace *trace, uint32_t parent, enum mpi_call call);

#endif
