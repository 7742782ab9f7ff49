/* New times of ranks and their threads: waits in parallel regions follow from the team's lanes. */
#include "threads/team_program.h"
#include "transform/rewrite.h"

#include <stdlib.h>
#include <string.h>

static void set_times(struct stream *stream, const uint64_t *times)
{
    for (uint32_t row = 1; row < stream->count; row++)
        assert(times[row] >= times[row - 1]);
    warp_times(stream->time, times, stream->count, stream->flushes, stream->flush_count);
    if (stream->count > 0)
        memcpy(stream->time, times, stream->count * sizeof *times);
}

/* Where a row of a worker has its new time from. */
enum row_place { ROW_OUTSIDE, ROW_IN_TEAM, ROW_REMOVED };

/* A rank and its other locations while they get new times. */
struct rank_times {
    struct trace *trace;
    team_changer *change;    /* NULL: only work changes */
    void *data;              /* of `change` */
    uint32_t s;              /* the rank's stream */
    const uint64_t *written; /* [row]: as if the rank had no other threads */
    uint64_t *times;         /* [row]: new */
    struct thread_times {    /* of carried streams */
        uint64_t *written;   /* likewise; NULL: the stream's own times */
        uint64_t *times;     /* new; NULL: not a location of the rank */
        uint8_t *known;      /* [row]: enum row_place */
        int64_t end;         /* of its last team */
    } * threads;
};

static void rank_times_clear(struct rank_times *r)
{
    for (uint32_t c = 0; r->threads && c < r->trace->carried_count; c++) {
        free(r->threads[c].written);
        free(r->threads[c].times);
        free(r->threads[c].known);
    }
    free(r->threads);
}

static bool rank_times_open(struct rank_times *r)
{
    const struct trace *trace = r->trace;
    r->threads = calloc((size_t)trace->carried_count + 1, sizeof *r->threads);
    for (uint32_t c = 0; r->threads && c < trace->carried_count; c++) {
        const struct stream *stream = &trace->carried[c];
        struct thread_times *thread = &r->threads[c];
        if (stream->rank != trace->streams[r->s].rank || stream->count == 0)
            continue;
        thread->times = malloc(stream->count * sizeof *thread->times);
        thread->known = calloc(stream->count, sizeof *thread->known);
        if (!thread->times || !thread->known)
            return false;
        memcpy(thread->times, stream->time, stream->count * sizeof *thread->times);
    }
    return r->threads != NULL;
}

static enum status write_threads(struct rank_times *r, times_writer *write, void *data,
                                 struct error *error)
{
    const struct trace *trace = r->trace;
    enum status status = STATUS_OK;
    for (uint32_t c = 0; c < trace->carried_count && status == STATUS_OK; c++) {
        const struct stream *stream = &trace->carried[c];
        struct thread_times *thread = &r->threads[c];
        if (!thread->times || !stream_is_thread(trace, stream))
            continue;
        thread->written = malloc(stream->count * sizeof *thread->written);
        status = thread->written ? write(data, stream, thread->written, error)
                                 : error_memory(error, "new event times");
    }
    return status;
}

/* The times of a lane's stream as they were written for the thread alone. */
static const uint64_t *written_times(const struct rank_times *r, uint32_t stream)
{
    if (stream == r->s)
        return r->written;
    const struct thread_times *thread = &r->threads[stream - r->trace->owned_count];
    return thread->written ? thread->written : trace_any_stream(r->trace, stream)->time;
}

/* Gives the steps of a team the new lengths of their work. True if one has changed. */
static bool set_works(const struct rank_times *r, const struct teams *teams,
                      const struct team *team, struct team_program *program)
{
    bool changed = false;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        const uint64_t *written = written_times(r, lane->stream) + lane->first;
        struct thread_step *steps = program->lanes[l].steps;
        const struct stream *stream = trace_any_stream(r->trace, lane->stream);
        uint32_t depth = l == 0; /* a worker outside of its regions does not compute */
        for (uint32_t i = 1; i < program->lanes[l].count; i++) {
            const int64_t work = (int64_t)(written[i] - written[i - 1]);
            const uint8_t kind = stream->kind[lane->first + i - 1];
            depth += l == 0 ? 0 : (uint32_t)(event_opens(kind) - event_closes(kind));
            if (steps[i].kind == STEP_ACQUIRE || steps[i].kind == STEP_BARRIER || depth == 0)
                continue;
            changed = changed || work != steps[i].work;
            steps[i].work = work;
        }
    }
    return changed;
}

/* Times of the team's rows: of the simulation, or shifted with the fork. */
static void set_lane_times(struct rank_times *r, const struct teams *teams, const struct team *team,
                           const struct team_program *program, bool changed)
{
    const struct lane *master = team_lane(teams, team, 0);
    const uint64_t shift = r->times[master->first] - r->trace->streams[r->s].time[master->first];
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        const uint64_t *before = trace_any_stream(r->trace, lane->stream)->time;
        struct thread_times *thread =
            l > 0 ? &r->threads[lane->stream - r->trace->owned_count] : NULL;
        uint64_t *times = thread ? thread->times : r->times;
        const bool removed = changed && program->lanes[l].count == 0;
        const int64_t fork = (int64_t)r->times[master->first];
        for (uint32_t row = lane->first; row <= lane->last; row++) {
            if (thread)
                thread->known[row] = removed ? ROW_REMOVED : ROW_IN_TEAM;
            if (removed && thread) {
                times[row] = (uint64_t)(thread->end > fork ? thread->end : fork);
                continue;
            }
            times[row] =
                changed ? (uint64_t)program->lanes[l].ends[row - lane->first] : before[row] + shift;
        }
        if (thread)
            thread->end = (int64_t)times[lane->last];
    }
}

/* A worker begins after the fork as late as recorded, and after its last team. True if one has to
 * wait for that. */
static bool set_begins(const struct rank_times *r, const struct teams *teams,
                       const struct team *team, struct team_program *program)
{
    const int64_t fork = (int64_t)r->times[team_lane(teams, team, 0)->first];
    bool delayed = false;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        struct lane_program *lane = &program->lanes[l];
        lane->begin = fork;
        if (l == 0)
            continue;
        const struct thread_times *thread =
            &r->threads[team_lane(teams, team, l)->stream - r->trace->owned_count];
        if (fork + lane->steps[0].work < thread->end) {
            lane->begin = thread->end - lane->steps[0].work;
            delayed = true;
        }
    }
    return delayed;
}

static bool retime_team(struct rank_times *r, const struct teams *teams, const struct team *team)
{
    struct team_program program;
    if (!team_program_create(r->trace, teams, team, &program))
        return false;
    bool changed = !r->change && set_works(r, teams, team, &program), allocated = true;
    const bool delayed = set_begins(r, teams, team, &program);
    if (r->change || changed || delayed)
        allocated = team_program_separate(r->trace, teams, team, &program);
    if (r->change && allocated)
        allocated = r->change(r->data, r->trace, teams, team, &program, &changed);
    if (allocated && (r->change ? delayed && !changed : delayed || changed)) {
        allocated = team_simulate(&program);
        changed = true;
    }
    if (allocated)
        set_lane_times(r, teams, team, &program, changed);
    team_program_clear(&program);
    return allocated;
}

/* The new times of the rank's events: outside of teams as written, inside by simulation. */
static bool retime_rank(struct rank_times *r, const struct teams *teams)
{
    const struct stream *stream = &r->trace->streams[r->s];
    uint32_t row = 0;
    for (size_t t = 0; t <= teams->list.count; t++) {
        const struct team *team = t < teams->list.count ? &teams->list.items[t] : NULL;
        const uint32_t end = team ? team_lane(teams, team, 0)->first + 1 : stream->count;
        for (; row < end; row++)
            r->times[row] = row == 0 ? r->written[0]
                                     : r->times[row - 1] + (r->written[row] - r->written[row - 1]);
        if (!team)
            break;
        if (!retime_team(r, teams, team))
            return false;
        row = team_lane(teams, team, 0)->last + 1;
    }
    return true;
}

/* Rows of other locations outside of teams move with the rank's, but not past their neighbours. */
static void place_others(const struct rank_times *r, uint32_t c)
{
    struct stream *stream = &r->trace->carried[c];
    const struct stream *rank = &r->trace->streams[r->s];
    struct thread_times *thread = &r->threads[c];
    uint64_t *warped = thread->times;
    for (uint32_t from = 0; from < stream->count;) {
        uint32_t end = from;
        while (end < stream->count && !thread->known[end])
            end++;
        warp_times(rank->time, r->times, rank->count, warped + from, end - from);
        for (uint32_t row = end; row-- > from && end < stream->count;)
            warped[row] = warped[row] < warped[row + 1] ? warped[row] : warped[row + 1];
        for (uint32_t row = from; row < end; row++)
            if (row > 0 && warped[row] < warped[row - 1])
                warped[row] = warped[row - 1];
        while (end < stream->count && thread->known[end])
            end++;
        from = end;
    }
}

/* Removes the rows of lanes that are gone; a Leave goes with its Enter. False if out of memory. */
static bool remove_rows(struct trace *trace, struct stream *stream, const uint8_t *known)
{
    if (stream->count == 0 || !memchr(known, ROW_REMOVED, stream->count))
        return true;
    uint32_t *new_row = malloc(stream->count * sizeof *new_row), kept = 0;
    for (uint32_t row = 0; new_row && row < stream->count; row++)
        new_row[row] = (event_closes(stream->kind[row]) ? new_row[stream->arg[row]] == INDEX_NONE
                                                        : known[row] == ROW_REMOVED)
                           ? INDEX_NONE
                           : kept++;
    struct stream less = *stream;
    less.count = kept;
    less.time = arena_alloc_array(trace->arena, (size_t)kept + 1, sizeof *less.time);
    less.kind = arena_alloc_array(trace->arena, (size_t)kept + 1, sizeof *less.kind);
    less.arg = arena_alloc_array(trace->arena, (size_t)kept + 1, sizeof *less.arg);
    const bool allocated = new_row && less.time && less.kind && less.arg;
    for (uint32_t row = 0; allocated && row < stream->count; row++) {
        const uint32_t to = new_row[row];
        if (to == INDEX_NONE)
            continue;
        less.time[to] = stream->time[row];
        less.kind[to] = stream->kind[row];
        less.arg[to] =
            event_closes(stream->kind[row]) ? new_row[stream->arg[row]] : stream->arg[row];
    }
    free(new_row);
    if (allocated)
        *stream = less;
    return allocated;
}

static enum status rewrite_with_lanes(struct trace *trace, struct stream *stream,
                                      times_writer *write, team_changer *change, void *data,
                                      bool with_threads, struct error *error)
{
    assert(!trace->origin);
    uint64_t *times = malloc(2 * ((size_t)stream->count + 1) * sizeof *times);
    struct rank_times r = {.trace = trace,
                           .change = change,
                           .data = data,
                           .s = (uint32_t)(stream - trace->streams),
                           .times = times,
                           .written = times ? times + stream->count + 1 : NULL};
    struct teams teams = {0};
    enum status status = times ? write(data, stream, times + stream->count + 1, error)
                               : error_memory(error, "new event times");
    if (status == STATUS_OK && !rank_times_open(&r))
        status = error_memory(error, "new event times");
    if (status == STATUS_OK && with_threads)
        status = write_threads(&r, write, data, error);
    if (status == STATUS_OK &&
        (!teams_find_of_rank(trace, r.s, change != NULL, &teams) || !retime_rank(&r, &teams)))
        status = error_memory(error, "the threads of a rank");
    for (uint32_t c = 0; status == STATUS_OK && c < trace->carried_count; c++)
        if (r.threads[c].times) {
            place_others(&r, c);
            set_times(&trace->carried[c], r.threads[c].times);
            if (!remove_rows(trace, &trace->carried[c], r.threads[c].known))
                status = error_memory(error, "the threads of a rank");
        }
    if (status == STATUS_OK)
        set_times(stream, r.times);
    teams_clear(&teams);
    rank_times_clear(&r);
    free(times);
    return status;
}

enum status rewrite_stream(struct trace *trace, struct stream *stream, times_writer *write,
                           void *data, struct error *error)
{
    return rewrite_with_lanes(trace, stream, write, NULL, data, false, error);
}

enum status rewrite_threads(struct trace *trace, struct stream *stream, times_writer *write,
                            void *data, struct error *error)
{
    return rewrite_with_lanes(trace, stream, write, NULL, data, true, error);
}

static enum status copy_times(void *data, const struct stream *stream, uint64_t *times,
                              struct error *error)
{
    (void)data, (void)error;
    if (stream->count > 0)
        memcpy(times, stream->time, stream->count * sizeof *times);
    return STATUS_OK;
}

enum status rewrite_teams(struct trace *trace, struct stream *stream, team_changer *change,
                          void *data, struct error *error)
{
    return rewrite_with_lanes(trace, stream, copy_times, change, data, false, error);
}
