#include "base/collective_op.h"

#include <assert.h>

const struct collective_operation collective_operations[COLLECTIVE_OP_COUNT] = {
#define X(operation, number, name, flow, sent, received, buffers, counts, reduces) \
    [COLLECTIVE_##operation] = {name,                                              \
                                FLOW_##flow,                                       \
                                COUNTED_##sent,                                    \
                                COUNTED_##received,                                \
                                (SIDES_##buffers & SIDES_SEND) != 0,               \
                                (SIDES_##buffers & SIDES_RECEIVE) != 0,            \
                                (SIDES_##counts & SIDES_SEND) != 0,                \
                                (SIDES_##counts & SIDES_RECEIVE) != 0,             \
                                (SIDES_##counts & SIDES_TYPED) != 0,               \
                                reduces},
    COLLECTIVE_OPERATIONS(X)
#undef X
};

#define X(...) +1
_Static_assert(COLLECTIVE_OPERATIONS(X) == COLLECTIVE_OP_COUNT, "numbers without gaps");
#undef X

const char *collective_op_name(enum collective_op op)
{
    return op < COLLECTIVE_OP_COUNT ? collective_operations[op].name
                                    : "unknown collective operation";
}

int64_t collective_op_blocks(enum counted_blocks counted, int64_t size, int64_t me, bool is_root,
                             bool in_place)
{
    switch (counted) {
    case COUNTED_ONE:
    case COUNTED_VECTOR:
        return in_place ? 0 : 1;
    case COUNTED_EACH:
        return size - in_place;
    case COUNTED_EACH_AT_ROOT:
        return is_root ? size - in_place : 0;
    case COUNTED_ONWARDS:
        return size - me - in_place;
    case COUNTED_UP_TO:
        return me + 1 - in_place;
    case COUNTED_AFTER:
        return size - me - 1;
    case COUNTED_BEFORE:
        return me;
    case COUNTED_NONE:
    case COUNTED_OWN_PART:
        break;
    }
    return 0;
}

struct collective_role collective_op_role(enum collective_op op, enum root_side side, bool sends,
                                          bool receives)
{
    const struct collective_role all = {.arrives = true, .waits = true}, none = {0};
    const struct collective_role gives = {.arrives = true}, takes = {.waits = true};
    assert(op < COLLECTIVE_OP_COUNT);
    enum collective_flow flow = collective_operations[op].flow;
    bool counts = collective_op_has_counts(op);
    if (flow == FLOW_PREFIX)
        return (struct collective_role){.arrives = true, .waits = true, .scans = true};
    if (!collective_op_is_rooted(op))
        return counts ? (struct collective_role){.arrives = sends, .waits = receives} : all;
    switch (side) {
    case SIDE_ROOT:
        return flow == FLOW_FROM_ROOT ? gives : takes;
    case SIDE_MEMBER:
        if (flow == FLOW_FROM_ROOT)
            return takes;
        return counts && !sends ? none : gives;
    case SIDE_OUTSIDE:
        return none;
    case SIDE_WITHOUT_ROOT:
        break;
    }
    return all;
}
