#include "trace/environment.h"

const char *const algorithm_names[ALGORITHM_COUNT + 1] = {
#define X(identifier, name) [ALGORITHM_##identifier] = name,
    ALGORITHMS(X)
#undef X
};

struct environment *environment_change(struct trace *trace, struct error *error)
{
    static const struct environment as_recorded = {.latency = 1, .bandwidth = 1, .overhead = 1};
    const struct environment *before = trace->environment ? trace->environment : &as_recorded;
    struct environment *changed = arena_memdup(trace->arena, before, sizeof *before);
    trace->environment = changed;
    if (!changed)
        error_memory(error, "the hypotheses");
    return changed;
}
