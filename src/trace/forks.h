/* Records of forks and joins: where a thread begins and ends a parallel region. */
#ifndef TRACE_FORKS_H
#define TRACE_FORKS_H

#include "trace/trace.h"

/* 1 for the record of a fork of threads, -1 for that of a join, 0 for all other events. */
int stream_fork_at(const struct stream *stream, uint32_t row);

/* The number of threads that a fork asks for, in its record. */
uint64_t *stream_fork_threads(const struct stream *stream, uint32_t row);

bool region_is_openmp(const struct region *region);

#endif
