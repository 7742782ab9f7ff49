/* The steps of recorded teams. */
#include "threads/team_program.h"

#include "base/map.h"
#include "trace/otf2_records.h"

#include <otf2/otf2.h>
#include <stdlib.h>

/* A record of a lock, to find out who held it before. */
struct lock_record {
    uint32_t lock;
    bool acquires;
    bool in_turns; /* of an ordered region */
    uint64_t time;
    uint64_t since; /* when its thread has acquired the lock */
    struct thread_step *step;
    uint64_t arrival;
};

typedef ARRAY(struct lock_record) lock_records;

/* A team while its steps are found. */
struct scan {
    const struct trace *trace;
    const struct stream *stream;
    struct map locks; /* by id, or by region */
    uint32_t lock_count;
    lock_records records;
    uint64_t *latest; /* [barrier]: the last arrival */
    bool waits_only;  /* barriers are work */

    /* of the current lane */
    size_t first_record; /* of locks */
    uint32_t path, nested, barriers;
    uint32_t barrier_depth; /* open regions from the barrier on; 0: in none */
    uint32_t barrier_end;   /* row where its wait ends; INDEX_NONE: not yet */
    bool lock_recorded;     /* since the innermost critical or ordered region was entered */
};

static const struct region *scanned_region(const struct scan *scan, uint32_t path)
{
    return path == CALLPATH_NONE ? NULL : callpath_region(scan->trace, path);
}

static bool has_role(const struct region *region, uint8_t role)
{
    return region && region->role == role;
}

static bool is_barrier(const struct region *region)
{
    return has_role(region, OTF2_REGION_ROLE_BARRIER) ||
           has_role(region, OTF2_REGION_ROLE_IMPLICIT_BARRIER);
}

static enum other_type other_at(const struct stream *stream, uint32_t row)
{
    return stream->kind[row] == EVENT_OTHER ? (enum other_type)stream->others[stream->arg[row]].type
                                            : OTHER_TYPE_COUNT;
}

/* The number of a lock by its key: an id of the archive, or a region. MAP_NONE if out of memory. */
static uint32_t lock_number(struct scan *scan, uint64_t key)
{
    uint32_t *number = map_at(&scan->locks, key, scan->lock_count);
    if (!number)
        return MAP_NONE;
    scan->lock_count += *number == scan->lock_count;
    return *number;
}

/* When the lane has acquired a lock that it releases at `time`. */
static uint64_t acquired_at(const struct scan *scan, uint32_t lock, uint64_t time)
{
    for (size_t i = scan->records.count; i > scan->first_record; i--)
        if (scan->records.items[i - 1].lock == lock && scan->records.items[i - 1].acquires)
            return scan->records.items[i - 1].time;
    return time;
}

static bool note_lock(struct scan *scan, uint64_t key, bool acquires, bool in_turns, uint32_t row,
                      struct thread_step *step)
{
    const uint64_t *time = scan->stream->time;
    const uint32_t lock = lock_number(scan, key);
    const struct lock_record record = {.lock = lock,
                                       .acquires = acquires,
                                       .in_turns = in_turns,
                                       .time = time[row],
                                       .since = acquires ? time[row]
                                                         : acquired_at(scan, lock, time[row]),
                                       .step = step,
                                       .arrival = time[row - 1]};
    *step = (struct thread_step){.work = acquires ? 0 : step->work,
                                 .object = record.lock,
                                 .turn = TURN_NONE,
                                 .share = acquires ? 0 : step->share,
                                 .kind = acquires ? STEP_ACQUIRE : STEP_RELEASE};
    return record.lock != MAP_NONE && array_push(&scan->records, record);
}

/* Locks by their records; where there are none, by the regions of critical and ordered sections. */
static bool scan_locks(struct scan *scan, uint32_t row, struct thread_step *step)
{
    enum { BY_REGION = 40 }; /* bits of ids below */
    const struct stream *stream = scan->stream;
    const enum other_type other = other_at(stream, row);
    const bool opens = event_opens(stream->kind[row]), closes = event_closes(stream->kind[row]);
    if (other == OTHER_THREAD_ACQUIRE_LOCK || other == OTHER_OMP_ACQUIRE_LOCK ||
        other == OTHER_THREAD_RELEASE_LOCK || other == OTHER_OMP_RELEASE_LOCK) {
        const uint64_t *fields = stream->others[stream->arg[row]].fields;
        const bool omp = other == OTHER_OMP_ACQUIRE_LOCK || other == OTHER_OMP_RELEASE_LOCK;
        scan->lock_recorded = true;
        return note_lock(scan, omp ? fields[0] : fields[0] << 32 | fields[1],
                         other == OTHER_THREAD_ACQUIRE_LOCK || other == OTHER_OMP_ACQUIRE_LOCK,
                         false, row, step);
    }
    if (!opens && !closes)
        return true;
    const uint32_t path = opens ? stream->arg[row] : stream->arg[stream->arg[row]];
    const struct region *region = scanned_region(scan, path);
    if (opens &&
        (has_role(region, OTF2_REGION_ROLE_CRITICAL) || has_role(region, OTF2_REGION_ROLE_ORDERED)))
        scan->lock_recorded = false;
    const bool ordered = has_role(region, OTF2_REGION_ROLE_ORDERED_SBLOCK);
    if ((!ordered && !has_role(region, OTF2_REGION_ROLE_CRITICAL_SBLOCK)) || scan->lock_recorded)
        return true;
    const uint64_t number = scan->trace->calltree.paths.items[path].region;
    return note_lock(scan, ((uint64_t)1 << 63) | number << BY_REGION, opens, ordered, row, step);
}

static bool computes(const struct scan *scan, uint32_t path)
{
    const struct region *region = scanned_region(scan, path);
    return region && !region_waits_for_threads(region);
}

static float bandwidth_share(const struct scan *scan)
{
    const struct bandwidth_shares *shares = scan->trace->bandwidth;
    return shares && scan->path < shares->path_count ? shares->of[scan->path] : 0;
}

/* Finds the end of the wait in a barrier: the first Leave after the last task that runs there. */
static void scan_barrier(struct scan *scan, uint32_t row, struct thread_step *steps, uint32_t first)
{
    const uint8_t kind = scan->stream->kind[row];
    if (scan->barrier_depth == 0) {
        if (event_opens(kind) && is_barrier(scanned_region(scan, scan->stream->arg[row]))) {
            scan->barrier_depth = 1;
            scan->barrier_end = INDEX_NONE;
        }
        return;
    }
    if (computes(scan, scan->path))
        scan->barrier_end = INDEX_NONE;
    else if (event_closes(kind) && scan->barrier_end == INDEX_NONE)
        scan->barrier_end = row;
    scan->barrier_depth += event_opens(kind) - event_closes(kind);
    if (scan->barrier_depth > 0 || scan->barrier_end == INDEX_NONE || scan->waits_only)
        return;
    struct thread_step *step = &steps[scan->barrier_end - first];
    const uint64_t arrival = scan->stream->time[scan->barrier_end - 1];
    *step = (struct thread_step){
        .cost = (int64_t)scan->stream->time[scan->barrier_end], /* until `set_costs` */
        .object = scan->barriers++,
        .turn = TURN_NONE,
        .kind = STEP_BARRIER};
    uint64_t *latest = &scan->latest[step->object];
    *latest = arrival > *latest ? arrival : *latest;
}

/* Fills the steps of a lane; the first one is the time since the fork. */
static bool scan_lane(struct scan *scan, const struct lane *lane, uint32_t path, uint64_t fork,
                      struct thread_step *steps)
{
    const struct stream *stream = scan->stream = trace_any_stream(scan->trace, lane->stream);
    const uint64_t *time = stream->time;
    scan->nested = scan->barriers = scan->barrier_depth = 0;
    scan->first_record = scan->records.count;
    scan->path = path;
    scan->lock_recorded = false;
    steps[0] = (struct thread_step){.work = (int64_t)(time[lane->first] - fork), .turn = TURN_NONE};
    for (uint32_t row = lane->first;; row++) {
        struct thread_step *step = &steps[row - lane->first];
        const enum other_type other = other_at(stream, row);
        if (row > lane->first)
            *step = (struct thread_step){.work = (int64_t)(time[row] - time[row - 1]),
                                         .turn = TURN_NONE,
                                         .share = bandwidth_share(scan)};
        if (row > lane->first && row < lane->last) {
            scan->nested += other == OTHER_THREAD_FORK || other == OTHER_OMP_FORK;
            if (scan->nested == 0) {
                if (!scan_locks(scan, row, step))
                    return false;
                scan_barrier(scan, row, steps, lane->first);
            }
            scan->nested -=
                scan->nested > 0 && (other == OTHER_THREAD_JOIN || other == OTHER_OMP_JOIN);
        }
        if (row == lane->last)
            return true;
        scan->path = callpath_after(&scan->trace->calltree, stream, row, scan->path);
    }
}

/* Each holder's acquisition and release, in the order of acquisitions. A release may be recorded
 * shortly after the next thread has acquired the lock. */
static int by_lock_and_holder(const void *a, const void *b)
{
    const struct lock_record *x = a, *y = b;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    return y->acquires - x->acquires;
}

/* What the recorded waits have cost beyond waiting for other threads. */
static void set_costs(struct scan *scan, struct team_program *program)
{
    const lock_records *records = &scan->records;
    if (records->count > 0)
        qsort(records->items, records->count, sizeof *records->items, by_lock_and_holder);
    uint32_t turn = 0;
    for (size_t i = 0; i < records->count; i++) {
        const struct lock_record *record = &records->items[i], *before = record - 1;
        const bool first = i == 0 || before->lock != record->lock;
        turn = first ? 0 : turn;
        if (!record->acquires)
            continue;
        uint64_t from = record->arrival;
        if (!first && !before->acquires && before->time > from)
            from = before->time;
        record->step->cost = (int64_t)record->time - (int64_t)from;
        record->step->turn = record->in_turns ? turn++ : TURN_NONE;
    }
    for (uint32_t l = 0; l < program->lane_count; l++)
        for (uint32_t i = 0; i < program->lanes[l].count; i++) {
            struct thread_step *step = &program->lanes[l].steps[i];
            if (step->kind == STEP_BARRIER)
                step->cost -= (int64_t)scan->latest[step->object];
        }
    program->lock_count = scan->lock_count;
}

/* True if all lanes reached the same number of barriers. */
static bool scan_lanes(struct scan *scan, const struct teams *teams, const struct team *team,
                       struct team_program *program, bool *allocated)
{
    const struct lane *master = team_lane(teams, team, 0);
    const uint64_t fork = trace_any_stream(scan->trace, master->stream)->time[master->first];
    uint32_t barriers = 0;
    bool same = true;
    *allocated = true;
    for (uint32_t l = 0; l < team->lane_count && *allocated; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        *allocated = scan_lane(scan, lane, team->path, fork, program->lanes[l].steps);
        barriers = l == 0 ? scan->barriers : barriers;
        same = same && barriers == scan->barriers;
    }
    return same;
}

static bool allocate_lanes(const struct teams *teams, const struct team *team, uint64_t fork,
                           struct team_program *program, uint64_t **latest)
{
    size_t count = 0;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        count += lane->last - lane->first + 1;
    }
    struct thread_step *steps = malloc(count * sizeof *steps);
    int64_t *ends = malloc(count * sizeof *ends);
    program->lanes = calloc(team->lane_count, sizeof *program->lanes);
    *latest = calloc(count, sizeof **latest);
    if (!steps || !ends || !program->lanes || !*latest) {
        free(steps);
        free(ends);
        free(program->lanes);
        free(*latest);
        return false;
    }
    program->lane_count = team->lane_count;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        const uint32_t rows = lane->last - lane->first + 1;
        program->lanes[l] = (struct lane_program){
            .begin = (int64_t)fork, .steps = steps, .count = rows, .ends = ends};
        steps += rows;
        ends += rows;
    }
    return true;
}

bool team_program_create(const struct trace *trace, const struct teams *teams,
                         const struct team *team, struct team_program *program)
{
    assert(team->lane_count > 0);
    const struct lane *master = team_lane(teams, team, 0);
    const uint64_t fork = trace_any_stream(trace, master->stream)->time[master->first];
    struct scan scan = {.trace = trace};
    bool allocated;
    *program = (struct team_program){0};
    if (!allocate_lanes(teams, team, fork, program, &scan.latest))
        return false;
    scan.waits_only = !scan_lanes(&scan, teams, team, program, &allocated);
    if (allocated && scan.waits_only) {
        scan.records.count = 0;
        scan_lanes(&scan, teams, team, program, &allocated);
    }
    if (allocated)
        set_costs(&scan, program);
    map_clear(&scan.locks);
    free(scan.records.items);
    free(scan.latest);
    if (!allocated)
        team_program_clear(program);
    return allocated;
}

void team_program_clear(struct team_program *program)
{
    if (program->lanes) {
        free(program->lanes[0].steps);
        free(program->lanes[0].ends);
    }
    free(program->lanes);
    *program = (struct team_program){0};
}
