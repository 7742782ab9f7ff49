/* Runs a rank until it needs a value that is not known yet, then another rank. Every step is done
 * once, and maxima do not depend on their order, so neither does the outcome.
 *
 * A rank that waits leaves its number in the place it waits for: there is no list of waiting ranks.
 *
 * A prefix reduction of n members has 2 n + 2 slots in a row: an empty prefix, which the first
 * member posts, then for each member its arrival and the maximum of the arrivals up to it, then an
 * arrival that never comes. A member's STEP_POST_SCAN names its arrival; a rank that needs the
 * prefix of a member waits for its slot as for a message. */
#include "replay/model/evaluate.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Values of slots that are not times. */
#define SLOT_EMPTY   INT64_MIN
#define SLOT_WAITING (INT64_MIN + 1)                         /* + the rank that waits */
#define SLOT_TIMES   (INT64_MIN + 2 * ((int64_t)UINT32_MAX)) /* times are above */

/* The last arrival of an instance without members: so long ago that no rank waits, and that times
 * of any trace can be added to it without overflow. */
#define LONG_AGO     (-((int64_t)1 << 62))

#define NOBODY       UINT32_MAX

struct evaluated_instance {
    int64_t latest;
    uint32_t missing; /* members that have not arrived */
    uint32_t waiting; /* the last rank that has begun to wait, or NOBODY */
};

struct evaluated_rank {
    int64_t shift;
    size_t at;     /* next step */
    size_t end;    /* next STEP_END */
    uint32_t next; /* another rank that waits for the same instance, or NOBODY */
};

struct evaluator {
    const struct equations *equations;
    int64_t *slots;
    struct evaluated_instance *instances;
    uint32_t *members; /* [instance]: number of arrivals */
    struct evaluated_rank *ranks;
    uint32_t *ready; /* a stack of ranks */
    uint32_t ready_count;
    evaluator_arrival *arrived; /* is told who is at a STEP_SHARED; NULL: they take no time */
    void *arrived_data;
};

/* --- life ------------------------------------------------------------------------------------- */

/* Every rank reads steps and slots of its own. */
static void advise_pages(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    memory_advise_huge(evaluator->slots, equations->slot_count * sizeof *evaluator->slots, false);
    memory_advise_huge(evaluator->ranks, equations->rank_count * sizeof *evaluator->ranks, false);
    memory_advise_huge(equations->steps,
                       equations->first[equations->rank_count] * sizeof *equations->steps, true);
}

enum status evaluator_create(const struct equations *equations, struct evaluator **result,
                             struct error *error)
{
    size_t slots = equations->slot_count, instances = equations->instance_count;
    size_t ranks = equations->rank_count;
    struct evaluator *evaluator = calloc(1, sizeof *evaluator);
    *result = evaluator;
    if (!evaluator)
        return error_memory(error, "the model");
    *evaluator = (struct evaluator){
        .equations = equations,
        .slots = malloc((slots + 1) * sizeof *evaluator->slots),
        .instances = malloc((instances + 1) * sizeof *evaluator->instances),
        .members = calloc(instances + 1, sizeof *evaluator->members),
        .ranks = malloc((ranks + 1) * sizeof *evaluator->ranks),
        .ready = malloc((ranks + 1) * sizeof *evaluator->ready),
    };
    if (!evaluator->slots || !evaluator->instances || !evaluator->members || !evaluator->ranks ||
        !evaluator->ready)
        return error_memory(error, "the model");
    advise_pages(evaluator);
    for (size_t i = 0; i < equations->first[ranks]; i++)
        if (equations->steps[i].code == STEP_ARRIVE)
            evaluator->members[equations->steps[i].slot]++;
    return STATUS_OK;
}

void evaluator_destroy(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    free(evaluator->slots);
    free(evaluator->instances);
    free(evaluator->members);
    free(evaluator->ranks);
    free(evaluator->ready);
    free(evaluator);
}

static void reset(struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    for (uint32_t i = 0; i < equations->slot_count; i++)
        evaluator->slots[i] = SLOT_EMPTY;
    for (uint32_t i = 0; i < equations->instance_count; i++)
        evaluator->instances[i] = (struct evaluated_instance){
            .latest = LONG_AGO, .missing = evaluator->members[i], .waiting = NOBODY};
    evaluator->ready_count = 0;
    for (uint32_t rank = equations->rank_count; rank-- > 0;) { /* so that the first one is on top */
        evaluator->ranks[rank] = (struct evaluated_rank){
            .at = equations->first[rank], .end = equations->first_end[rank], .next = NOBODY};
        evaluator->ready[evaluator->ready_count++] = rank;
    }
}

/* --- running ---------------------------------------------------------------------------------- */

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline void post(struct evaluator *evaluator, uint32_t slot, int64_t value)
{
    int64_t before = evaluator->slots[slot];
    evaluator->slots[slot] = value;
    if (before != SLOT_EMPTY)
        evaluator->ready[evaluator->ready_count++] = (uint32_t)(before - SLOT_WAITING);
}

/* Posts the prefixes that this arrival completes. */
static void post_scan(struct evaluator *evaluator, uint32_t slot, int64_t value)
{
    int64_t *slots = evaluator->slots;
    slots[slot] = value;
    while (slots[slot] >= SLOT_TIMES && slots[slot - 1] >= SLOT_TIMES) {
        post(evaluator, slot + 1, later(slots[slot], slots[slot - 1]));
        slot += 2;
    }
}

static void arrive(struct evaluator *evaluator, struct evaluated_instance *instance, int64_t value)
{
    instance->latest = later(instance->latest, value);
    if (--instance->missing > 0)
        return;
    for (uint32_t rank = instance->waiting; rank != NOBODY; rank = evaluator->ranks[rank].next)
        evaluator->ready[evaluator->ready_count++] = rank;
}

/* Runs one rank until it waits or is done. */
static void run_rank(struct evaluator *evaluator, uint32_t rank, int64_t *ends)
{
    struct evaluated_rank *state = &evaluator->ranks[rank];
    const struct step *step = evaluator->equations->steps + state->at;
    const struct step *last = evaluator->equations->steps + evaluator->equations->first[rank + 1];
    int64_t shift = state->shift;
    for (; step < last; step++) {
        switch ((enum step_code)step->code) {
        case STEP_POST:
            post(evaluator, step->slot, shift + step->time);
            continue;
        case STEP_POST_SCAN:
            post_scan(evaluator, step->slot, shift + step->time);
            continue;
        case STEP_WAIT: {
            int64_t value = evaluator->slots[step->slot];
            if (value < SLOT_TIMES) {
                evaluator->slots[step->slot] = SLOT_WAITING + rank;
                goto wait;
            }
            shift = step->sets ? value + step->time : later(shift, value + step->time);
            continue;
        }
        case STEP_ARRIVE:
            arrive(evaluator, &evaluator->instances[step->slot], shift + step->time);
            continue;
        case STEP_AWAIT: {
            struct evaluated_instance *instance = &evaluator->instances[step->slot];
            if (instance->missing > 0) {
                state->next = instance->waiting;
                instance->waiting = rank;
                goto wait;
            }
            shift = later(shift, instance->latest + step->time);
            continue;
        }
        case STEP_SKIPPED:
        case STEP_FREE:
            continue;
        case STEP_SHARED:
            if (!evaluator->arrived)
                continue;
            evaluator->arrived(evaluator->arrived_data, rank, shift);
            goto wait;
        case STEP_END:
            shift += step->time;
            if (ends)
                ends[state->end++] = shift;
            continue;
        }
    }
wait:
    state->shift = shift;
    state->at = (size_t)(step - evaluator->equations->steps);
}

uint32_t evaluator_run(struct evaluator *evaluator, int64_t *ends)
{
    evaluator->arrived = NULL;
    reset(evaluator);
    while (evaluator->ready_count > 0)
        run_rank(evaluator, evaluator->ready[--evaluator->ready_count], ends);
    return evaluator_stuck(evaluator);
}

void evaluator_begin(struct evaluator *evaluator)
{
    reset(evaluator);
}

void evaluator_advance(struct evaluator *evaluator, evaluator_arrival *arrived, void *data)
{
    evaluator->arrived = arrived;
    evaluator->arrived_data = data;
    while (evaluator->ready_count > 0)
        run_rank(evaluator, evaluator->ready[--evaluator->ready_count], NULL);
}

void evaluator_resume(struct evaluator *evaluator, uint32_t rank, int64_t change)
{
    struct evaluated_rank *state = &evaluator->ranks[rank];
    state->shift += change;
    state->at++;
    evaluator->ready[evaluator->ready_count++] = rank;
}

uint32_t evaluator_stuck(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    uint32_t rank = 0;
    while (rank < equations->rank_count && evaluator->ranks[rank].at == equations->first[rank + 1])
        rank++;
    return rank;
}

int64_t evaluator_last_time(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    int64_t last = INT64_MIN;
    for (uint32_t rank = 0; rank < equations->rank_count; rank++)
        last = later(last, equations->last_event[rank] + evaluator->ranks[rank].shift);
    return last;
}

size_t evaluator_steps_done(const struct evaluator *evaluator, uint32_t rank)
{
    return evaluator->ranks[rank].at - evaluator->equations->first[rank];
}

size_t evaluator_memory(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    return equations->first[equations->rank_count] * sizeof *equations->steps +
           equations->slot_count * sizeof *evaluator->slots +
           equations->instance_count * (sizeof *evaluator->instances + sizeof *evaluator->members) +
           equations->rank_count * (sizeof *evaluator->ranks + sizeof *evaluator->ready +
                                    2 * sizeof *equations->first + sizeof *equations->last_event);
}
