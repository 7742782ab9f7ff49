#include "results/efficiency/measurement.h"

#include "base/otf2_attributes.h"
#include "patterns/folded.h"
#include "results/efficiency/focus.h"
#include "results/efficiency/thread_reader.h"
#include "threads/teams.h"

#include <stdlib.h>
#include <string.h>

static struct focus focus_of(const struct pop_measurement *m, uint32_t s)
{
    const struct stream *stream = &m->trace->streams[s];
    if (stream->count == 0)
        return (struct focus){.empty = true};
    const struct focus_rows rows = focus_rows_of(m->trace, stream);
    struct focus focus = {.begin = stream->time[rows.first], .end = stream->time[rows.last]};
    if (m->ideal) {
        focus.ideal_begin = m->ideal->streams[s].time[rows.first];
        focus.ideal_end = m->ideal->streams[s].time[rows.last];
    }
    return focus;
}

void find_focus(struct pop_measurement *m)
{
    int64_t first[] = {INT64_MAX, INT64_MAX}, last[] = {INT64_MIN, INT64_MIN};
    for (uint32_t s = 0; s < m->trace->owned_count; s++) {
        const struct focus *own = &m->focus[s];
        m->focus[s] = focus_of(m, s);
        if (own->empty)
            continue;
        const int64_t begin[] = {(int64_t)own->begin, (int64_t)own->ideal_begin},
                      end[] = {(int64_t)own->end, (int64_t)own->ideal_end};
        for (int i = 0; i < 2; i++) {
            first[i] = begin[i] < first[i] ? begin[i] : first[i];
            last[i] = end[i] > last[i] ? end[i] : last[i];
        }
    }
    processes_min(m->trace->processes, first, 2);
    processes_max(m->trace->processes, last, 2);
    if (last[0] < first[0]) /* no events at all */
        first[0] = last[0] = first[1] = last[1] = (int64_t)m->trace->begin;
    m->begin = (uint64_t)first[0];
    m->end = (uint64_t)last[0];
    m->ideal_length = last[1] - first[1];
}

enum status count_threads(struct pop_measurement *m, struct error *error)
{
    const struct trace *trace = m->trace;
    enum { THREADS, TEAMS, COUNTS };
    int64_t counts[COUNTS] = {[THREADS] = trace->owned_count};
    const bool allocated = trace->carried_count == 0 || teams_find(trace, &m->teams);
    enum status status =
        processes_agree_memory(trace->processes, allocated, "the efficiencies", error);
    for (uint32_t i = 0; i < trace->carried_count; i++)
        counts[THREADS] += stream_is_thread(trace, &trace->carried[i]);
    for (size_t t = 0; t < m->teams.list.count; t++)
        counts[TEAMS] += m->teams.list.items[t].lane_count > 1;
    processes_sum(trace->processes, counts, COUNTS);
    m->threads = counts[THREADS];
    m->team_count = counts[TEAMS];
    return status;
}

static void add_folded_time(void *data, const struct folded_entry *value)
{
    const struct pop_measurement *m = data;
    const uint32_t s = value->rank - m->trace->first_rank;
    if (value->metric == METRIC_TIME && value->thread == 0 && value->rank >= m->trace->first_rank &&
        s < m->trace->owned_count)
        m->folded[s * m->trace->calltree.paths.count + value->path] += value->value;
}

enum status find_folded(struct pop_measurement *m, struct error *error)
{
    const struct trace *trace = m->trace;
    if (!definitions_property(trace->definitions, SILAS_PROPERTY_FOLDED))
        return STATUS_OK;
    m->folded =
        calloc((size_t)trace->owned_count * trace->calltree.paths.count + 1, sizeof *m->folded);
    return processes_agree_memory(trace->processes, m->folded, "the efficiencies", error)
               ?: folded_each(trace, add_folded_time, m, error);
}

/* Maps a time between row - 1 and row to the ideal run. */
static uint64_t image_of(const struct stream *stream, const struct stream *ideal, uint32_t row,
                         uint64_t time)
{
    if (row == 0)
        return ideal->time[0];
    if (row == stream->count)
        return ideal->time[row - 1];
    const uint64_t before = stream->time[row - 1], after = stream->time[row];
    const uint64_t from = ideal->time[row - 1], to = ideal->time[row];
    if (after == before)
        return from;
    return from +
           (uint64_t)((double)(time - before) / (double)(after - before) * (double)(to - from));
}

/* Before a border. */
struct passed {
    struct thread_times times;
    uint64_t image;
};

/* Ascending borders of parts. */
struct border_list {
    size_t next, end;
    bool begun;
    struct passed last; /* before the border that was reached last */
};

/* The list whose next border is the earliest; NULL: all are reached. Time outside the focus belongs
 * to no part. */
static struct border_list *next_border(const struct pop_measurement *m, const struct focus *focus,
                                       struct border_list *lists, size_t count, uint64_t *border)
{
    struct border_list *next = NULL;
    for (size_t i = 0; i < count; i++) {
        if (lists[i].next == lists[i].end)
            continue;
        uint64_t time = m->borders[lists[i].next];
        time = time < focus->begin ? focus->begin : time;
        time = time > focus->end ? focus->end : time;
        if (next && time >= *border)
            continue;
        next = &lists[i];
        *border = time;
    }
    return next;
}

/* The computation of a rank that its archive states in addition to its events; below 0 if calls of
 * MPI were left out, whose time is that of their callers then. */
static int64_t folded_computation(const struct pop_measurement *m, uint32_t s)
{
    int64_t sum = 0;
    for (uint32_t path = 0; m->folded && path < m->trace->calltree.paths.count; path++)
        sum += callpath_communicates(m->trace, path) ? 0 : folded_time(m, s, path);
    return sum;
}

static void reach_border(struct pop_measurement *m, struct border_list *list,
                         const struct passed *now, const struct thread_reader *reader)
{
    const struct passed *last = &list->last;
    const size_t part = list->next++ - 1;
    if (list->begun) {
        const int64_t useful = (int64_t)(now->times.useful - last->times.useful);
        m->useful[part] += useful;
        m->idle[part] += reader->workers * (int64_t)(now->times.serial - last->times.serial);
        keep_longest(&m->longest[part].useful, useful);
        if (reader->master) {
            const int64_t computed = (int64_t)(now->times.computed - last->times.computed) +
                                     (part == PART_OF_RUN ? folded_computation(m, reader->s) : 0);
            m->computed[part] += computed;
            keep_longest(&m->longest[part].computed, computed);
            keep_longest(&m->longest[part].ideal, (int64_t)(now->image - last->image));
        }
    }
    list->begun = true;
    list->last = *now;
}

/* Where a border is in the ideal run of the thread's rank; 0 for other threads. */
static uint64_t border_image(const struct pop_measurement *m, const struct thread_reader *reader,
                             uint64_t border)
{
    const struct focus *focus = &m->focus[reader->s];
    if (border == focus->begin)
        return focus->ideal_begin;
    if (border == focus->end)
        return focus->ideal_end;
    if (!reader->master || !m->ideal)
        return 0;
    return image_of(reader->stream, &m->ideal->streams[reader->s], reader->row, border);
}

/* Adds the times of one thread between the borders of all lists. */
static void sweep_thread(struct pop_measurement *m, struct thread_reader *reader, void *unused)
{
    struct border_list lists[3] = {{.next = 0, .end = 2}}, *list;
    size_t count = 1;
    uint64_t border = 0;
    (void)unused;
    if (m->iterations)
        lists[count++] = (struct border_list){.next = 2, .end = m->iterations + 3};
    if (m->windows)
        lists[count++] =
            (struct border_list){.next = m->border_count - m->windows - 1, .end = m->border_count};
    while ((list = next_border(m, &m->focus[reader->s], lists, count, &border))) {
        thread_reader_pass(reader, border);
        const struct passed now = {reader->times, border_image(m, reader, border)};
        reach_border(m, list, &now, reader);
    }
}

bool sweep_times(struct pop_measurement *m)
{
    return each_thread(m, sweep_thread, NULL);
}
