/* With c[r, k] the computation of rank r in its k-th visit of the region (the outermost frame,
 * without communication; as in transform/balance.c), C[r] the sum over its visits and M the mean of
 * C over the ranks that visit it, the visits are uneven by
 *
 *     U = sum over k of max over r of c[r, k] - M
 *
 * Balance by instance removes U. Global balance changes each c[r, k] to c[r, k] M / C[r] and leaves
 * the U of the changed times. Visits can be compared only if all ranks have the same number of
 * them. */
#include "patterns/explain.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ARRAY(int64_t) visit_list; /* ticks of one rank */

struct comparing {
    const struct trace *trace;
    uint32_t region;
    visit_list visits; /* of the current rank */
    int64_t *longest;  /* [visit], over the ranks */
    int64_t *sums;     /* [visit], likewise */
    size_t visit_count;
    int64_t ranks; /* that visit it */
    double mean;   /* M */
};

static void add_visit_time(visit_list *visits, int64_t ticks)
{
    assert(visits->count > 0);
    visits->items[visits->count - 1] += ticks;
}

/* False if out of memory. */
static bool list_visit_times(struct comparing *work, const struct stream *stream)
{
    const struct trace *trace = work->trace;
    uint32_t inside = 0, communicating = 0; /* open frames in the visit; of MPI */
    int64_t since = 0;
    work->visits.count = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        uint8_t kind = stream->kind[row];
        bool enters = event_opens(kind);
        if (!enters && !event_closes(kind))
            continue;
        uint32_t path = stream->arg[enters ? row : stream->arg[row]];
        int64_t now = (int64_t)stream->time[row];
        if (inside > 0 && communicating == 0)
            add_visit_time(&work->visits, now - since);
        since = now;
        if (inside == 0 && (!enters || trace->calltree.paths.items[path].region != work->region))
            continue;
        if (inside == 0 && !array_push(&work->visits, 0))
            return false;
        uint32_t communicates = callpath_communicates(trace, path);
        inside += enters ? 1 : -1u;
        communicating += enters ? communicates : -communicates;
    }
    return true;
}

static int64_t sum_visit_times(const visit_list *visits)
{
    int64_t sum = 0;
    for (size_t k = 0; k < visits->count; k++)
        sum += visits->items[k];
    return sum;
}

/* Collective: M, and the number of visits of each rank; 0 if the numbers differ. */
static enum status count_visits(struct comparing *work, struct error *error)
{
    const struct processes *processes = work->trace->processes;
    int64_t least = INT64_MAX, most = 0, sums[2] = {0}; /* ranks, ticks */
    bool allocated = true;
    for (uint32_t i = 0; i < work->trace->owned_count && allocated; i++) {
        allocated = list_visit_times(work, &work->trace->streams[i]);
        if (work->visits.count == 0)
            continue;
        least = int64_min(least, (int64_t)work->visits.count);
        most = int64_max(most, (int64_t)work->visits.count);
        sums[0]++;
        sums[1] += sum_visit_times(&work->visits);
    }
    enum status status = processes_agree_memory(processes, allocated, "explanations", error);
    if (status != STATUS_OK)
        return status;
    processes_min(processes, &least, 1);
    processes_max(processes, &most, 1);
    processes_sum(processes, sums, 2);
    work->visit_count = least == most ? (size_t)most : 0;
    work->ranks = sums[0];
    work->mean = sums[0] > 0 ? (double)sums[1] / (double)sums[0] : 0;
    return STATUS_OK;
}

/* Collective: U in ticks; `balanced`: after global balance. */
static enum status find_uneven(struct comparing *work, bool balanced, double *uneven,
                               struct error *error)
{
    const struct processes *processes = work->trace->processes;
    bool allocated = true;
    memset(work->longest, 0, work->visit_count * sizeof *work->longest);
    memset(work->sums, 0, work->visit_count * sizeof *work->sums);
    for (uint32_t i = 0; i < work->trace->owned_count && allocated; i++) {
        allocated = list_visit_times(work, &work->trace->streams[i]);
        const int64_t sum = sum_visit_times(&work->visits);
        const double scale = balanced && sum > 0 ? work->mean / (double)sum : 1;
        for (size_t k = 0; k < work->visits.count && allocated; k++) {
            const int64_t ticks = llround((double)work->visits.items[k] * scale);
            work->longest[k] = int64_max(work->longest[k], ticks);
            work->sums[k] += ticks;
        }
    }
    enum status status = processes_agree_memory(processes, allocated, "explanations", error);
    if (status != STATUS_OK)
        return status;
    processes_max(processes, work->longest, work->visit_count);
    processes_sum(processes, work->sums, work->visit_count);
    *uneven = -work->mean;
    for (size_t k = 0; k < work->visit_count; k++)
        *uneven += (double)work->longest[k];
    return STATUS_OK;
}

/* U if all visits were like the median one. Overwrites `longest`. */
static double find_typical(struct comparing *work)
{
    assert(work->ranks > 0 && work->visit_count > 0);
    for (size_t k = 0; k < work->visit_count; k++)
        work->longest[k] -= work->sums[k] / work->ranks;
    qsort(work->longest, work->visit_count, sizeof *work->longest, order_int64);
    return (double)work->visit_count * (double)work->longest[work->visit_count / 2];
}

enum status region_unevenness(const struct trace *trace, uint32_t region, struct unevenness *uneven,
                              struct error *error)
{
    struct comparing work = {.trace = trace, .region = region};
    assert(region < trace->definitions->region_count);
    *uneven = (struct unevenness){0};
    enum status status = count_visits(&work, error);
    if (status == STATUS_OK && work.visit_count > 1) {
        uneven->visits = work.visit_count;
        work.longest = malloc(work.visit_count * sizeof *work.longest);
        work.sums = malloc(work.visit_count * sizeof *work.sums);
        status = processes_agree_memory(trace->processes, work.longest && work.sums, "explanations",
                                        error);
        if (status == STATUS_OK)
            status = find_uneven(&work, true, &uneven->left, error);
        if (status == STATUS_OK)
            status = find_uneven(&work, false, &uneven->by_visits, error);
        if (status == STATUS_OK)
            uneven->typical = find_typical(&work);
    }
    free(work.longest);
    free(work.sums);
    free(work.visits.items);
    return status;
}

enum status balance_by_visits(const struct trace *trace, uint32_t region, bool *by_visits,
                              struct error *error)
{
    struct unevenness uneven;
    enum status status = region_unevenness(trace, region, &uneven, error);
    *by_visits = uneven.left > uneven.by_visits / 2;
    return status;
}
