/* The reference has room for the times of 128 call paths a rank, and for the waits of as many. Once
 * a table is full, a path that is not in it takes the place of the one with the least time (the
 * last of several), if it brings more, and what was there is lost; else what it brings is lost.
 * Activities are what the one table says less what the other does.
 *
 * Times come in intervals, path by path. An interval ends where the rank enters a call that waits
 * or is waited for, or posts a receive; so a path that is lost brings the whole interval's time
 * when it comes back. Waits come one by one. */
#include "as_reference.h"

#include "patterns/causes.h"
#include "patterns/imbalance.h"
#include "patterns/path_times.h"

#include <stdlib.h>

enum { CAPACITY = 128 };

struct table {
    uint32_t paths[CAPACITY];
    int64_t ticks[CAPACITY];
    uint32_t count;
};

/* The path's place; where it is not in the table, CAPACITY. */
static uint32_t place_of(const struct table *table, uint32_t path)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->paths[i] == path)
            return i;
    return CAPACITY;
}

static void table_add(struct table *table, uint32_t path, int64_t ticks)
{
    uint32_t place = place_of(table, path);
    if (place < CAPACITY) {
        table->ticks[place] += ticks;
        return;
    }
    place = table->count;
    if (place < CAPACITY) {
        table->count++;
    } else {
        place = 0;
        for (uint32_t i = 1; i < CAPACITY; i++)
            if (table->ticks[i] <= table->ticks[place])
                place = i;
        if (ticks <= table->ticks[place])
            return;
    }
    table->paths[place] = path;
    table->ticks[place] = ticks;
}

static void mark_waits(bool *ends, const struct sync_points *points, uint32_t rank)
{
    for (uint32_t i = 0; i < points->end_count; i++) {
        const struct sync_end *end = &points->ends[i];
        if (end->rank == rank && (end->wait > 0 || points->points[end->point].culprit == i))
            ends[end->enter_row] = true;
    }
}

static void mark_posted_receives(bool *ends, const struct stream *stream)
{
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (!(message->flags & MESSAGE_SEND))
            ends[stream_enter_at(stream, message->post)] = true;
    }
}

static void add_interval(struct table *table, struct path_times *times, uint32_t path_count)
{
    for (uint32_t path = 0; path < path_count; path++)
        if (times->ticks[path] != 0)
            table_add(table, path, times->ticks[path]);
    path_times_reset(times);
}

static void add_intervals(struct table *table, struct path_times *times, const bool *ends,
                          const struct trace *trace, const struct stream *stream)
{
    uint32_t path_count = (uint32_t)trace->calltree.paths.count, start = INDEX_NONE;
    for (uint32_t row = 1; row < stream->count; row++) {
        if (!ends[row] && row + 1 < stream->count)
            continue;
        if (start == INDEX_NONE)
            path_times_add_rows(times, trace, stream, start, row);
        else
            path_times_add_inside(times, trace, stream, start, row);
        add_interval(table, times, path_count);
        start = row;
    }
}

static void add_waits(struct table *table, const struct search_rank *rank,
                      const struct sync_points *points)
{
    uint32_t world = rank->stream->rank;
    for (uint32_t i = points->first_wait[world]; i < points->first_wait[world + 1]; i++) {
        const struct sync_end *end = &points->ends[points->waits[i]];
        uint32_t path = sync_end_path(rank->stream, end);
        if (path != CALLPATH_NONE)
            table_add(table, path, end->wait);
    }
    if (rank->finalize_path != CALLPATH_NONE)
        table_add(table, rank->finalize_path,
                  findings_get(rank->findings, METRIC_MPI_FINALIZE_WAIT, rank->index,
                               rank->finalize_path));
}

/* False when memory is out. */
static bool find_activities(const struct search_rank *rank, const void *data, int64_t *activities)
{
    const struct causes *causes = data;
    const struct stream *stream = rank->stream;
    struct table spent = {.count = 0}, waited = {.count = 0};
    struct path_times times;
    bool *ends = calloc((size_t)stream->count + 1, sizeof *ends);
    bool complete = path_times_open(&times, rank->findings->path_count) && ends;
    if (complete) {
        mark_waits(ends, &causes->points, stream->rank);
        mark_posted_receives(ends, stream);
        add_intervals(&spent, &times, ends, causes->trace, stream);
        add_waits(&waited, rank, &causes->points);
        for (uint32_t i = 0; i < spent.count; i++) {
            uint32_t place = place_of(&waited, spent.paths[i]);
            activities[spent.paths[i]] =
                int64_max(0, spent.ticks[i] - (place < CAPACITY ? waited.ticks[place] : 0));
        }
    }
    path_times_clear(&times);
    free(ends);
    return complete;
}

static enum status search_causes(const struct search_rank *ranks, const struct causes *causes,
                                 struct error *error)
{
    return imbalance_find(ranks, causes->trace, &causes->threads, find_activities, causes, error);
}

const struct pattern small_tables_pattern = {
    .name = "imbalance",
    .description = "activities of 128 call paths a rank",
    .search_causes = search_causes,
};
