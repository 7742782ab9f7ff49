/* What a collective operation takes after its last member has come, by the algorithm that carries
 * it out. */
#ifndef REPLAY_MODEL_COLLECTIVE_COST_H
#define REPLAY_MODEL_COLLECTIVE_COST_H

#include "replay/costs/machine.h"
#include "trace/environment.h"

/* The one that MPICH uses for so many bytes (one member's block, see collective_block) and members.
 */
enum algorithm algorithm_of_mpich(enum collective_op op, uint64_t block, uint32_t members);

/* Seconds. `algorithm` ALGORITHM_AUTOMATIC: MPICH's. */
double collective_cost(const struct loggps *loggps, enum collective_op op, enum algorithm algorithm,
                       uint64_t block, uint32_t members);

#endif
