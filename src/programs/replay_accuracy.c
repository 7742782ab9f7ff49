#include "programs/replay_accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds to `difference`, per call path, how much longer a rank stays in it in the replay. The time
 * between two events belongs to the innermost region that is open in it. */
static void add_differences(const struct trace *trace, const struct stream *recorded,
                            const struct stream *replayed, int64_t *difference)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < recorded->count; row++) {
        if (row > 0 && path != CALLPATH_NONE) {
            int64_t before = (int64_t)(recorded->time[row] - recorded->time[row - 1]);
            int64_t after = (int64_t)(replayed->time[row] - replayed->time[row - 1]);
            difference[path] += after - before;
        }
        if (recorded->kind[row] == EVENT_ENTER || recorded->kind[row] == EVENT_PROGRAM_BEGIN)
            path = recorded->arg[row];
        else if (recorded->kind[row] == EVENT_LEAVE || recorded->kind[row] == EVENT_PROGRAM_END)
            path = trace->calltree.paths.items[recorded->arg[recorded->arg[row]]].parent;
    }
}

double accuracy_aggregate(const struct trace *recorded, const struct trace *replayed)
{
    size_t paths = recorded->calltree.paths.count;
    int64_t *difference = malloc((paths + 1) * sizeof *difference);
    int64_t sums[2] = {0, !difference}; /* ticks, processes without memory */
    for (uint32_t i = 0; i < recorded->owned_count && difference; i++) {
        memset(difference, 0, paths * sizeof *difference);
        add_differences(recorded, &recorded->streams[i], &replayed->streams[i], difference);
        for (size_t path = 0; path < paths; path++)
            sums[0] += llabs(difference[path]);
    }
    free(difference);
    processes_sum(recorded->processes, sums, 2);
    double whole = (double)(recorded->end - recorded->begin) * recorded->rank_count;
    if (sums[1] > 0)
        return NAN;
    return whole > 0 ? (double)sums[0] / whole : 0;
}
