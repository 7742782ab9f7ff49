/* Runs a rank until it needs a value that is not known yet, then another rank, as
 * replay/model/evaluate.c does with numbers. Here a rank has a number and a difference: S of the
 * recording, which is 0 except where the recorded times contradict the model, and how much later
 * it may be. */
#include "reduce/solve.h"

#include "base/array.h"
#include "reduce/moments.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY   UINT32_MAX
#define NONE     UINT32_MAX
#define LONG_AGO (-((int64_t)1 << 60)) /* arrivals of nobody are before */

/* A moment: a number and a difference. Before LONG_AGO: an arrival of nobody. */
struct moment {
    int64_t time;
    uint32_t difference; /* moments.h; NONE: not known yet, or not needed any more */
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
    struct moments *moments;
    ARRAY(struct arrived) arrived;
    uint32_t free_arrived;
    ARRAY(struct moment_arrival) arrivals; /* of the call or instance looked at */
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
    *needed = (struct needed){calloc(slots + 1, 1), calloc(instances + 1, 1)};
    solver->slots = malloc((slots + 1) * sizeof *solver->slots);
    solver->readers = calloc(slots + 1, 1);
    solver->instances = calloc(instances + 1, sizeof *solver->instances);
    solver->ranks = malloc((ranks + 1) * sizeof *solver->ranks);
    solver->ready = malloc((ranks + 1) * sizeof *solver->ready);
    solver->free_arrived = NONE;
    if (!needed->slots || !needed->instances || !solver->slots || !solver->readers ||
        !solver->instances || !solver->ranks || !solver->ready)
        return false;
    for (size_t i = 0; i < slots; i++)
        solver->slots[i] = (struct moment){0, NONE, NOBODY};
    for (size_t i = 0; i < instances; i++)
        solver->instances[i] = (struct solved_instance){
            .latest = {2 * LONG_AGO, NONE, NOBODY}, .waiting = NOBODY, .first = NONE};
    count_readers(solver);
    for (size_t rank = ranks; rank-- > 0;) { /* so that the first one is on top */
        solver->ranks[rank] = (struct solved_rank){
            .difference = moments_use(solver->moments, MOMENT_START), .at = equations->first[rank]};
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
    free(solver->arrived.items);
    free(solver->arrivals.items);
}

void needed_clear(struct needed *needed)
{
    free(needed->slots);
    free(needed->instances);
    memset(needed, 0, sizeof *needed);
}

/* How much later a step is in the other environment; 0 if there is none. */
static int64_t elsewhere_later(const struct solver *solver, const struct step *step)
{
    const struct growth *growth = solver->equations->growth;
    return growth ? growth[step - solver->equations->steps].time - step->time : 0;
}

/* A moment that may also be `later`; the caller is the user of the result. */
static uint32_t or_later(struct solver *solver, uint32_t rank, uint32_t difference, int64_t later)
{
    return later == 0 ? moments_use(solver->moments, difference)
                      : moments_between(solver->moments, rank, difference, later < 0 ? later : 0,
                                        difference, later > 0 ? later : 0);
}

/* When a step posts something; the caller is the user of its difference. */
static struct moment posted_at(struct solver *solver, uint32_t rank, const struct step *step)
{
    const struct solved_rank *state = &solver->ranks[rank];
    return (struct moment){state->shift + step->time,
                           or_later(solver, rank, state->difference, elsewhere_later(solver, step)),
                           NOBODY};
}

static void push_arrival(struct solver *solver, const struct moment *moment, int64_t time,
                         uint32_t index)
{
    if (!array_reserve(&solver->arrivals, 1)) {
        solver->no_memory = true;
        return;
    }
    solver->arrivals.items[solver->arrivals.count++] =
        (struct moment_arrival){moment->difference, index, time, false};
}

/* The latest of `arrivals`; the caller is the user of its difference. */
static struct moment latest_arrival(struct solver *solver)
{
    struct moment latest = {2 * LONG_AGO, MOMENT_START, NOBODY};
    if (solver->no_memory)
        return latest;
    if (solver->arrivals.count == 0) {
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

/* Fills a slot; uses up the moment's use of its difference. */
static void post(struct solver *solver, uint32_t slot, struct moment moment)
{
    uint32_t waiting = solver->slots[slot].waiting;
    if (solver->slots[slot].difference != NONE)
        moments_release(solver->moments, solver->slots[slot].difference);
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
        instance->latest = (struct moment){latest, moments_use(solver->moments, same), NOBODY};
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

static const struct moment *awaited(const struct solver *solver, const struct step *step)
{
    return step->code == STEP_WAIT ? &solver->slots[step->slot]
                                   : &solver->instances[step->slot].latest;
}

/* The rank gets another difference, which it uses from now on. */
static void set_difference(struct solver *solver, struct solved_rank *state, uint32_t difference)
{
    moments_release(solver->moments, state->difference);
    state->difference = difference;
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
    bool moves = false; /* the arrivals themselves depend on the environment */
    for (const struct step *step = first; step < end; step++)
        moves |= elsewhere_later(solver, step) != 0;
    changes |= moves || elsewhere_later(solver, end) != 0;
    /* only where the recording agrees with the model, and no assumption concerns this call */
    bool foldable = !changes && !may_be_skipped && state->shift == 0 && shift + end->time == 0;
    if (!(foldable && all_the_same(solver, state, first, end))) {
        for (const struct step *step = first; step < end; step++)
            if (is_arrival(awaited(solver, step)))
                push_arrival(solver, awaited(solver, step),
                             awaited(solver, step)->time + step->time, (uint32_t)(step - first));
        if (solver->no_memory)
            return;
        uint32_t rank = (uint32_t)(state - solver->ranks);
        uint32_t after = moments_after(solver->moments, rank, state->difference, state->shift,
                                       solver->arrivals.items, solver->arrivals.count);
        for (size_t i = 0; i < solver->arrivals.count; i++)
            if (!foldable || !solver->arrivals.items[i].needless)
                mark_needed(solver, first + solver->arrivals.items[i].index);
        if (may_be_skipped) {
            uint32_t skipped =
                moments_between(solver->moments, rank, state->difference, -wait, after, 0);
            moments_release(solver->moments, after);
            after = skipped;
        }
        uint32_t result = moves ? moments_unknown(solver->moments, rank)
                                : or_later(solver, rank, after, elsewhere_later(solver, end));
        moments_release(solver->moments, after);
        set_difference(solver, state, result);
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
            moments_release(solver->moments, moment->difference);
            moment->difference = NONE;
        }
    }
}

static void free_step(struct solver *solver, struct solved_rank *state, int64_t length)
{
    uint32_t rank = (uint32_t)(state - solver->ranks);
    set_difference(solver, state,
                   length == INT64_MIN
                       ? moments_unknown(solver->moments, rank)
                       : moments_between(solver->moments, rank, state->difference, length,
                                         state->difference, DIFFERENCE_UNBOUNDED));
}

/* False: it has to wait. */
static bool run_step(struct solver *solver, uint32_t rank, const struct step *step)
{
    struct solved_rank *state = &solver->ranks[rank];
    switch ((enum step_code)step->code) {
    case STEP_POST:
        post(solver, step->slot, posted_at(solver, rank, step));
        return true;
    case STEP_POST_SCAN:
        post_scan(solver, step->slot, posted_at(solver, rank, step));
        return true;
    case STEP_WAIT:
        if (is_filled(&solver->slots[step->slot]))
            return true;
        solver->slots[step->slot].waiting = rank;
        return false;
    case STEP_ARRIVE:
        arrive(solver, rank, step->slot, posted_at(solver, rank, step));
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
    case STEP_SHARED:
        return true;
    }
    return true;
}

/* Runs all ranks to their end, or until they are stuck. */
static uint32_t run(struct solver *solver)
{
    const struct equations *equations = solver->equations;
    struct moments_failure failure = {false, false};
    uint32_t stuck = 0;
    while (solver->ready_count > 0 && !failure.no_memory && !failure.full && !solver->no_memory) {
        uint32_t rank = solver->ready[--solver->ready_count];
        struct solved_rank *state = &solver->ranks[rank];
        while (state->at < equations->first[rank + 1] && !solver->no_memory &&
               run_step(solver, rank, &equations->steps[state->at]))
            state->at++;
        failure = moments_failure(solver->moments);
    }
    if (failure.no_memory || failure.full || solver->no_memory)
        return UINT32_MAX;
    while (stuck < equations->rank_count && solver->ranks[stuck].at == equations->first[stuck + 1])
        stuck++;
    return stuck;
}

uint32_t equations_solve(const struct equations *equations, int64_t least_wait,
                         enum moments_kind kind, struct needed *needed)
{
    struct solver solver = {.equations = equations, .least_wait = least_wait, .needed = needed};
    uint32_t stuck = UINT32_MAX;
    bool full = false;
    *needed = (struct needed){NULL, NULL};
    solver.moments = moments_open(kind, equations->rank_count);
    if (solver.moments && open_solver(&solver)) {
        stuck = run(&solver);
        full = moments_failure(solver.moments).full;
    }
    close_solver(&solver);
    moments_close(solver.moments);
    if (!full)
        return stuck;
    needed_clear(needed);
    return equations_solve(equations, least_wait, MOMENTS_TERMS, needed);
}
