#include "threads/teams.h"

#include "base/map.h"
#include "trace/forks.h"
#include "trace/otf2_records.h"

#include <assert.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

bool stream_is_thread(const struct trace *trace, const struct stream *stream)
{
    const struct definitions *definitions = trace->definitions;
    return stream->count > 0 && stream->rank != INDEX_NONE &&
           (stream->location >= definitions->location_count ||
            definitions->locations[stream->location].type == OTF2_LOCATION_TYPE_CPU_THREAD);
}

enum omp_construct region_construct(const struct region *region)
{
    switch (region->role) {
    case OTF2_REGION_ROLE_BARRIER:
        return OMP_BARRIER;
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return OMP_IMPLICIT_BARRIER;
    case OTF2_REGION_ROLE_CRITICAL:
        return OMP_CRITICAL;
    case OTF2_REGION_ROLE_ORDERED:
        return OMP_ORDERED;
    case OTF2_REGION_ROLE_TASK_WAIT:
        return OMP_TASK_WAIT;
    case OTF2_REGION_ROLE_TASK_CREATE:
        return OMP_TASK_CREATE;
    case OTF2_REGION_ROLE_LOOP:
        return OMP_LOOP;
    case OTF2_REGION_ROLE_SECTIONS:
        return OMP_SECTIONS;
    case OTF2_REGION_ROLE_SINGLE_SBLOCK:
        return OMP_SINGLE_BLOCK;
    case OTF2_REGION_ROLE_MASTER:
        return OMP_MASTER;
    case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
        return OMP_CRITICAL_BLOCK;
    case OTF2_REGION_ROLE_WRAPPER:
        return strncmp(region->name, "omp_", 4) == 0 && strstr(region->name, "_lock")
                   ? OMP_LOCK_CALL
                   : OMP_NONE;
    default:
        return OMP_NONE;
    }
}

bool region_is_library_call(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_WRAPPER;
}

bool region_is_parallel(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_PARALLEL ||
           strncmp(region->name, "!$omp parallel", 14) == 0 ||
           strncmp(region->name, "!$omp_parallel", 14) == 0;
}

/* What a row says about teams. */
enum mark { MARK_NONE, MARK_FORK, MARK_JOIN, MARK_BEGIN, MARK_END };

static enum mark mark_of(const struct stream *stream, uint32_t row)
{
    static const enum mark marks[OTHER_TYPE_COUNT] = {
        [OTHER_OMP_FORK] = MARK_FORK,           [OTHER_THREAD_FORK] = MARK_FORK,
        [OTHER_OMP_JOIN] = MARK_JOIN,           [OTHER_THREAD_JOIN] = MARK_JOIN,
        [OTHER_THREAD_TEAM_BEGIN] = MARK_BEGIN, [OTHER_THREAD_TEAM_END] = MARK_END,
    };
    return stream->kind[row] == EVENT_OTHER ? marks[stream->others[stream->arg[row]].type]
                                            : MARK_NONE;
}

static bool stream_has_mark(const struct stream *stream, enum mark mark)
{
    for (uint32_t i = 0; i < stream->count && stream->other_count > 0; i++)
        if (mark_of(stream, i) == mark)
            return true;
    return false;
}

static uint32_t comm_at(const struct stream *stream, uint32_t row)
{
    return (uint32_t)stream->others[stream->arg[row]].fields[0];
}

/* Nested parallel regions of a thread. One whose team has only the thread itself is simulated
 * exactly, as part of its work. */
struct nested_regions {
    const struct definitions *definitions;
    int64_t count; /* with other threads, or an unknown number */
    bool forked;   /* the last one has not begun */
};

static void count_nested(struct nested_regions *nested, const struct stream *stream, uint32_t row)
{
    const enum mark mark = mark_of(stream, row);
    if (mark == MARK_FORK) {
        nested->count++;
        nested->forked = true;
    } else if (mark == MARK_BEGIN && nested->forked) {
        const uint32_t comm = comm_at(stream, row);
        nested->count -= comm < nested->definitions->comm_count &&
                         comm_member_count(nested->definitions, comm) == 1;
        nested->forked = false;
    }
}

/* A thread's part in a team that is still to be found. */
struct thread_part {
    uint32_t first, last, comm;
};

typedef ARRAY(struct thread_part) part_list;

/* Finds the parallel regions of a rank by its forks and joins. */
static bool list_forks(const struct trace *trace, uint32_t s, struct teams *teams,
                       struct nested_regions *nested, uint64_t *unjoined)
{
    const struct stream *stream = &trace->streams[s];
    struct team team = {.lane_count = 0};
    struct lane lane = {.stream = s};
    uint32_t path = CALLPATH_NONE, depth = 0;
    bool allocated = true;
    for (uint32_t row = 0; row < stream->count && allocated; row++) {
        const enum mark mark = mark_of(stream, row);
        if (depth > 0)
            count_nested(nested, stream, row);
        if (mark == MARK_FORK && depth++ == 0) {
            team = (struct team){.path = path,
                                 .comm = INDEX_NONE,
                                 .wanted = (uint32_t)*stream_fork_threads(stream, row)};
            lane.first = row;
        } else if (mark == MARK_BEGIN && depth == 1 && team.comm == INDEX_NONE) {
            team.comm = comm_at(stream, row);
        } else if (mark == MARK_JOIN && depth > 0 && --depth == 0) {
            lane.last = row;
            team.first_lane = (uint32_t)teams->lanes.count;
            team.lane_count = 1;
            allocated = array_push(&teams->lanes, lane) && array_push(&teams->list, team);
        }
        path = callpath_after(&trace->calltree, stream, row, path);
    }
    teams->faults[TEAM_UNJOINED] += depth;
    if (depth > 0)
        *unjoined = stream->time[lane.first];
    return allocated;
}

/* Without forks: by its outermost parallel regions. Until the loader has named the programs, some
 * call paths have no region. */
static bool list_parallel_regions(const struct trace *trace, uint32_t s, struct teams *teams,
                                  uint64_t *unjoined)
{
    const struct stream *stream = &trace->streams[s];
    const struct calltree *tree = &trace->calltree;
    bool allocated = true;
    for (uint32_t row = 0; row < stream->count && allocated; row++) {
        if (!event_opens(stream->kind[row]))
            continue;
        const struct callpath *path = &tree->paths.items[stream->arg[row]];
        if (path->region >= trace->definitions->region_count ||
            !region_is_parallel(&trace->definitions->regions[path->region]))
            continue;
        uint32_t depth = 1, end = row + 1;
        for (; end < stream->count && depth > 0; end++)
            depth += event_opens(stream->kind[end]) - event_closes(stream->kind[end]);
        if (depth > 0) {
            teams->faults[TEAM_UNJOINED]++;
            *unjoined = stream->time[row];
            break;
        }
        const struct lane lane = {.stream = s, .first = row, .last = end - 1};
        const struct team team = {.first_lane = (uint32_t)teams->lanes.count,
                                  .lane_count = 1,
                                  .path = path->parent,
                                  .comm = INDEX_NONE};
        allocated = array_push(&teams->lanes, lane) && array_push(&teams->list, team);
        row = end - 1;
    }
    return allocated;
}

/* The parts of a worker: between the records of teams, or else its outermost regions. Counts the
 * parallel regions that it has begun in a team. */
static bool list_parts(const struct stream *stream, part_list *parts, struct nested_regions *nested)
{
    const bool recorded = stream_has_mark(stream, MARK_BEGIN);
    struct thread_part part = {.comm = INDEX_NONE};
    uint32_t depth = 0;
    parts->count = 0;
    nested->forked = false;
    for (uint32_t row = 0; row < stream->count; row++) {
        const enum mark mark = mark_of(stream, row);
        if (depth > 0)
            count_nested(nested, stream, row);
        const bool opens = recorded ? mark == MARK_BEGIN : event_opens(stream->kind[row]);
        const bool closes = recorded ? mark == MARK_END : event_closes(stream->kind[row]);
        if (opens && depth++ == 0) {
            part.first = row;
            part.comm = recorded ? comm_at(stream, row) : INDEX_NONE;
        }
        if (closes && depth > 0 && --depth == 0) {
            part.last = row;
            if (!array_push(parts, part))
                return false;
        }
    }
    return true;
}

/* A lane of a worker, until the lanes of each team are next to each other. */
struct found_lane {
    uint32_t team;
    struct lane lane;
};

typedef ARRAY(struct found_lane) found_lanes;

/* Finds the teams of a worker's parts, which are in the order of time: of the teams `first` to
 * `end` - 1 of its rank. Parts that begin after `unjoined` belong to a region without a join. */
static bool assign_parts(const struct trace *trace, struct teams *teams, size_t first, size_t end,
                         uint64_t unjoined, uint32_t s, const part_list *parts, found_lanes *found)
{
    const struct stream *stream = trace_any_stream(trace, s);
    size_t t = first;
    for (size_t p = 0; p < parts->count; p++) {
        const struct thread_part *part = &parts->items[p];
        const uint64_t begin = stream->time[part->first];
        while (t + 1 < end) {
            const struct lane *next = team_lane(teams, &teams->list.items[t + 1], 0);
            if (trace->streams[next->stream].time[next->first] > begin)
                break;
            t++;
        }
        const struct team *team = t < end ? &teams->list.items[t] : NULL;
        const struct lane *master = team ? team_lane(teams, team, 0) : NULL;
        const uint64_t *time = team ? trace->streams[master->stream].time : NULL;
        if (!team || begin < time[master->first] || begin > time[master->last]) {
            teams->faults[TEAM_UNKNOWN] += begin < unjoined;
            continue;
        }
        if (part->comm != INDEX_NONE && team->comm != INDEX_NONE && part->comm != team->comm)
            continue; /* of a nested team, whose fork has been counted */
        struct found_lane *last = found->count ? &found->items[found->count - 1] : NULL;
        if (last && last->team == t && last->lane.stream == s)
            last->lane.last = part->last;
        else {
            const struct found_lane lane = {(uint32_t)t, {s, part->first, part->last}};
            if (!array_push(found, lane))
                return false;
        }
    }
    return true;
}

/* Puts the lanes that were found next to those of the masters, for the teams from `first` on. */
static bool sort_lanes(struct teams *teams, size_t first, const found_lanes *found)
{
    const size_t teams_count = teams->list.count - first;
    const size_t base = teams->lanes.count - teams_count;
    struct lane *masters = malloc((teams_count + 1) * sizeof *masters);
    if (!masters || !array_reserve(&teams->lanes, found->count)) {
        free(masters);
        return false;
    }
    if (teams_count > 0)
        memcpy(masters, teams->lanes.items + base, teams_count * sizeof *masters);
    for (size_t i = 0; i < found->count; i++)
        teams->list.items[found->items[i].team].lane_count++;
    uint32_t next = (uint32_t)base;
    for (size_t t = 0; t < teams_count; t++) {
        struct team *team = &teams->list.items[first + t];
        team->first_lane = next;
        next += team->lane_count;
        teams->lanes.items[team->first_lane] = masters[t];
        team->lane_count = 1;
    }
    for (size_t i = 0; i < found->count; i++) {
        struct team *team = &teams->list.items[found->items[i].team];
        teams->lanes.items[team->first_lane + team->lane_count++] = found->items[i].lane;
    }
    teams->lanes.count = next;
    free(masters);
    return true;
}

/* The numbers of the threads in teams, as the communicators of teams have them. */
struct thread_numbers {
    const struct trace *trace;
    uint32_t comm;      /* to which the numbers belong; INDEX_NONE: to none */
    uint32_t *number;   /* [stream] */
    struct map streams; /* by place in the group of all threads of the paradigm */
    uint8_t paradigm;   /* of this group */
};

/* False if out of memory. */
static bool list_threads_of(struct thread_numbers *numbers, uint8_t paradigm)
{
    const struct trace *trace = numbers->trace;
    const struct definitions *d = trace->definitions;
    struct map places = {0}; /* by location */
    bool allocated = true;
    map_clear(&numbers->streams);
    numbers->paradigm = paradigm;
    for (uint32_t g = 0; g < d->group_count; g++)
        if (d->groups[g].type == GROUP_COMM_LOCATIONS && d->groups[g].paradigm == paradigm)
            for (uint32_t i = 0; i < d->groups[g].count && allocated; i++)
                allocated = map_set(&places, d->groups[g].members[i], i);
    for (uint32_t s = 0; s < trace->owned_count + trace->carried_count && allocated; s++) {
        const struct stream *stream = trace_any_stream(trace, s);
        const uint32_t place = stream->location < d->location_count
                                   ? map_get(&places, d->locations[stream->location].id)
                                   : MAP_NONE;
        allocated = place == MAP_NONE || map_set(&numbers->streams, place, s);
    }
    map_clear(&places);
    return allocated;
}

/* Sets the numbers of the threads of the team's communicator. False if out of memory. */
static bool number_threads(struct thread_numbers *numbers, uint32_t comm)
{
    const struct definitions *d = numbers->trace->definitions;
    assert(comm < d->comm_count && d->comms[comm].group < d->group_count);
    const struct group *group = &d->groups[d->comms[comm].group];
    if (comm == numbers->comm)
        return true;
    if (group->paradigm != numbers->paradigm && !list_threads_of(numbers, group->paradigm))
        return false;
    numbers->comm = comm;
    for (uint32_t i = 0; i < group->count && group->type == GROUP_COMM_GROUP; i++) {
        const uint32_t s = map_get(&numbers->streams, group->members[i]);
        if (s != MAP_NONE)
            numbers->number[s] = i;
    }
    return true;
}

/* Puts the workers of each team, from `first` on, into the order of their numbers. */
static bool order_lanes(const struct trace *trace, struct teams *teams, size_t first)
{
    struct thread_numbers numbers = {.trace = trace, .comm = INDEX_NONE, .paradigm = UINT8_MAX};
    numbers.number =
        calloc((size_t)trace->owned_count + trace->carried_count + 1, sizeof *numbers.number);
    bool allocated = numbers.number != NULL;
    for (size_t t = first; t < teams->list.count && allocated; t++) {
        const struct team *team = &teams->list.items[t];
        struct lane *lanes = &teams->lanes.items[team->first_lane];
        if (team->comm >= trace->definitions->comm_count)
            continue;
        allocated = number_threads(&numbers, team->comm);
        for (uint32_t l = 2; l < team->lane_count && allocated; l++) {
            const struct lane lane = lanes[l];
            uint32_t to = l;
            for (; to > 1 && numbers.number[lanes[to - 1].stream] > numbers.number[lane.stream];
                 to--)
                lanes[to] = lanes[to - 1];
            lanes[to] = lane;
        }
    }
    map_clear(&numbers.streams);
    free(numbers.number);
    return allocated;
}

bool lane_regions(const struct stream *stream, const struct lane *lane, uint32_t *first,
                  uint32_t *last)
{
    assert(lane->first <= lane->last && lane->last < stream->count);
    *first = lane->first;
    *last = lane->last;
    while (*first < *last && !event_opens(stream->kind[*first]))
        (*first)++;
    while (*last > *first && !event_closes(stream->kind[*last]))
        (*last)--;
    return *last > *first;
}

uint32_t rank_worker_count(const struct trace *trace, uint32_t s)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < trace->carried_count; c++)
        count += trace->carried[c].rank == trace->streams[s].rank &&
                 stream_is_thread(trace, &trace->carried[c]);
    return count;
}

static bool has_parallel_regions(const struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->region_count; i++)
        if (region_is_parallel(&definitions->regions[i]))
            return true;
    return false;
}

/* Adds the teams of one rank. `alone`: also those of a rank without other threads. In a view, an
 * engine has changed the times of ranks, but those of workers may still be the old ones: the times
 * of its origin show which events belong to a team. */
static bool add_teams_of(const struct trace *trace, uint32_t s, bool alone, struct teams *teams)
{
    trace = trace_origin(trace);
    const size_t first = teams->list.count;
    if (rank_worker_count(trace, s) == 0 && (!alone || !has_parallel_regions(trace->definitions)))
        return true;
    struct nested_regions nested = {.definitions = trace->definitions};
    part_list parts = {0};
    found_lanes found = {0};
    uint64_t unjoined = UINT64_MAX; /* when the region without a join began */
    bool allocated = stream_has_mark(&trace->streams[s], MARK_FORK)
                         ? list_forks(trace, s, teams, &nested, &unjoined)
                         : list_parallel_regions(trace, s, teams, &unjoined);
    for (uint32_t c = 0; c < trace->carried_count && allocated; c++) {
        const struct stream *stream = &trace->carried[c];
        const size_t lanes = found.count;
        const int64_t unknown = teams->faults[TEAM_UNKNOWN];
        if (stream->rank != trace->streams[s].rank || !stream_is_thread(trace, stream))
            continue;
        allocated = list_parts(stream, &parts, &nested) &&
                    assign_parts(trace, teams, first, teams->list.count, unjoined,
                                 trace->owned_count + c, &parts, &found);
        if (found.count == lanes) /* not a thread of teams at all */
            teams->faults[TEAM_UNKNOWN] = unknown;
    }
    teams->faults[TEAM_NESTED] += nested.count;
    allocated = allocated && sort_lanes(teams, first, &found) && order_lanes(trace, teams, first);
    for (size_t t = first; t < teams->list.count && allocated; t++)
        if (teams->list.items[t].wanted == 0)
            teams->list.items[t].wanted = teams->list.items[t].lane_count;
    free(parts.items);
    free(found.items);
    return allocated;
}

bool teams_find_of_rank(const struct trace *trace, uint32_t s, bool alone, struct teams *teams)
{
    assert(s < trace->owned_count);
    *teams = (struct teams){0};
    if (add_teams_of(trace, s, alone, teams))
        return true;
    teams_clear(teams);
    return false;
}

bool teams_find(const struct trace *trace, struct teams *teams)
{
    bool allocated = true;
    *teams = (struct teams){0};
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++)
        allocated = add_teams_of(trace, s, false, teams);
    if (!allocated)
        teams_clear(teams);
    return allocated;
}

void teams_clear(struct teams *teams)
{
    free(teams->list.items);
    free(teams->lanes.items);
    *teams = (struct teams){0};
}

/* The call path `path` of a worker below `parent`. CALLPATH_NONE if out of memory. */
static uint32_t place_worker_path(struct calltree *tree, struct map *placed, uint32_t parent,
                                  uint32_t path)
{
    const uint64_t key = (uint64_t)parent << 32 | path;
    const struct callpath own = tree->paths.items[path];
    const uint32_t known = map_get(placed, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t above =
        own.parent == CALLPATH_NONE ? parent : place_worker_path(tree, placed, parent, own.parent);
    const uint32_t below =
        above == CALLPATH_NONE ? CALLPATH_NONE : calltree_child(tree, above, own.region);
    return below != CALLPATH_NONE && map_set(placed, key, below) ? below : CALLPATH_NONE;
}

bool teams_place_workers(struct trace *trace)
{
    struct teams teams;
    struct map placed = {0};
    if (trace->carried_count == 0)
        return true; /* no workers: nothing of the events is read */
    bool allocated = teams_find(trace, &teams);
    for (size_t t = 0; allocated && t < teams.list.count; t++) {
        const struct team *team = &teams.list.items[t];
        for (uint32_t l = 1; l < team->lane_count && team->path != CALLPATH_NONE; l++) {
            const struct lane *lane = team_lane(&teams, team, l);
            const struct stream *stream = trace_any_stream(trace, lane->stream);
            for (uint32_t row = lane->first; row <= lane->last && allocated; row++) {
                if (!event_opens(stream->kind[row]))
                    continue;
                stream->arg[row] =
                    place_worker_path(&trace->calltree, &placed, team->path, stream->arg[row]);
                allocated = stream->arg[row] != CALLPATH_NONE;
            }
        }
    }
    map_clear(&placed);
    teams_clear(&teams);
    return allocated;
}
