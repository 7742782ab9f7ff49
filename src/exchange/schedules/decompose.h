/* Collective operations as point-to-point messages: one algorithm for each kind, whatever the
 * size. Sources: MPICH's choices as in Thakur, Rabenseifner, Gropp (doc/methods.md, section 4), and
 * those of Schedgen, LogGOPSim's generator of schedules.
 *
 *   barrier, creation of communicators and windows   dissemination, messages of 1 byte
 *   bcast, reduce                                    binomial tree
 *   gather, scatter                                  binomial tree; blocks add up
 *   allreduce                                        recursive doubling
 *   allgather, allgatherv                            ring
 *   scan, exscan                                     doubling distances
 *   reduce_scatter, reduce_scatter_block             pairwise exchange
 *   gatherv, scatterv, alltoall, alltoallv,          linear: all messages at once
 *   alltoallw, neighbourhoods, intercommunicators
 *
 * Messages of no bytes are written as such; a format that has none changes them. */
#ifndef SCHEDULES_DECOMPOSE_H
#define SCHEDULES_DECOMPOSE_H

#include "exchange/schedules/schedule.h"

/* A message of an operation: to or from a member, by its rank in the communicator (in the remote
 * group of an intercommunicator). */
struct collective_message {
    bool sends;
    uint32_t member;
    uint64_t bytes;
};

/* A member's view of an operation. */
struct decomposition {
    enum collective_op op;
    uint32_t members, me;
    uint32_t root;                    /* ROOT_NONE, ROOT_SELF, ROOT_THIS_GROUP or a member */
    uint64_t block;                   /* as in struct schedule_collective, */
    const uint64_t *sends, *receives; /* NULL: `block` from and to each */
    bool between_groups; /* an intercommunicator: members are those of the other group */
    /* Neighbourhood operations: [sends_count], [receives_count]; then `sends` and `receives` have
     * one item for each. */
    bool neighbours;
    const uint64_t *destinations, *sources;
    uint32_t destination_count, source_count;
};

/* Takes the messages of one round, which begin together; the next round begins when they are
 * complete. False ends the decomposition. */
typedef bool take_round(void *context, const struct collective_message *parts, size_t count);

/* Calls `take` for each round of this member. False when memory is out or `take` has returned
 * false. */
bool decompose(const struct decomposition *decomposition, take_round *take, void *context);

/* The same in one round: a message from each member that gives to each member that takes, so that a
 * member neither waits nor sends between begin and end. */
bool decompose_flat(const struct decomposition *decomposition, take_round *take, void *context);

#endif
