/* The walk of equations/walk_template.h with differences. S of a rank is a number and a difference:
 * S of the recording, which is 0 except where the recorded times contradict the model, and how much
 * later it may be. All waits of a call are looked at together, at the call's end. */
#include "reduce/solve.h"

#include "base/array.h"
#include "equations/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE     UINT32_MAX
#define LONG_AGO (-((int64_t)1 << 60)) /* maxima over no arrival are before this time */

/* A time of the recording and a difference. Before LONG_AGO: the maximum over no arrival. */
struct solved_moment {
    int64_t time;
    uint32_t difference; /* moments.h; NONE: not set yet, or released */
    uint32_t waiting;    /* of slots: the rank that waits for it, or RANK_NONE */
};

enum { ALWAYS_READ = UINT8_MAX };

struct solved_instance {
    struct solved_moment latest;
    uint32_t missing; /* members that have not arrived */
    uint32_t waiting; /* the last rank that has begun to wait, or RANK_NONE */
    uint32_t readers; /* members that still have to read the latest arrival */
    uint32_t first;   /* arrival in `arrived`, or NONE */
};

/* One arrival at an instance, until all have come. */
struct arrived {
    struct solved_moment moment;
    uint32_t rank, next;
};

struct solved_rank {
    int64_t shift;
    uint32_t difference;
    size_t step; /* next one */
};

struct difference_solver {
    const struct equations *equations;
    int64_t least_wait;
    struct needed *needed;
    struct solved_moment *slots;
    uint8_t *readers; /* [slot]: waits that still have to read it; ALWAYS_READ: keep it */
    struct solved_instance *instances;
    struct solved_rank *ranks;
    struct ready_ranks ready;
    struct moments *moments;
    ARRAY(struct arrived) arrived;
    uint32_t free_arrived;
    ARRAY(struct moment_arrival) arrivals; /* of the call or instance looked at */
    bool no_memory;
};

static void count_readers(struct difference_solver *solver)
{
    const struct equations *equations = solver->equations;
    for (size_t i = 0; i < equations->first[equations->rank_count]; i++) {
        const struct step *step = &equations->steps[i];
        if (step->code == STEP_ARRIVE)
            solver->instances[step->slot].missing++;
        else if (step->code == STEP_AWAIT)
            solver->instances[step->slot].readers++;
        else if (step->code == STEP_WAIT && solver->readers[step->slot] < ALWAYS_READ)
            solver->readers[step->slot]++;
    }
    for (size_t i = 0; i < equations->first[equations->rank_count]; i++)
        if (equations->steps[i].code == STEP_POST_SCAN) /* prefixes are read by the next one */
            memset(solver->readers + equations->steps[i].slot - 1, ALWAYS_READ, 3);
}

static bool open_solver(struct difference_solver *solver)
{
    const struct equations *equations = solver->equations;
    size_t slots = equations->slot_count, instances = equations->instance_count;
    size_t ranks = equations->rank_count;
    struct needed *needed = solver->needed;
    *needed = (struct needed){calloc(slots + 1, 1), calloc(instances + 1, 1)};
    solver->slots = malloc((slots + 1) * sizeof *solver->slots);
    solver->readers = calloc(slots + 1, 1);
    solver->instances = calloc(instances + 1, sizeof *solver->instances);
    solver->ranks = malloc((ranks + 1) * sizeof *solver->ranks);
    solver->ready.stack = malloc((ranks + 1) * sizeof *solver->ready.stack);
    solver->ready.next = malloc((ranks + 1) * sizeof *solver->ready.next);
    solver->free_arrived = NONE;
    if (!needed->slots || !needed->instances || !solver->slots || !solver->readers ||
        !solver->instances || !solver->ranks || !solver->ready.stack || !solver->ready.next)
        return false;
    for (size_t i = 0; i < slots; i++)
        solver->slots[i] = (struct solved_moment){0, NONE, RANK_NONE};
    for (size_t i = 0; i < instances; i++)
        solver->instances[i] = (struct solved_instance){
            .latest = {2 * LONG_AGO, NONE, RANK_NONE}, .waiting = RANK_NONE, .first = NONE};
    count_readers(solver);
    for (size_t rank = ranks; rank-- > 0;) { /* so that the first one is on top */
        solver->ranks[rank] =
            (struct solved_rank){.difference = moments_use(solver->moments, MOMENT_START),
                                 .step = equations->first[rank]};
        ready_ranks_push(&solver->ready, (uint32_t)rank);
    }
    return true;
}

static void close_solver(struct difference_solver *solver)
{
    free(solver->slots);
    free(solver->readers);
    free(solver->instances);
    free(solver->ranks);
    free(solver->ready.stack);
    free(solver->ready.next);
    free(solver->arrived.items);
    free(solver->arrivals.items);
}

void needed_clear(struct needed *needed)
{
    free(needed->slots);
    free(needed->instances);
    memset(needed, 0, sizeof *needed);
}

/* How much later a step is in the other environment; 0 if no other one is assumed. */
static int64_t elsewhere_later(const struct difference_solver *solver, const struct step *step)
{
    const struct growth *growth = solver->equations->growth;
    return growth ? growth[step - solver->equations->steps].time - step->time : 0;
}

/* A moment that may also be `later`; the caller is the user of the result. */
static uint32_t or_later(struct difference_solver *solver, uint32_t rank, uint32_t difference,
                         int64_t later)
{
    return later == 0 ? moments_use(solver->moments, difference)
                      : moments_between(solver->moments, rank, difference, later < 0 ? later : 0,
                                        difference, later > 0 ? later : 0);
}

static uint32_t number_of(const struct difference_solver *solver, const struct solved_rank *rank)
{
    return (uint32_t)(rank - solver->ranks);
}

/* When a step posts something; the caller is the user of its difference. */
static struct solved_moment solver_sum(struct difference_solver *solver,
                                       const struct solved_rank *rank, const struct step *step)
{
    return (struct solved_moment){
        rank->shift + step->time,
        or_later(solver, number_of(solver, rank), rank->difference, elsewhere_later(solver, step)),
        RANK_NONE};
}

static void push_arrival(struct difference_solver *solver, const struct solved_moment *moment,
                         int64_t time, uint32_t index)
{
    if (!array_reserve(&solver->arrivals, 1)) {
        solver->no_memory = true;
        return;
    }
    solver->arrivals.items[solver->arrivals.count++] =
        (struct moment_arrival){moment->difference, index, time, false};
}

/* The latest of `arrivals`; the caller is the user of its difference. */
static struct solved_moment latest_arrival(struct difference_solver *solver)
{
    struct solved_moment latest = {2 * LONG_AGO, MOMENT_START, RANK_NONE};
    if (solver->no_memory || solver->arrivals.count == 0) {
        moments_use(solver->moments, MOMENT_START);
        return latest;
    }
    latest.difference = moments_latest(solver->moments, solver->equations->rank_count,
                                       solver->arrivals.items, solver->arrivals.count);
    for (size_t i = 0; i < solver->arrivals.count; i++)
        if (solver->arrivals.items[i].time > latest.time)
            latest.time = solver->arrivals.items[i].time;
    return latest;
}

static bool is_filled(const struct solved_moment *moment)
{
    return moment->difference != NONE;
}

/* Whether a rank or message arrives then. */
static bool is_arrival(const struct solved_moment *moment)
{
    return is_filled(moment) && moment->time > LONG_AGO;
}

/* Takes over the use of the moment's difference. */
static void solver_fill(struct difference_solver *solver, uint32_t slot,
                        struct solved_moment moment)
{
    uint32_t waiting = solver->slots[slot].waiting;
    if (is_filled(&solver->slots[slot]))
        moments_release(solver->moments, solver->slots[slot].difference);
    solver->slots[slot] = (struct solved_moment){moment.time, moment.difference, RANK_NONE};
    if (waiting != RANK_NONE)
        ready_ranks_push(&solver->ready, waiting);
}

static void solver_post(struct difference_solver *solver, const struct step *step,
                        struct solved_moment moment)
{
    solver_fill(solver, step->slot, moment);
}

static const struct solved_moment *solver_slot(const struct difference_solver *solver,
                                               uint32_t slot)
{
    return is_filled(&solver->slots[slot]) ? &solver->slots[slot] : NULL;
}

static void solver_wait_for_slot(struct difference_solver *solver, const struct solved_rank *rank,
                                 uint32_t slot)
{
    solver->slots[slot].waiting = number_of(solver, rank);
}

/* The caller is the user of its difference. */
static struct solved_moment solver_maximum(struct difference_solver *solver,
                                           const struct solved_moment *a,
                                           const struct solved_moment *b)
{
    solver->arrivals.count = 0;
    if (is_arrival(a))
        push_arrival(solver, a, a->time, 0);
    if (is_arrival(b))
        push_arrival(solver, b, b->time, 1);
    return latest_arrival(solver);
}

/* All members have arrived: computes the latest arrival of all. The result does not depend on the
 * order in which this solver has reached the members. */
static void complete_instance(struct difference_solver *solver, struct solved_instance *instance)
{
    solver->arrivals.count = 0;
    uint32_t same = NONE;
    int64_t latest = INT64_MIN;
    bool equal = true;
    for (uint32_t i = instance->first; i != NONE; i = solver->arrived.items[i].next) {
        const struct arrived *arrived = &solver->arrived.items[i];
        equal = equal && (same == NONE || same == arrived->moment.difference);
        same = arrived->moment.difference;
        latest = arrived->moment.time > latest ? arrived->moment.time : latest;
    }
    for (uint32_t i = instance->first; i != NONE && !equal; i = solver->arrived.items[i].next)
        push_arrival(solver, &solver->arrived.items[i].moment, solver->arrived.items[i].moment.time,
                     solver->arrived.items[i].rank);
    if (equal && same != NONE) /* the usual case */
        instance->latest =
            (struct solved_moment){latest, moments_use(solver->moments, same), RANK_NONE};
    else
        instance->latest = latest_arrival(solver);
    for (uint32_t i = instance->first; i != NONE;) {
        uint32_t next = solver->arrived.items[i].next;
        moments_release(solver->moments, solver->arrived.items[i].moment.difference);
        solver->arrived.items[i].next = solver->free_arrived;
        solver->free_arrived = i;
        i = next;
    }
    instance->first = NONE;
    ready_ranks_release(&solver->ready, instance->waiting);
}

static void solver_arrive(struct difference_solver *solver, const struct solved_rank *rank,
                          uint32_t number, struct solved_moment moment)
{
    struct solved_instance *instance = &solver->instances[number];
    uint32_t i = solver->free_arrived;
    if (i != NONE)
        solver->free_arrived = solver->arrived.items[i].next;
    else if (array_reserve(&solver->arrived, 1))
        i = (uint32_t)solver->arrived.count++;
    else {
        solver->no_memory = true;
        return;
    }
    solver->arrived.items[i] = (struct arrived){moment, number_of(solver, rank), instance->first};
    instance->first = i;
    if (--instance->missing == 0)
        complete_instance(solver, instance);
}

static const struct solved_moment *solver_instance(const struct difference_solver *solver,
                                                   uint32_t number)
{
    return solver->instances[number].missing == 0 ? &solver->instances[number].latest : NULL;
}

static void solver_wait_for_instance(struct difference_solver *solver,
                                     const struct solved_rank *rank, uint32_t number)
{
    ready_ranks_wait(&solver->ready, &solver->instances[number].waiting, number_of(solver, rank));
}

static const struct solved_moment *awaited(const struct difference_solver *solver,
                                           const struct step *step)
{
    return step->code == STEP_WAIT ? &solver->slots[step->slot]
                                   : &solver->instances[step->slot].latest;
}

/* The rank takes over the use of another difference. */
static void set_difference(struct difference_solver *solver, struct solved_rank *state,
                           uint32_t difference)
{
    moments_release(solver->moments, state->difference);
    state->difference = difference;
}

/* Whether all arrivals have the rank's difference, which is the usual case. */
static bool all_the_same(const struct difference_solver *solver, const struct solved_rank *state,
                         const struct step *first, const struct step *end)
{
    for (const struct step *step = first; step < end; step++) {
        const struct solved_moment *moment = awaited(solver, step);
        if (is_arrival(moment) && moment->difference != state->difference)
            return false;
    }
    return true;
}

static void mark_needed(struct difference_solver *solver, const struct step *step)
{
    bool *flags = step->code == STEP_WAIT ? solver->needed->slots : solver->needed->instances;
    flags[step->slot] = true;
}

/* The waits of a call are the steps from `first` to `end`, its STEP_END. `changes`: an assumption
 * may remove or change some of it. */
static void end_call(struct difference_solver *solver, struct solved_rank *state,
                     const struct step *first, const struct step *end, bool changes)
{
    int64_t shift = state->shift;
    solver->arrivals.count = 0;
    for (const struct step *step = first; step < end; step++) {
        const struct solved_moment *moment = awaited(solver, step);
        int64_t time = moment->time + step->time;
        if (is_arrival(moment) && time > shift)
            shift = time;
    }
    bool moves = false; /* the arrivals themselves depend on the environment */
    for (const struct step *step = first; step < end; step++)
        moves |= elsewhere_later(solver, step) != 0;
    changes |= moves || elsewhere_later(solver, end) != 0;
    /* the recording agrees with the model, and no assumption may change this call */
    bool folds = !changes && state->shift == 0 && shift + end->time == 0;
    if (!folds || wait_may_shrink(shift - state->shift, solver->least_wait) ||
        !all_the_same(solver, state, first, end)) {
        for (const struct step *step = first; step < end; step++)
            if (is_arrival(awaited(solver, step)))
                push_arrival(solver, awaited(solver, step),
                             awaited(solver, step)->time + step->time, (uint32_t)(step - first));
        if (solver->no_memory)
            return;
        uint32_t rank = number_of(solver, state);
        const struct entered_call call = {state->difference, state->shift, solver->least_wait,
                                          folds};
        uint32_t after = moments_end_call(solver->moments, rank, &call, solver->arrivals.items,
                                          solver->arrivals.count);
        for (size_t i = 0; i < solver->arrivals.count; i++)
            if (!solver->arrivals.items[i].needless)
                mark_needed(solver, first + solver->arrivals.items[i].index);
        uint32_t result = moves ? moments_unknown(solver->moments, rank)
                                : or_later(solver, rank, after, elsewhere_later(solver, end));
        moments_release(solver->moments, after);
        set_difference(solver, state, result);
    }
    state->shift = shift + end->time;
}

/* The waits of a call have been read; releases the moments without further readers. */
static void forget(struct difference_solver *solver, const struct step *first,
                   const struct step *end)
{
    for (const struct step *step = first; step < end; step++) {
        bool of_slot = step->code == STEP_WAIT;
        struct solved_instance *instance = &solver->instances[of_slot ? 0 : step->slot];
        struct solved_moment *moment = of_slot ? &solver->slots[step->slot] : &instance->latest;
        bool done = of_slot ? solver->readers[step->slot] < ALWAYS_READ &&
                                  --solver->readers[step->slot] == 0
                            : --instance->readers == 0;
        if (done && is_filled(moment)) {
            moments_release(solver->moments, moment->difference);
            moment->difference = NONE;
        }
    }
}

static void solver_assume(struct difference_solver *solver, struct solved_rank *rank,
                          const struct step *step)
{
    const uint32_t number = number_of(solver, rank);
    set_difference(solver, rank,
                   step->time == INT64_MIN
                       ? moments_unknown(solver->moments, number)
                       : moments_between(solver->moments, number, rank->difference, step->time,
                                         rank->difference, DIFFERENCE_UNBOUNDED));
}

static void solver_end(struct difference_solver *solver, struct solved_rank *rank,
                       const struct step *step)
{
    const struct equations *equations = solver->equations;
    const uint32_t number = number_of(solver, rank);
    const struct step *first = step, *begin = equations->steps + equations->first[number];
    while (first > begin && (first[-1].code == STEP_WAIT || first[-1].code == STEP_AWAIT))
        first--;
    bool last = step + 1 == equations->steps + equations->first[number + 1];
    bool changes = !last && step[1].code == STEP_FREE && step[1].time == INT64_MIN;
    end_call(solver, rank, first, step, changes);
    forget(solver, first, step);
}

#define WALK(name) solver_##name
#define WALK_STATE struct difference_solver
#define WALK_RANK  struct solved_rank
#define WALK_VALUE struct solved_moment
#define WALK_TOGETHER
#define WALK_STEPS (WALK_SLOTS | WALK_PREFIXES | WALK_INSTANCES | WALK_ASSUMPTIONS)
#include "equations/walk_template.h"

/* Runs all ranks to their end, or until they are stuck. */
static uint32_t solver_run(struct difference_solver *solver)
{
    const struct equations *equations = solver->equations;
    struct moments_failure failure = {false, false};
    uint32_t stuck = 0;
    while (solver->ready.count > 0 && !failure.no_memory && !failure.full && !solver->no_memory) {
        uint32_t number = solver->ready.stack[--solver->ready.count];
        struct solved_rank *rank = &solver->ranks[number];
        while (rank->step < equations->first[number + 1] && !solver->no_memory &&
               solver_step(solver, rank, &equations->steps[rank->step]))
            rank->step++;
        failure = moments_failure(solver->moments);
    }
    if (failure.no_memory || failure.full || solver->no_memory)
        return UINT32_MAX;
    while (stuck < equations->rank_count &&
           solver->ranks[stuck].step == equations->first[stuck + 1])
        stuck++;
    return stuck;
}

uint32_t equations_solve(const struct equations *equations, int64_t least_wait,
                         enum moments_kind kind, struct needed *needed)
{
    assert(least_wait >= 0);
    struct difference_solver solver = {
        .equations = equations, .least_wait = least_wait, .needed = needed};
    uint32_t stuck = UINT32_MAX;
    bool full = false;
    *needed = (struct needed){NULL, NULL};
    solver.moments = moments_open(kind, equations->rank_count);
    if (solver.moments && open_solver(&solver)) {
        stuck = solver_run(&solver);
        full = moments_failure(solver.moments).full;
    }
    close_solver(&solver);
    moments_close(solver.moments);
    if (full || stuck == UINT32_MAX)
        needed_clear(needed);
    return !full ? stuck : equations_solve(equations, least_wait, MOMENTS_TERMS, needed);
}
