/* Time and waits of the threads of parallel regions, with Scalasca's definitions. Like SCOUT, the
 * region counts from the fork to the join on each thread of the team; the time before a thread's
 * first region and after its last one is management.
 *
 *   barrier      max(0, min(latest arrival, leave) - enter)
 *   lock         from the thread's arrival until the holder before has released the lock
 *   idle         of each worker of the rank: the master's time outside of parallel regions, at the
 *                master's call path
 *   delay        of the master: its time outside of parallel regions without waiting, once for each
 *                idle worker
 *   limited      of each worker without a part in a team: from its fork to its join
 *
 * In a predicted trace the team's times are those before the prediction: an engine moves a parallel
 * region as a whole. */
#include "patterns/pattern.h"
#include "threads/team_program.h"

#include <stdlib.h>
#include <string.h>

struct thread_search {
    const struct trace *trace;
    const struct trace *times; /* its teams */
    struct findings *findings;
    uint32_t *place;      /* [stream]: its number in the findings */
    size_t *first_worker; /* [rank's stream + 1]: in the findings */
    int64_t *serial;      /* [path]: the master's time outside of parallel regions */
};

/* Adds to a metric and those that it is a part of, except time, which has its own sum. */
static void add_with_parents(const struct thread_search *search, enum metric metric, uint32_t place,
                             uint32_t path, int64_t value)
{
    for (; metric != METRIC_TIME && metric != METRIC_NONE; metric = metric_infos[metric].parent)
        findings_add(search->findings, metric, place, path, value);
}

/* The metrics of the time and of the waits in a construct of OpenMP. */
static const struct {
    enum metric time, wait;
} metrics_of[OMP_CONSTRUCTS] = {
    [OMP_NONE] = {METRIC_NONE, METRIC_NONE},
    [OMP_BARRIER] = {METRIC_OMP_EBARRIER, METRIC_OMP_EBARRIER_WAIT},
    [OMP_IMPLICIT_BARRIER] = {METRIC_OMP_IBARRIER, METRIC_OMP_IBARRIER_WAIT},
    [OMP_CRITICAL] = {METRIC_OMP_CRITICAL, METRIC_OMP_LOCK_CONTENTION_CRITICAL},
    [OMP_LOCK_CALL] = {METRIC_OMP_LOCK_API, METRIC_OMP_LOCK_CONTENTION_API},
    [OMP_ORDERED] = {METRIC_OMP_ORDERED, METRIC_NONE},
    [OMP_TASK_WAIT] = {METRIC_OMP_TASKWAIT, METRIC_NONE},
    [OMP_TASK_CREATE] = {METRIC_OMP_TASKCREATE, METRIC_NONE},
    [OMP_LOOP] = {METRIC_NONE, METRIC_NONE},
    [OMP_SECTIONS] = {METRIC_NONE, METRIC_NONE},
    [OMP_SINGLE_BLOCK] = {METRIC_NONE, METRIC_NONE},
    [OMP_MASTER] = {METRIC_NONE, METRIC_NONE},
    [OMP_CRITICAL_BLOCK] = {METRIC_NONE, METRIC_NONE},
};

/* The wait that ends with a step. */
static void add_thread_wait(const struct thread_search *search, const struct thread_step *step,
                            uint32_t place, uint32_t path, int64_t arrival, int64_t end)
{
    const enum metric metric =
        metrics_of[region_construct(callpath_region(search->trace, path))].wait;
    const int64_t from = end - step->cost; /* the last arrival, or the release before */
    const int64_t wait = (from < end ? from : end) - arrival;
    if (wait > 0) /* the metrics that it is a part of have the time already */
        findings_add(search->findings, metric, place, path, wait);
}

/* Adds the intervals of a lane; time and visits of workers, too. */
static void add_lane_intervals(const struct thread_search *search, const struct team *team,
                               const struct lane *lane, const struct lane_program *program,
                               bool is_master)
{
    const struct stream *stream = trace_any_stream(search->times, lane->stream);
    const uint32_t place = search->place[lane->stream];
    uint32_t path = is_master ? team->path : CALLPATH_NONE;
    for (uint32_t row = lane->first; row <= lane->last; row++) {
        const int64_t end = (int64_t)stream->time[row];
        const int64_t begin = row > lane->first ? (int64_t)stream->time[row - 1] : end;
        if (path != CALLPATH_NONE && (is_master || path != team->path)) {
            const struct thread_step *step = &program->steps[row - lane->first];
            add_with_parents(
                search, metrics_of[region_construct(callpath_region(search->trace, path))].time,
                place, path, end - begin);
            if (!is_master)
                findings_add(search->findings, METRIC_TIME, place, path, end - begin);
            if (step->kind == STEP_BARRIER || step->kind == STEP_ACQUIRE)
                add_thread_wait(search, step, place, path, begin, end);
        }
        path = callpath_after(&search->trace->calltree, stream, row, path);
        if (event_opens(stream->kind[row]) && !is_master)
            findings_add(search->findings, METRIC_VISITS, place, path, 1);
    }
}

/* Time from the fork to the thread's first region, and from its end to the join. */
static void add_team_management(const struct thread_search *search, const struct team *team,
                                const struct lane *lane, int64_t fork, int64_t join, bool is_master)
{
    const struct stream *stream = trace_any_stream(search->times, lane->stream);
    const uint32_t place = search->place[lane->stream];
    uint32_t first, last;
    if (!lane_regions(stream, lane, &first, &last))
        return;
    const uint32_t path = stream->arg[first];
    const int64_t start = (int64_t)stream->time[first] - fork;
    const int64_t after = join - (int64_t)stream->time[last], end = after > 0 ? after : 0;
    add_with_parents(search, METRIC_OMP_FORK, place, path, start);
    add_with_parents(search, METRIC_OMP_MANAGEMENT, place, path, end);
    findings_add(search->findings, METRIC_TIME, place, path, start + end);
    if (is_master)
        findings_add(search->findings, METRIC_TIME, place, team->path, -(start + end));
}

/* Threads of the rank that have no part in the team. The lanes are in the order of streams. */
static void add_limited(const struct thread_search *search, const struct teams *teams,
                        const struct team *team, uint32_t path, int64_t length)
{
    const uint32_t master = team_lane(teams, team, 0)->stream;
    uint32_t l = 1;
    for (size_t w = search->first_worker[master]; w < search->first_worker[master + 1]; w++) {
        const struct findings_worker *worker = &search->findings->workers.items[w];
        if (l < team->lane_count && team_lane(teams, team, l)->stream == worker->stream)
            l++;
        else
            findings_add(search->findings, METRIC_OMP_LIMITED_PARALLELISM,
                         search->place[worker->stream], path, length);
    }
}

static bool search_team(const struct thread_search *search, const struct teams *teams,
                        const struct team *team)
{
    struct team_program program;
    const struct lane *master = team_lane(teams, team, 0);
    const struct stream *stream = trace_any_stream(search->times, master->stream);
    const int64_t fork = (int64_t)stream->time[master->first];
    const int64_t join = (int64_t)stream->time[master->last];
    if (!team_program_create(search->times, teams, team, &program))
        return false;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        add_lane_intervals(search, team, lane, &program.lanes[l], l == 0);
        add_team_management(search, team, lane, fork, join, l == 0);
    }
    uint32_t first, last;
    const bool begins = lane_regions(stream, master, &first, &last);
    add_limited(search, teams, team, begins ? stream->arg[first] : team->path, join - fork);
    team_program_clear(&program);
    return true;
}

/* The time that a rank waits for others at a call path. */
static int64_t waits_at(const struct thread_search *search, uint32_t s, uint32_t path)
{
    int64_t waits = 0;
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        if (metric_is_wait(metric) && findings_may_have(search->findings, metric, s))
            waits += findings_get(search->findings, metric, s, path);
    return waits < search->serial[path] ? waits : search->serial[path];
}

/* Idle workers of a rank, whose teams are from `team` on. */
static void search_idle(const struct thread_search *search, const struct teams *teams,
                        const struct team *team, uint32_t s)
{
    const struct stream *stream = &search->trace->streams[s];
    const struct calltree *tree = &search->trace->calltree;
    const struct team *behind = teams->list.items + teams->list.count;
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        while (team < behind && team_lane(teams, team, 0)->stream == s &&
               team_lane(teams, team, 0)->last < row)
            team++;
        const struct lane *lane = team < behind ? team_lane(teams, team, 0) : NULL;
        const bool inside = lane && lane->stream == s && row > lane->first && row <= lane->last;
        if (path != CALLPATH_NONE && !inside)
            search->serial[path] += (int64_t)(stream->time[row] - stream->time[row - 1]);
        path = callpath_after(tree, stream, row, path);
    }
    for (size_t w = search->first_worker[s]; w < search->first_worker[s + 1]; w++) {
        const struct findings_worker *worker = &search->findings->workers.items[w];
        for (uint32_t p = 0; p < tree->paths.count; p++)
            findings_add(search->findings, METRIC_OMP_IDLE_THREADS, search->place[worker->stream],
                         p, search->serial[p]);
    }
    const int64_t workers = (int64_t)(search->first_worker[s + 1] - search->first_worker[s]);
    for (uint32_t p = 0; workers > 0 && p < tree->paths.count; p++)
        if (search->serial[p] > 0)
            findings_add(search->findings, METRIC_DELAY_OMPIDLE, s, p,
                         workers * (search->serial[p] - waits_at(search, s, p)));
    memset(search->serial, 0, tree->paths.count * sizeof *search->serial);
}

static void search_threads(const struct search_rank *ranks, uint32_t count,
                           const struct processes *processes)
{
    (void)processes;
    if (count == 0 || ranks->findings->workers.count == 0)
        return;
    const struct trace *trace = ranks->trace;
    struct findings *findings = ranks->findings;
    const size_t streams = (size_t)trace->owned_count + trace->carried_count;
    struct thread_search search = {
        .trace = trace,
        .times = trace_origin(trace),
        .findings = findings,
        .place = calloc(streams, sizeof *search.place),
        .first_worker = calloc((size_t)trace->owned_count + 2, sizeof *search.first_worker),
        .serial = calloc(trace->calltree.paths.count + 1, sizeof *search.serial)};
    struct teams teams = {0};
    bool allocated =
        search.place && search.first_worker && search.serial && teams_find(search.times, &teams);
    for (uint32_t s = 0; allocated && s < trace->owned_count; s++)
        search.place[s] = s;
    for (uint32_t w = 0; allocated && w < findings->workers.count; w++) {
        search.place[findings->workers.items[w].stream] = findings->rank_count + w;
        search.first_worker[findings->workers.items[w].s + 1] = w + 1;
    }
    for (uint32_t s = 0; allocated && s < trace->owned_count; s++)
        if (search.first_worker[s + 1] == 0)
            search.first_worker[s + 1] = search.first_worker[s];
    size_t first = 0;
    for (uint32_t s = 0; allocated && s < trace->owned_count; s++) {
        size_t end = first;
        for (; allocated && end < teams.list.count &&
               team_lane(&teams, &teams.list.items[end], 0)->stream == s;
             end++)
            allocated = search.first_worker[s] == search.first_worker[s + 1] || /* no worker */
                        search_team(&search, &teams, &teams.list.items[end]);
        if (allocated)
            search_idle(&search, &teams, teams.list.items + first, s);
        first = end;
    }
    findings->out_of_memory |= !allocated;
    teams_clear(&teams);
    free(search.place);
    free(search.first_worker);
    free(search.serial);
}

const struct pattern thread_wait_pattern = {
    .name = "threads",
    .description = "threads of parallel regions: barriers, locks, management, idle threads",
    .search_program = search_threads,
};
