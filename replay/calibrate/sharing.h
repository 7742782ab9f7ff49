/* How messages share the links of nodes: pairs of processes that send at the same time. */
#ifndef REPLAY_CALIBRATE_SHARING_H
#define REPLAY_CALIBRATE_SHARING_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "replay/costs/machine.h"

struct link_sharing {
    int pairs;                       /* that have sent at the same time; 0: not measured */
    enum distance distance;          /* of each pair: DISTANCE_NETWORK or DISTANCE_NODE */
    struct estimate alone, together; /* bytes per second: of one pair alone, of all pairs in sum */
};

/* Collective, of an even number of processes, at least 4: all on one host, or half of them on each
 * of two hosts, with a core for each. In each pair the first process sends large messages to the
 * second; between hosts all go in one direction. Complete on process 0. The processes are bound to
 * their cores only meanwhile. Fails with STATUS_ENVIRONMENT if the hosts or cores are not as said.
 */
enum status sharing_measure(const struct processes *processes, struct link_sharing *sharing,
                            struct error *error);

/* True if the pairs have slowed each other down: `together` is clearly less than `alone` of each.
 */
bool sharing_is_limited(const struct link_sharing *sharing);

/* Sets the capacities that follow: outgoing and incoming links, between which two hosts cannot
 * distinguish, or the memory. Nothing if no limit was seen. */
void sharing_apply(const struct link_sharing *sharing, struct network_links *links);

/* The process with which process 0 measures a single pair: the first on another host, or, on one
 * host, process 1. Collective. */
int sharing_partner(const struct processes *processes);

#endif
