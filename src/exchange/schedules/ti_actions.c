#include "exchange/schedules/ti_actions.h"

#include <assert.h>
#include <string.h>

static const struct ti_action actions[COLLECTIVE_OP_COUNT] = {
#define X(operation, word, messages, mpich, simgrid, ...) \
    [COLLECTIVE_##operation] = {simgrid, COLLECTIVE_##operation, MPI_CALL_##operation},
    COLLECTIVE_ALGORITHMS(X)
#undef X
};

struct ti_action ti_action_of(enum collective_op op)
{
    assert(op < COLLECTIVE_OP_COUNT);
    return actions[op];
}

struct ti_action ti_action_named(const char *name)
{
    for (int op = 0; op < COLLECTIVE_OP_COUNT; op++)
        if (actions[op].name && strcasecmp(actions[op].name, name) == 0)
            return actions[op];
    return (struct ti_action){.name = NULL};
}

enum ti_arguments ti_action_arguments(enum collective_op op)
{
    const struct collective_operation *operation = &collective_operations[op];
    if (operation->flow <= FLOW_BARRIER)
        return TI_NOTHING;
    if (operation->reduces)
        return operation->receive_counts ? TI_PARTS : TI_REDUCTION;
    if (operation->send_counts)
        return operation->receive_counts ? TI_BOTH_VECTORS : TI_SEND_VECTOR;
    if (operation->receive_counts)
        return TI_RECEIVE_VECTOR;
    return collective_op_has_blocks(op) ? TI_BLOCKS : TI_SIZE;
}
