#include "trace/trace.h"

#include "trace/threads.h"

#include <assert.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *event_kind_name(enum event_kind kind)
{
    static const char *const names[EVENT_KIND_COUNT] = {
#define X(identifier, name) [EVENT_##identifier] = name,
        EVENT_KINDS(X)
#undef X
    };
    return kind < EVENT_KIND_COUNT ? names[kind] : "unknown event";
}

void trace_destroy(struct trace *trace)
{
    if (!trace)
        return;
    if (!trace->borrows) {
        calltree_clear(&trace->calltree);
        if (trace->definitions)
            arena_destroy(trace->definitions->arena);
    }
    arena_destroy(trace->arena);
    free(trace);
}

static bool copy_time_columns(struct arena *arena, struct stream *stream)
{
    uint64_t *copy = arena_adopt(arena, malloc(((size_t)stream->count + 1) * sizeof *copy));
    if (!copy)
        return false;
    if (stream->count)
        memcpy(copy, stream->time, stream->count * sizeof *copy);
    stream->time = copy;
    return true;
}

static struct stream *view_streams(struct arena *arena, const struct stream *streams,
                                   uint32_t count)
{
    struct stream *copy = arena_memdup(arena, streams, count * sizeof *copy);
    for (uint32_t i = 0; copy && i < count; i++)
        if (!copy_time_columns(arena, &copy[i]))
            return NULL;
    return copy;
}

struct trace *trace_view(const struct trace *origin, struct error *error)
{
    struct trace *view = malloc(sizeof *view);
    if (!view) {
        error_memory(error, "a second time column");
        return NULL;
    }
    *view = *origin;
    view->origin = origin;
    view->borrows = true;
    view->arena = arena_create();
    if (view->arena) {
        view->streams = view_streams(view->arena, origin->streams, origin->owned_count);
        view->carried = view_streams(view->arena, origin->carried, origin->carried_count);
    }
    if (!view->arena || !view->streams || !view->carried) {
        error_memory(error, "a second time column");
        trace_destroy(view);
        return NULL;
    }
    return view;
}

void warp_times(const uint64_t *before, const uint64_t *after, size_t points, uint64_t *times,
                size_t count)
{
    if (points == 0)
        return;
    assert(before && after && (times || count == 0));
    size_t next = 0; /* the first point not before the current time */
    for (size_t i = 0; i < count; i++) {
        uint64_t t = times[i];
        while (next < points && before[next] < t)
            next++;
        if (next == 0) {
            uint64_t ahead = before[0] - t;
            times[i] = after[0] > ahead ? after[0] - ahead : 0;
        } else if (next == points) {
            times[i] = after[points - 1] + (t - before[points - 1]);
        } else {
            uint64_t from = before[next - 1], to = before[next];
            double share = (double)(t - from) / (double)(to - from);
            times[i] =
                after[next - 1] + (uint64_t)(share * (double)(after[next] - after[next - 1]) + 0.5);
        }
    }
}

uint64_t *trace_carried_times(const struct trace *trace, const struct stream *carried)
{
    uint64_t *times = malloc(((size_t)carried->count + 1) * sizeof *times);
    if (!times)
        return NULL;
    memcpy(times, carried->time, carried->count * sizeof *times);
    const struct stream *after =
        trace->origin && carried->rank != INDEX_NONE ? trace_stream(trace, carried->rank) : NULL;
    if (after)
        warp_times(trace_stream(trace->origin, carried->rank)->time, after->time, after->count,
                   times, carried->count);
    return times;
}

uint64_t trace_owned_events(const struct trace *trace)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        events += trace->streams[i].count;
    return events;
}

int64_t trace_count_events(const struct trace *trace)
{
    int64_t events = (int64_t)trace_owned_events(trace);
    processes_sum(trace->processes, &events, 1);
    return events;
}

void trace_update_span(struct trace *trace)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *s = &trace->streams[i];
        if (s->count == 0)
            continue;
        /* Stamps from 2^63 on, which are damaged, are negative: the last one is less than the
         * first. */
        const int64_t begin = (int64_t)s->time[0], end = (int64_t)s->time[s->count - 1];
        first = begin < first ? begin : first;
        first = end < first ? end : first;
        last = begin > last ? begin : last;
        last = end > last ? end : last;
    }
    processes_min(trace->processes, &first, 1);
    processes_max(trace->processes, &last, 1);
    trace->begin = first <= last ? (uint64_t)first : 0;
    trace->end = first <= last ? (uint64_t)last : 0;
}

uint32_t trace_first_rank(uint32_t rank_count, int processes, int process)
{
    assert(processes > 0 && process >= 0 && process <= processes);
    return (uint32_t)((uint64_t)rank_count * (uint64_t)process / (uint64_t)processes);
}

enum status trace_choose_streams(struct trace *trace, struct error *error)
{
    const struct definitions *d = trace->definitions;
    const struct processes *p = trace->processes;
    const uint32_t count = mpi_process_count(d); /* the ranks of an MPI process have one owner */
    trace->first_rank = mpi_process_first_rank(d, trace_first_rank(count, p->size, p->rank));
    trace->owned_count = mpi_process_first_rank(d, trace_first_rank(count, p->size, p->rank + 1)) -
                         trace->first_rank;
    trace->streams =
        arena_alloc_array(trace->arena, trace->owned_count + 1, sizeof *trace->streams);
    trace->carried = arena_alloc_array(trace->arena, d->location_count + 1, sizeof *trace->carried);
    if (!trace->streams || !trace->carried)
        return error_memory(error, "the trace");
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        uint32_t rank = trace->first_rank + i;
        trace->streams[i] = (struct stream){.rank = rank, .location = d->rank_location[rank]};
    }
    for (uint32_t i = 0; i < d->location_count; i++) {
        const struct location *l = &d->locations[i];
        bool mine =
            l->rank == INDEX_NONE ? p->rank == 0 : l->rank - trace->first_rank < trace->owned_count;
        if (mine && !l->master && l->type != OTF2_LOCATION_TYPE_METRIC)
            trace->carried[trace->carried_count++] =
                (struct stream){.rank = l->rank, .location = i};
    }
    return STATUS_OK;
}

int trace_owner(const struct trace *trace, uint32_t rank)
{
    assert(rank < trace->rank_count);
    int size = trace->processes->size;
    if (size == 1)
        return 0;
    uint32_t count = trace->rank_count; /* the ranks of an MPI process have one owner */
    if (trace->definitions && trace->definitions->threads) {
        rank = mpi_process_of(trace->definitions, rank);
        count = mpi_process_count(trace->definitions);
    }
    int owner = (int)((uint64_t)rank * (uint64_t)size / count);
    while (owner + 1 < size && trace_first_rank(count, size, owner + 1) <= rank)
        owner++; /* the division rounds down: at most one step, or past processes without ranks */
    return owner;
}

struct stream *trace_stream(const struct trace *trace, uint32_t rank)
{
    if (rank < trace->first_rank || rank - trace->first_rank >= trace->owned_count)
        return NULL;
    return &trace->streams[rank - trace->first_rank];
}

uint32_t stream_enter_at(const struct stream *stream, uint32_t row)
{
    assert(row < stream->count);
    for (uint32_t i = row + 1; i-- > 0;) {
        if (i < row && event_closes(stream->kind[i])) {
            i = stream->arg[i]; /* skip regions that have been left; the loop steps before the ENTER
                                 */
            continue;
        }
        if (i == row && event_closes(stream->kind[i]))
            return stream->arg[i];
        if (event_opens(stream->kind[i]))
            return i;
    }
    return INDEX_NONE;
}

uint32_t stream_callpath_at(const struct stream *stream, uint32_t row)
{
    uint32_t enter = stream_enter_at(stream, row);
    return enter == INDEX_NONE ? CALLPATH_NONE : stream->arg[enter];
}

char *trace_describe_event(const struct trace *trace, const struct stream *stream, uint32_t row,
                           char *text, size_t size)
{
    assert(row < stream->count && size > 0);
    char path[512];
    callpath_format(&trace->calltree, trace->definitions, stream_callpath_at(stream, row), path,
                    sizeof path);
    double since = trace_seconds(trace, (double)(stream->time[row] - trace->begin));
    char name[RANK_NAME_SIZE];
    snprintf(text, size, "%s, event %u (%s) at %.9f s in %s",
             rank_name(trace->definitions, stream->rank, name), row,
             event_kind_name(stream->kind[row]), since, path);
    return text;
}
