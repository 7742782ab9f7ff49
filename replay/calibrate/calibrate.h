/* Measures what messages cost between two processes: LogGPS parameters for a machine file. Read the
 * folder in this order:
 *   experiments.c  ping-pong, delayed ping-pong, saturation, and whether a send is synchronous
 *   parameters.c   from the times of one round to parameters
 *   calibrate.c    all of it: pairs of cores, rounds, medians and intervals
 *   doubts.c       what in a calibration is implausible
 *
 * Every round measures everything once and gives an estimate of each parameter. The result is the
 * median of the rounds, so disturbances of some of them do not count. */
#ifndef REPLAY_CALIBRATE_CALIBRATE_H
#define REPLAY_CALIBRATE_CALIBRATE_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "replay/costs/machine.h"

struct calibration {
    struct machine machine; /* only what was measured is known */
    struct estimate estimates[DISTANCE_COUNT][LOGGPS_PARAMETERS]; /* of the known distances */
    double misfit[DISTANCE_COUNT]; /* median over sizes of |ping-pong by the parameters - measured|
                                      / measured */
    double
        core_share[DISTANCE_COUNT]; /* of the time of the rounds, the part in which the processes
                                       had their cores: 1 if nothing else ran; the lesser of both */
    int rounds;
};

/* Collective, of two processes. Measures between all kinds of places that the two can be bound to:
 * on one host a pair of cores of each distance; on two hosts the network. Complete on process 0.
 * Fails if the processes do not have a core each. */
enum status calibrate(const struct processes *processes, struct calibration *calibration,
                      struct error *error);

#endif
