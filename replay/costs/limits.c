#include "replay/costs/limits.h"

#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "replay/costs/call_groups.h"

#include <stdlib.h>
#include <string.h>

ORDER_BY(compare_losses, struct lost_time, ASCENDING(begin))

static size_t unite_losses(struct lost_time *lost, size_t count)
{
    size_t united = 0;
    qsort(lost, count, sizeof *lost, compare_losses);
    for (size_t i = 0; i < count; i++) {
        struct lost_time *last = united > 0 ? &lost[united - 1] : NULL;
        if (last && lost[i].begin <= last->end)
            last->end = lost[i].end > last->end ? lost[i].end : last->end;
        else
            lost[united++] = lost[i];
    }
    return united;
}

/* Collective: the union of all ranks' losses, on all processes. Process 0 gets the losses of all
 * ranks, 16 bytes each. */
static enum status share_losses(const struct processes *processes, const struct disturbances *own,
                                struct call_limits *limits, struct error *error)
{
    char *all;
    size_t size;
    int64_t most = (int64_t)own->loss_count;
    processes_max(processes, &most, 1);
    if (most == 0)
        return STATUS_OK;
    enum status status = exchange_gather(
        processes, own->losses, own->loss_count * sizeof *own->losses, &all, &size, NULL, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        limits->lost_count =
            unite_losses((struct lost_time *)(void *)all, size / sizeof *limits->lost);
    processes_broadcast(processes, &limits->lost_count, sizeof limits->lost_count);
    size = limits->lost_count * sizeof *limits->lost;
    limits->lost = processes->rank == 0 ? (struct lost_time *)(void *)all : malloc(size);
    status = processes_agree_memory(processes, limits->lost, "lost times", error);
    if (status == STATUS_OK)
        processes_broadcast(processes, limits->lost, size);
    return status;
}

/* How many ticks between `from` and `to` some rank had lost its core. */
static uint64_t lost_during(const struct call_limits *limits, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (size_t i = first_where(0, limits->lost_count, k, limits->lost[k].end > from);
         i < limits->lost_count && limits->lost[i].begin < to; i++) {
        const struct lost_time *lost = &limits->lost[i];
        sum += (lost->end < to ? lost->end : to) - (lost->begin > from ? lost->begin : from);
    }
    return sum;
}

/* The mean cost of each group of calls of stream `s` during which no rank had lost its core. `sums`
 * and `counts` have room for all groups. */
static void find_usual_costs(const struct trace *times, const struct call_costs *costs, uint32_t s,
                             double *sums, uint64_t *counts, struct call_limits *limits)
{
    const struct stream *stream = &times->streams[s];
    size_t paths = times->calltree.paths.count;
    memset(sums, 0, paths * CALL_SIZES * sizeof *sums);
    memset(counts, 0, paths * CALL_SIZES * sizeof *counts);
    for (size_t c = costs->list.first[s]; c < costs->list.first[s + 1]; c++) {
        const struct listed_call *call = &costs->list.calls.items[c];
        size_t group = costs->groups[c];
        if (call->probes || group == CALL_GROUP_NONE ||
            (c >= limits->left_out && c < limits->left_out_end) ||
            lost_during(limits, stream->time[call->enter], stream->time[call->leave]) > 0)
            continue;
        sums[group] += (double)call_cost_of(costs, times, s, c).ticks;
        counts[group]++;
    }
    for (size_t group = 0; group < paths * CALL_SIZES; group++)
        limits->usual[s][group] = counts[group] == 0 ? INT64_MAX
                                  : sums[group] > 0
                                      ? (int64_t)(sums[group] / (double)counts[group] + 0.5)
                                      : 0;
    call_groups_fill(limits->usual[s], paths, INT64_MAX, INT64_MAX);
}

enum status call_limits_open(const struct trace *times, const struct disturbances *own,
                             struct call_limits *limits, struct error *error)
{
    memset(limits, 0, sizeof *limits);
    if (times->owned_count == 1)
        limits->excess = own->excess;
    enum status status = share_losses(times->processes, own, limits, error);
    if (status != STATUS_OK)
        call_limits_clear(limits);
    return status;
}

enum status call_limits_find_usual(const struct trace *times, const struct call_costs *costs,
                                   struct call_limits *limits, struct error *error)
{
    size_t groups = times->calltree.paths.count * CALL_SIZES;
    double *sums = malloc((groups + 1) * sizeof *sums);
    uint64_t *counts = malloc((groups + 1) * sizeof *counts);
    limits->usual = calloc((size_t)times->owned_count + 1, sizeof *limits->usual);
    limits->stream_count = times->owned_count;
    bool room = sums && counts && limits->usual;
    for (uint32_t s = 0; s < times->owned_count && room; s++) {
        limits->usual[s] = malloc((groups + 1) * sizeof **limits->usual);
        room = limits->usual[s] != NULL;
        if (room)
            find_usual_costs(times, costs, s, sums, counts, limits);
    }
    free(sums);
    free(counts);
    return processes_agree_memory(times->processes, room, "lost times", error);
}

static int64_t excess_of(const struct call_excess *excess, size_t group, bool waits)
{
    const int64_t *by_group = waits ? excess->waiting : excess->other;
    return by_group && group / CALL_SIZES < excess->path_count ? by_group[group] : 0;
}

/* How much of a call's cost above the usual one is due to a core that was lost for `lost` ticks
 * meanwhile. A smaller excess than half of the loss is within the usual variation. A call with a
 * much larger excess than the loss is long for another reason (the first one of a call path, for
 * example), so it is shortened by the loss only. */
static int64_t disturbance(int64_t more, int64_t lost)
{
    enum { LEAST_DIVISOR = 2, MOST_FACTOR = 3 };
    if (more <= lost / LEAST_DIVISOR)
        return 0;
    return more > MOST_FACTOR * lost ? lost : more;
}

int64_t call_limits_apply(const struct call_limits *limits, const struct trace *times, uint32_t s,
                          const struct listed_call *call, size_t group, struct call_cost cost)
{
    const uint64_t *time = times->streams[s].time;
    if (group == CALL_GROUP_NONE)
        return cost.ticks;
    int64_t usual = limits->usual ? limits->usual[s][group] : INT64_MAX;
    /* the cost begins at the last arrival: losses before it do not count */
    if (cost.ticks > usual) {
        uint64_t begin = time[call->enter], end = time[call->leave];
        uint64_t part = (uint64_t)cost.ticks < end - begin ? (uint64_t)cost.ticks : end - begin;
        uint64_t lost = lost_during(limits, end - part, end);
        cost.ticks -= disturbance(cost.ticks - usual, (int64_t)lost);
    }
    int64_t excess = excess_of(&limits->excess, group, cost.waits);
    return cost.ticks > excess ? cost.ticks - excess : cost.ticks < 0 ? cost.ticks : 0;
}

void call_limits_clear(struct call_limits *limits)
{
    for (uint32_t s = 0; limits->usual && s < limits->stream_count; s++)
        free(limits->usual[s]);
    free(limits->usual);
    free(limits->lost);
    memset(limits, 0, sizeof *limits);
}
