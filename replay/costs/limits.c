#include "replay/costs/limits.h"

#include "base/mpi/mail.h"
#include "replay/costs/call_groups.h"

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
static enum status share_losses(const struct processes *processes, const struct disturbances *own,
                                struct call_limits *limits, struct error *error)
{
    char *all = NULL;
    size_t size = 0, count = 0;
    enum status status = mail_gather(processes, own->losses, own->loss_count * sizeof *own->losses,
                                     &all, &size, NULL, error);
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

/* For how long of the time in from .. to somebody had lost a core, ticks. */
static uint64_t lost_during(const struct call_limits *limits, uint64_t from, uint64_t to)
{
    size_t low = 0, high = limits->lost_count; /* the first that ends behind `from` */
    uint64_t sum = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (limits->lost[middle].end <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < limits->lost_count && limits->lost[low].begin < to; low++) {
        const struct lost_time *lost = &limits->lost[low];
        sum += (lost->end < to ? lost->end : to) - (lost->begin > from ? lost->begin : from);
    }
    return sum;
}

/* --- what calls cost usually ------------------------------------------------------------------ */

struct sample {
    size_t group;
    int64_t cost;
};

static int by_group(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return x->group < y->group ? -1 : x->group > y->group;
}

static void find_usual(const struct trace *trace, const struct call_costs *costs, uint32_t s,
                       struct sample *samples, struct call_limits *limits)
{
    const struct stream *stream = &trace->streams[s];
    size_t count = 0;
    for (size_t i = 0; i < costs->list.count; i++) {
        const struct call_cost *cost = &costs->list.items[i];
        if (cost->stream == s && stream->kind[cost->enter] == EVENT_ENTER &&
            lost_during(limits, stream->time[cost->enter], stream->time[cost->leave]) == 0)
            samples[count++] = (struct sample){
                call_group(stream, stream->arg[cost->enter], cost->enter, cost->leave), cost->cost};
    }
    qsort(samples, count, sizeof *samples, by_group);
    for (size_t first = 0, end; first < count; first = end) {
        double sum = 0;
        for (end = first; end < count && samples[end].group == samples[first].group; end++)
            sum += (double)samples[end].cost;
        limits->usual[s][samples[first].group] =
            sum > 0 ? (int64_t)(sum / (double)(end - first) + 0.5) : 0;
    }
    call_groups_fill(limits->usual[s], trace->calltree.paths.count, INT64_MAX, INT64_MAX);
}

enum status call_limits_open(const struct trace *trace, const struct disturbances *own,
                             struct call_limits *limits, struct error *error)
{
    memset(limits, 0, sizeof *limits);
    if (trace->owned_count == 1)
        limits->excess = own->excess;
    return share_losses(trace->processes, own, limits, error);
}

enum status call_limits_learn(const struct trace *trace, const struct call_costs *costs,
                              struct call_limits *limits, struct error *error)
{
    size_t groups = trace->calltree.paths.count * CALL_SIZES;
    struct sample *samples = calloc(costs->list.count + 1, sizeof *samples);
    limits->usual = calloc((size_t)trace->owned_count + 1, sizeof *limits->usual);
    limits->stream_count = trace->owned_count;
    bool room = samples && limits->usual;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        limits->usual[s] = malloc((groups + 1) * sizeof **limits->usual);
        room = limits->usual[s] != NULL;
        for (size_t group = 0; group < groups && room; group++)
            limits->usual[s][group] = INT64_MAX;
        if (room)
            find_usual(trace, costs, s, samples, limits);
    }
    free(samples);
    return processes_agree(trace->processes, room ? STATUS_OK : error_memory(error, "lost times"),
                           error);
}

static int64_t excess_of(const struct call_excess *excess, size_t group, bool waits)
{
    const int64_t *by_group = waits ? excess->waiting : excess->other;
    return by_group && group / CALL_SIZES < excess->path_count ? by_group[group] : 0;
}

/* How much of what a call cost more than others like it is due to a core lost meanwhile. A call
 * that took several times as long as the loss was a long one by itself (the first of a kind, say),
 * and loses no more than that. */
static int64_t disturbance(int64_t more, int64_t lost)
{
    if (more <= lost / 2)
        return 0;
    return more > 3 * lost ? lost : more;
}

int64_t call_limits_apply(const struct call_limits *limits, const struct trace *trace, uint32_t s,
                          uint32_t enter, uint32_t leave, bool waits, int64_t cost)
{
    const struct stream *stream = &trace->streams[s];
    if (stream->kind[enter] != EVENT_ENTER)
        return cost;
    size_t group = call_group(stream, stream->arg[enter], enter, leave);
    /* Who waits for one that has lost its core has no costs by that, nor has one who goes on. */
    int64_t usual = limits->usual ? limits->usual[s][group] : INT64_MAX;
    if (cost > usual) {
        uint64_t length = stream->time[leave] - stream->time[enter];
        uint64_t part = (uint64_t)cost < length ? (uint64_t)cost : length;
        uint64_t lost = lost_during(limits, stream->time[leave] - part, stream->time[leave]);
        cost -= disturbance(cost - usual, (int64_t)lost);
    }
    int64_t excess = excess_of(&limits->excess, group, waits);
    return cost > excess ? cost - excess : cost < 0 ? cost : 0;
}

void call_limits_clear(struct call_limits *limits)
{
    for (uint32_t s = 0; limits->usual && s < limits->stream_count; s++)
        free(limits->usual[s]);
    free(limits->usual);
    free(limits->lost);
    memset(limits, 0, sizeof *limits);
}
