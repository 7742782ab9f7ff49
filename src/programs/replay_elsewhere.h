/* Checks whether the trace was recorded on this machine and with this MPI library. */
#ifndef PROGRAMS_REPLAY_ELSEWHERE_H
#define PROGRAMS_REPLAY_ELSEWHERE_H

#include "trace/trace.h"

/* Collective. Warns of each difference, because the prediction is for this machine and library. */
void replay_warn_if_elsewhere(const struct trace *trace);

/* First line of the MPI library's version, e.g. "MPICH Version: 4.0.2". */
void replay_mpi_library(char *text, size_t size);

#endif
