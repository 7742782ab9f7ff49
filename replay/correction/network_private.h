/* What a process knows of the network (network.h). Only leaders have ranks, steps and gates; on the
 * other processes the counts are 0. Leaders are named by their process. */
#ifndef REPLAY_CORRECTION_NETWORK_PRIVATE_H
#define REPLAY_CORRECTION_NETWORK_PRIVATE_H

#include "base/array.h"
#include "base/bytes.h"
#include "base/mpi/processes.h"
#include "replay/correction/network.h"

#define NOBODY UINT32_MAX

/* A step as its leader gets it. */
struct sent_step {
    uint64_t gate;
    uint32_t leader; /* which keeps the gate */
    uint8_t action;
};

struct led_step {
    uint32_t gate; /* NOBODY: NETWORK_END */
    uint8_t action;
};

struct gate {
    int64_t latest;
    uint32_t missing; /* arrivals still missing */
    uint32_t waiting; /* the last rank that has begun to wait, or NOBODY */
};

/* A gate of another leader that gets the value of a gate here when that opens. */
struct target {
    uint32_t leader, gate;
};

struct led_rank {
    int64_t shift;
    size_t at;     /* next step */
    size_t end;    /* next NETWORK_END */
    uint32_t next; /* another rank that waits for the same gate, or NOBODY */
};

/* A message to another leader that may be under way. */
struct sent {
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
    size_t *first_end;  /* [rank + 1]: NETWORK_ENDs of the ranks before */
    struct led_step *steps;

    uint32_t gate_count;
    uint32_t *arrivals;   /* [gate]: number of arrivals */
    bool *chained;        /* [gate]: the next gate waits for it, too */
    size_t *first_target; /* [gate + 1] */
    struct target *targets;

    /* The state of a solution. */
    struct gate *gates;
    struct led_rank *ranks;
    int64_t *ends;   /* [NETWORK_END] */
    uint32_t *ready; /* [ranks], a stack */
    uint32_t ready_count;
    struct bytes *boxes; /* [process]: what that leader is still to be sent */
    uint32_t *addressed; /* leaders whose box is not empty */
    uint32_t addressed_count;
    ARRAY(struct sent) sent;
    int64_t sent_count, received_count; /* messages */
    bool no_memory;
};

/* Collective: makes the gates of the ranks that this process leads, and their steps from `steps`.
 * Fails with STATUS_ENVIRONMENT if memory is out. */
enum status network_make_gates(struct network *network, const struct sent_step *steps,
                               struct error *error);

/* Collective: gets the ends for the led ranks' times[step]. Sets `no_memory` on failure; then, or
 * if ranks wait for each other forever, some ranks do not reach their last step. */
void network_run(struct network *network, const int64_t *times);

#endif
