/* How much the times of real runs of a program differ, as far as one recording of it shows. */
#ifndef JOB_RUN_SPREAD_H
#define JOB_RUN_SPREAD_H

#include "trace/trace.h"

/* Standard deviations between runs, as fractions; 0 if the recording does not show them: it is
 * reduced or too short, or nothing in it repeats. */
struct run_spread {
    double run;  /* of T */
    double part; /* of the time of a part of the program, without the differences that all parts
                    share */
};

/* Collective. The recording is divided into windows of equal length. The pace of a window is the
 * time that repeated intervals of computation took in it, divided by the time that they usually
 * take (the median of intervals of the same kind on a rank, as in transform/variation.c); each of
 * the two sums is that of the rank where it is largest. The variance of the pace, to which single
 * windows contribute most, counts as that of independent windows: this is `part`. In `run`, the
 * usual distance of the pace from its median counts in full, too, as if it lasted for a whole run.
 * The result is for the part of T that these intervals take. If disturbances last longer than the
 * recording, runs differ more. `trace` must be matched. Fails only if out of memory. */
enum status run_spread_find(const struct trace *trace, struct run_spread *spread,
                            struct error *error);

#endif
