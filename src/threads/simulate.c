#include "threads/team_program.h"

#include <math.h>
#include <stdlib.h>

/* A lane while its team is simulated. */
struct running_lane {
    const struct thread_step *at,
        *end;      /* next step, and the end of the steps, of the lane or of a chunk */
    uint32_t step; /* number of the lane's step that runs */
    bool in_chunk;
    bool done;
    bool starts;          /* work that shares bandwidth, when no other lane can start before */
    int64_t time;         /* end of the last step; while it waits, its arrival */
    uint32_t chunk;       /* dealt loops: the next one of this lane */
    enum step_kind waits; /* what for; STEP_WORK: for nothing */
};

/* A lock and the lanes that wait for it, in the order of their arrival. */
struct team_lock {
    bool held;
    int64_t free;     /* the last release */
    uint32_t turn;    /* the next one of an ordered region */
    uint32_t waiting; /* number of lanes */
};

/* Work that shares bandwidth, while it is done. `passed` counts the work that a lane has done since
 * the start: it grows by 1 / max(1, load) in a tick. So a lane's work ends at a known `passed`,
 * whatever others begin and end meanwhile. */
struct bandwidth {
    bool limited;   /* the lanes can need more than there is */
    int64_t begin;  /* of the first lane */
    double now;     /* ticks since then */
    double passed;  /* up to `now` */
    double load;    /* the sum of the shares of the lanes in `running` */
    uint32_t count; /* of lanes in `running` */
    uint32_t *running;
    double *ends; /* [lane]: `passed` at its end */
};

struct simulation {
    struct team_program *program;
    struct running_lane *lanes;
    struct bandwidth bandwidth;
    struct team_lock *locks;
    uint32_t *heap; /* lanes that can continue, by time and then by number */
    uint32_t heap_count, at_barrier, done;
    int64_t latest; /* arrival at the barrier */
};

static bool comes_before(const struct simulation *s, uint32_t a, uint32_t b)
{
    return s->lanes[a].time != s->lanes[b].time ? s->lanes[a].time < s->lanes[b].time : a < b;
}

static void heap_push(struct simulation *s, uint32_t lane)
{
    uint32_t at = s->heap_count++;
    for (; at > 0 && comes_before(s, lane, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = lane;
}

static uint32_t heap_pop(struct simulation *s)
{
    const uint32_t first = s->heap[0], last = s->heap[--s->heap_count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < s->heap_count; below = 2 * at + 1) {
        if (below + 1 < s->heap_count && comes_before(s, s->heap[below + 1], s->heap[below]))
            below++;
        if (!comes_before(s, s->heap[below], last))
            break;
        s->heap[at] = s->heap[below];
        at = below;
    }
    s->heap[at] = last;
    return first;
}

static struct lane_program *lane_program_of(const struct simulation *s, uint32_t lane)
{
    return &s->program->lanes[lane];
}

/* The step at which a lane is has ended. */
static void end_step(struct simulation *s, uint32_t lane, int64_t time)
{
    struct running_lane *r = &s->lanes[lane];
    struct lane_program *program = lane_program_of(s, lane);
    r->time = time;
    r->waits = STEP_WORK;
    r->at++;
    if (!r->in_chunk) {
        if (program->ends)
            program->ends[r->step] = time;
        r->step++;
    }
}

static void grant(struct simulation *s, uint32_t lane)
{
    struct running_lane *r = &s->lanes[lane];
    struct team_lock *lock = &s->locks[r->at->object];
    const int64_t end = (r->time > lock->free ? r->time : lock->free) + r->at->cost;
    lock->held = true;
    end_step(s, lane, end > r->time ? end : r->time);
}

/* The lane that gets a lock next: the one with the lowest turn, or the first to arrive. */
static uint32_t next_for_lock(const struct simulation *s, uint32_t object)
{
    uint32_t next = INDEX_NONE;
    for (uint32_t lane = 0; lane < s->program->lane_count; lane++) {
        const struct running_lane *r = &s->lanes[lane];
        if (r->waits != STEP_ACQUIRE || r->at->object != object)
            continue;
        if (r->at->turn != TURN_NONE && r->at->turn != s->locks[object].turn)
            continue;
        if (next == INDEX_NONE || comes_before(s, lane, next))
            next = lane;
    }
    return next;
}

/* True if the lane gets the lock at once. */
static bool try_acquire(struct simulation *s, uint32_t lane)
{
    const struct thread_step *step = s->lanes[lane].at;
    struct team_lock *lock = &s->locks[step->object];
    if (!lock->held && (step->turn == TURN_NONE || step->turn == lock->turn)) {
        grant(s, lane);
        return true;
    }
    s->lanes[lane].waits = STEP_ACQUIRE;
    lock->waiting++;
    return false;
}

/* Gives the lock to the next lane. */
static void pass_lock(struct simulation *s, uint32_t object)
{
    struct team_lock *lock = &s->locks[object];
    const uint32_t next = lock->waiting > 0 ? next_for_lock(s, object) : INDEX_NONE;
    if (next == INDEX_NONE)
        return;
    lock->waiting--;
    grant(s, next);
    heap_push(s, next);
}

static void open_barrier(struct simulation *s)
{
    const int64_t latest = s->latest;
    s->at_barrier = 0;
    s->latest = INT64_MIN;
    for (uint32_t lane = 0; lane < s->program->lane_count; lane++) {
        struct running_lane *r = &s->lanes[lane];
        if (r->waits != STEP_BARRIER)
            continue;
        const int64_t open = latest + r->at->cost;
        end_step(s, lane, open > r->time ? open : r->time);
        heap_push(s, lane);
    }
}

static void try_barrier(struct simulation *s)
{
    if (s->at_barrier > 0 && s->at_barrier + s->done == s->program->lane_count)
        open_barrier(s);
}

/* Takes the lane's next chunk of a loop. False if there is none. */
static bool take_chunk(struct simulation *s, uint32_t lane)
{
    struct running_lane *r = &s->lanes[lane];
    struct team_loop *loop = &s->program->loops[r->at->object];
    uint32_t *next = loop->dealt ? &r->chunk : &loop->next;
    if (*next >= loop->chunk_count)
        return false;
    const struct loop_chunk *chunk = &loop->chunks[*next];
    *next += loop->dealt ? s->program->lane_count : 1;
    r->time += loop->dealt ? 0 : loop->cost;
    r->at = chunk->steps;
    r->end = chunk->steps + chunk->count;
    r->in_chunk = true;
    return true;
}

/* Leaves a chunk: back to the step of its loop. */
static void leave_chunk(struct simulation *s, uint32_t lane)
{
    struct running_lane *r = &s->lanes[lane];
    const struct lane_program *program = lane_program_of(s, lane);
    r->in_chunk = false;
    r->at = program->steps + r->step;
    r->end = program->steps + program->count;
}

/* Acts after the step's work. True if the step has ended, or the lane continues in a chunk. */
static bool act_after_work(struct simulation *s, uint32_t lane)
{
    struct running_lane *r = &s->lanes[lane];
    const struct thread_step *step = r->at;
    switch ((enum step_kind)step->kind) {
    case STEP_WORK:
        end_step(s, lane, r->time);
        return true;
    case STEP_BARRIER:
        r->waits = STEP_BARRIER;
        s->at_barrier++;
        s->latest = r->time > s->latest ? r->time : s->latest;
        try_barrier(s);
        return false;
    case STEP_ACQUIRE:
    case STEP_LOOP:
        r->waits = STEP_LOOP; /* until no other lane can arrive before */
        heap_push(s, lane);
        return false;
    case STEP_RELEASE:
        end_step(s, lane, r->time);
        s->locks[step->object].held = false;
        s->locks[step->object].free = r->time;
        s->locks[step->object].turn++;
        pass_lock(s, step->object);
        return true;
    }
    return true;
}

static double bandwidth_slowdown(const struct bandwidth *b)
{
    return b->load > 1 ? b->load : 1;
}

static void bandwidth_advance(struct bandwidth *b, double now)
{
    b->passed += (now - b->now) / bandwidth_slowdown(b);
    b->now = now;
}

static void begin_shared(struct simulation *s, uint32_t lane)
{
    struct bandwidth *b = &s->bandwidth;
    const struct running_lane *r = &s->lanes[lane];
    const double begin = (double)(r->time - b->begin);
    /* the end of the lane's last work is rounded */
    bandwidth_advance(b, begin > b->now + 0.5 ? begin : b->now);
    b->ends[lane] = b->passed + (double)r->at->work;
    b->load += r->at->share;
    b->running[b->count++] = lane;
}

/* The index in `running` of the lane whose work ends next, and when, in ticks since the start. */
static uint32_t next_shared_end(const struct bandwidth *b, double *end)
{
    uint32_t next = INDEX_NONE;
    for (uint32_t i = 0; i < b->count; i++)
        if (next == INDEX_NONE || b->ends[b->running[i]] < b->ends[b->running[next]])
            next = i;
    if (next != INDEX_NONE)
        *end = b->now + (b->ends[b->running[next]] - b->passed) * bandwidth_slowdown(b);
    return next;
}

/* Runs a lane until it waits or arrives at a lock or loop. */
static void run_lane(struct simulation *s, uint32_t lane)
{
    struct running_lane *r = &s->lanes[lane];
    for (;;) {
        if (r->at == r->end && r->in_chunk) {
            leave_chunk(s, lane);
            r->waits = STEP_LOOP;
            heap_push(s, lane);
            return;
        }
        if (r->at == r->end)
            break;
        if (s->bandwidth.limited && r->at->share > 0 && r->at->work > 0) {
            r->starts = true;
            heap_push(s, lane);
            return;
        }
        r->time += r->at->work;
        if (!act_after_work(s, lane))
            return;
    }
    r->done = true;
    lane_program_of(s, lane)->end = r->time;
    s->done++;
    try_barrier(s);
}

/* The lane at `index` of `running` has done its work. */
static void end_shared(struct simulation *s, uint32_t index, double end)
{
    struct bandwidth *b = &s->bandwidth;
    const uint32_t lane = b->running[index];
    struct running_lane *r = &s->lanes[lane];
    bandwidth_advance(b, end);
    b->running[index] = b->running[--b->count];
    b->load = b->count > 0 ? b->load - (double)r->at->share : 0;
    r->time = b->begin + llround(end);
    if (act_after_work(s, lane))
        run_lane(s, lane);
}

/* The first lane of the heap continues. */
static void arrive(struct simulation *s, uint32_t lane)
{
    struct running_lane *r = &s->lanes[lane];
    if (r->starts) {
        r->starts = false;
        begin_shared(s, lane);
        return;
    }
    const bool at_lock = r->waits == STEP_LOOP && r->at->kind == STEP_ACQUIRE;
    const bool at_loop = r->waits == STEP_LOOP && r->at->kind == STEP_LOOP;
    r->waits = STEP_WORK;
    if (at_lock && !try_acquire(s, lane))
        return;
    if (at_loop && !take_chunk(s, lane)) {
        r->chunk = lane;
        end_step(s, lane, r->time);
    }
    run_lane(s, lane);
}

/* No lane can continue: the first one that waits for a lock gets it. */
static bool break_wait(struct simulation *s)
{
    uint32_t first = INDEX_NONE;
    for (uint32_t lane = 0; lane < s->program->lane_count; lane++)
        if (s->lanes[lane].waits == STEP_ACQUIRE &&
            (first == INDEX_NONE || comes_before(s, lane, first)))
            first = lane;
    if (first == INDEX_NONE)
        return false;
    s->locks[s->lanes[first].at->object].waiting--;
    grant(s, first);
    heap_push(s, first);
    return true;
}

static float largest_share_of(const struct thread_step *steps, uint32_t count, float largest)
{
    for (uint32_t i = 0; i < count; i++)
        largest = steps[i].share > largest ? steps[i].share : largest;
    return largest;
}

/* True if the lanes can need more than the bandwidth at a time. */
static bool bandwidth_is_limited(const struct team_program *program)
{
    float in_loops = 0;
    double all = 0;
    for (uint32_t i = 0; i < program->loop_count; i++)
        for (uint32_t k = 0; k < program->loops[i].chunk_count; k++)
            in_loops = largest_share_of(program->loops[i].chunks[k].steps,
                                        program->loops[i].chunks[k].count, in_loops);
    for (uint32_t lane = 0; lane < program->lane_count; lane++)
        all += (double)largest_share_of(program->lanes[lane].steps, program->lanes[lane].count,
                                        in_loops);
    return all > 1;
}

/* The work that ends next, or the next lane of the heap, whichever is earlier. False if there is
 * neither. */
static bool simulate_next(struct simulation *s)
{
    double end = 0;
    const uint32_t running = next_shared_end(&s->bandwidth, &end);
    const bool waiting = s->heap_count > 0;
    if (running != INDEX_NONE &&
        (!waiting || end <= (double)(s->lanes[s->heap[0]].time - s->bandwidth.begin)))
        end_shared(s, running, end);
    else if (waiting)
        arrive(s, heap_pop(s));
    return running != INDEX_NONE || waiting;
}

bool team_simulate(struct team_program *program)
{
    const size_t lanes = program->lane_count;
    struct simulation s = {.program = program,
                           .lanes = calloc(lanes + 1, sizeof *s.lanes),
                           .locks = calloc((size_t)program->lock_count + 1, sizeof *s.locks),
                           .heap = calloc(lanes + 1, sizeof *s.heap),
                           .bandwidth = {.limited = bandwidth_is_limited(program),
                                         .begin = lanes > 0 ? program->lanes[0].begin : 0,
                                         .running = calloc(lanes + 1, sizeof *s.heap),
                                         .ends = calloc(lanes + 1, sizeof *s.bandwidth.ends)},
                           .latest = INT64_MIN};
    const bool allocated = s.lanes && s.locks && s.heap && s.bandwidth.running && s.bandwidth.ends;
    for (uint32_t i = 0; allocated && i < program->lock_count; i++)
        s.locks[i].free = INT64_MIN / 2;
    for (uint32_t i = 0; i < program->loop_count; i++)
        program->loops[i].next = 0;
    for (uint32_t lane = 0; allocated && lane < lanes; lane++) {
        const struct lane_program *own = &program->lanes[lane];
        s.lanes[lane] = (struct running_lane){.at = own->steps,
                                              .end = own->steps + own->count,
                                              .time = own->begin,
                                              .chunk = lane,
                                              .waits = STEP_WORK};
        heap_push(&s, lane);
    }
    while (allocated && s.done < lanes)
        if (!simulate_next(&s) && !break_wait(&s))
            break;
    assert(!allocated || s.done == lanes);
    free(s.lanes);
    free(s.locks);
    free(s.heap);
    free(s.bandwidth.running);
    free(s.bandwidth.ends);
    return allocated;
}
