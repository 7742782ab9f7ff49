#include "replay/costs/operation.h"

#include <stddef.h>

const char *const operation_names[OPERATION_COUNT + 1] = {
#define X(identifier, name, what) name,
    OPERATIONS(X)
#undef X
        NULL};
