#include "patterns/path_times.h"

#include "trace/calls/regions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool path_times_open(struct path_times *times, uint32_t path_count)
{
    *times =
        (struct path_times){.ticks = calloc((size_t)path_count + 1, sizeof *times->ticks),
                            .touched = malloc(((size_t)path_count + 1) * sizeof *times->touched),
                            .is_touched = calloc((size_t)path_count + 1, sizeof(bool))};
    const bool allocated = times->ticks && times->touched && times->is_touched;
    if (!allocated)
        path_times_clear(times);
    return allocated;
}

void path_times_clear(struct path_times *times)
{
    free(times->ticks);
    free(times->touched);
    free(times->is_touched);
    memset(times, 0, sizeof *times);
}

void path_times_reset(struct path_times *times)
{
    for (uint32_t i = 0; i < times->touched_count; i++) {
        times->ticks[times->touched[i]] = 0;
        times->is_touched[times->touched[i]] = false;
    }
    times->touched_count = 0;
}

/* From `row`, where the call path is `path`. Regions are left in reverse order of entry. */
static void add_from(struct path_times *times, const struct trace *trace,
                     const struct stream *stream, uint32_t row, uint32_t path, uint32_t end_row)
{
    const struct callpath *paths = trace->calltree.paths.items;
    const uint64_t *time = stream->time;
    const uint8_t *kind = stream->kind;
    if (row >= end_row)
        return;
    assert(end_row < stream->count);
    int64_t since = (int64_t)time[row];
    for (row++; row < end_row; row++) {
        bool enters = event_opens(kind[row]);
        if (!enters && !event_closes(kind[row]))
            continue;
        int64_t now = (int64_t)time[row];
        path_times_add(times, path, now - since);
        since = now;
        path = enters ? stream->arg[row] : paths[path].parent;
    }
    path_times_add(times, path, (int64_t)time[end_row] - since);
}

void path_times_add_inside(struct path_times *times, const struct trace *trace,
                           const struct stream *stream, uint32_t start_row, uint32_t end_row)
{
    assert(event_opens(stream->kind[start_row]));
    add_from(times, trace, stream, start_row, stream->arg[start_row], end_row);
}

void path_times_add_rows(struct path_times *times, const struct trace *trace,
                         const struct stream *stream, uint32_t start_row, uint32_t end_row)
{
    if (start_row == INDEX_NONE)
        add_from(times, trace, stream, 0,
                 event_opens(stream->kind[0]) ? stream->arg[0] : CALLPATH_NONE, end_row);
    else if (!event_opens(stream->kind[start_row]))
        add_from(times, trace, stream, start_row, stream_callpath_at(stream, start_row), end_row);
    else
        add_from(times, trace, stream, region_leave(stream, start_row),
                 trace->calltree.paths.items[stream->arg[start_row]].parent, end_row);
}

void path_times_remove_waits(struct path_times *times, const struct sync_points *points,
                             const struct stream *stream, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        const struct sync_end *end = sync_wait_end(points, i);
        path_times_add(times, sync_end_path(stream, end), -end->wait);
    }
}
