#include "trace/environment.h"

#include "base/name_set.h"

#include <assert.h>

const char *const algorithm_names[ALGORITHM_COUNT + 1] = {
#define X(identifier, name) [ALGORITHM_##identifier] = name,
    ALGORITHMS(X)
#undef X
};

static const struct environment as_recorded = {.latency = 1, .bandwidth = 1, .overhead = 1};

struct environment *environment_change(struct trace *trace, struct error *error)
{
    assert(!trace->origin);
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
    assert(rank < trace->rank_count);
    const struct environment *environment = trace->environment;
    return rank_host(trace->definitions,
                     environment && environment->place ? environment->place[rank] : rank);
}

bool environment_number_hosts(const struct trace *trace, uint32_t *hosts)
{
    struct name_set names = {0};
    bool allocated = true;
    for (uint32_t rank = 0; rank < trace->rank_count && allocated; rank++) {
        hosts[rank] = name_set_text(&names, environment_host(trace, rank), NULL);
        allocated = hosts[rank] != MAP_NONE;
    }
    name_set_clear(&names);
    return allocated;
}

void network_links_change(struct network_links *links, const struct network_links *change)
{
    if (change->number > 0)
        links->number = change->number;
    double *const values[] = {&links->out, &links->in, &links->memory, &links->switched};
    const double changes[] = {change->out, change->in, change->memory, change->switched};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (changes[i] > 0)
            *values[i] = changes[i];
}
