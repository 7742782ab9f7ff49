/* Messages that share links (link_network.h). Their times depend on all messages that have begun
 * before, so a solver takes the messages in order of time. It then changes the equations: an
 * asynchronous message arrives later, and the calls that wait for a synchronous one take longer, by
 * as much as the messages have been slowed down. All solvers of the equations give these times. */
#ifndef REPLAY_MODEL_FLOWS_H
#define REPLAY_MODEL_FLOWS_H

#include "equations/equations.h"
#include "replay/costs/transfer.h"

/* What links have done to the messages. */
struct flow_delays {
    uint64_t messages; /* that share links */
    uint64_t delayed;  /* those that others have slowed down, */
    int64_t longest;   /* by at most this many ticks */
};

/* Delays the messages of equations that are compiled with part_input.flows. Not collective. Ranks
 * that wait for each other forever stay so. Fails only when memory is out. */
enum status flows_delay(struct equations *equations, const struct platform *platform,
                        struct flow_delays *delays, struct error *error);

#endif
