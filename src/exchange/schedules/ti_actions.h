/* The actions of time-independent traces for collective operations, and their arguments, for reader
 * and writer. */
#ifndef SCHEDULES_TI_ACTIONS_H
#define SCHEDULES_TI_ACTIONS_H

#include "base/mpi_call.h"

/* The arguments that follow the name of an action, before a root and datatypes. */
enum ti_arguments {
    TI_NOTHING,
    TI_SIZE,           /* a block */
    TI_REDUCTION,      /* a block, operations of its computation */
    TI_BLOCKS,         /* blocks sent and received */
    TI_RECEIVE_VECTOR, /* a block sent, blocks from each */
    TI_SEND_VECTOR,    /* blocks to each, a block received */
    TI_BOTH_VECTORS,   /* size of the buffer, blocks to each; the same of receives */
    TI_PARTS,          /* blocks that each receives, operations of the computation */
};

struct ti_action {
    const char *name; /* NULL: SimGrid has no action for the operation */
    enum collective_op op;
    enum mpi_call call; /* blocking */
};

/* The action of an operation; its name is NULL for operations on handles, too. */
struct ti_action ti_action_of(enum collective_op op);

/* The action with this name, in any capitals (older traces have "allReduce"); its name is NULL if
 * there is none. */
struct ti_action ti_action_named(const char *name);

enum ti_arguments ti_action_arguments(enum collective_op op);

#endif
