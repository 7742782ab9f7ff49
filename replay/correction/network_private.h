/* The part of the network (network.h) on one process. Only leaders have ranks, steps and gates; on
 * all other processes the counts are 0. The number of a leader is that of its process. */
#ifndef REPLAY_CORRECTION_NETWORK_PRIVATE_H
#define REPLAY_CORRECTION_NETWORK_PRIVATE_H

#include "base/array.h"
#include "base/mpi/handles.h"
#include "equations/walk.h"
#include "replay/correction/network.h"

struct led_step {
    uint32_t gate; /* its number here; not of STEP_END */
    uint8_t code;
};

/* A gate that led ranks use, or that this leader keeps. The keeper of a gate combines its arrivals:
 * all other leaders send it the latest arrival of their ranks, and it answers those whose ranks
 * wait with the value of the open gate. For them, this answer is one more arrival. */
struct known_gate {
    uint64_t id;
    uint32_t keeper;   /* a leader */
    uint32_t arrivals; /* at this process: of ranks, of leaders, of the gate before, the answer */
    bool answered;     /* another leader keeps it, and led ranks wait for it */
    bool chained;      /* its value is an arrival at the next gate, too */
};

/* A message to another leader that has perhaps not been received. */
struct sent_message {
    MPI_Request request;
    char *data;
};

struct network {
    const struct processes *processes;
    int leader;                   /* of this process, maybe itself */
    bool is_shared;               /* there are several leaders */
    size_t step_count, end_count; /* of the process's own ranks */

    /* The ranks that this process leads, in order of their processes. */
    uint32_t rank_count;
    uint32_t *ranks_of; /* [process]: how many of them it owns */
    size_t *first;      /* [rank + 1]: its first step */
    size_t *first_end;  /* [rank + 1]: STEP_ENDs of the ranks before */
    struct led_step *steps;

    ARRAY(struct known_gate) known; /* ascending ids */
    size_t *first_target;           /* [gate + 1] */
    uint32_t *targets;              /* leaders that get the value of a gate kept here */

    /* The state of a solution. */
    struct timed_instance *gates; /* [known gate] */
    struct timed_rank *ranks;
    struct ready_ranks ready;
    int64_t *ends;       /* [STEP_END] */
    struct bytes *boxes; /* [process]: data that have not been sent to that leader */
    uint32_t *addressed; /* leaders whose box is not empty */
    uint32_t addressed_count;
    ARRAY(struct sent_message) sent;
    int64_t sent_count, received_count; /* messages */
    bool no_memory;
};

/* The number of the gate with this id, which the process must have. */
uint32_t network_find_gate(const struct network *network, uint64_t id);

/* Collective: computes the ends with times[step] of the led ranks. Sets `no_memory` on failure.
 * Then, or if ranks wait for each other forever, some ranks do not reach their last step. */
void network_run(struct network *network, const int64_t *times);

#endif
