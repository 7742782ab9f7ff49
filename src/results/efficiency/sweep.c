#include "results/efficiency/measurement.h"

#include "results/efficiency/focus.h"
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
    const bool allocated =
        trace->carried_count == 0 || teams_find(trace->origin ? trace->origin : trace, &m->teams);
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

/* The teams of a rank, while its rows are passed. */
struct passed_teams {
    const struct teams *teams;
    uint32_t s;
    size_t next; /* the first one that has not ended */
};

static struct passed_teams teams_of_rank(const struct pop_measurement *m, uint32_t s)
{
    struct passed_teams passed = {.teams = &m->teams, .s = s};
    while (passed.next < m->teams.list.count &&
           team_lane(&m->teams, &m->teams.list.items[passed.next], 0)->stream < s)
        passed.next++;
    return passed;
}

/* True if the time before a row is in a parallel region. Rows come in order. */
static bool is_in_team(struct passed_teams *passed, uint32_t row)
{
    const struct teams *teams = passed->teams;
    for (; passed->next < teams->list.count; passed->next++) {
        const struct lane *lane = team_lane(teams, &teams->list.items[passed->next], 0);
        if (lane->stream != passed->s || row <= lane->first)
            return false;
        if (row <= lane->last)
            return true;
    }
    return false;
}

/* True if a thread computes in a call path. */
static bool is_useful(const struct trace *trace, uint32_t path)
{
    return path != CALLPATH_NONE && !callpath_communicates(trace, path) &&
           !region_waits_for_threads(
               &trace->definitions->regions[trace->calltree.paths.items[path].region]);
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
    uint64_t computed, useful, serial, image; /* serial: computed outside of teams */
};

static void keep_longest(int64_t *longest, int64_t value)
{
    if (value > *longest)
        *longest = value;
}

/* Adds the time in a call path up to an event; the call path was entered at `since`. */
static inline void pass_event(const struct trace *trace, bool threads, bool in_team, uint32_t path,
                              uint64_t length, struct passed *now)
{
    if (!callpath_communicates(trace, path)) {
        now->computed += length;
        now->serial += in_team ? 0 : length;
    }
    if (threads && is_useful(trace, path))
        now->useful += length;
}

/* The ascending borders from `first` on, on one rank or thread. Time outside its focus belongs to
 * no part. */
static void sweep_borders(struct pop_measurement *m, const struct stream *stream,
                          const struct focus *focus, const struct stream *ideal, bool master,
                          size_t first, size_t count)
{
    const struct trace *trace = m->trace;
    const bool threads = m->threads > trace->rank_count;
    struct passed last = {0}, now = {0};
    uint32_t path = CALLPATH_NONE, row = 0, depth = 0; /* of a worker's open regions */
    uint64_t since = stream->time[0];
    const uint32_t s = (uint32_t)(master ? stream - trace->streams : 0);
    const int64_t workers = master && m->team_count > 0 ? rank_worker_count(trace, s) : 0;
    struct passed_teams teams = workers > 0 ? teams_of_rank(m, s) : (struct passed_teams){0};
    for (size_t b = first; b < first + count; b++) {
        uint64_t border = m->borders[b] < focus->begin ? focus->begin : m->borders[b];
        if (border > focus->end)
            border = focus->end;
        for (; row < stream->count && stream->time[row] < border; row++) {
            pass_event(trace, threads, workers > 0 && is_in_team(&teams, row), path,
                       stream->time[row] - since, &now);
            since = stream->time[row];
            path = callpath_after(&trace->calltree, stream, row, path);
            depth += event_opens(stream->kind[row]) - event_closes(stream->kind[row]);
            if (!master && depth == 0) /* the path of its master; the worker is idle */
                path = CALLPATH_NONE;
        }
        if (row > 0 && row < stream->count && border > since) {
            pass_event(trace, threads, workers > 0 && is_in_team(&teams, row), path, border - since,
                       &now);
            since = border;
        }
        now.image = border == focus->begin ? focus->ideal_begin
                    : border == focus->end ? focus->ideal_end
                    : ideal                ? image_of(stream, ideal, row, border)
                                           : 0;
        if (b > first) {
            m->useful[b - 1] += (int64_t)(now.useful - last.useful);
            m->idle[b - 1] += workers * (int64_t)(now.serial - last.serial);
            keep_longest(&m->longest[b - 1].useful, (int64_t)(now.useful - last.useful));
            if (master) {
                m->computed[b - 1] += (int64_t)(now.computed - last.computed);
                keep_longest(&m->longest[b - 1].computed, (int64_t)(now.computed - last.computed));
                keep_longest(&m->longest[b - 1].ideal, (int64_t)(now.image - last.image));
            }
        }
        last = now;
    }
}

static void sweep_stream(struct pop_measurement *m, const struct stream *stream,
                         const struct focus *focus, const struct stream *ideal, bool master)
{
    if (focus->empty || stream->count == 0)
        return;
    sweep_borders(m, stream, focus, ideal, master, 0, 2);
    if (m->iterations)
        sweep_borders(m, stream, focus, ideal, master, 2, m->iterations + 1);
    if (m->windows)
        sweep_borders(m, stream, focus, ideal, master, m->border_count - m->windows - 1,
                      m->windows + 1);
}

/* A thread of a predicted run, whose times are still those before the prediction: they move with
 * its rank's. False if out of memory. */
static bool sweep_moved(struct pop_measurement *m, const struct stream *stream, uint32_t s)
{
    struct stream moved = *stream;
    moved.time = trace_carried_times(m->trace, stream);
    if (!moved.time)
        return false;
    sweep_stream(m, &moved, &m->focus[s], NULL, false);
    free(moved.time);
    return true;
}

bool sweep_times(struct pop_measurement *m)
{
    const struct trace *trace = m->trace;
    bool allocated = true;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        sweep_stream(m, &trace->streams[s], &m->focus[s], m->ideal ? &m->ideal->streams[s] : NULL,
                     true);
    for (uint32_t i = 0; i < trace->carried_count && allocated; i++) {
        const struct stream *stream = &trace->carried[i];
        if (!stream_is_thread(trace, stream))
            continue;
        if (trace->origin)
            allocated = sweep_moved(m, stream, stream->rank - trace->first_rank);
        else
            sweep_stream(m, stream, &m->focus[stream->rank - trace->first_rank], NULL, false);
    }
    return allocated;
}

/* Adds the time in a call path to its regions, once to each region. */
static void pass_up(const struct trace *trace, struct longest *own, uint32_t *seen, uint32_t stamp,
                    uint32_t path, const struct longest *passed)
{
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent) {
        uint32_t region = trace->calltree.paths.items[path].region;
        if (seen[region] == stamp)
            continue;
        seen[region] = stamp;
        own[region].computed += passed->computed;
        own[region].spent += passed->spent;
        own[region].ideal += passed->ideal;
    }
}

/* The exclusive time in each call path within the focus. */
static void sweep_paths(const struct pop_measurement *m, uint32_t s, struct longest *by_path)
{
    const struct trace *trace = m->trace;
    const struct stream *stream = &trace->streams[s];
    const struct stream *ideal = m->ideal ? &m->ideal->streams[s] : NULL;
    const struct focus *focus = &m->focus[s];
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count && stream->time[row] <= focus->end; row++) {
        if (row > 0 && path != CALLPATH_NONE && stream->time[row - 1] >= focus->begin) {
            const int64_t length = (int64_t)(stream->time[row] - stream->time[row - 1]);
            by_path[path].spent += length;
            if (!callpath_communicates(trace, path))
                by_path[path].computed += length;
            if (ideal)
                by_path[path].ideal += (int64_t)(ideal->time[row] - ideal->time[row - 1]);
        }
        path = callpath_after(&trace->calltree, stream, row, path);
    }
}

/* `by_path`, `own` and `seen` have room for all call paths and regions. */
static void sweep_rank(struct pop_measurement *m, uint32_t s, struct longest *by_path,
                       struct longest *own, uint32_t *seen)
{
    const struct trace *trace = m->trace;
    const size_t paths = trace->calltree.paths.count, regions = trace->definitions->region_count;
    memset(by_path, 0, paths * sizeof *by_path);
    memset(own, 0, regions * sizeof *own);
    memset(seen, 0, regions * sizeof *seen);
    sweep_paths(m, s, by_path);
    for (uint32_t path = 0; path < paths; path++)
        pass_up(trace, own, seen, path + 1, path, &by_path[path]);
    for (uint32_t region = 0; region < regions; region++) {
        struct longest *longest = &m->longest[part_of_region(m, region)];
        m->computed[part_of_region(m, region)] += own[region].computed;
        keep_longest(&longest->computed, own[region].computed);
        keep_longest(&longest->ideal, own[region].ideal);
        keep_longest(&longest->spent, own[region].spent);
    }
}

enum status sweep_regions(struct pop_measurement *m, struct error *error)
{
    const struct trace *trace = m->trace;
    const size_t paths = trace->calltree.paths.count, regions = trace->definitions->region_count;
    struct longest *by_path = malloc((paths + 1) * sizeof *by_path);
    struct longest *own = malloc((regions + 1) * sizeof *own);
    uint32_t *seen = malloc((regions + 1) * sizeof *seen);
    enum status status =
        processes_agree_memory(trace->processes, by_path && own && seen, "the efficiencies", error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        sweep_rank(m, s, by_path, own, seen);
    free(by_path);
    free(own);
    free(seen);
    return status;
}
