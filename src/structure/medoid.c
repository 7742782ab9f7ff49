#include "structure/medoid.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

/* Times that are compared at most: of many iterations only every second, third, ... is compared. */
enum { TIMES_MAX = 1 << 24 };

/* times[iteration / step][call path]: exclusive ticks of one rank. */
static void sum_times(const struct trace *trace, const struct stream *stream,
                      const uint64_t *bounds, size_t count, size_t step, uint64_t *times)
{
    size_t paths = trace->calltree.paths.count, i = 0;
    uint32_t row = stream_row_at(stream, bounds[0]);
    uint32_t path = stream_path_before(trace, stream, row);
    uint64_t since = bounds[0];
    for (; row < stream->count && i < count; row++) {
        uint64_t time = stream->time[row];
        for (; i < count && time >= bounds[i + 1]; i++) { /* iterations end before this event */
            if (path != CALLPATH_NONE && i % step == 0)
                times[i / step * paths + path] += bounds[i + 1] - since;
            since = bounds[i + 1];
        }
        if (i == count)
            break;
        if (path != CALLPATH_NONE && i % step == 0)
            times[i / step * paths + path] += time - since;
        since = time;
        path = callpath_after(&trace->calltree, stream, row, path);
    }
}

/* Adds each iteration's distance from the medians. `column` has room for `count` values. */
static void add_distances(const uint64_t *times, size_t count, size_t paths, uint64_t *column,
                          int64_t *distances)
{
    for (size_t path = 0; path < paths; path++) {
        for (size_t i = 0; i < count; i++)
            column[i] = times[i * paths + path];
        qsort(column, count, sizeof *column, order_uint64);
        uint64_t median = column[count / 2];
        for (size_t i = 0; i < count; i++) {
            uint64_t time = times[i * paths + path];
            distances[i] += (int64_t)(time > median ? time - median : median - time);
        }
    }
}

enum status medoid_find(const struct trace *trace, const struct iterations *iterations, size_t from,
                        size_t to, size_t *number, struct error *error)
{
    assert(from < to && to <= iterations->count);
    size_t paths = trace->calltree.paths.count;
    size_t step = (to - from) * paths / TIMES_MAX + 1;
    size_t count = (to - from + step - 1) / step; /* compared */
    int64_t *distances = calloc(count, sizeof *distances);
    uint64_t *column = malloc(count * sizeof *column);
    bool allocated = distances && column;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        uint64_t *times = calloc(count * paths, sizeof *times);
        allocated = times;
        if (allocated) {
            sum_times(trace, &trace->streams[s], iterations_of(iterations, s) + from, to - from,
                      step, times);
            add_distances(times, count, paths, column, distances);
        }
        free(times);
    }
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    *number = 0;
    if (status == STATUS_OK) {
        processes_sum(trace->processes, distances, count);
        for (size_t i = 1; i < count; i++)
            if (distances[i] < distances[*number]) /* numbers of those compared */
                *number = i;
        *number = from + *number * step;
    }
    free(distances);
    free(column);
    return status;
}
