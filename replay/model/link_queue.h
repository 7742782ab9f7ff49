/* Messages that take links whole, as in Dimemas (doc/methods.md, section 4.1): a message between
 * nodes needs one outgoing link of its node, one incoming link of the other node and one bus, a
 * message within a node needs the node's memory. It waits until all are free, keeps them until it
 * ends, and has the bandwidth of the slowest for itself. Of the messages that can begin, the one
 * that came first does; a message that has to wait does not hold up later ones. Times are in any
 * unit, as in link_network.h. */
#ifndef REPLAY_MODEL_LINK_QUEUE_H
#define REPLAY_MODEL_LINK_QUEUE_H

#include "replay/model/link_network.h"

#include <math.h>

/* What a node has. */
enum { RESOURCE_OUT, RESOURCE_IN, RESOURCE_MEMORY, NODE_RESOURCES };

/* Bytes per unit of time; INFINITY if there is no limit (0). */
static inline double link_rate(double bytes_per_second, double second)
{
    return bytes_per_second > 0 ? bytes_per_second / second : INFINITY;
}

struct link_queue;

/* As link_network_create, for links with `whole`. */
enum status link_queue_create(const struct network_links *links, double second, uint32_t node_count,
                              struct link_queue **queue, struct error *error);
void link_queue_destroy(struct link_queue *queue); /* NULL is allowed */

/* A message of `bytes` > 0 is ready to be transferred. `time` is not before that of any call so
 * far. False when memory is out. */
bool link_queue_begin(struct link_queue *queue, uint32_t flow, const struct link_path *path,
                      double bytes, double time);

/* When the next message ends; INFINITY if there is none. */
double link_queue_next_end(const struct link_queue *queue);

/* Ends it, if link_queue_next_end is finite. False when memory is out. */
bool link_queue_end(struct link_queue *queue, uint32_t *flow);

/* The time of the last begin or end. */
double link_queue_time(const struct link_queue *queue);

#endif
