#include "live/program_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void live_post(struct live_program *p, const struct step *step, int64_t value)
{
    timed_slot_fill(&p->slots[step->slot], value, &p->ready);
}

static inline void live_fill(struct live_program *p, uint32_t slot, int64_t value)
{
    timed_slot_fill(&p->slots[slot], value, &p->ready);
}

static inline const int64_t *live_slot(const struct live_program *p, uint32_t slot)
{
    return timed_slot_value(&p->slots[slot]);
}

static inline void live_wait_for_slot(struct live_program *p, const struct running_rank *rank,
                                      uint32_t slot)
{
    p->slots[slot] = SLOT_WAITING + rank->rank;
}

static inline int64_t live_maximum(const struct live_program *p, const int64_t *a, const int64_t *b)
{
    (void)p;
    return time_max(*a, *b);
}

static inline void live_arrive(struct live_program *p, const struct running_rank *rank,
                               uint32_t number, int64_t value)
{
    (void)rank;
    struct timed_instance *instance = &p->instances[number];
    timed_instance_arrive(instance, value);
    if (instance->missing == 0)
        ready_ranks_release(&p->ready, instance->waiting);
}

static inline const int64_t *live_instance(const struct live_program *p, uint32_t number)
{
    return timed_instance_value(&p->instances[number]);
}

static inline void live_wait_for_instance(struct live_program *p, const struct running_rank *rank,
                                          uint32_t number)
{
    ready_ranks_wait(&p->ready, &p->instances[number].waiting, rank->rank);
}

static inline struct live_shares *lane_of(const struct live_program *p, uint32_t rank)
{
    return p->picture + (uint64_t)rank * p->lanes / p->head.ranks * p->columns;
}

/* Adds the time of a call to the columns that it touches; it waits up to `waits` (in columns).
 * `part` of the time is drawn. */
static void draw_long_call(const struct live_program *p, struct live_shares *lane, double begin,
                           double waits, double end, double part)
{
    const double most = end < p->columns ? end : p->columns;
    for (double left = begin; left < most;) {
        const uint32_t column = (uint32_t)left;
        const double right = column + 1 < most ? column + 1 : most;
        const double waiting = waits > left ? (waits < right ? waits : right) - left : 0;
        lane[column].waiting += (float)(part * waiting);
        lane[column].in_calls += (float)(part * (right - left - waiting));
        left = right;
    }
}

static inline void draw_call(const struct live_program *p, uint32_t rank, int64_t begin,
                             int64_t waits, int64_t end, double part)
{
    struct live_shares *lane = lane_of(p, rank);
    const double scale = p->columns_per_tick;
    const double from = (double)begin * scale, until = (double)waits * scale,
                 to = (double)end * scale;
    if (to >= p->columns || (uint32_t)from != (uint32_t)to) {
        draw_long_call(p, lane, from, until, to, part);
        return;
    }
    lane[(uint32_t)from].waiting += (float)(part * (until - from));
    lane[(uint32_t)from].in_calls += (float)(part * (to - until));
}

/* Draws the MPI calls without steps in the computation that begins at `begin`. */
static void draw_stepless(const struct live_program *p, uint32_t rank, size_t free, int64_t begin)
{
    for (size_t i = p->first_stepless[free]; i < p->first_stepless[free + 1]; i++) {
        const int64_t from = begin + p->stepless[i].begin;
        draw_call(p, rank, from, from, begin + p->stepless[i].end, 1);
    }
}

/* A rank has no events from `begin` to `end`. */
static void draw_absence(const struct live_program *p, uint32_t rank, int64_t begin, int64_t end)
{
    struct live_shares *lane = lane_of(p, rank);
    assert(begin >= 0);
    const double to = (double)end * p->columns_per_tick, most = to < p->columns ? to : p->columns;
    for (double left = (double)begin * p->columns_per_tick; left < most;) {
        const uint32_t column = (uint32_t)left;
        const double right = column + 1 < most ? column + 1 : most;
        lane[column].absent += (float)(right - left);
        left = right;
    }
}

/* Draws the call of a rank that has ended. Most calls end in the column of the call before. */
static inline void draw_ended(const struct live_program *p, uint32_t rank, int64_t waits,
                              int64_t end)
{
    struct live_call *call = &p->calls[rank];
    if (end < call->until) {
        call->column->waiting += (float)((double)(waits - call->entered) * p->columns_per_tick);
        call->column->in_calls += (float)((double)(end - waits) * p->columns_per_tick);
        return;
    }
    draw_call(p, rank, call->entered, waits, end, 1);
    const double column = floor((double)end * p->columns_per_tick);
    if (column < p->columns) {
        call->until = (int64_t)((column + 1) / p->columns_per_tick);
        call->column = lane_of(p, rank) + (size_t)column;
    }
}

static inline void live_end(struct live_program *p, struct running_rank *rank,
                            const struct step *step)
{
    const int64_t arrived = rank->shift;
    rank->shift += step->time;
    p->in_calls[step->slot] += rank->shift - p->calls[rank->rank].entered;
    if (p->picture)
        draw_ended(p, rank->rank, arrived, rank->shift);
}

/* A polling loop has ended: the computation between its rounds has the same part of its time as in
 * the changed trace (replay/costs/rewrite.c). */
static void divide_loop(struct live_program *p, uint32_t rank, int64_t end, const struct step *step)
{
    const int64_t computes = p->computation[step->slot], whole = computes + step->time - 1;
    const double took = (double)(end - p->calls[rank].entered);
    const size_t segment = p->last_segments[step->slot] - 1;
    const uint32_t path = p->segment_paths[segment];
    const int64_t part = whole > 0 ? (int64_t)(took * ((double)computes / (double)whole)) : 0;
    p->in_calls[step[-1].slot] -= part;
    p->in_calls[path] += part;
    if (p->picture && took > 0)
        draw_call(p, rank, p->calls[rank].entered, end - step[-1].time, end, -(double)part / took);
    if (live_in_focus(p, rank, segment))
        p->looped[rank] += part & p->computes[path];
}

/* The computation before a call, which begins then. */
static inline void live_assume(struct live_program *p, struct running_rank *rank,
                               const struct step *step)
{
    if (step->time > 0) {
        divide_loop(p, rank->rank, rank->shift, step);
        return;
    }
    if (p->picture)
        draw_stepless(p, rank->rank, step->slot, rank->shift);
    rank->shift += p->computation[step->slot];
    p->calls[rank->rank].entered = rank->shift;
}

#define WALK(name) live_##name
#define WALK_STATE struct live_program
#define WALK_RANK  struct running_rank
#define WALK_VALUE int64_t
#define WALK_TIMES
#define WALK_STEPS (WALK_SLOTS | WALK_PREFIXES | WALK_INSTANCES | WALK_ASSUMPTIONS)
#include "equations/walk_template.h"

static void live_run(struct live_program *p)
{
    while (p->ready.count > 0) {
        const uint32_t number = p->ready.stack[--p->ready.count];
        struct timed_rank *state = &p->ranks[number];
        struct running_rank rank = {state->shift, number, state};
        const struct step *step = p->steps + state->step, *last = p->steps + p->first[number + 1];
        while (step < last && live_step(p, &rank, step))
            step++;
        state->shift = rank.shift;
        state->step = (size_t)(step - p->steps);
    }
}

/* Empties what evaluations fill, and lets all ranks begin. */
static void begin_evaluation(struct live_program *p)
{
    memset(p->looped, 0, (p->head.ranks + (size_t)1) * sizeof *p->looped);
    memset(p->in_calls, 0, (p->head.paths + (size_t)1) * sizeof *p->in_calls);
    if (p->picture)
        memset(p->picture, 0, (size_t)p->lanes * p->columns * sizeof *p->picture);
    for (uint32_t i = 0; i < p->head.slots; i++)
        p->slots[i] = SLOT_EMPTY;
    for (uint32_t i = 0; i < p->head.instances; i++)
        p->instances[i] = (struct timed_instance){
            .latest = TIME_LONG_AGO, .missing = p->members[i], .waiting = RANK_NONE};
    for (uint32_t rank = p->head.ranks; rank-- > 0;) {
        p->ranks[rank] = (struct timed_rank){.shift = p->begin[rank], .step = p->first[rank]};
        p->calls[rank] = (struct live_call){0};
        ready_ranks_push(&p->ready, rank);
    }
}

int64_t live_time(struct live_program *p)
{
    int64_t last = 0;
    assert(p->ready.count == 0);
    live_time_computation(p);
    if (p->beyond)
        return p->beyond;
    begin_evaluation(p);
    live_run(p);
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        if (p->ranks[rank].step < p->first[rank + 1])
            return LIVE_STUCK;
        last = time_max(last, p->ranks[rank].shift);
        if (p->picture) {
            draw_absence(p, rank, 0, p->begin[rank]);
            draw_absence(p, rank, p->ranks[rank].shift, INT64_MAX);
        }
    }
    return last;
}

uint32_t live_problem_path(const struct live_program *p)
{
    return p->beyond_path;
}

const struct live_shares *live_picture(struct live_program *p, uint32_t lanes, uint32_t columns,
                                       double ticks)
{
    assert(lanes > 0 && lanes <= p->head.ranks && columns > 0 && ticks > 0);
    free(p->picture);
    p->picture = calloc((size_t)lanes * columns, sizeof *p->picture);
    p->lanes = lanes;
    p->columns = columns;
    p->columns_per_tick = columns / ticks;
    return p->picture;
}

int64_t live_end_of(const struct live_program *p, uint32_t rank)
{
    assert(rank < p->head.ranks);
    return p->ranks[rank].shift;
}

/* From the first begin to the last end of POP's run on the ranks. */
static int64_t focus_ticks(const struct live_program *p)
{
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        const int64_t *first = timed_slot_value(&p->slots[live_focus_slot(&p->head, rank, false)]);
        const int64_t *last = timed_slot_value(&p->slots[live_focus_slot(&p->head, rank, true)]);
        if (!first || !last) /* a rank without events */
            continue;
        begin = *first < begin ? *first : begin;
        end = time_max(end, *last);
    }
    return end > begin ? end - begin : 0;
}

struct live_factors live_factors_of(const struct live_program *p)
{
    struct live_factors factors = {.time = (double)focus_ticks(p)};
    double sum = 0;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        const double computed = (double)(p->computed[rank] + p->looped[rank]);
        sum += computed;
        factors.longest = computed > factors.longest ? computed : factors.longest;
    }
    factors.mean = p->head.ranks > 0 ? sum / p->head.ranks : 0;
    return factors;
}

/* Calls cost nothing, and waits end when the last message or member arrives. The lags of waits are
 * put to `lags`. */
static void set_ideal(struct live_program *p, int64_t *lags)
{
    for (size_t i = 0; i < p->cost_count; i++) {
        struct step *step = &p->steps[p->costs[i].step];
        step->time = step->code == STEP_END ? 0 : p->costs[i].base;
    }
    for (size_t i = 0; i < p->step_count; i++)
        if (live_waits(p->steps[i].code)) {
            *lags++ = p->steps[i].time;
            p->steps[i].time = 0;
        }
}

static void set_recorded(struct live_program *p, const int64_t *lags)
{
    for (size_t i = 0; i < p->step_count; i++)
        if (live_waits(p->steps[i].code))
            p->steps[i].time = *lags++;
    live_set_costs(p);
}

int64_t live_ideal(struct live_program *p)
{
    struct live_shares *const picture = p->picture;
    int64_t *lags = malloc((p->step_count + 1) * sizeof *lags);
    if (!lags)
        return LIVE_STUCK;
    set_ideal(p, lags);
    p->picture = NULL;
    const int64_t time = live_time(p);
    p->picture = picture;
    set_recorded(p, lags);
    free(lags);
    return time < 0 ? time : focus_ticks(p);
}
