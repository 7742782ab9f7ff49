#include "advise/facts.h"

#include "patterns/search.h"
#include "severity/severity.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Smaller imbalances and waits, as a fraction of T, are not tried: predictions of the model differ
 * from replays by about this much (doc/validation.md). */
static const double LEAST_FRACTION = 0.002;

bool region_is_program(const struct trace *trace, uint32_t region)
{
    assert(region < trace->definitions->region_count);
    return trace->definitions->regions[region].mpi_call == MPI_CALL_NONE;
}

uint32_t path_program_region(const struct trace *trace, uint32_t path)
{
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
        if (region_is_program(trace, trace->calltree.paths.items[path].region))
            return trace->calltree.paths.items[path].region;
    return INDEX_NONE;
}

uint32_t message_sender_region(const struct trace *trace, const struct stream *stream,
                               const struct message *message)
{
    return message_takes_part(message) && (message->flags & MESSAGE_SEND)
               ? path_program_region(trace, stream_callpath_at(stream, message->post))
               : INDEX_NONE;
}

bool path_is_inside(const struct trace *trace, uint32_t path, uint32_t region)
{
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
        if (trace->calltree.paths.items[path].region == region)
            return true;
    return false;
}

bool region_is_inside(const struct trace *trace, uint32_t inner, uint32_t outer)
{
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++)
        if (trace->calltree.paths.items[path].region == inner &&
            !path_is_inside(trace, path, outer))
            return false;
    return true;
}

/* True if no caller of the path is the same region. */
static bool is_outermost(const struct trace *trace, uint32_t path)
{
    const struct callpath *items = trace->calltree.paths.items;
    return items[path].parent == CALLPATH_NONE ||
           !path_is_inside(trace, items[path].parent, items[path].region);
}

/* Of one rank. */
struct rank_sums {
    int64_t *computation, *communication, *visits; /* [call path] */
};

/* Adds up the times and visits of one rank. */
static void sum_rank(const struct trace *trace, const struct stream *stream, struct rank_sums *sums)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (path != CALLPATH_NONE && row > 0) {
            const bool communicates = callpath_communicates(trace, path);
            (communicates ? sums->communication : sums->computation)[path] +=
                (int64_t)(stream->time[row] - stream->time[row - 1]);
        }
        if (event_opens(stream->kind[row]))
            sums->visits[stream->arg[row]]++;
        path = callpath_after(&trace->calltree, stream, row, path);
    }
}

/* Sets computation and visits of the rank in each region, from those of its call paths. */
static void sum_regions(const struct trace *trace, const struct rank_sums *sums,
                        int64_t *computation, int64_t *visits)
{
    const struct callpath *items = trace->calltree.paths.items;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        if (sums->visits[path] > 0 && is_outermost(trace, path))
            visits[items[path].region] += sums->visits[path];
        if (sums->computation[path] == 0)
            continue;
        for (uint32_t at = path; at != CALLPATH_NONE; at = items[at].parent)
            if (is_outermost(trace, at))
                computation[items[at].region] += sums->computation[path];
    }
}

/* Adds the figures of one rank to the facts. */
static void add_rank_facts(struct facts *facts, uint32_t rank, const struct rank_sums *sums,
                           const int64_t *computation, const int64_t *visits)
{
    const struct trace *trace = facts->trace;
    int64_t total = 0;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        struct path_facts *of = &facts->paths[path];
        total += sums->computation[path];
        of->computation += sums->computation[path];
        of->communication += sums->communication[path];
        of->visits += sums->visits[path];
        of->ranks += sums->visits[path] > 0;
    }
    facts->computation += total;
    for (uint32_t region = 0; region < trace->definitions->region_count; region++) {
        struct region_facts *of = &facts->regions[region];
        if (visits[region] == 0)
            continue;
        of->first_rank = of->ranks == 0 ? rank : of->first_rank;
        of->last_rank = rank;
        of->ranks++;
        of->visits += visits[region];
        of->computation += computation[region];
        of->computation_of_executing += total;
        if (computation[region] > of->longest)
            of->longest = computation[region];
        if (of->least_visits == 0 || visits[region] < of->least_visits)
            of->least_visits = visits[region];
        if (visits[region] > of->most_visits)
            of->most_visits = visits[region];
    }
}

/* False when out of memory. */
static bool sum_owned_ranks(struct facts *facts)
{
    const struct trace *trace = facts->trace;
    const size_t paths = trace->calltree.paths.count, regions = trace->definitions->region_count;
    bool complete = true;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++) {
        int64_t *block = calloc(3 * paths + 2 * regions + 1, sizeof *block);
        complete = block != NULL;
        if (!complete)
            break;
        struct rank_sums sums = {block, block + paths, block + 2 * paths};
        int64_t *computation = block + 3 * paths, *visits = computation + regions;
        sum_rank(trace, &trace->streams[i], &sums);
        sum_regions(trace, &sums, computation, visits);
        add_rank_facts(facts, trace->first_rank + i, &sums, computation, visits);
        free(block);
    }
    return complete;
}

/* In ticks, rounded location by location, so that sums do not depend on which process owns which
 * rank. */
static int64_t metric_ticks(const struct trace *trace, const struct severity *severity,
                            enum metric metric, uint32_t path)
{
    const struct severity_row row = severity_row(severity, metric, path);
    int64_t ticks = 0;
    for (uint32_t i = 0; i < row.count; i++)
        ticks += llround(row.values[i] * (double)trace->definitions->ticks_per_second);
    return ticks;
}

static bool metric_is_thread_delay(enum metric metric)
{
    return metric == METRIC_DELAY_OMPIDLE || metric == METRIC_DELAY_OMPIDLE_LONGTERM ||
           metric == METRIC_DELAY_OMPBARRIER;
}

static bool metric_is_thread_wait(enum metric metric)
{
    return metric == METRIC_OMP_EBARRIER_WAIT || metric == METRIC_OMP_IBARRIER_WAIT ||
           metric == METRIC_OMP_LOCK_CONTENTION_CRITICAL ||
           metric == METRIC_OMP_LOCK_CONTENTION_API;
}

/* Collective. Searches for wait states. */
static enum status sum_waits(struct facts *facts, struct error *error)
{
    const struct trace *trace = facts->trace;
    struct severity *severity = NULL;
    enum status status = pattern_search(trace, &severity, error);
    for (uint32_t path = 0; status == STATUS_OK && path < trace->calltree.paths.count; path++) {
        struct path_facts *of = &facts->paths[path];
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
            if (metric_is_thread_wait(metric))
                of->thread_wait += metric_ticks(trace, severity, metric, path);
            else if (metric_is_wait(metric) && metric != METRIC_PTHREAD_JOIN_WAIT)
                of->wait += metric_ticks(trace, severity, metric, path);
            else if (metric_infos[metric].role == ROLE_DELAY && !metric_is_thread_delay(metric))
                of->delay += metric_ticks(trace, severity, metric, path);
        of->idle = metric_ticks(trace, severity, METRIC_OMP_IDLE_THREADS, path);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < severity->location_count; i++)
        facts->workers += !trace->definitions->threads && severity->locations[i].thread > 0;
    severity_destroy(severity);
    return status;
}

static void sum_delays_of_regions(struct facts *facts)
{
    const struct trace *trace = facts->trace;
    const struct callpath *items = trace->calltree.paths.items;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        if (facts->paths[path].delay == 0 || callpath_communicates(trace, path))
            continue;
        for (uint32_t at = path; at != CALLPATH_NONE; at = items[at].parent)
            if (is_outermost(trace, at))
                facts->regions[items[at].region].delay += facts->paths[path].delay;
    }
}

/* Collective. Reduces one member of all items. */
#define REDUCE(reduce, processes, items, item_count, member, scratch)        \
    do {                                                                     \
        for (size_t i_ = 0; i_ < (item_count); i_++)                         \
            (scratch)[i_] = (int64_t)(items)[i_].member;                     \
        reduce((processes), (scratch), (item_count));                        \
        for (size_t i_ = 0; i_ < (item_count); i_++)                         \
            (items)[i_].member = (__typeof__((items)->member))(scratch)[i_]; \
    } while (0)

/* Collective. Combines the facts of all processes. `scratch` has room for all regions and paths. */
static void reduce_facts(struct facts *facts, int64_t *scratch)
{
    const struct processes *all = facts->trace->processes;
    const size_t regions = facts->trace->definitions->region_count;
    const size_t paths = facts->trace->calltree.paths.count;
    for (size_t r = 0; r < regions; r++)
        if (facts->regions[r].ranks == 0)
            facts->regions[r] =
                (struct region_facts){.first_rank = UINT32_MAX, .least_visits = INT64_MAX};
    REDUCE(processes_sum, all, facts->regions, regions, ranks, scratch);
    REDUCE(processes_min, all, facts->regions, regions, first_rank, scratch);
    REDUCE(processes_max, all, facts->regions, regions, last_rank, scratch);
    REDUCE(processes_sum, all, facts->regions, regions, visits, scratch);
    REDUCE(processes_min, all, facts->regions, regions, least_visits, scratch);
    REDUCE(processes_max, all, facts->regions, regions, most_visits, scratch);
    REDUCE(processes_sum, all, facts->regions, regions, computation, scratch);
    REDUCE(processes_max, all, facts->regions, regions, longest, scratch);
    REDUCE(processes_sum, all, facts->regions, regions, computation_of_executing, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, visits, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, ranks, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, computation, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, communication, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, wait, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, delay, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, thread_wait, scratch);
    REDUCE(processes_sum, all, facts->paths, paths, idle, scratch);
    processes_sum(all, &facts->workers, 1);
    processes_sum(all, &facts->computation, 1);
}

enum status facts_gather(const struct trace *trace, struct facts **result, struct error *error)
{
    assert(trace->matched);
    const size_t regions = trace->definitions->region_count, paths = trace->calltree.paths.count;
    struct facts *facts = calloc(1, sizeof *facts);
    int64_t *scratch = calloc(regions + paths + 1, sizeof *scratch);
    bool complete = facts && scratch;
    *result = NULL;
    if (complete) {
        facts->trace = trace;
        facts->time = (int64_t)(trace->end - trace->begin);
        facts->least = (int64_t)(LEAST_FRACTION * (double)facts->time);
        facts->regions = calloc(regions + 1, sizeof *facts->regions);
        facts->paths = calloc(paths + 1, sizeof *facts->paths);
        complete = facts->regions && facts->paths && sum_owned_ranks(facts);
    }
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error)
                             ?: sum_waits(facts, error);
    if (status == STATUS_OK) {
        reduce_facts(facts, scratch);
        sum_delays_of_regions(facts);
    }
    free(scratch);
    if (status == STATUS_OK)
        *result = facts;
    else
        facts_destroy(facts);
    return status;
}

void facts_destroy(struct facts *facts)
{
    if (!facts)
        return;
    free(facts->regions);
    free(facts->paths);
    free(facts);
}
