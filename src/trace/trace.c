#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

const char *event_kind_name(enum event_kind kind)
{
    static const char *const names[EVENT_KIND_COUNT] = {
#define X(identifier, name) [EVENT_##identifier] = name,
        EVENT_KINDS(X)
#undef X
    };
    return kind < EVENT_KIND_COUNT ? names[kind] : "unknown event";
}
