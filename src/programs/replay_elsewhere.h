/* Was the trace recorded on another machine or with another MPI library than the replay uses? */
#ifndef PROGRAMS_REPLAY_ELSEWHERE_H
#define PROGRAMS_REPLAY_ELSEWHERE_H

#include "trace/trace.h"

/* Collective. Warns of each difference: with any, the prediction is for this machine, not for
 * that of the recording. */
void replay_warn_if_elsewhere(const struct trace *trace);

/* First line of the MPI library's version, e.g. "MPICH Version: 4.0.2". */
void replay_mpi_library(char *text, size_t size);

#endif
