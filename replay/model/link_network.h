/* Flows that share links (doc/methods.md, section 4): the rates of all flows at a time are max-min
 * fair, and change only when a flow begins or ends. A flow passes the outgoing links of its node,
 * the switch, and the incoming links of the other node; within a node it passes the node's memory.
 * With `whole` in the links, messages take them whole instead (link_queue.h).
 * Times are in any unit, bytes per time in the same. */
#ifndef REPLAY_MODEL_LINK_NETWORK_H
#define REPLAY_MODEL_LINK_NETWORK_H

#include "base/status.h"
#include "replay/costs/machine.h"

struct link_network;

/* `second`: in units of time. Fails only when memory is out; nothing is left to free then. */
enum status link_network_create(const struct network_links *links, double second,
                                uint32_t node_count, struct link_network **network,
                                struct error *error);
void link_network_destroy(struct link_network *network); /* NULL is allowed */

/* The way of a flow. `rate`: of a flow that is alone, in bytes per time, > 0; INFINITY: only the
 * links limit it. Flows between the same nodes that have different rates have different kinds. */
struct link_path {
    uint32_t from, to; /* nodes */
    uint32_t kind;     /* 0 or 1 */
    double rate;
};

/* A flow of `bytes` > 0 begins. `time` is not before that of any call so far. False when memory is
 * out. */
bool link_network_begin(struct link_network *network, uint32_t flow, const struct link_path *path,
                        double bytes, double time);

/* When the next flow ends; INFINITY if there is none. False when memory is out. */
bool link_network_next_end(struct link_network *network, double *time);

/* Ends it: to be called after link_network_next_end, if that was finite. False when memory is out.
 */
bool link_network_end(struct link_network *network, uint32_t *flow);

/* The time of the last begin or end. */
double link_network_time(const struct link_network *network);

#endif
