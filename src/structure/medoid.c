#include "structure/medoid.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

/* Times that are compared at most: of many iterations only every second, third, ... is compared. */
enum { TIMES_MAX = 1 << 24 };

/* The iterations that are compared, in order. */
struct compared_iterations {
    uint32_t *numbers;
    size_t count;
};

/* Lists them, of from <= i < to and only those that are `eligible`. False if out of memory. */
static bool list_compared(size_t from, size_t to, const bool *eligible, size_t paths,
                          struct compared_iterations *compared)
{
    size_t all = 0, count = 0;
    compared->numbers = malloc((to - from) * sizeof *compared->numbers);
    if (!compared->numbers)
        return false;
    for (size_t i = from; i < to; i++)
        if (eligible[i])
            compared->numbers[all++] = (uint32_t)i;
    const size_t step = all * paths / TIMES_MAX + 1;
    for (size_t i = 0; i < all; i += step)
        compared->numbers[count++] = compared->numbers[i];
    compared->count = count;
    return true;
}

/* times[of those compared][call path]: exclusive ticks of one rank. `bounds`: of all iterations. */
static void sum_times(const struct trace *trace, const struct stream *stream,
                      const uint64_t *bounds, const struct compared_iterations *compared,
                      uint64_t *times)
{
    const size_t paths = trace->calltree.paths.count;
    size_t i = compared->numbers[0], k = 0;
    uint32_t row = stream_row_at(stream, bounds[i]);
    uint32_t path = stream_path_before(trace, stream, row);
    uint64_t since = bounds[i];
    for (; row < stream->count && k < compared->count; row++) {
        const uint64_t time = stream->time[row];
        for (; k < compared->count && time >= bounds[i + 1]; i++) { /* iterations end before */
            if (i == compared->numbers[k]) {
                if (path != CALLPATH_NONE)
                    times[k * paths + path] += bounds[i + 1] - since;
                k++;
            }
            since = bounds[i + 1];
        }
        if (k == compared->count)
            break;
        if (path != CALLPATH_NONE && i == compared->numbers[k])
            times[k * paths + path] += time - since;
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
                        size_t to, const bool *eligible, size_t *number, struct error *error)
{
    assert(from < to && to <= iterations->count);
    const size_t paths = trace->calltree.paths.count;
    struct compared_iterations compared;
    bool allocated = list_compared(from, to, eligible, paths, &compared);
    const size_t count = allocated ? compared.count : 0;
    assert(count > 0 || !allocated);
    int64_t *distances = calloc(count + 1, sizeof *distances);
    uint64_t *column = malloc((count + 1) * sizeof *column);
    allocated = allocated && distances && column;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        uint64_t *times = calloc(count * paths + 1, sizeof *times);
        allocated = times;
        if (allocated) {
            sum_times(trace, &trace->streams[s], iterations_of(iterations, s), &compared, times);
            add_distances(times, count, paths, column, distances);
        }
        free(times);
    }
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK) {
        size_t best = 0;
        processes_sum(trace->processes, distances, count);
        for (size_t k = 1; k < count; k++)
            if (distances[k] < distances[best])
                best = k;
        *number = compared.numbers[best];
    }
    free(compared.numbers);
    free(distances);
    free(column);
    return status;
}
