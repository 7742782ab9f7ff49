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

/* What a thread does in a call path. */
enum { PATH_COMPUTES = 1, PATH_IS_USEFUL = 2 };

/* [call path + 1], so that CALLPATH_NONE is the first. Without other threads than the ranks nothing
 * is asked about useful time. NULL if out of memory. */
static uint8_t *kinds_of_paths(const struct pop_measurement *m)
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

/* Adds the time in a call path up to an event. */
static inline void pass_event(uint8_t kind, bool in_team, uint64_t length, struct passed *now)
{
    if (kind & PATH_COMPUTES) {
        now->computed += length;
        now->serial += in_team ? 0 : length;
    }
    if (kind & PATH_IS_USEFUL)
        now->useful += length;
}

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

static void reach_border(struct pop_measurement *m, struct border_list *list,
                         const struct passed *now, int64_t workers, bool master)
{
    const struct passed *last = &list->last;
    const size_t part = list->next++ - 1;
    if (list->begun) {
        const int64_t useful = (int64_t)(now->useful - last->useful);
        m->useful[part] += useful;
        m->idle[part] += workers * (int64_t)(now->serial - last->serial);
        keep_longest(&m->longest[part].useful, useful);
        if (master) {
            const int64_t computed = (int64_t)(now->computed - last->computed);
            m->computed[part] += computed;
            keep_longest(&m->longest[part].computed, computed);
            keep_longest(&m->longest[part].ideal, (int64_t)(now->image - last->image));
        }
    }
    list->begun = true;
    list->last = *now;
}

/* Adds the times of one rank or thread between the borders of all lists. */
static void sweep_borders(struct pop_measurement *m, const uint8_t *kinds,
                          const struct stream *stream, const struct focus *focus,
                          const struct stream *ideal, bool master, struct border_list *lists,
                          size_t count)
{
    const struct trace *trace = m->trace;
    struct passed now = {0};
    uint32_t path = CALLPATH_NONE, row = 0, depth = 0; /* of a worker's open regions */
    uint64_t since = stream->time[0], border = 0;
    const uint32_t s = (uint32_t)(master ? stream - trace->streams : 0);
    const int64_t workers = master && m->team_count > 0 ? rank_worker_count(trace, s) : 0;
    struct passed_teams teams = workers > 0 ? teams_of_rank(m, s) : (struct passed_teams){0};
    struct border_list *list;
    while ((list = next_border(m, focus, lists, count, &border))) {
        for (; row < stream->count && stream->time[row] < border; row++) {
            pass_event(kinds[path + 1], workers > 0 && is_in_team(&teams, row),
                       stream->time[row] - since, &now);
            since = stream->time[row];
            path = callpath_after(&trace->calltree, stream, row, path);
            depth += event_opens(stream->kind[row]) - event_closes(stream->kind[row]);
            if (!master && depth == 0) /* the path of its master; the worker is idle */
                path = CALLPATH_NONE;
        }
        if (row > 0 && row < stream->count && border > since) {
            pass_event(kinds[path + 1], workers > 0 && is_in_team(&teams, row), border - since,
                       &now);
            since = border;
        }
        now.image = border == focus->begin ? focus->ideal_begin
                    : border == focus->end ? focus->ideal_end
                    : ideal                ? image_of(stream, ideal, row, border)
                                           : 0;
        reach_border(m, list, &now, workers, master);
    }
}

static void sweep_stream(struct pop_measurement *m, const uint8_t *kinds,
                         const struct stream *stream, const struct focus *focus,
                         const struct stream *ideal, bool master)
{
    struct border_list lists[3] = {{.next = 0, .end = 2}};
    size_t count = 1;
    if (m->iterations)
        lists[count++] = (struct border_list){.next = 2, .end = m->iterations + 3};
    if (m->windows)
        lists[count++] =
            (struct border_list){.next = m->border_count - m->windows - 1, .end = m->border_count};
    if (!focus->empty && stream->count > 0)
        sweep_borders(m, kinds, stream, focus, ideal, master, lists, count);
}

/* A thread of a predicted run, whose times are still those before the prediction: they move with
 * its rank's. False if out of memory. */
static bool sweep_moved(struct pop_measurement *m, const uint8_t *kinds,
                        const struct stream *stream, uint32_t s)
{
    struct stream moved = *stream;
    moved.time = trace_carried_times(m->trace, stream);
    if (!moved.time)
        return false;
    sweep_stream(m, kinds, &moved, &m->focus[s], NULL, false);
    free(moved.time);
    return true;
}

bool sweep_times(struct pop_measurement *m)
{
    const struct trace *trace = m->trace;
    uint8_t *kinds = kinds_of_paths(m);
    bool allocated = kinds != NULL;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++)
        sweep_stream(m, kinds, &trace->streams[s], &m->focus[s],
                     m->ideal ? &m->ideal->streams[s] : NULL, true);
    for (uint32_t i = 0; i < trace->carried_count && allocated; i++) {
        const struct stream *stream = &trace->carried[i];
        if (!stream_is_thread(trace, stream))
            continue;
        if (trace->origin)
            allocated = sweep_moved(m, kinds, stream, stream->rank - trace->first_rank);
        else
            sweep_stream(m, kinds, stream, &m->focus[stream->rank - trace->first_rank], NULL,
                         false);
    }
    free(kinds);
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
            if (ideal)
                by_path[path].ideal += (int64_t)(ideal->time[row] - ideal->time[row - 1]);
        }
        path = callpath_after(&trace->calltree, stream, row, path);
    }
    for (uint32_t p = 0; p < trace->calltree.paths.count; p++)
        by_path[p].computed = callpath_communicates(trace, p) ? 0 : by_path[p].spent;
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
