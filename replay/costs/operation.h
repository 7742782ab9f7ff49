/* Classes of operations: resource vectors count them, and hardware files have their costs. The
 * costs are those at full rate, when operations do not wait for each other. Loads with
 * unpredictable addresses are the exception (replay/calibrate/kernels.h). Operations that wait for
 * each other form a chain, in which each takes its latency. */
#ifndef REPLAY_COSTS_OPERATION_H
#define REPLAY_COSTS_OPERATION_H

#include <stdbool.h>

/* X(identifier, name in scripts and hardware files, description) */
#define OPERATIONS(X)                                                                \
    X(FLOP_ADD, "flop_add", "addition of doubles")                                   \
    X(FLOP_MUL, "flop_mul", "multiplication of doubles")                             \
    X(FLOP_FMA, "flop_fma", "multiplication with addition, one instruction")         \
    X(FLOP_DIV, "flop_div", "division of doubles")                                   \
    X(FLOP_SQRT, "flop_sqrt", "square root of a double")                             \
    X(INT, "int", "addition or logic of integers")                                   \
    X(INT_MUL, "int_mul", "multiplication of integers")                              \
    X(BRANCH, "branch", "branch that is predicted")                                  \
    X(BRANCH_MISS, "branch_miss", "branch that is not predicted")                    \
    X(CALL, "call", "function call and return")                                      \
    X(LOAD_L1, "load_l1", "load of a double from the first-level cache")             \
    X(LOAD_L2, "load_l2", "load from the second-level cache, address unpredictable") \
    X(LOAD_L3, "load_l3", "load from the last-level cache, address unpredictable")   \
    X(LOAD_MEMORY, "load_memory", "load from memory, address unpredictable")         \
    X(LOAD, "load", "load from the footprint, address unpredictable")                \
    X(STORE, "store", "store of a double to the first-level cache")                  \
    X(BYTE, "byte", "byte streamed from or to memory")

enum operation {
#define X(identifier, name, what) OPERATION_##identifier,
    OPERATIONS(X)
#undef X
        OPERATION_COUNT
};

/* Whether an operation can be part of a chain. All others either wait for nothing (predicted
 * branches, bytes), or their cost is their latency. */
bool operation_chains(enum operation operation);

extern const char *const operation_names[OPERATION_COUNT + 1]; /* NULL-terminated */

#endif
