/* The time of a collective operation after its last member has arrived, by its algorithm. Used only
 * where the recording has no cost of the operation, or another platform changes it. */
#ifndef REPLAY_MODEL_COLLECTIVE_COST_H
#define REPLAY_MODEL_COLLECTIVE_COST_H

#include "replay/costs/machine.h"
#include "trace/environment.h"

/* Members whose messages share links. */
struct collective_crowd {
    const struct network_links *links;
    uint32_t on_node; /* members on the node with the most of them, which have consecutive ranks */
};

/* Seconds. `block`: bytes per member (collective_block). ALGORITHM_AUTOMATIC: the one that MPICH
 * chooses. */
double collective_cost(const struct loggps *loggps, enum collective_op op, enum algorithm algorithm,
                       uint64_t block, uint32_t members, const struct collective_crowd *crowd);

#endif
