#include "patterns/thread_path.h"

#include "base/sort.h"
#include "threads/team_program.h"

#include <assert.h>
#include <stdlib.h>

/* A lane of a team while the path is followed. */
struct lane_walk {
    const struct lane *lane;
    const struct stream *stream;
    const struct lane_program *program;
    uint32_t *path;    /* [step] the call path of the time that it ends */
    uint32_t *barrier; /* [k] the step that ends the k-th barrier */
    uint32_t barrier_count;
};

struct team_walk {
    const struct thread_path *paths;
    const struct team *team;
    struct team_program program;
    struct lane_walk *lanes;
    uint32_t *memory; /* of all lanes */
    int64_t fork, join;
};

/* The call paths of a lane's steps. Time before the first region and after the last one belongs to
 * the region. */
static void find_paths(const struct team_walk *walk, struct lane_walk *lane)
{
    const struct stream *stream = lane->stream;
    const struct calltree *tree = &walk->paths->trace->calltree;
    const uint32_t first = lane->lane->first;
    uint32_t path = CALLPATH_NONE, depth = 0, region = CALLPATH_NONE;
    lane->barrier_count = 0;
    for (uint32_t i = 0; i < lane->program->count; i++) {
        const uint32_t row = first + i;
        lane->path[i] = depth > 0 ? path : region;
        if (lane->program->steps[i].kind == STEP_BARRIER)
            lane->barrier[lane->barrier_count++] = i;
        if (event_opens(stream->kind[row]) && depth++ == 0 && region == CALLPATH_NONE) {
            region = path = stream->arg[row];
            for (uint32_t before = 0; before <= i; before++)
                lane->path[before] = region;
        } else if (event_closes(stream->kind[row]) && depth > 0) {
            depth--;
        }
        path = callpath_after(tree, stream, row, path);
    }
}

static void team_walk_clear(struct team_walk *walk)
{
    team_program_clear(&walk->program);
    free(walk->lanes);
    free(walk->memory);
}

static bool team_walk_open(struct team_walk *walk, const struct thread_path *paths,
                           const struct team *team)
{
    const struct lane *master = team_lane(&paths->teams, team, 0);
    const uint64_t *time = trace_any_stream(paths->times, master->stream)->time;
    *walk = (struct team_walk){.paths = paths,
                               .team = team,
                               .fork = (int64_t)time[master->first],
                               .join = (int64_t)time[master->last]};
    if (!team_program_create(paths->times, &paths->teams, team, &walk->program))
        return false;
    size_t count = 0;
    for (uint32_t l = 0; l < team->lane_count; l++)
        count += walk->program.lanes[l].count;
    walk->lanes = calloc(team->lane_count, sizeof *walk->lanes);
    walk->memory = calloc(2 * count, sizeof *walk->memory);
    if (!walk->lanes || !walk->memory) {
        team_walk_clear(walk);
        return false;
    }
    uint32_t *memory = walk->memory;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(&paths->teams, team, l);
        walk->lanes[l] = (struct lane_walk){.lane = lane,
                                            .stream = trace_any_stream(paths->times, lane->stream),
                                            .program = &walk->program.lanes[l],
                                            .path = memory,
                                            .barrier = memory + walk->program.lanes[l].count};
        memory += 2 * (size_t)walk->program.lanes[l].count;
        find_paths(walk, &walk->lanes[l]);
    }
    return true;
}

static int64_t step_time(const struct lane_walk *lane, uint32_t step)
{
    return (int64_t)lane->stream->time[lane->lane->first + step];
}

/* The lane that arrives last at the k-th barrier; of several, the first. */
static uint32_t last_arrival(const struct team_walk *walk, uint32_t k)
{
    uint32_t last = 0;
    for (uint32_t l = 1; l < walk->team->lane_count; l++)
        if (step_time(&walk->lanes[l], walk->lanes[l].barrier[k] - 1) >
            step_time(&walk->lanes[last], walk->lanes[last].barrier[k] - 1))
            last = l;
    return last;
}

static void add_thread_time(const struct team_walk *walk, uint32_t l, uint32_t path, int64_t ticks)
{
    findings_add(walk->paths->findings, METRIC_CRITICAL_PATH,
                 walk->paths->place[walk->lanes[l].lane->stream], path, ticks);
}

/* The rank's own times in the team, which the path of the ranks has added. */
static void remove_master(const struct team_walk *walk)
{
    const struct lane_walk *master = &walk->lanes[0];
    uint32_t path = walk->team->path;
    for (uint32_t i = 1; i < master->program->count; i++) {
        add_thread_time(walk, 0, path, step_time(master, i - 1) - step_time(master, i));
        path = callpath_after(&walk->paths->trace->calltree, master->stream,
                              master->lane->first + i, path);
    }
}

static void follow_team(const struct team_walk *walk)
{
    uint32_t l = 0, step = walk->lanes[0].program->count - 1, k = walk->lanes[0].barrier_count;
    for (;;) {
        const struct lane_walk *lane = &walk->lanes[l];
        if (step == 0) {
            if (l > 0)
                add_thread_time(walk, l, lane->path[0], step_time(lane, 0) - walk->fork);
            break;
        }
        int64_t begin = step_time(lane, step - 1);
        const int64_t end = step_time(lane, step);
        uint32_t next = l, next_step = step - 1;
        if (lane->program->steps[step].kind == STEP_BARRIER && k > 0) {
            next = last_arrival(walk, --k);
            next_step = walk->lanes[next].barrier[k] - 1;
            const int64_t latest = step_time(&walk->lanes[next], next_step);
            begin = int64_max(begin, int64_min(latest, end));
        }
        add_thread_time(walk, l, lane->path[step], end - begin);
        l = next;
        step = next_step;
    }
}

/* The rank's first team that begins at `row` or later. */
static size_t team_from(const struct thread_path *path, uint32_t s, uint32_t row)
{
    return first_where(path->first_team[s], path->first_team[s + 1], i,
                       team_lane(&path->teams, &path->teams.list.items[i], 0)->first >= row);
}

bool thread_path_move(const struct thread_path *path, uint32_t s, uint32_t first, uint32_t last)
{
    for (size_t t = team_from(path, s, first); t < path->first_team[s + 1]; t++) {
        const struct team *team = &path->teams.list.items[t];
        struct team_walk walk;
        if (team_lane(&path->teams, team, 0)->last > last)
            break;
        if (team->lane_count == 1)
            continue;
        if (!team_walk_open(&walk, path, team))
            return false;
        remove_master(&walk);
        follow_team(&walk);
        team_walk_clear(&walk);
    }
    return true;
}

bool thread_path_cut_ends(const struct thread_path *path, uint32_t s, uint32_t first_worker,
                          int64_t *activities)
{
    const size_t paths = path->trace->calltree.paths.count;
    for (size_t t = path->first_team[s]; t < path->first_team[s + 1]; t++) {
        struct team_walk walk;
        if (!team_walk_open(&walk, path, &path->teams.list.items[t]))
            return false;
        for (uint32_t l = 1; l < walk.team->lane_count; l++) {
            const struct lane_walk *lane = &walk.lanes[l];
            const uint32_t place = path->place[lane->lane->stream];
            int64_t *own = activities + (place - first_worker) * paths;
            if (lane->barrier_count == 0)
                continue;
            const uint32_t last = lane->barrier[lane->barrier_count - 1];
            const uint32_t arrival = last_arrival(&walk, lane->barrier_count - 1);
            const struct lane_walk *latest = &walk.lanes[arrival];
            const int64_t opens = step_time(latest, latest->barrier[lane->barrier_count - 1] - 1);
            const int64_t begin = step_time(lane, last - 1), end = step_time(lane, last);
            /* without the wait, which does not count */
            own[lane->path[last]] -= end - int64_max(begin, int64_min(opens, end));
            for (uint32_t i = last + 1; i < lane->program->count; i++)
                own[lane->path[i]] -= step_time(lane, i) - step_time(lane, i - 1);
            const int64_t after = walk.join - step_time(lane, lane->program->count - 1);
            own[lane->path[lane->program->count - 1]] -= after > 0 ? after : 0;
        }
        team_walk_clear(&walk);
    }
    return true;
}

/* The times of a lane in the interval that ends where it arrives at its k-th barrier. */
static void measure_interval(const struct team_walk *walk, uint32_t l, uint32_t k,
                             struct path_times *times)
{
    const struct lane_walk *lane = &walk->lanes[l];
    path_times_reset(times);
    if (k == 0)
        path_times_add(times, lane->path[0], step_time(lane, 0) - walk->fork);
    for (uint32_t i = k > 0 ? lane->barrier[k - 1] + 1 : 1; i < lane->barrier[k]; i++)
        path_times_add(times, lane->path[i], step_time(lane, i) - step_time(lane, i - 1));
}

/* Appends the delays of a wait for the last thread. */
static bool find_delays(struct thread_path *path, uint32_t place, const struct path_times *culprit,
                        const struct path_times *victim, struct thread_wait *wait)
{
    wait->first_delay = (uint32_t)path->delays.count;
    for (uint32_t i = 0; i < culprit->touched_count; i++) {
        const uint32_t at = culprit->touched[i];
        const int64_t other = victim->ticks[at] > 0 ? victim->ticks[at] : 0;
        const struct thread_delay delay = {culprit->ticks[at] - other, place, at};
        if (delay.ticks <= 0)
            continue;
        if (!array_push(&path->delays, delay))
            return false;
        wait->delay += delay.ticks;
        wait->delay_count++;
    }
    return true;
}

/* The causes of the waits at the k-th barrier of a team. */
static bool find_barrier_causes(struct thread_path *path, const struct team_walk *walk, uint32_t k,
                                struct path_times *culprit, struct path_times *victim)
{
    const uint32_t last = last_arrival(walk, k);
    const struct lane_walk *latest = &walk->lanes[last];
    const int64_t opens = step_time(latest, latest->barrier[k] - 1);
    measure_interval(walk, last, k, culprit);
    for (uint32_t l = 0; l < walk->team->lane_count; l++) {
        const struct lane_walk *lane = &walk->lanes[l];
        const uint32_t step = lane->barrier[k];
        const int64_t end = step_time(lane, step);
        struct thread_wait wait = {.ticks = int64_min(opens, end) - step_time(lane, step - 1),
                                   .row = lane->lane->first + step,
                                   .path = lane->path[step]};
        if (l == last || wait.ticks <= 0)
            continue;
        measure_interval(walk, l, k, victim);
        if (!find_delays(path, path->place[latest->lane->stream], culprit, victim, &wait))
            return false;
        for (uint32_t d = 0; d < wait.delay_count; d++) {
            const struct thread_delay *delay = &path->delays.items[wait.first_delay + d];
            findings_add_share(path->findings, METRIC_DELAY_OMPBARRIER, delay->place, delay->path,
                               (double)delay->ticks * (double)wait.ticks / (double)wait.delay);
        }
        if (l > 0)
            path->delays.count = wait.first_delay; /* only a rank passes costs on */
        else if (!array_push(&path->waits, wait))
            return false;
    }
    return true;
}

/* The causes of the waits in all teams. */
static bool find_thread_causes(struct thread_path *path)
{
    struct path_times culprit, victim;
    const uint32_t paths = (uint32_t)path->trace->calltree.paths.count;
    if (!path_times_open(&culprit, paths))
        return false;
    bool allocated = path_times_open(&victim, paths);
    int64_t before = 0;
    for (uint32_t s = 0; allocated && s < path->trace->owned_count; s++) {
        for (size_t t = path->first_team[s]; allocated && t < path->first_team[s + 1]; t++) {
            struct team_walk walk;
            if (!(allocated = team_walk_open(&walk, path, &path->teams.list.items[t])))
                break;
            for (uint32_t k = 0; allocated && k < walk.lanes[0].barrier_count; k++)
                allocated = find_barrier_causes(path, &walk, k, &culprit, &victim);
            team_walk_clear(&walk);
        }
        path->first_wait[s + 1] = path->waits.count;
    }
    const struct thread_wait end = {0};
    allocated = allocated && array_push(&path->waits, end);
    for (size_t w = 0; allocated && w < path->waits.count; w++) {
        path->waits.items[w].before = before;
        before += path->waits.items[w].ticks;
    }
    path_times_clear(&culprit);
    if (allocated)
        path_times_clear(&victim);
    return allocated;
}

/* The teams of the owned ranks, and the places of their threads. */
static bool list_teams(struct thread_path *path)
{
    const struct trace *trace = path->trace;
    const size_t ranks = trace->owned_count;
    path->first_team = calloc(ranks + 2, sizeof *path->first_team);
    path->first_wait = calloc(ranks + 2, sizeof *path->first_wait);
    path->place = calloc(ranks + trace->carried_count + 1, sizeof *path->place);
    if (!path->first_team || !path->first_wait || !path->place ||
        (path->workers && !teams_find(path->times, &path->teams)))
        return false;
    size_t t = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        path->place[s] = s;
        while (t < path->teams.list.count &&
               team_lane(&path->teams, &path->teams.list.items[t], 0)->stream == s)
            t++;
        path->first_team[s + 1] = t;
    }
    for (uint32_t w = 0; path->findings && w < path->findings->workers.count; w++)
        path->place[path->findings->workers.items[w].stream] = path->findings->rank_count + w;
    return true;
}

/* Collective. The number of workers of each rank. */
static enum status count_workers(struct thread_path *path, struct error *error)
{
    const struct trace *trace = path->trace;
    int64_t workers = path->findings ? (int64_t)path->findings->workers.count : 0;
    processes_sum(trace->processes, &workers, 1);
    if (workers == 0)
        return STATUS_OK;
    path->workers = calloc(trace->rank_count, sizeof *path->workers);
    enum status status =
        processes_agree_memory(trace->processes, path->workers, "the threads of ranks", error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t w = 0; path->findings && w < path->findings->workers.count; w++)
        path->workers[trace->first_rank + path->findings->workers.items[w].s]++;
    processes_sum(trace->processes, path->workers, trace->rank_count);
    return STATUS_OK;
}

enum status thread_path_open(struct thread_path *path, const struct trace *trace,
                             struct findings *findings, struct error *error)
{
    *path =
        (struct thread_path){.trace = trace, .times = trace_origin(trace), .findings = findings};
    enum status status = count_workers(path, error);
    if (status == STATUS_OK)
        status = processes_agree_memory(
            trace->processes, list_teams(path) && (!path->workers || find_thread_causes(path)),
            "the threads of ranks", error);
    if (status != STATUS_OK)
        thread_path_clear(path);
    return status;
}

void thread_path_clear(struct thread_path *path)
{
    teams_clear(&path->teams);
    free(path->first_team);
    free(path->first_wait);
    free(path->place);
    free(path->workers);
    free(path->waits.items);
    free(path->delays.items);
    *path = (struct thread_path){0};
}

/* The number of the rank's first wait that ends at `row` or later. */
static size_t wait_from(const struct thread_path *path, uint32_t s, uint32_t row)
{
    return first_where(path->first_wait[s], path->first_wait[s + 1], i,
                       path->waits.items[i].row >= row);
}

size_t thread_path_waits(const struct thread_path *path, uint32_t s, uint32_t first, uint32_t last,
                         size_t *end)
{
    *end = wait_from(path, s, last);
    const size_t from = first == INDEX_NONE ? path->first_wait[s] : wait_from(path, s, first);
    return from < *end ? from : *end;
}

/* The time of a rank before and after its region in a team. */
static void move_management(const struct thread_path *path, const struct team *team,
                            struct path_times *times)
{
    const struct lane *master = team_lane(&path->teams, team, 0);
    const struct stream *stream = trace_any_stream(path->times, master->stream);
    uint32_t first, last;
    if (!lane_regions(stream, master, &first, &last))
        return;
    const int64_t ticks = (int64_t)(stream->time[first] - stream->time[master->first] +
                                    stream->time[master->last] - stream->time[last]);
    path_times_add(times, stream->arg[first], ticks);
    path_times_add(times, team->path, -ticks);
}

void thread_path_correct_times(const struct thread_path *path, uint32_t s, uint32_t first,
                               uint32_t last, struct path_times *times)
{
    const uint32_t from = first == INDEX_NONE ? 0 : first;
    size_t end;
    for (size_t w = thread_path_waits(path, s, first, last, &end); w < end; w++)
        path_times_add(times, path->waits.items[w].path, -path->waits.items[w].ticks);
    if (!path->workers || path->workers[path->trace->first_rank + s] == 0)
        return; /* the profile has no management (thread_waits.c) */
    for (size_t t = team_from(path, s, from); t < path->first_team[s + 1]; t++) {
        const struct team *team = &path->teams.list.items[t];
        if (team_lane(&path->teams, team, 0)->last > last)
            break;
        move_management(path, team, times);
    }
}
