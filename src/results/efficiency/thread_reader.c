#include "results/efficiency/thread_reader.h"

#include <assert.h>
#include <stdlib.h>

/* What a thread does in a call path. */
enum { PATH_COMPUTES = 1, PATH_IS_USEFUL = 2 };

/* [call path + 1], so that CALLPATH_NONE is the first. Without other threads than the ranks nothing
 * is asked about useful time. NULL if out of memory. */
static uint8_t *path_kinds(const struct pop_measurement *m)
{
    const struct trace *trace = m->trace;
    const bool threads = m->threads > trace->rank_count;
    const uint32_t count = (uint32_t)trace->calltree.paths.count + 1;
    uint8_t *kinds = malloc(count);
    for (uint32_t i = 0; kinds && i < count; i++)
        kinds[i] =
            (uint8_t)((callpath_communicates(trace, i - 1) ? 0 : PATH_COMPUTES) |
                      (threads && i > 0 && callpath_computes(trace, i - 1) ? PATH_IS_USEFUL : 0));
    return kinds;
}

static size_t first_team_of(const struct teams *teams, uint32_t s)
{
    size_t team = 0;
    while (team < teams->list.count && team_lane(teams, &teams->list.items[team], 0)->stream < s)
        team++;
    return team;
}

static struct thread_reader start_reading(const struct pop_measurement *m, const uint8_t *kinds,
                                          uint32_t s, const struct stream *stream)
{
    assert(stream->count > 0);
    struct thread_reader reader = {.m = m,
                                   .stream = stream,
                                   .kinds = kinds,
                                   .s = s,
                                   .master = stream == &m->trace->streams[s],
                                   .path = CALLPATH_NONE,
                                   .since = stream->time[0]};
    if (reader.master && m->team_count > 0)
        reader.workers = rank_worker_count(m->trace, s);
    if (reader.workers > 0)
        reader.next_team = first_team_of(&m->teams, s);
    return reader;
}

/* True if the time before the next row is in a parallel region of the rank. */
static bool is_in_team(struct thread_reader *reader)
{
    const struct teams *teams = &reader->m->teams;
    if (reader->workers == 0)
        return false;
    for (; reader->next_team < teams->list.count; reader->next_team++) {
        const struct lane *lane = team_lane(teams, &teams->list.items[reader->next_team], 0);
        if (lane->stream != reader->s || reader->row <= lane->first)
            return false;
        if (reader->row <= lane->last)
            return true;
    }
    return false;
}

/* Adds the time in the current call path. */
static inline void add_time_until(struct thread_reader *reader, uint64_t moment)
{
    const uint8_t kind = reader->kinds[reader->path + 1];
    const uint64_t length = moment - reader->since;
    if (kind & PATH_COMPUTES) {
        reader->times.computed += length;
        reader->times.serial += is_in_team(reader) ? 0 : length;
    }
    if (kind & PATH_IS_USEFUL)
        reader->times.useful += length;
    reader->since = moment;
}

void thread_reader_pass(struct thread_reader *reader, uint64_t moment)
{
    const struct stream *stream = reader->stream;
    const struct calltree *tree = &reader->m->trace->calltree;
    for (; reader->row < stream->count && stream->time[reader->row] < moment; reader->row++) {
        const uint32_t row = reader->row;
        add_time_until(reader, stream->time[row]);
        reader->path = callpath_after(tree, stream, row, reader->path);
        reader->depth += event_opens(stream->kind[row]) - event_closes(stream->kind[row]);
        if (!reader->master && reader->depth == 0) /* the path of its master; the worker is idle */
            reader->path = CALLPATH_NONE;
    }
    if (reader->row > 0 && reader->row < stream->count && moment > reader->since)
        add_time_until(reader, moment);
}

/* In a predicted run the times of other threads are still those before the prediction: they move
 * with their rank's. */
static bool read_thread(struct pop_measurement *m, const uint8_t *kinds,
                        const struct stream *stream, thread_function *function, void *data)
{
    const uint32_t s = stream->rank - m->trace->first_rank;
    struct stream moved = *stream;
    if (stream->count == 0 || m->trace->streams[s].count == 0)
        return true;
    if (m->trace->origin && !(moved.time = trace_carried_times(m->trace, stream)))
        return false;
    struct thread_reader reader = start_reading(m, kinds, s, &moved);
    function(m, &reader, data);
    if (m->trace->origin)
        free(moved.time);
    return true;
}

bool each_thread(struct pop_measurement *m, thread_function *function, void *data)
{
    const struct trace *trace = m->trace;
    uint8_t *kinds = path_kinds(m);
    bool allocated = kinds != NULL;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        const struct stream *stream = &trace->streams[s];
        if (stream->count == 0)
            continue;
        struct thread_reader reader = start_reading(m, kinds, s, stream);
        function(m, &reader, data);
    }
    for (uint32_t i = 0; i < trace->carried_count && allocated; i++)
        if (stream_is_thread(trace, &trace->carried[i]))
            allocated = read_thread(m, kinds, &trace->carried[i], function, data);
    free(kinds);
    return allocated;
}
