#include "replay/model/limits.h"

#include "replay/model/costs.h"

#include <stdlib.h>
#include <string.h>

/* --- when cores were lost --------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct lost_time *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static size_t unite(struct lost_time *lost, size_t count)
{
    size_t united = 0;
    qsort(lost, count, sizeof *lost, by_begin);
    for (size_t i = 0; i < count; i++) {
        struct lost_time *last = united > 0 ? &lost[united - 1] : NULL;
        if (last && lost[i].begin <= last->end)
            last->end = lost[i].end > last->end ? lost[i].end : last->end;
        else
            lost[united++] = lost[i];
    }
    return united;
}

/* Collective: those of all ranks to all. */
static enum status share_losses(const struct processes *processes, const struct engine_run *run,
                                struct call_limits *limits, struct error *error)
{
    char *all = NULL;
    size_t size = 0, count = 0;
    enum status status = processes_gather(
        processes, run->losses, run->loss_count * sizeof *run->losses, &all, &size, NULL, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        count = unite((struct lost_time *)all, size / sizeof *limits->lost);
    processes_broadcast(processes, &count, sizeof count);
    limits->lost = calloc(count + 1, sizeof *limits->lost);
    limits->lost_count = count;
    status = processes_agree(processes,
                             limits->lost ? STATUS_OK : error_memory(error, "lost times"), error);
    if (status == STATUS_OK) {
        if (processes->rank == 0 && count > 0)
            memcpy(limits->lost, all, count * sizeof *limits->lost);
        processes_broadcast(processes, limits->lost, count * sizeof *limits->lost);
    }
    free(all);
    return status;
}

bool call_limits_meet(const struct call_limits *limits, uint64_t from, uint64_t to)
{
    size_t low = 0, high = limits->lost_count; /* the first that ends behind `from` */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (limits->lost[middle].end <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < limits->lost_count && limits->lost[low].begin < to;
}

/* --- what calls cost usually ------------------------------------------------------------------ */

struct sample {
    uint32_t path;
    int64_t cost;
};

static int by_path(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return x->path < y->path ? -1 : x->path > y->path;
}

static void find_usual(const struct trace *trace, const struct call_costs *costs, uint32_t s,
                       struct sample *samples, struct call_limits *limits)
{
    const struct stream *stream = &trace->streams[s];
    size_t count = 0;
    for (size_t i = 0; i < costs->list.count; i++) {
        const struct call_cost *cost = &costs->list.items[i];
        if (cost->stream == s && stream->kind[cost->enter] == EVENT_ENTER &&
            !call_limits_meet(limits, stream->time[cost->enter], stream->time[cost->leave]))
            samples[count++] = (struct sample){stream->arg[cost->enter], cost->cost};
    }
    qsort(samples, count, sizeof *samples, by_path);
    for (size_t first = 0, end; first < count; first = end) {
        double sum = 0;
        for (end = first; end < count && samples[end].path == samples[first].path; end++)
            sum += (double)samples[end].cost;
        limits->usual[s][samples[first].path] =
            sum > 0 ? (int64_t)(sum / (double)(end - first) + 0.5) : 0;
    }
}

enum status call_limits_make(const struct trace *trace, const struct engine_run *run,
                             double poll_gap_s, struct call_limits *limits, struct error *error)
{
    struct machine machine = {0};
    struct call_costs costs = {0};
    size_t paths = trace->calltree.paths.count;
    memset(limits, 0, sizeof *limits);
    enum status status = share_losses(trace->processes, run, limits, error);
    if (status != STATUS_OK || limits->lost_count == 0)
        return status;
    status = call_costs_make(trace, poll_gap_s, &machine, &costs, error);
    if (status != STATUS_OK)
        goto fail;
    struct sample *samples = calloc(costs.list.count + 1, sizeof *samples);
    limits->usual = calloc((size_t)trace->owned_count + 1, sizeof *limits->usual);
    limits->stream_count = trace->owned_count;
    bool room = samples && limits->usual;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        limits->usual[s] = malloc((paths + 1) * sizeof **limits->usual);
        room = limits->usual[s] != NULL;
        for (size_t path = 0; path < paths && room; path++)
            limits->usual[s][path] = INT64_MAX;
        if (room)
            find_usual(trace, &costs, s, samples, limits);
    }
    free(samples);
    call_costs_clear(&costs);
    status = processes_agree(trace->processes, room ? STATUS_OK : error_memory(error, "lost times"),
                             error);
    if (status == STATUS_OK)
        return status;

fail:
    call_limits_clear(limits);
    return status;
}

void call_limits_clear(struct call_limits *limits)
{
    for (uint32_t s = 0; limits->usual && s < limits->stream_count; s++)
        free(limits->usual[s]);
    free(limits->usual);
    free(limits->lost);
    memset(limits, 0, sizeof *limits);
}
