/* With D the sum of a wait's delays and W that of its culprit's own waits in the interval
 * (doc/methods.md, section 8; Boehme et al., see intervals.h):
 *
 *     scale       = wait / (D + W), at most 1 where one rank waits for one other
 *     indirect    = scale x W
 *     short term  : the delay d costs d x scale
 *     long term   : see pass_back.h */
#include "patterns/causes.h"

#include "base/prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error)
{
    memset(causes, 0, sizeof *causes);
    causes->trace = trace;
    enum status status = sync_points_make(trace, ranks, collector, &causes->points, error);
    if (status != STATUS_OK)
        return status;
    status = thread_path_open(&causes->threads, trace,
                              trace->owned_count > 0 ? ranks->findings : NULL, error);
    if (status != STATUS_OK) {
        sync_points_clear(&causes->points);
        return status;
    }
    status = intervals_find(trace, &causes->points, &causes->caused, error);
    sync_points_forget_order(&causes->points);
    if (status == STATUS_OK) {
        causes->culprits =
            malloc(((size_t)causes->points.wait_count + 1) * sizeof *causes->culprits);
        status =
            processes_agree_memory(trace->processes, causes->culprits, "causes of waits", error);
    }
    if (status == STATUS_OK)
        status = delays_find(trace, ranks, &causes->points, &causes->threads, &causes->caused,
                             &causes->delay_lists, causes->culprits, error);
    if (status != STATUS_OK)
        causes_clear(causes);
    return status;
}

void causes_clear(struct causes *causes)
{
    caused_waits_clear(&causes->caused);
    bytes_clear(&causes->delay_lists);
    thread_path_clear(&causes->threads);
    free(causes->culprits);
    sync_points_clear(&causes->points);
    memset(causes, 0, sizeof *causes);
}

/* Each step needs the data of the previous one. */
void caused_prefetch(const struct causes *causes, uint32_t caused)
{
    const struct sync_points *points = &causes->points;
    const uint32_t end = caused + prefetch_batch(caused, causes->caused.count);
    for (uint32_t i = caused; i < end; i++)
        prefetch(caused_end(causes, i));
    for (uint32_t i = caused; i < end; i++)
        prefetch(&points->points[caused_end(causes, i)->point]);
    for (uint32_t i = caused; i < end; i++)
        prefetch(sync_culprit(points, caused_end(causes, i)));
}

size_t caused_thread_waits(const struct causes *causes, uint32_t caused, size_t *end)
{
    const struct sync_points *points = &causes->points;
    const struct sync_end *culprit = sync_culprit(points, caused_end(causes, caused));
    const uint32_t start = causes->caused.all[caused].culprit_start;
    return thread_path_waits(&causes->threads, culprit->rank - points->first_rank,
                             start == INDEX_NONE ? INDEX_NONE : points->ends[start].enter_row,
                             culprit->enter_row, end);
}

int64_t caused_by_waits(const struct causes *causes, uint32_t caused)
{
    assert(caused < causes->caused.count);
    const struct caused_wait *wait = &causes->caused.all[caused];
    const int64_t *waited = causes->points.waited + wait->first_cause;
    const int64_t ticks = waited[wait->cause_count] - waited[0];
    if (!causes->threads.workers)
        return ticks;
    size_t end;
    const size_t first = caused_thread_waits(causes, caused, &end);
    const struct thread_wait *waits = causes->threads.waits.items;
    return ticks + waits[end].before - waits[first].before;
}

int64_t caused_excess(const struct causes *causes, uint32_t caused)
{
    return causes->caused.all[caused].delay + caused_by_waits(causes, caused);
}

double caused_scale(const struct causes *causes, uint32_t caused)
{
    const struct sync_end *victim = caused_end(causes, caused);
    int64_t excess = caused_excess(causes, caused);
    if (excess <= 0)
        return 0;
    double scale = (double)victim->wait / (double)excess;
    return sync_point_is_pair(&causes->points.points[victim->point]) && scale > 1 ? 1 : scale;
}
