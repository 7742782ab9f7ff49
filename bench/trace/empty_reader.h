/* The fastest way to read an OTF2 archive: its own reader, with callbacks that do nothing. The
 * reference for the time of loading a trace. */
#ifndef BENCH_EMPTY_READER_H
#define BENCH_EMPTY_READER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the definitions, and the events of process `process` of `processes` (a contiguous block of
 * locations in the order of their definition). `*events` counts them. False on any error. */
bool empty_read(const char *anchor, int process, int processes, uint64_t *events);

#endif
