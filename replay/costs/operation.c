#include "replay/costs/operation.h"

#include <stddef.h>

const char *const operation_names[OPERATION_COUNT + 1] = {
#define X(identifier, name, what) name,
    OPERATIONS(X)
#undef X
        NULL};

bool operation_chains(enum operation operation)
{
    switch (operation) {
    case OPERATION_FLOP_ADD ... OPERATION_INT_MUL:
    case OPERATION_LOAD_L1:
    case OPERATION_STORE:
        return true;
    default:
        return false;
    }
}
