/* Runs a rank until it needs a value that is not known yet, then another rank, as
 * replay/model/evaluate.c does with numbers. Here a rank has a number and a difference: S of the
 * recording, which is 0 except where the recorded times contradict the model, and how much later
 * it may be.
 *
 * Differences are in a pool and shared: most ranks have the same one most of the time. */
#include "reduction/solve.h"

#include "base/array.h"
#include "base/difference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY   UINT32_MAX
#define NONE     UINT32_MAX
#define START    0                     /* the difference of the first moment, in the pool */
#define LONG_AGO (-((int64_t)1 << 60)) /* arrivals of nobody are before */

/* --- differences that are shared -------------------------------------------------------------- */

struct pooled {
    struct difference difference;
    uint32_t users;
    uint32_t next; /* in the list of free ones */
};

struct pool {
    ARRAY(struct pooled) all;
    uint32_t free;
};

/* NONE when memory is out. The caller is its user. */
static uint32_t pool_add(struct pool *pool, const struct difference *difference)
{
    uint32_t id = pool->free;
    if (id != NONE)
        pool->free = pool->all.items[id].next;
    else if (array_reserve(&pool->all, 1))
        id = (uint32_t)pool->all.count++;
    else
        return NONE;
    pool->all.items[id] = (struct pooled){*difference, 1, NONE};
    return id;
}

static uint32_t pool_use(struct pool *pool, uint32_t id)
{
    pool->all.items[id].users++;
    return id;
}

static void pool_release(struct pool *pool, uint32_t id)
{
    if (--pool->all.items[id].users > 0)
        return;
    pool->all.items[id].next = pool->free;
    pool->free = id;
}

/* --- the state -------------------------------------------------------------------------------- */

/* A moment: a number and a difference. Before LONG_AGO: an arrival of nobody. */
struct moment {
    int64_t time;
    uint32_t difference; /* in the pool; NONE: not known yet, or not needed any more */
    uint32_t waiting;    /* of slots: the rank that waits for it, or NOBODY */
};

enum { ALWAYS_READ = UINT8_MAX };

struct solved_instance {
    struct moment latest;
    uint32_t missing; /* members that have not arrived */
    uint32_t waiting; /* the last rank that has begun to wait, or NOBODY */
    uint32_t readers; /* members that still have to read the latest arrival */
    uint32_t first;   /* arrival in `arrived`, or NONE */
};

/* One arrival at an instance, until all have come. */
struct arrived {
    struct moment moment;
    uint32_t rank, next;
};

struct solved_rank {
    int64_t shift;
    uint32_t difference;
    uint32_t next; /* another rank that waits for the same instance, or NOBODY */
    size_t at;     /* next step */
    struct naming naming;
};

struct solver {
    const struct equations *equations;
    int64_t least_wait;
    struct needed *needed;
    struct moment *slots;
    uint8_t *readers; /* [slot]: waits that still have to read it; ALWAYS_READ: keep it */
    struct solved_instance *instances;
    struct solved_rank *ranks;
    uint32_t *ready; /* a stack of ranks */
    uint32_t ready_count;
    struct pool pool;
    ARRAY(struct arrived) arrived;
    uint32_t free_arrived;
    ARRAY(struct arrival) arrivals; /* of the call or instance looked at */
    struct naming naming;           /* for what belongs to no rank */
    bool no_memory;
};

static void count_readers(struct solver *solver)
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

static bool open_solver(struct solver *solver)
{
    const struct equations *equations = solver->equations;
    size_t slots = equations->slot_count, instances = equations->instance_count;
    size_t ranks = equations->rank_count;
    struct needed *needed = solver->needed;
    struct difference zero = difference_zero();
    *needed = (struct needed){calloc(slots + 1, 1), calloc(instances + 1, 1)};
    solver->slots = malloc((slots + 1) * sizeof *solver->slots);
    solver->readers = calloc(slots + 1, 1);
    solver->instances = calloc(instances + 1, sizeof *solver->instances);
    solver->ranks = malloc((ranks + 1) * sizeof *solver->ranks);
    solver->ready = malloc((ranks + 1) * sizeof *solver->ready);
    solver->pool.free = solver->free_arrived = NONE;
    if (!needed->slots || !needed->instances || !solver->slots || !solver->readers ||
        !solver->instances || !solver->ranks || !solver->ready)
        return false;
    if (pool_add(&solver->pool, &zero) != START)
        return false;
    for (size_t i = 0; i < slots; i++)
        solver->slots[i] = (struct moment){0, NONE, NOBODY};
    for (size_t i = 0; i < instances; i++)
        solver->instances[i] = (struct solved_instance){
            .latest = {2 * LONG_AGO, NONE, NOBODY}, .waiting = NOBODY, .first = NONE};
    count_readers(solver);
    for (size_t rank = ranks; rank-- > 0;) { /* so that the first one is on top */
        solver->ranks[rank] = (struct solved_rank){.difference = pool_use(&solver->pool, START),
                                                   .at = equations->first[rank],
                                                   .naming = naming_of((uint32_t)rank)};
        solver->ready[solver->ready_count++] = (uint32_t)rank;
    }
    return true;
}

static void close_solver(struct solver *solver)
{
    free(solver->slots);
    free(solver->readers);
    free(solver->instances);
    free(solver->ranks);
    free(solver->ready);
    free(solver->pool.all.items);
    free(solver->arrived.items);
    free(solver->arrivals.items);
}

void needed_clear(struct needed *needed)
{
    free(needed->slots);
    free(needed->instances);
    memset(needed, 0, sizeof *needed);
}

/* --- posts ------------------------------------------------------------------------------------ */

static void push_arrival(struct solver *solver, const struct moment *moment, int64_t time,
                         uint32_t index)
{
    if (!array_reserve(&solver->arrivals, 1)) {
        solver->no_memory = true;
        return;
    }
    solver->arrivals.items[solver->arrivals.count++] =
        (struct arrival){solver->pool.all.items[moment->difference].difference, time, index, false};
}

/* The latest of `arrivals`; the caller is the user of its difference. */
static struct moment latest_arrival(struct solver *solver)
{
    struct moment latest = {2 * LONG_AGO, START, NOBODY};
    if (solver->no_memory)
        return latest;
    if (solver->arrivals.count == 0) {
        pool_use(&solver->pool, START);
        return latest;
    }
    struct difference difference =
        difference_latest(solver->arrivals.items, solver->arrivals.count, &solver->naming);
    latest.time = solver->arrivals.items[0].time;
    latest.difference = pool_add(&solver->pool, &difference);
    solver->no_memory = latest.difference == NONE;
    return latest;
}

/* Fills a slot; uses up the moment's use of its difference. */
static void post(struct solver *solver, uint32_t slot, struct moment moment)
{
    uint32_t waiting = solver->slots[slot].waiting;
    if (solver->slots[slot].difference != NONE)
        pool_release(&solver->pool, solver->slots[slot].difference);
    solver->slots[slot] = (struct moment){moment.time, moment.difference, NOBODY};
    if (waiting != NOBODY)
        solver->ready[solver->ready_count++] = waiting;
}

static bool is_filled(const struct moment *moment)
{
    return moment->difference != NONE;
}

/* Whether somebody arrives then. */
static bool is_arrival(const struct moment *moment)
{
    return is_filled(moment) && moment->time > LONG_AGO;
}

/* Posts the prefixes that this arrival completes (replay/model/evaluate.c). */
static void post_scan(struct solver *solver, uint32_t slot, struct moment moment)
{
    struct moment *slots = solver->slots;
    post(solver, slot, moment);
    while (is_filled(&slots[slot]) && is_filled(&slots[slot - 1]) && !solver->no_memory) {
        solver->arrivals.count = 0;
        for (uint32_t i = slot - 1; i <= slot; i++)
            if (is_arrival(&slots[i]))
                push_arrival(solver, &slots[i], slots[i].time, i);
        struct moment prefix = latest_arrival(solver);
        if (!solver->no_memory)
            post(solver, slot + 1, prefix);
        slot += 2;
    }
}

/* All members have come: the latest arrival of all, in an order that does not depend on who came
 * when in this run. */
static void complete(struct solver *solver, struct solved_instance *instance)
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
        instance->latest = (struct moment){latest, pool_use(&solver->pool, same), NOBODY};
    else
        instance->latest = latest_arrival(solver);
    for (uint32_t i = instance->first; i != NONE;) {
        uint32_t next = solver->arrived.items[i].next;
        pool_release(&solver->pool, solver->arrived.items[i].moment.difference);
        solver->arrived.items[i].next = solver->free_arrived;
        solver->free_arrived = i;
        i = next;
    }
    instance->first = NONE;
    for (uint32_t rank = instance->waiting; rank != NOBODY; rank = solver->ranks[rank].next)
        solver->ready[solver->ready_count++] = rank;
}

static void arrive(struct solver *solver, uint32_t rank, uint32_t number, struct moment moment)
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
    solver->arrived.items[i] = (struct arrived){moment, rank, instance->first};
    instance->first = i;
    if (--instance->missing == 0)
        complete(solver, instance);
}

/* --- calls ------------------------------------------------------------------------------------ */

static const struct moment *awaited(const struct solver *solver, const struct step *step)
{
    return step->code == STEP_WAIT ? &solver->slots[step->slot]
                                   : &solver->instances[step->slot].latest;
}

static void set_difference(struct solver *solver, struct solved_rank *state,
                           const struct difference *difference)
{
    uint32_t id = pool_add(&solver->pool, difference);
    if (id == NONE) {
        solver->no_memory = true;
        return;
    }
    pool_release(&solver->pool, state->difference);
    state->difference = id;
}

/* Fast decision for the usual case: all have the same difference. */
static bool all_the_same(const struct solver *solver, const struct solved_rank *state,
                         const struct step *first, const struct step *end)
{
    for (const struct step *step = first; step < end; step++) {
        const struct moment *moment = awaited(solver, step);
        if (is_arrival(moment) && moment->difference != state->difference)
            return false;
    }
    return true;
}

static void mark_needed(struct solver *solver, const struct step *step)
{
    bool *flags = step->code == STEP_WAIT ? solver->needed->slots : solver->needed->instances;
    flags[step->slot] = true;
}

/* The waits of a call are the steps from `first` to `end`, its STEP_END. `changes`: an assumption
 * may remove or change some of it. */
static void end_call(struct solver *solver, struct solved_rank *state, const struct step *first,
                     const struct step *end, bool changes)
{
    int64_t shift = state->shift;
    solver->arrivals.count = 0;
    for (const struct step *step = first; step < end; step++) {
        const struct moment *moment = awaited(solver, step);
        int64_t time = moment->time + step->time;
        if (is_arrival(moment) && time > shift)
            shift = time;
    }
    int64_t wait = shift - state->shift;
    bool may_be_skipped = wait > 0 && wait >= solver->least_wait;
    /* only where the recording agrees with the model, and no assumption concerns this call */
    bool foldable = !changes && !may_be_skipped && state->shift == 0 && shift + end->time == 0;
    if (!(foldable && all_the_same(solver, state, first, end))) {
        for (const struct step *step = first; step < end; step++)
            if (is_arrival(awaited(solver, step)))
                push_arrival(solver, awaited(solver, step),
                             awaited(solver, step)->time + step->time, (uint32_t)(step - first));
        if (solver->no_memory)
            return;
        const struct difference entered = solver->pool.all.items[state->difference].difference;
        struct difference after = difference_after(&entered, state->shift, solver->arrivals.items,
                                                   solver->arrivals.count, &state->naming);
        for (size_t i = 0; i < solver->arrivals.count; i++)
            if (!foldable || !solver->arrivals.items[i].needless)
                mark_needed(solver, first + solver->arrivals.items[i].index);
        if (may_be_skipped)
            after = difference_between(&entered, -wait, &after, 0, &state->naming);
        if (!difference_equal(&after, &entered))
            set_difference(solver, state, &after);
    }
    state->shift = shift + end->time;
}

/* The waits of a call have been read; forgets what nobody else reads. */
static void forget(struct solver *solver, const struct step *first, const struct step *end)
{
    for (const struct step *step = first; step < end; step++) {
        bool of_slot = step->code == STEP_WAIT;
        struct solved_instance *instance = &solver->instances[of_slot ? 0 : step->slot];
        struct moment *moment = of_slot ? &solver->slots[step->slot] : &instance->latest;
        bool done = of_slot ? solver->readers[step->slot] < ALWAYS_READ &&
                                  --solver->readers[step->slot] == 0
                            : --instance->readers == 0;
        if (done && is_filled(moment)) {
            pool_release(&solver->pool, moment->difference);
            moment->difference = NONE;
        }
    }
}

static void free_step(struct solver *solver, struct solved_rank *state, int64_t length)
{
    const struct difference before = solver->pool.all.items[state->difference].difference;
    struct difference after =
        length == INT64_MIN
            ? difference_unknown(&state->naming)
            : difference_between(&before, length, &before, DIFFERENCE_UNBOUNDED, &state->naming);
    set_difference(solver, state, &after);
}

/* False: it has to wait. */
static bool run_step(struct solver *solver, uint32_t rank, const struct step *step)
{
    struct solved_rank *state = &solver->ranks[rank];
    struct moment moment = {state->shift + step->time, state->difference, NOBODY};
    switch ((enum step_code)step->code) {
    case STEP_POST:
        pool_use(&solver->pool, moment.difference);
        post(solver, step->slot, moment);
        return true;
    case STEP_POST_SCAN:
        pool_use(&solver->pool, moment.difference);
        post_scan(solver, step->slot, moment);
        return true;
    case STEP_WAIT:
        if (is_filled(&solver->slots[step->slot]))
            return true;
        solver->slots[step->slot].waiting = rank;
        return false;
    case STEP_ARRIVE:
        pool_use(&solver->pool, moment.difference);
        arrive(solver, rank, step->slot, moment);
        return true;
    case STEP_AWAIT: {
        struct solved_instance *instance = &solver->instances[step->slot];
        if (instance->missing == 0)
            return true;
        state->next = instance->waiting;
        instance->waiting = rank;
        return false;
    }
    case STEP_END: {
        const struct step *first = step;
        while (first > solver->equations->steps + solver->equations->first[rank] &&
               (first[-1].code == STEP_WAIT || first[-1].code == STEP_AWAIT))
            first--;
        bool last = step + 1 == solver->equations->steps + solver->equations->first[rank + 1];
        bool changes = !last && step[1].code == STEP_FREE && step[1].time == INT64_MIN;
        end_call(solver, state, first, step, changes);
        forget(solver, first, step);
        return true;
    }
    case STEP_FREE:
        free_step(solver, state, step->time);
        return true;
    case STEP_SKIPPED:
        return true;
    }
    return true;
}

uint32_t equations_solve(const struct equations *equations, int64_t least_wait,
                         struct needed *needed)
{
    struct solver solver = {.equations = equations,
                            .least_wait = least_wait,
                            .needed = needed,
                            .naming = naming_of(equations->rank_count)};
    uint32_t stuck = UINT32_MAX;
    solver.no_memory = !open_solver(&solver);
    while (solver.ready_count > 0 && !solver.no_memory) {
        uint32_t rank = solver.ready[--solver.ready_count];
        struct solved_rank *state = &solver.ranks[rank];
        while (state->at < equations->first[rank + 1] && !solver.no_memory &&
               run_step(&solver, rank, &equations->steps[state->at]))
            state->at++;
    }
    if (!solver.no_memory)
        for (stuck = 0; stuck < equations->rank_count &&
                        solver.ranks[stuck].at == equations->first[stuck + 1];)
            stuck++;
    close_solver(&solver);
    return stuck;
}
