/* Measures the costs of messages between two processes: LogGPS parameters for a machine file. Read
 * the folder in this order:
 *
 *   experiments.c  ping-pong, delayed ping-pong, saturation, and whether a send is synchronous
 *   parameters.c   from the times of one round to parameters
 *   calibrate.c    pairs of cores, rounds, medians and intervals
 *   doubts.c       implausible figures of a calibration
 *
 * Every round measures everything once and estimates each parameter. The result is the median of
 * the rounds, so disturbances of some rounds have no effect. */
#ifndef REPLAY_CALIBRATE_CALIBRATE_H
#define REPLAY_CALIBRATE_CALIBRATE_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "replay/costs/machine.h"

struct calibration {
    struct machine machine; /* `known` is set for the distances that were measured */
    struct estimate estimates[DISTANCE_COUNT][LOGGPS_PARAMETERS]; /* of the known distances */
    double misfit[DISTANCE_COUNT]; /* median over sizes of |ping-pong by the parameters - measured|
                                      / measured */
    double core_share[DISTANCE_COUNT]; /* the part of the rounds' time in which the processes had
                                          their cores: 1 if nothing else ran; of the two processes,
                                          the smaller */
    int rounds;
};

/* Collective, of two processes. Measures for each distance between cores to which they can be
 * bound: on one host for a pair of cores of each distance, on two hosts for the network. Complete
 * on process 0. Fails if the processes cannot have separate cores. */
enum status calibrate(const struct processes *processes, struct calibration *calibration,
                      struct error *error);

#endif
