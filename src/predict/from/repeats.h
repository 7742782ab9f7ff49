/* The actions of one rank as a tree: regions, and loops where their contents repeat. Two visits of
 * a region may count as the same if they contain the same steps, however often; so a loop of
 * different length, or a step that is sometimes missing, does not hide that the loop around it
 * repeats. */
#ifndef PREDICTION_FROM_REPEATS_H
#define PREDICTION_FROM_REPEATS_H

#include "predict/from/steps.h"

struct outline_item; /* outline.h */

enum node_kind { NODE_CALL, NODE_REGION, NODE_LOOP };

struct repeat_node {
    uint8_t kind; /* enum node_kind */
    bool silent;  /* CALL: a message to or from MPI_PROC_NULL only: its bytes and tag are unknown */
    uint32_t action;               /* of a REGION that of its ENTER; of the root INDEX_NONE */
    uint32_t times;                /* LOOP: iterations */
    uint32_t count;                /* of the children */
    struct repeat_node **children; /* LOOP: of all iterations, count / times each */
    uint64_t signature;            /* equal for nodes that count as the same, */
    uint64_t loose;            /* and by what may differ inside of loops that were found first */
    uint64_t contents;         /* steps in it, as a set of 64 hashes */
    double before;             /* seconds of computation before it, */
    double after;              /* REGION: and at its end */
    struct outline_item *item; /* set by outline_merge */
};

/* The actions of one rank as a tree. */
struct rank_tree {
    const struct rank_actions *actions;
    struct repeat_node *root;
};

/* Which properties must be equal in iterations of a loop, in addition to the steps. */
struct likeness {
    bool distance; /* peers: their distance from the rank */
    bool bytes;
    bool contents; /* regions: the steps in them, in any number and order */
};

/* Loops whose iterations are alike in the first sense are found first; then, inside and outside
 * of these, loops whose iterations are alike in the second sense: a cycle over levels, and the
 * levels. */
struct likenesses {
    struct likeness first, then;
};

/* Computation before the first iteration of a loop is split: what exceeds the other iterations' is
 * before the loop. False when memory is out; the tree is in the arena. */
bool repeats_find(const struct script_steps *steps, const struct rank_actions *actions,
                  const struct likenesses *alike, struct arena *arena, struct repeat_node **root);

/* The distance of a message's peer in ranks, shorter around the end if the communicator is a ring
 * of `size`; of calls without a peer 0. Both ends in one number. */
int64_t action_distance(const struct action *action, uint32_t size);

#endif
