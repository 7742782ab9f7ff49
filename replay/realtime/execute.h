/* The hot loop: a program runs against the clock. */
#ifndef REPLAY_REALTIME_EXECUTE_H
#define REPLAY_REALTIME_EXECUTE_H

#include "replay/realtime/executor.h"

/* Runs the whole program; `start` is the moment in ticks at which the trace begins. */
void program_run(struct executor *executor, uint64_t start);

/* Completes requests that the program leaves open, after the clock has stopped. */
void program_drain(struct executor *executor);

#endif
