#include "replay/accuracy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void accuracy_add_exclusive(const struct stream *stream, const struct calltree *tree, double *times)
{
    uint32_t path = CALLPATH_NONE;
    uint64_t last = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            continue;
        if (path != CALLPATH_NONE)
            times[path] += (double)(int64_t)(stream->time[row] - last);
        last = stream->time[row];
        path = callpath_after(tree, stream, row, path);
    }
}

static double sum_of_differences(const struct trace *recorded, const struct trace *replayed,
                                 double *times, double *replayed_times)
{
    size_t count = recorded->calltree.paths.count;
    double sum = 0;
    for (uint32_t i = 0; i < recorded->owned_count; i++) {
        memset(times, 0, count * sizeof *times);
        memset(replayed_times, 0, count * sizeof *replayed_times);
        accuracy_add_exclusive(&recorded->streams[i], &recorded->calltree, times);
        accuracy_add_exclusive(&replayed->streams[i], &recorded->calltree, replayed_times);
        for (size_t path = 0; path < count; path++)
            sum += fabs(replayed_times[path] - times[path]);
    }
    return sum;
}

enum status accuracy_of(const struct trace *recorded, const struct trace *replayed,
                        struct accuracy *accuracy, struct error *error)
{
    assert(recorded->owned_count == replayed->owned_count);
    size_t count = recorded->calltree.paths.count + 1;
    double *times = malloc(2 * count * sizeof *times);
    enum status status =
        processes_agree_memory(recorded->processes, times != NULL, "call paths", error);
    if (status == STATUS_OK) {
        int64_t sum = (int64_t)sum_of_differences(recorded, replayed, times, times + count);
        double length = (double)(recorded->end - recorded->begin);
        double replayed_length = (double)(replayed->end - replayed->begin);
        processes_sum(recorded->processes, &sum, 1);
        accuracy->total_error = length > 0 ? (replayed_length - length) / length : 0;
        accuracy->aggregate_error = length > 0 ? (double)sum / (recorded->rank_count * length) : 0;
    }
    free(times);
    return status;
}
