/* How long jobs are expected to take: for notes to the user and for the time limits of queues. */
#ifndef JOB_DURATION_H
#define JOB_DURATION_H

#include "trace/load/load.h"

/* Seconds until a trace is loaded, matched and checked, with the start of the program. */
double duration_of_start(const struct trace_size *size);

/* Seconds of the trial replays that tune a replay of a trace of this length, if they can replay a
 * part of it. Otherwise they usually take six times its length. */
double duration_of_trials(double length_s);

/* Seconds of one replay in which the program takes `length_s`, with the correction and the
 * comparison with the recording. */
double duration_of_replay(const struct trace_size *size, double length_s);

/* Seconds of one run by the model. */
double duration_of_prediction(const struct trace_size *size);

#endif
