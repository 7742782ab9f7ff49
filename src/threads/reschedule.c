/* The work of a loop is a density over its iterations: where each iteration visits a region, that
 * of the visits; otherwise each thread's time, evenly over its block. The order of the visits is
 * that of their turns in ordered sections. Without these, threads with about the same number of
 * visits had a block each, and visits of others are in the order of time, as a dynamic schedule
 * deals them out. Tasks that run at a barrier, or while a thread waits for tasks before it, are
 * dealt out like visits of a loop with a dynamic schedule; the time before they are created is left
 * out. Steps inside a critical section stay together.
 *
 * A thread that is added runs the code of one of the workers, without the parts that only one
 * thread of the team runs. The threads divide their work outside of loops, so that its sum stays:
 * long code that each thread of a parallel region executes is usually the part that it chooses by
 * its number. Short code is not divided, nor is a critical section that each thread executes once.
 * Likewise a loop with one iteration for each thread is taken to have one for each new thread.
 *
 * The master's time from the fork to its part of the region is taken to be that of waking one
 * worker after the other, so it grows with their number, and a worker that is added begins later
 * than those before it. A team that was recorded with one thread has the costs of the plan. */
#include "threads/reschedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Part of a loop that goes to one thread: steps of a recorded lane, and how much of them. */
struct loop_item {
    const struct thread_step *steps;
    uint32_t count;
    uint32_t lane;
    uint64_t place; /* its turn or its time */
    int64_t work;
};

struct dealt_loop {
    ARRAY(struct loop_item) items; /* in the order of iterations */
    bool by_visits;
    bool chosen;
    bool tasks;         /* of a barrier */
    bool functions;     /* it visits more than critical sections */
    size_t least, most; /* visits of a thread in the recording */
    enum loop_schedule recorded;
    uint32_t recorded_chunk;         /* iterations; 0: a block per thread */
    ARRAY(struct thread_step) steps; /* of the chunks */
    ARRAY(struct loop_chunk) chunks;
    ARRAY(size_t) starts; /* [chunk]: of its first step */
};

/* The loops of a recorded lane. */
struct lane_loops {
    uint32_t *loop_of; /* [step]: the loop whose body it is in; INDEX_NONE: none */
    bool *alone;       /* [step]: in a part that only one thread runs */
    uint32_t *part;    /* [step]: between which barriers the threads divide its work; INDEX_NONE:
                          they do not */
    uint32_t loop_count;
    uint32_t begin, end; /* the steps that enter and leave the parallel region */
};

typedef ARRAY(uint32_t) loop_numbers; /* INDEX_NONE: none */

/* A region of loops or sections. Where the threads did not reach it equally often, it is code that
 * only some of them execute. */
struct loop_region {
    uint32_t region, count, own; /* visits of the first lane; of the one that is looked at */
    bool uncommon;
};

struct rescheduling {
    const struct trace *trace;
    const struct team_plan *plan;
    const bool *chosen;
    struct team_program *recorded;
    struct lane_loops *lanes; /* [recorded lane] */
    struct dealt_loop *loops;
    uint32_t loop_count; /* also of the tasks of barriers */
    ARRAY(struct loop_region) regions;
    loop_numbers bodies, tasks; /* of the k-th loop of a thread; of the tasks of its k-th barrier */
    uint32_t count;             /* of threads: new */
    bool has_barriers;          /* that are simulated */
    uint32_t parts;             /* from one barrier to the next one: at most, of a thread; 0: no
                                   work outside of loops is divided */
    int64_t *outside;           /* [recorded lane][part]: work to be divided */
    int64_t *before, *after;    /* [part]: the sums of all recorded and of all new threads; equal if
                                   it is not divided */
    struct lane_program *new;
    uint32_t **new_step; /* [new lane][recorded step]: the step that ends with it */
    struct team_loop *shared;
};

/* A lane's rows while its loops are found. */
struct loop_row_scan {
    uint32_t depth;    /* of the open regions from the loop's on; 0: outside */
    uint32_t alone;    /* likewise of a part for one thread */
    bool ended;        /* the loop's barrier has begun, or the wait after the tasks of a barrier */
    bool tasks;        /* it is a barrier, or a wait for tasks before it */
    uint32_t loop;     /* the number of the loop */
    uint32_t barriers; /* that have ended */
    size_t item;       /* of the loop: the first of this lane */
    uint32_t from;     /* the first step of the next item */
    uint32_t lane;
    const uint64_t *time; /* [step]: of its end in the recording */
};

/* Adds the steps from `scan->from` to `end` - 1. */
static bool add_loop_item(struct dealt_loop *loop, const struct lane_program *lane,
                          const struct loop_row_scan *scan, uint32_t end)
{
    struct loop_item item = {.steps = lane->steps + scan->from,
                             .count = end - scan->from,
                             .lane = scan->lane,
                             .place = scan->time[scan->from > 0 ? scan->from - 1 : 0]};
    for (uint32_t i = 0; i < item.count; i++)
        item.work += item.steps[i].work;
    return array_push(&loop->items, item);
}

/* The body of a loop has ended before step `end`. What follows the last visit belongs to it. */
static bool end_body(struct rescheduling *r, struct loop_row_scan *scan,
                     const struct lane_program *lane, uint32_t end)
{
    struct dealt_loop *loop = &r->loops[scan->loop];
    scan->ended = true;
    if (scan->item == loop->items.count) { /* no visits: the lane's block */
        loop->by_visits = false;
        return add_loop_item(loop, lane, scan, end);
    }
    struct loop_item *last = &loop->items.items[loop->items.count - 1];
    for (uint32_t i = scan->from; i < end; i++, last->count++)
        last->work += lane->steps[i].work;
    return true;
}

/* The number of the loop that `numbers` has at `place`; a new one, if it has none. INDEX_NONE if
 * out of memory. */
static uint32_t loop_at(struct rescheduling *r, loop_numbers *numbers, size_t place)
{
    while (numbers->count <= place)
        if (!array_push(numbers, INDEX_NONE))
            return INDEX_NONE;
    if (numbers->items[place] != INDEX_NONE)
        return numbers->items[place];
    struct dealt_loop *longer = realloc(r->loops, ((size_t)r->loop_count + 1) * sizeof *r->loops);
    if (!longer)
        return INDEX_NONE;
    r->loops = longer;
    r->loops[r->loop_count] = (struct dealt_loop){.by_visits = true, .least = SIZE_MAX};
    numbers->items[place] = r->loop_count;
    return r->loop_count++;
}

/* Tasks that run while a thread waits for tasks belong to the barrier that follows. */
static bool enter_loop(struct rescheduling *r, struct loop_row_scan *scan,
                       const struct lane_loops *own, uint32_t path, bool tasks, uint32_t next)
{
    scan->loop =
        tasks ? loop_at(r, &r->tasks, scan->barriers) : loop_at(r, &r->bodies, own->loop_count);
    if (scan->loop == INDEX_NONE)
        return false;
    struct dealt_loop *loop = &r->loops[scan->loop];
    loop->tasks = tasks;
    loop->chosen |=
        !tasks && r->chosen[path]; /* a worker's path may begin at the parallel region */
    scan->depth = 1;
    scan->ended = false;
    scan->tasks = tasks;
    scan->item = loop->items.count;
    scan->from = next;
    return true;
}

static bool is_loop(enum omp_construct construct)
{
    return construct == OMP_LOOP || construct == OMP_SECTIONS;
}

static uint32_t region_of(const struct trace *trace, uint32_t path)
{
    return trace->calltree.paths.items[path].region;
}

/* NULL: there is none yet. */
static struct loop_region *loop_region_of(const struct rescheduling *r, uint32_t region)
{
    for (size_t i = 0; i < r->regions.count; i++)
        if (r->regions.items[i].region == region)
            return &r->regions.items[i];
    return NULL;
}

/* Counts how often each lane of the team reaches loops. */
static bool count_loops(struct rescheduling *r, const struct lane *lane, bool first)
{
    const struct stream *stream = trace_any_stream(r->trace, lane->stream);
    for (uint32_t row = lane->first; row <= lane->last; row++) {
        if (!event_opens(stream->kind[row]) ||
            !is_loop(region_construct(callpath_region(r->trace, stream->arg[row]))))
            continue;
        const uint32_t region = region_of(r->trace, stream->arg[row]);
        struct loop_region *known = loop_region_of(r, region);
        const struct loop_region new = {.region = region, .uncommon = !first};
        if (!known && !array_push(&r->regions, new))
            return false;
        known = known ? known : &r->regions.items[r->regions.count - 1];
        known->own++;
    }
    for (size_t i = 0; i < r->regions.count; i++) {
        struct loop_region *region = &r->regions.items[i];
        region->count = first ? region->own : region->count;
        region->uncommon |= region->own != region->count;
        region->own = 0;
    }
    return true;
}

/* True if tasks run in the barrier, or the wait for tasks, that begins at `row`. */
static bool runs_tasks(const struct stream *stream, uint32_t row, enum omp_construct construct)
{
    if (construct != OMP_BARRIER && construct != OMP_IMPLICIT_BARRIER && construct != OMP_TASK_WAIT)
        return false;
    do
        row++;
    while (row < stream->count && !event_opens(stream->kind[row]) &&
           !event_closes(stream->kind[row]));
    return row < stream->count && event_opens(stream->kind[row]);
}

static bool scan_open(struct rescheduling *r, struct loop_row_scan *scan, struct lane_loops *own,
                      const struct lane_program *lane, uint32_t i, const struct stream *stream,
                      uint32_t row)
{
    const uint32_t path = stream->arg[row];
    const enum omp_construct construct = region_construct(callpath_region(r->trace, path));
    if (scan->alone > 0 || construct == OMP_SINGLE_BLOCK || construct == OMP_MASTER)
        scan->alone++;
    if (scan->depth == 0) {
        const bool tasks = r->has_barriers && runs_tasks(stream, row, construct);
        const bool loop =
            is_loop(construct) && !loop_region_of(r, region_of(r->trace, path))->uncommon;
        return !(loop || tasks) || enter_loop(r, scan, own, path, tasks, i + 1);
    }
    if (scan->tasks && scan->depth == 1)
        scan->from = i + 1; /* the time before a task belongs to no task */
    if (scan->depth++ == 1 && !scan->tasks && construct == OMP_IMPLICIT_BARRIER && !scan->ended)
        return end_body(r, scan, lane, i + 1);
    if (construct != OMP_CRITICAL && construct != OMP_CRITICAL_BLOCK && construct != OMP_LOCK_CALL)
        r->loops[scan->loop].functions = true;
    return true;
}

static bool scan_close(struct rescheduling *r, struct loop_row_scan *scan, struct lane_loops *own,
                       const struct lane_program *lane, uint32_t i)
{
    scan->alone -= scan->alone > 0;
    if (scan->depth == 0)
        return true;
    scan->depth--;
    if (scan->depth == 1 && !scan->ended) { /* a visit has ended */
        if (!add_loop_item(&r->loops[scan->loop], lane, scan, i + 1))
            return false;
        scan->from = i + 1;
    }
    if (scan->depth > 0 || scan->tasks)
        return true;
    const bool allocated = scan->ended || end_body(r, scan, lane, i + 1);
    struct dealt_loop *loop = &r->loops[scan->loop];
    own->loop_count++;
    const size_t visits = loop->items.count - scan->item;
    loop->least = visits < loop->least ? visits : loop->least;
    loop->most = visits > loop->most ? visits : loop->most;
    /* The threads combine their results of a reduction in a critical section each. */
    if (loop->most == 1 && !loop->functions)
        loop->by_visits = false;
    return allocated;
}

/* Finds the loops of a recorded lane. */
static bool find_loops(struct rescheduling *r, const struct lane *lane, uint32_t l)
{
    const struct stream *stream = trace_any_stream(r->trace, lane->stream);
    const struct lane_program *program = &r->recorded->lanes[l];
    struct lane_loops *own = &r->lanes[l];
    struct loop_row_scan scan = {.lane = l, .time = stream->time + lane->first};
    own->loop_of = malloc((size_t)program->count * sizeof *own->loop_of);
    own->alone = calloc(program->count, sizeof *own->alone);
    own->begin = INDEX_NONE;
    bool allocated = own->loop_of && own->alone;
    for (uint32_t i = 0; i < program->count && allocated; i++) {
        const uint32_t row = lane->first + i;
        const bool barrier_ends = program->steps[i].kind == STEP_BARRIER;
        own->alone[i] = scan.alone > 0;
        scan.ended |= barrier_ends && scan.tasks;
        scan.barriers += barrier_ends;
        own->loop_of[i] = scan.depth > 0 && !scan.ended ? scan.loop : INDEX_NONE;
        if (event_opens(stream->kind[row])) {
            allocated = scan_open(r, &scan, own, program, i, stream, row);
            own->begin = own->begin != INDEX_NONE ? own->begin : i;
        } else if (event_closes(stream->kind[row])) {
            allocated = scan_close(r, &scan, own, program, i);
            own->end = i;
        }
    }
    own->begin = own->begin != INDEX_NONE ? own->begin : 0;
    return allocated;
}

/* The turn of an item in an ordered section; TURN_NONE: it has none. */
static uint32_t turn_of(const struct loop_item *item)
{
    for (uint32_t i = 0; i < item->count; i++)
        if (item->steps[i].kind == STEP_ACQUIRE && item->steps[i].turn != TURN_NONE)
            return item->steps[i].turn;
    return TURN_NONE;
}

/* Joins items that follow each other on a thread: all of them to the thread's block; or, for
 * `to_turns`, those from one ordered section up to the next one, which are an iteration. */
static void join_items(struct dealt_loop *loop, bool to_turns)
{
    size_t kept = 0;
    for (size_t k = 1; k < loop->items.count; k++) {
        struct loop_item *last = &loop->items.items[kept], *item = &loop->items.items[k];
        if (last->lane != item->lane || (to_turns && turn_of(last) != TURN_NONE)) {
            loop->items.items[++kept] = *item;
            continue;
        }
        last->count += item->count;
        last->work += item->work;
    }
    loop->items.count = loop->items.count > 0 ? kept + 1 : 0;
}

/* Sets the places of the items to their turns. False if not all have one. */
static bool place_by_turns(struct dealt_loop *loop)
{
    size_t turns = 0;
    for (size_t k = 0; k < loop->items.count; k++)
        turns += turn_of(&loop->items.items[k]) != TURN_NONE;
    if (turns > 0)
        join_items(loop, true);
    for (size_t k = 0; k < loop->items.count; k++)
        if (turn_of(&loop->items.items[k]) == TURN_NONE)
            return false;
    for (size_t k = 0; k < loop->items.count; k++)
        loop->items.items[k].place = turn_of(&loop->items.items[k]);
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct loop_item *x = a, *y = b;
    return x->place != y->place ? (x->place < y->place ? -1 : 1)
                                : (x->lane > y->lane) - (x->lane < y->lane);
}

/* How the items, in the order of iterations, were dealt out to `lanes` threads: as blocks of equal
 * size, one after the other to the next thread, or else as the threads became free. */
static void find_schedule(struct dealt_loop *loop, uint32_t lanes)
{
    const struct loop_item *items = loop->items.items;
    const size_t count = loop->items.count;
    size_t chunk = 1;
    while (chunk < count && items[chunk].lane == items[0].lane)
        chunk++;
    loop->recorded = SCHEDULE_STATIC;
    loop->recorded_chunk = chunk * lanes >= count ? 0 : (uint32_t)chunk;
    for (size_t k = chunk; k < count && loop->recorded_chunk > 0; k++)
        if (items[k].lane != (items[k - chunk].lane + 1) % lanes)
            loop->recorded = SCHEDULE_DYNAMIC;
    if (loop->recorded == SCHEDULE_DYNAMIC)
        loop->recorded_chunk = 0;
}

/* Puts the visits into the order of iterations, `group` of which are an iteration. */
static void order_items(struct dealt_loop *loop, uint32_t lanes, size_t group)
{
    const bool turns = place_by_turns(loop);
    assert(lanes > 0 && group > 0);
    if (!loop->by_visits || (!turns && !loop->tasks && loop->most - loop->least <= group))
        return;
    qsort(loop->items.items, loop->items.count, sizeof *loop->items.items, by_place);
    if (turns)
        find_schedule(loop, lanes);
    else
        loop->recorded = SCHEDULE_DYNAMIC;
}

/* True after a step if the lane holds no lock. */
static bool leaves_lock(int32_t *held, const struct thread_step *step)
{
    *held += (step->kind == STEP_ACQUIRE) - (step->kind == STEP_RELEASE && *held > 0);
    return *held == 0;
}

static bool begin_chunk(struct dealt_loop *loop)
{
    const struct loop_chunk chunk = {0};
    return array_push(&loop->chunks, chunk) && array_push(&loop->starts, loop->steps.count);
}

/* Adds the whole items `first` to `end` - 1 as a chunk. */
static bool add_whole_items(struct dealt_loop *loop, uint64_t first, uint64_t end)
{
    bool allocated = begin_chunk(loop);
    for (uint64_t k = first; k < end && allocated; k++)
        for (uint32_t i = 0; i < loop->items.items[k].count && allocated; i++)
            allocated = array_push(&loop->steps, loop->items.items[k].steps[i]);
    return allocated;
}

/* Where a chunk ends in divisible items: in item `item`, after `work` of its work. */
struct loop_cut {
    uint64_t item;
    int64_t work;
};

/* The place `at` / `of` of the whole loop. */
static struct loop_cut cut_at(const struct dealt_loop *loop, uint64_t at, uint64_t of)
{
    typedef unsigned __int128 wide;
    const wide place = (wide)at * loop->items.count;
    const uint64_t item = (uint64_t)(place / of), rest = (uint64_t)(place % of);
    if (item >= loop->items.count)
        return (struct loop_cut){loop->items.count, 0};
    const wide work = (wide)loop->items.items[item].work;
    return (struct loop_cut){item, (int64_t)((work * rest + of / 2) / of)};
}

/* Adds the steps from where the last chunk ended (*step of *item, of which `*done` work is gone) to
 * `end`. A lock that is held there is released first. */
struct loop_cutter {
    uint64_t item;
    uint32_t step;
    int64_t gone; /* work of the item before */
    int64_t part; /* work of the step that the last chunk has had */
};

static bool add_until(struct dealt_loop *loop, struct loop_cutter *c, struct loop_cut end)
{
    bool allocated = begin_chunk(loop);
    int32_t held = 0;
    while (allocated && c->item < loop->items.count) {
        const struct loop_item *item = &loop->items.items[c->item];
        const bool behind = c->item > end.item;
        if (c->step == item->count) {
            if (c->item >= end.item && held == 0)
                break;
            c->item++;
            c->step = 0;
            c->gone = c->part = 0;
            if (c->item == end.item && end.work == 0 && held == 0)
                break;
            continue;
        }
        struct thread_step step = item->steps[c->step];
        step.work -= c->part;
        const int64_t room = end.work - c->gone;
        if (held == 0 && (behind || (c->item == end.item && room <= 0)))
            break;
        if (held == 0 && c->item == end.item && step.kind == STEP_WORK && step.work > room) {
            step.work = room;
            allocated = array_push(&loop->steps, step);
            c->part += room;
            c->gone += room;
            break;
        }
        allocated = array_push(&loop->steps, step);
        leaves_lock(&held, &step);
        c->gone += step.work;
        c->part = 0;
        c->step++;
    }
    return allocated;
}

enum {
    FINE_CHUNKS = 256, /* per thread: of a loop whose number of iterations is unknown */
};

/* The number of visits in an iteration; 0: unknown. */
static uint64_t visits_per_iteration(const struct dealt_loop *loop, const struct team_plan *plan)
{
    if (loop->tasks || !loop->by_visits || plan->iterations == 0)
        return loop->by_visits;
    return loop->items.count % plan->iterations == 0 ? loop->items.count / plan->iterations : 0;
}

static bool keeps_schedule(const struct dealt_loop *loop, const struct team_plan *plan)
{
    return !loop->chosen || plan->schedule == SCHEDULE_RECORDED;
}

static enum loop_schedule new_schedule(const struct dealt_loop *loop, const struct team_plan *plan)
{
    return keeps_schedule(loop, plan) ? loop->recorded : plan->schedule;
}

/* Deals the iterations out to `count` threads, in chunks. */
static bool deal_loop(struct dealt_loop *loop, const struct team_plan *plan, uint32_t count)
{
    const uint64_t group = visits_per_iteration(loop, plan);
    const bool whole = group > 0;
    assert(count > 0);
    const enum loop_schedule schedule = new_schedule(loop, plan);
    const bool is_static = schedule <= SCHEDULE_STATIC;
    const uint64_t chunk = keeps_schedule(loop, plan) ? loop->recorded_chunk : plan->chunk;
    uint64_t of = whole                 ? loop->items.count / group
                  : plan->iterations    ? plan->iterations
                  : is_static && !chunk ? count
                                        : (uint64_t)FINE_CHUNKS * count;
    struct loop_cutter cutter = {0};
    bool allocated = true;
    for (uint64_t first = 0, n = 0; first < of && allocated; n++) {
        uint64_t size = chunk ? chunk : 1;
        if (is_static && !chunk)
            size = of / count + (n < of % count);
        if (schedule == SCHEDULE_GUIDED) {
            const uint64_t share = (of - first + 2 * (uint64_t)count - 1) / (2 * (uint64_t)count);
            size = share > size ? share : size;
        }
        size = size < of - first ? size : of - first;
        const uint64_t end = first + size;
        allocated = whole ? add_whole_items(loop, first * group, end * group)
                          : add_until(loop, &cutter, cut_at(loop, end, of));
        first = end;
    }
    for (size_t k = 0; allocated && k < loop->chunks.count; k++) {
        const size_t behind =
            k + 1 < loop->chunks.count ? loop->starts.items[k + 1] : loop->steps.count;
        loop->chunks.items[k] =
            (struct loop_chunk){.steps = loop->steps.items + loop->starts.items[k],
                                .count = (uint32_t)(behind - loop->starts.items[k])};
    }
    return allocated;
}

/* The recorded lane whose code a new one runs. */
static uint32_t model_lane(const struct rescheduling *r, uint32_t lane)
{
    const uint32_t recorded = r->recorded->lane_count;
    return lane < recorded ? lane : recorded == 1 ? 0 : 1 + (lane - 1) % (recorded - 1);
}

/* Work that only one thread runs, of lanes that the plan removes: it moves to the master, to its
 * last step before the barrier that follows. */
static int64_t moved_alone(const struct rescheduling *r, uint32_t barrier)
{
    int64_t work = 0;
    for (uint32_t l = r->count; l < r->recorded->lane_count; l++) {
        uint32_t passed = 0;
        for (uint32_t i = 0; i < r->recorded->lanes[l].count; i++) {
            const struct thread_step *step = &r->recorded->lanes[l].steps[i];
            passed += step->kind == STEP_BARRIER;
            if (passed == barrier && r->lanes[l].alone[i] && r->lanes[l].loop_of[i] == INDEX_NONE)
                work += step->work;
        }
    }
    return work;
}

static bool loop_is_dealt(const struct rescheduling *r, uint32_t loop)
{
    return loop != INDEX_NONE && r->loops[loop].items.count > 0 &&
           (r->count != r->recorded->lane_count ||
            (r->loops[loop].chosen && r->plan->schedule != SCHEDULE_RECORDED));
}

/* The master's time from the fork until it begins its own part of the region. */
static int64_t wake_time(const struct rescheduling *r)
{
    int64_t time = 0;
    for (uint32_t i = 1; i <= r->lanes[0].begin; i++)
        time += r->recorded->lanes[0].steps[i].work;
    return time;
}

enum {
    SHORT_NS = 5000, /* work outside of loops is divided if it takes each thread this long */
};

/* True if the step is work outside of loops that every thread of the team does. */
static bool is_outside(const struct lane_loops *own, uint32_t i)
{
    return i > own->begin && i <= own->end && own->loop_of[i] == INDEX_NONE && !own->alone[i];
}

/* Finds the work of a recorded lane outside of loops that the threads divide. A critical section
 * that the thread executes once between two barriers is not divided: it combines the thread's
 * results with those of others. */
static bool find_outside(struct rescheduling *r, uint32_t l)
{
    const struct lane_program *lane = &r->recorded->lanes[l];
    struct lane_loops *own = &r->lanes[l];
    uint32_t part = 0, first = 0, sections = 0;
    int64_t *outside = &r->outside[(size_t)l * r->parts];
    own->part = malloc((size_t)lane->count * sizeof *own->part);
    for (uint32_t i = 0; own->part && i < lane->count; i++) {
        const bool counts = is_outside(own, i);
        own->part[i] = counts ? part : INDEX_NONE;
        sections += counts && lane->steps[i].kind == STEP_ACQUIRE;
        if (lane->steps[i].kind != STEP_BARRIER && i + 1 < lane->count)
            continue;
        int32_t held = 0;
        for (; first <= i; first++) {
            if (held > 0 && sections == 1)
                own->part[first] = INDEX_NONE;
            if (own->part[first] != INDEX_NONE)
                outside[part] += lane->steps[first].work;
            leaves_lock(&held, &lane->steps[first]);
        }
        part++;
        sections = 0;
    }
    return own->part != NULL;
}

/* Divides the work outside of loops among the new threads, if their number is another one. */
static bool divide_outside(struct rescheduling *r)
{
    const uint32_t lanes = r->recorded->lane_count;
    if (r->plan->each || r->count == lanes)
        return true;
    const int64_t least =
        (int64_t)((double)r->trace->definitions->ticks_per_second * SHORT_NS / 1e9);
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t parts = 1;
        for (uint32_t i = 0; i < r->recorded->lanes[l].count; i++)
            parts += r->recorded->lanes[l].steps[i].kind == STEP_BARRIER;
        r->parts = parts > r->parts ? parts : r->parts;
    }
    r->outside = calloc((size_t)lanes * r->parts, sizeof *r->outside);
    r->before = calloc(r->parts, sizeof *r->before);
    r->after = calloc(r->parts, sizeof *r->after);
    bool allocated = r->outside && r->before && r->after;
    for (uint32_t l = 0; l < lanes && allocated; l++)
        allocated = find_outside(r, l);
    for (uint32_t part = 0; part < r->parts && allocated; part++) {
        for (uint32_t l = 0; l < lanes; l++)
            r->before[part] += r->outside[(size_t)l * r->parts + part];
        for (uint32_t l = 0; l < r->count; l++)
            r->after[part] += r->outside[(size_t)model_lane(r, l) * r->parts + part];
        if (r->before[part] < least * lanes || r->after[part] == 0)
            r->after[part] = r->before[part];
    }
    return allocated;
}

/* True if the threads divide the work of a recorded step. */
static bool step_is_divided(const struct rescheduling *r, uint32_t lane, uint32_t i)
{
    const uint32_t part = r->parts > 0 ? r->lanes[lane].part[i] : INDEX_NONE;
    return part != INDEX_NONE && r->before[part] != r->after[part];
}

/* Of a step outside of loops that takes `work`, what a new thread does. */
static int64_t divided_work(const struct rescheduling *r, uint32_t model, uint32_t i, int64_t work)
{
    if (!step_is_divided(r, model, i))
        return work;
    const uint32_t part = r->lanes[model].part[i];
    return (int64_t)((__int128)work * r->before[part] / r->after[part]);
}

/* The work of a step that is outside of loops, on the thread `lane` of the new team. */
static int64_t new_work(const struct rescheduling *r, uint32_t lane, uint32_t model, uint32_t i)
{
    const int64_t recorded = r->recorded->lane_count,
                  work = r->recorded->lanes[model].steps[i].work;
    if (recorded == 1 && r->count > 1 && i == (lane == 0 ? r->lanes[0].begin : 0))
        return work + (lane == 0 ? r->plan->cost.wake
                                 : r->plan->cost.start * lane / ((int64_t)r->count - 1));
    if (lane == 0 && i > 0 && i <= r->lanes[0].begin && recorded > 1)
        return work * ((int64_t)r->count - 1) / (recorded - 1);
    if (lane >= recorded && i == 0 && recorded > 1)
        return work + wake_time(r) * (lane - model) / (recorded - 1);
    return lane >= recorded && r->lanes[model].alone[i] ? 0 : divided_work(r, model, i, work);
}

/* What a lane waits at a barrier after the last arrival. */
static int64_t new_barrier_cost(const struct rescheduling *r, int64_t recorded)
{
    return r->count == 1 ? 0 : r->recorded->lane_count == 1 ? r->plan->cost.join : recorded;
}

static bool make_lane(struct rescheduling *r, uint32_t lane)
{
    const uint32_t model = model_lane(r, lane);
    const struct lane_program *from = &r->recorded->lanes[model];
    struct lane_program *to = &r->new[lane];
    /* A region that was recorded with one thread does not end with a barrier. */
    const bool without_barrier = r->recorded->lane_count == 1 && r->count > 1;
    const size_t most = 2 * ((size_t)from->count + 1);
    uint32_t barrier = 0;
    *to = (struct lane_program){.begin = from->begin,
                                .steps = calloc(most, sizeof *to->steps),
                                .ends = malloc(most * sizeof *to->ends)};
    r->new_step[lane] = malloc((size_t)from->count * sizeof **r->new_step);
    if (!to->steps || !to->ends || !r->new_step[lane])
        return false;
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t loop = r->lanes[model].loop_of[i];
        struct thread_step step = from->steps[i];
        if (loop_is_dealt(r, loop)) {
            if (i == 0 || r->lanes[model].loop_of[i - 1] != loop)
                to->steps[to->count++] =
                    (struct thread_step){.kind = STEP_LOOP, .object = loop, .turn = TURN_NONE};
            r->new_step[lane][i] = to->count - 1;
            continue;
        }
        step.work = new_work(r, lane, model, i);
        const uint32_t tasks = step.kind == STEP_BARRIER && barrier < r->tasks.count
                                   ? r->tasks.items[barrier]
                                   : INDEX_NONE;
        if (loop_is_dealt(r, tasks) &&
            !(to->count > 0 && to->steps[to->count - 1].kind == STEP_LOOP))
            to->steps[to->count++] =
                (struct thread_step){.kind = STEP_LOOP, .object = tasks, .turn = TURN_NONE};
        if (step.kind == STEP_BARRIER) {
            if (lane == 0 && to->count > 0 && r->count < r->recorded->lane_count)
                to->steps[to->count - 1].work += moved_alone(r, barrier);
            barrier++;
            step.cost = new_barrier_cost(r, step.cost);
        }
        to->steps[to->count++] = step;
        if (without_barrier && i == r->lanes[model].end)
            to->steps[to->count++] = (struct thread_step){
                .cost = new_barrier_cost(r, 0), .turn = TURN_NONE, .kind = STEP_BARRIER};
        r->new_step[lane][i] = to->count - 1;
    }
    return true;
}

/* The times of a recorded lane's steps; those in a loop's body move in proportion. */
static void set_recorded_ends(const struct rescheduling *r, uint32_t lane)
{
    const struct lane_program *new = &r->new[lane];
    struct lane_program *recorded = &r->recorded->lanes[lane];
    const uint32_t *new_step = r->new_step[lane];
    for (uint32_t i = 0; i < recorded->count;) {
        int64_t work = 0, before = 0;
        uint32_t end = i;
        for (; end < recorded->count && new_step[end] == new_step[i]; end++)
            work += recorded->steps[end].work;
        const int64_t begin = new_step[i] > 0 ? new->ends[new_step[i] - 1] : new->begin;
        const int64_t length = new->ends[new_step[i]] - begin;
        for (; i < end; i++) {
            before += recorded->steps[i].work;
            recorded->ends[i] = i + 1 == end || work == 0
                                    ? begin + length
                                    : begin + (int64_t)((__int128)length * before / work);
        }
    }
    recorded->end = new->end;
}

static bool simulate_new(struct rescheduling *r)
{
    const size_t count = r->count;
    r->new = calloc(count, sizeof *r->new);
    r->new_step = calloc(count, sizeof *r->new_step);
    r->shared = calloc((size_t)r->loop_count + 1, sizeof *r->shared);
    bool allocated = r->new && r->new_step && r->shared;
    allocated = allocated && divide_outside(r);
    for (uint32_t k = 0; k < r->loop_count && allocated; k++) {
        struct dealt_loop *loop = &r->loops[k];
        allocated = !loop_is_dealt(r, k) || deal_loop(loop, r->plan, r->count);
        r->shared[k] = (struct team_loop){.chunks = loop->chunks.items,
                                          .chunk_count = (uint32_t)loop->chunks.count,
                                          .dealt = new_schedule(loop, r->plan) <= SCHEDULE_STATIC};
    }
    for (uint32_t l = 0; l < r->count && allocated; l++)
        allocated = make_lane(r, l);
    struct team_program program = {.lanes = r->new,
                                   .lane_count = r->count,
                                   .lock_count = r->recorded->lock_count,
                                   .loops = r->shared,
                                   .loop_count = r->loop_count};
    allocated = allocated && team_simulate(&program);
    for (uint32_t l = 0; l < r->recorded->lane_count && allocated; l++) {
        if (l < r->count)
            set_recorded_ends(r, l);
        else
            r->recorded->lanes[l].count = 0;
    }
    return allocated;
}

static void rescheduling_clear(struct rescheduling *r)
{
    for (uint32_t l = 0; r->lanes && l < r->recorded->lane_count; l++) {
        free(r->lanes[l].loop_of);
        free(r->lanes[l].alone);
        free(r->lanes[l].part);
    }
    for (uint32_t k = 0; k < r->loop_count; k++) {
        free(r->loops[k].items.items);
        free(r->loops[k].steps.items);
        free(r->loops[k].chunks.items);
        free(r->loops[k].starts.items);
    }
    for (uint32_t l = 0; r->new && r->new_step &&l < r->count; l++) {
        free(r->new[l].steps);
        free(r->new[l].ends);
        free(r->new_step[l]);
    }
    free(r->lanes);
    free(r->loops);
    free(r->regions.items);
    free(r->bodies.items);
    free(r->tasks.items);
    free(r->outside);
    free(r->before);
    free(r->after);
    free(r->new);
    free(r->new_step);
    free(r->shared);
}

/* True if the loop has one iteration for each thread, and another number of threads. */
static bool is_by_threads(const struct dealt_loop *loop, const struct rescheduling *r)
{
    return loop->by_visits && loop->least == 1 && loop->most == 1 && r->plan->iterations == 0 &&
           r->count != r->recorded->lane_count;
}

static void measure_work(const struct rescheduling *r, struct reschedule_outcome *outcome)
{
    for (uint32_t l = 0; l < r->recorded->lane_count; l++)
        for (uint32_t i = r->lanes[l].begin + 1; i <= r->lanes[l].end; i++) {
            const int64_t work = r->recorded->lanes[l].steps[i].work;
            outcome->work += work;
            outcome->divided += step_is_divided(r, l, i) ? work : 0;
        }
}

bool team_reschedule(const struct trace *trace, const struct teams *teams, const struct team *team,
                     const struct team_plan *plan, const bool *chosen, struct team_program *program,
                     struct reschedule_outcome *outcome)
{
    assert(program->lane_count == team->lane_count);
    struct rescheduling r = {.trace = trace,
                             .plan = plan,
                             .chosen = chosen,
                             .recorded = program,
                             .lanes = calloc(team->lane_count, sizeof *r.lanes),
                             .count = plan->thread_count ? plan->thread_count : team->lane_count};
    bool allocated = r.lanes != NULL;
    *outcome = (struct reschedule_outcome){0};
    for (uint32_t i = 0; i < program->lanes[0].count; i++)
        r.has_barriers |= program->lanes[0].steps[i].kind == STEP_BARRIER;
    for (uint32_t l = 0; l < team->lane_count && allocated; l++)
        allocated = count_loops(&r, team_lane(teams, team, l), l == 0);
    for (uint32_t l = 0; l < team->lane_count && allocated; l++) {
        allocated = find_loops(&r, team_lane(teams, team, l), l);
        outcome->unlike |= allocated && r.lanes[l].loop_count != r.lanes[0].loop_count;
    }
    for (uint32_t k = 0; k < r.loop_count && allocated; k++) {
        struct dealt_loop *loop = &r.loops[k];
        const bool dealt = !loop->tasks && loop_is_dealt(&r, k);
        if (dealt && is_by_threads(loop, &r)) {
            loop->by_visits = false;
            outcome->by_threads++;
        }
        const uint64_t group = visits_per_iteration(loop, plan);
        if (!loop->by_visits)
            join_items(loop, false);
        order_items(loop, team->lane_count, group > 0 ? group : 1);
        outcome->loops += dealt;
        outcome->by_visits += dealt && loop->by_visits;
    }
    outcome->changed = !outcome->unlike && (r.count != team->lane_count || outcome->loops > 0);
    outcome->alone = outcome->changed && team->lane_count == 1;
    if (allocated && outcome->changed)
        allocated = simulate_new(&r);
    if (allocated && outcome->changed && r.count != team->lane_count)
        measure_work(&r, outcome);
    rescheduling_clear(&r);
    return allocated;
}
