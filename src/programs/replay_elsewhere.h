/* Was the trace recorded on another machine, or with another MPI, than it is replayed with? */
#ifndef PROGRAMS_REPLAY_ELSEWHERE_H
#define PROGRAMS_REPLAY_ELSEWHERE_H

#include "trace/trace.h"

/* Collective. Warns of each difference: then a replay tells how the program would behave here. */
void replay_warn_if_elsewhere(const struct trace *trace);

/* First line of the MPI library's version, e.g. "MPICH Version: 4.0.2". */
void replay_mpi_library(char *text, size_t size);

#endif
