/* Threads of pthread_create. With e and l enter and leave of pthread_join, and t the end of the
 * thread that it waits for:
 *
 *     wait at join   max(0, min(t, l) - e)
 *
 * Management is all time in calls that create threads or wait for their end, on the rank's own
 * thread. Scalasca has no metric for the wait. */
#include "base/map.h"
#include "patterns/pattern.h"
#include "threads/posix.h"
#include "trace/otf2_records.h"

#include <stdlib.h>

/* Most programs create no threads, and need not be read once more. */
static bool may_create(const struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->region_count; i++)
        if (region_manages_threads(&definitions->regions[i]))
            return true;
    return false;
}

/* The event of an OTHER row; OTHER_TYPE_COUNT for other rows. */
static uint8_t thread_event(const struct stream *stream, uint32_t row, uint64_t *number)
{
    if (stream->kind[row] != EVENT_OTHER)
        return OTHER_TYPE_COUNT;
    const struct other_event *event = &stream->others[stream->arg[row]];
    *number = event->fields[1];
    return event->type;
}

/* When threads have ended, by their numbers. */
struct ended_threads {
    struct map places; /* in `times` */
    ARRAY(int64_t) times;
};

static bool list_ends(const struct search_rank *rank, struct ended_threads *ends)
{
    const struct trace *trace = rank->trace;
    bool allocated = true;
    for (uint32_t c = 0; c < trace->carried_count && allocated; c++) {
        const struct stream *stream = &trace->carried[c];
        uint64_t number;
        if (stream->rank != rank->stream->rank || stream->other_count == 0)
            continue;
        uint64_t *time = trace_carried_times(trace, stream);
        allocated = time != NULL;
        for (uint32_t row = 0; row < stream->count && allocated; row++)
            if (thread_event(stream, row, &number) == OTHER_THREAD_END)
                allocated = map_set(&ends->places, number, (uint32_t)ends->times.count) &&
                            array_push(&ends->times, (int64_t)time[row]);
        free(time);
    }
    return allocated;
}

/* Adds the waits at the end of threads. The record of a thread's end is inside pthread_join. */
static void add_join_waits(const struct search_rank *rank, const struct ended_threads *ends)
{
    const struct stream *stream = rank->stream;
    uint32_t enter = 0;
    uint64_t number;
    for (uint32_t row = 0; row < stream->count; row++) {
        enter = event_opens(stream->kind[row]) ? row : enter;
        if (thread_event(stream, row, &number) != OTHER_THREAD_WAIT ||
            !event_opens(stream->kind[enter]))
            continue;
        const uint32_t place = map_get(&ends->places, number);
        const int64_t leave = (int64_t)stream->time[row];
        if (place == MAP_NONE)
            continue;
        const int64_t wait =
            int64_min(ends->times.items[place], leave) - (int64_t)stream->time[enter];
        findings_add(rank->findings, METRIC_PTHREAD_JOIN_WAIT, rank->index, stream->arg[enter],
                     int64_max(0, wait));
    }
}

static void search_posix_threads(const struct search_rank *rank)
{
    const struct definitions *definitions = rank->trace->definitions;
    struct ended_threads ends = {0};
    if (!may_create(definitions))
        return;
    for (uint32_t path = 0; path < rank->trace->calltree.paths.count; path++) {
        const uint32_t region = rank->trace->calltree.paths.items[path].region;
        if (!region_manages_threads(&definitions->regions[region]))
            continue;
        const int64_t time = findings_get(rank->findings, METRIC_TIME, rank->index, path);
        findings_add(rank->findings, METRIC_PTHREAD_TIME, rank->index, path, time);
        findings_add(rank->findings, METRIC_PTHREAD_MANAGEMENT, rank->index, path, time);
    }
    if (list_ends(rank, &ends))
        add_join_waits(rank, &ends);
    else
        rank->findings->out_of_memory = true;
    map_clear(&ends.places);
    free(ends.times.items);
}

const struct pattern posix_wait_pattern = {
    .name = "threads of pthread_create",
    .description = "creating threads and waiting for their end",
    .search_rank = search_posix_threads,
};
