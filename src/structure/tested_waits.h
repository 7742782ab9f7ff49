/* Calls that wait only if a test has failed. A program may test requests, and wait for them later
 * if they are not complete yet. Then it depends on times whether it makes the call that waits. */
#ifndef STRUCTURE_TESTED_WAITS_H
#define STRUCTURE_TESTED_WAITS_H

#include "base/map.h"
#include "trace/trace.h"

/* Finds the calls of MPI_Wait and MPI_Waitall, in the rows from <= row < to, that complete
 * requests, and only such that a test has found incomplete before. `*waits` gets a key for the row
 * of each. A call path is left out if some call of it completes nothing: a program that always
 * waits also does so for requests that a test has completed. False if out of memory. */
bool tested_waits_find(const struct trace *trace, const struct stream *stream, uint32_t from,
                       uint32_t to, struct map *waits);

#endif
