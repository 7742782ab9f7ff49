/* The time of a collective operation after its last member has come, by its algorithm. */
#ifndef REPLAY_MODEL_COLLECTIVE_COST_H
#define REPLAY_MODEL_COLLECTIVE_COST_H

#include "replay/costs/machine.h"
#include "trace/environment.h"

/* Seconds. `algorithm` ALGORITHM_AUTOMATIC: MPICH's. */
double collective_cost(const struct loggps *loggps, enum collective_op op, enum algorithm algorithm,
                       uint64_t block, uint32_t members);

#endif
