#include "trace/environment.h"

#include "base/map.h"

const char *const algorithm_names[ALGORITHM_COUNT + 1] = {
#define X(identifier, name) [ALGORITHM_##identifier] = name,
    ALGORITHMS(X)
#undef X
};

static const struct environment as_recorded = {.latency = 1, .bandwidth = 1, .overhead = 1};

struct environment *environment_change(struct trace *trace, struct error *error)
{
    const struct environment *before = trace->environment ? trace->environment : &as_recorded;
    struct environment *changed = arena_memdup(trace->arena, before, sizeof *before);
    trace->environment = changed;
    if (!changed)
        error_memory(error, "the hypotheses");
    return changed;
}

struct environment environment_of_replay(const struct trace *trace)
{
    struct environment environment = as_recorded;
    environment.place = trace->environment ? trace->environment->place : NULL;
    return environment;
}

const char *environment_host(const struct trace *trace, uint32_t rank)
{
    const struct environment *environment = trace->environment;
    return rank_host(trace->definitions,
                     environment && environment->place ? environment->place[rank] : rank);
}

bool environment_number_hosts(const struct trace *trace, uint32_t *hosts)
{
    struct map numbers = {0};
    bool room = true;
    for (uint32_t rank = 0; rank < trace->rank_count && room; rank++) {
        uint64_t key = 0xcbf29ce484222325u; /* FNV-1a of the host's name */
        for (const char *c = environment_host(trace, rank); *c; c++)
            key = (key ^ (unsigned char)*c) * 0x100000001b3u;
        uint32_t *number = map_at(&numbers, key, (uint32_t)numbers.count);
        room = number != NULL;
        if (room)
            hosts[rank] = *number;
    }
    map_clear(&numbers);
    return room;
}
