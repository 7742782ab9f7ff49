/* Random programs with all that a reduction may meet, as tests/patterns/case_reader.h reads them:
 * messages of all modes and sizes, requests that stay open for long, tests, probes and polling
 * loops, persistent and cancelled requests, requests that never complete, collective operations of
 * all kinds, calls without records, nested and empty regions, flushes. They never deadlock: what a
 * call waits for is always written before the call. Their times follow the messages with a latency
 * of 3 ticks; in some programs now and then they contradict them. */
#ifndef TESTS_REDUCTION_RANDOM_PROGRAM_H
#define TESTS_REDUCTION_RANDOM_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

/* 0 to limit - 1, from a sequence that begins with any state (splitmix64). */
int reduction_random_below(uint64_t *state, int limit);

void reduction_program_write(uint64_t seed, FILE *file);

#endif
