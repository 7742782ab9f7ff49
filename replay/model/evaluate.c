/* Runs a rank until it needs a value that is not known yet, then another rank. Every step is done
 * once, and maxima do not depend on their order, so neither does the outcome.
 *
 * A rank that waits leaves its number in the place it waits for: there is no list of waiting ranks.
 *
 * A prefix reduction of n members has 2 n + 2 slots in a row: an empty prefix, which the first
 * member posts, then for each member its arrival and the maximum of the arrivals up to it, then an
 * arrival that never comes. A member's STEP_POST_SCAN names its arrival; a rank that needs the
 * prefix of a member waits for its slot as for a message.
 *
 * With several threads each has ranks of its own, and only it touches what they wait for: their
 * slots, and its part of the instances. Other lanes send news. All lanes have nothing left to do
 * when all are idle and all news were applied. */
#include "replay/model/evaluate.h"

#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
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

/* What another lane is told: that a slot is filled, or that all have arrived at an instance. */
struct news {
    int64_t value;
    uint32_t slot; /* or instance */
    bool is_instance;
};

enum { QUEUE_LENGTH = 1 << 12, LANES_MOST = 64 };

/* From one lane to another: one writes, the other reads. */
struct queue {
    _Alignas(64) _Atomic uint64_t written;
    _Alignas(64) _Atomic uint64_t read; /* and applied */
    struct news news[QUEUE_LENGTH];
};

/* All lanes' arrivals at an instance. */
struct joint_instance {
    _Atomic int64_t latest;
    _Atomic uint32_t missing; /* lanes */
};

/* The ranks of one thread. */
struct lane {
    struct evaluator *evaluator;
    struct evaluated_instance *instances; /* as far as this lane's ranks arrive and wait; `missing`
                                             counts one more for all lanes together, if there are
                                             several */
    uint32_t *members;                    /* [instance]: number of arrivals of this lane */
    uint32_t *ready;                      /* a stack of ranks */
    uint32_t ready_count, first_rank, end_rank;
    int number;
    bool together; /* one of several */
    int64_t *ends;
    pthread_t thread;
    _Alignas(64) atomic_bool idle;
};

struct evaluator {
    const struct equations *equations;
    int64_t *slots;
    struct evaluated_rank *ranks;
    struct lane *alone;           /* all ranks */
    struct lane *lanes;           /* of several threads; NULL: there is one */
    int lane_count;               /* of those */
    struct queue *queues;         /* [from * lane_count + to] */
    struct joint_instance *joint; /* [instance] */
    atomic_int started,
        prepared; /* lanes: threads that run (-1: they shall end), with values reset */
    atomic_bool done;
    evaluator_arrival *arrived; /* is told who is at a STEP_SHARED; NULL: they take no time */
    void *arrived_data;
};

/* Every rank reads steps and slots of its own. */
static void advise_pages(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    memory_advise_huge(evaluator->slots, equations->slot_count * sizeof *evaluator->slots, false);
    memory_advise_huge(evaluator->ranks, equations->rank_count * sizeof *evaluator->ranks, false);
    memory_advise_huge(equations->steps,
                       equations->first[equations->rank_count] * sizeof *equations->steps, true);
}

static void free_lanes(struct lane *lanes, int count)
{
    for (int i = 0; lanes && i < count; i++) {
        free(lanes[i].instances);
        free(lanes[i].members);
        free(lanes[i].ready);
    }
    free(lanes);
}

/* Divides the ranks by their steps. NULL when memory is out. */
static struct lane *make_lanes(struct evaluator *evaluator, int count)
{
    const struct equations *equations = evaluator->equations;
    const size_t instances = equations->instance_count,
                 steps = equations->first[equations->rank_count];
    struct lane *lanes = aligned_alloc(_Alignof(struct lane), (size_t)count * sizeof *lanes);
    uint32_t rank = 0;
    if (!lanes)
        return NULL;
    memset(lanes, 0, (size_t)count * sizeof *lanes);
    for (int i = 0; i < count; i++) {
        struct lane *lane = &lanes[i];
        lane->evaluator = evaluator;
        lane->number = i;
        lane->together = count > 1;
        lane->first_rank = rank;
        while (rank < equations->rank_count &&
               (i == count - 1 || equations->first[rank] < steps / (size_t)count * (size_t)(i + 1)))
            rank++;
        lane->end_rank = rank;
        lane->instances = malloc((instances + 1) * sizeof *lane->instances);
        lane->members = calloc(instances + 1, sizeof *lane->members);
        lane->ready = malloc((rank - lane->first_rank + 1ul) * sizeof *lane->ready);
        if (!lane->instances || !lane->members || !lane->ready) {
            free_lanes(lanes, count);
            return NULL;
        }
        for (size_t k = equations->first[lane->first_rank]; k < equations->first[rank]; k++)
            if (equations->steps[k].code == STEP_ARRIVE)
                lane->members[equations->steps[k].slot]++;
    }
    return lanes;
}

enum status evaluator_create(const struct equations *equations, struct evaluator **result,
                             struct error *error)
{
    size_t slots = equations->slot_count, ranks = equations->rank_count;
    struct evaluator *evaluator = calloc(1, sizeof *evaluator);
    *result = evaluator;
    if (!evaluator)
        return error_memory(error, "the model");
    evaluator->equations = equations;
    evaluator->slots = malloc((slots + 1) * sizeof *evaluator->slots);
    evaluator->ranks = malloc((ranks + 1) * sizeof *evaluator->ranks);
    evaluator->alone = make_lanes(evaluator, 1);
    if (!evaluator->slots || !evaluator->ranks || !evaluator->alone)
        return error_memory(error, "the model");
    advise_pages(evaluator);
    return STATUS_OK;
}

void evaluator_destroy(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    free(evaluator->slots);
    free(evaluator->ranks);
    free_lanes(evaluator->alone, 1);
    free_lanes(evaluator->lanes, evaluator->lane_count);
    free(evaluator->queues);
    free(evaluator->joint);
    free(evaluator);
}

/* Below so many ranks a lane spends its time on news; below so many steps, on its start. */
enum { LANE_RANKS = 2048, LANE_STEPS = 1 << 20 };

int evaluator_threads_for(const struct equations *equations, int cores)
{
    size_t most = equations->rank_count / LANE_RANKS;
    size_t steps = equations->first[equations->rank_count] / LANE_STEPS;
    most = steps < most ? steps : most;
    return most < 2 || cores < 2 ? 1 : most < (size_t)cores ? (int)most : cores;
}

/* Notes at each STEP_POST the lane of the rank that waits. False if ranks of two lanes wait for a
 * slot, if there are prefix reductions, or when memory is out. */
static bool direct_posts(struct equations *equations, const struct lane *lanes, int count)
{
    uint8_t *waiting = calloc(equations->slot_count + 1ul, sizeof *waiting); /* 1 + lane */
    bool divides = waiting != NULL;
    for (int i = 0; i < count && divides; i++)
        for (size_t k = equations->first[lanes[i].first_rank];
             k < equations->first[lanes[i].end_rank] && divides; k++) {
            const struct step *step = &equations->steps[k];
            divides = step->code != STEP_POST_SCAN;
            if (step->code != STEP_WAIT)
                continue;
            divides &= waiting[step->slot] == 0 || waiting[step->slot] == i + 1;
            waiting[step->slot] = (uint8_t)(i + 1);
        }
    for (int i = 0; i < count && waiting; i++)
        for (size_t k = equations->first[lanes[i].first_rank];
             k < equations->first[lanes[i].end_rank]; k++) {
            struct step *step = &equations->steps[k];
            if (step->code == STEP_POST)
                step->lane = divides && waiting[step->slot] != i + 1 ? waiting[step->slot] : 0;
        }
    free(waiting);
    return divides;
}

int evaluator_use_threads(struct evaluator *evaluator, struct equations *equations, int threads)
{
    assert(evaluator->equations == equations && !evaluator->lanes);
    threads = threads < LANES_MOST ? threads : LANES_MOST;
    struct lane *lanes = threads > 1 ? make_lanes(evaluator, threads) : NULL;
    if (!lanes)
        return 1;
    size_t pairs = (size_t)threads * (size_t)threads;
    evaluator->queues = aligned_alloc(_Alignof(struct queue), pairs * sizeof *evaluator->queues);
    evaluator->joint = malloc((equations->instance_count + 1ul) * sizeof *evaluator->joint);
    if (!evaluator->queues || !evaluator->joint || !direct_posts(equations, lanes, threads)) {
        free(evaluator->queues);
        free(evaluator->joint);
        evaluator->queues = NULL;
        evaluator->joint = NULL;
        free_lanes(lanes, threads);
        return 1;
    }
    evaluator->lanes = lanes;
    return evaluator->lane_count = threads;
}

/* Before the lanes are. An instance that nobody arrives at lets all pass. */
static void reset_joint(struct evaluator *evaluator)
{
    for (uint32_t i = 0; i < evaluator->equations->instance_count; i++) {
        uint32_t lanes = 0;
        for (int k = 0; k < evaluator->lane_count; k++)
            lanes += evaluator->lanes[k].members[i] > 0;
        atomic_init(&evaluator->joint[i].latest, LONG_AGO);
        atomic_init(&evaluator->joint[i].missing, lanes);
    }
    for (int i = 0; i < evaluator->lane_count * evaluator->lane_count; i++) {
        atomic_init(&evaluator->queues[i].written, 0);
        atomic_init(&evaluator->queues[i].read, 0);
    }
    atomic_init(&evaluator->done, false);
    atomic_init(&evaluator->started, 0);
    atomic_init(&evaluator->prepared, 0);
}

static void reset_lane(struct lane *lane)
{
    const struct evaluator *evaluator = lane->evaluator;
    const struct equations *equations = evaluator->equations;
    for (uint32_t i = 0; i < equations->instance_count; i++) {
        bool together = lane->together && atomic_load(&evaluator->joint[i].missing) > 0;
        lane->instances[i] = (struct evaluated_instance){
            .latest = LONG_AGO, .missing = lane->members[i] + together, .waiting = NOBODY};
    }
    lane->ready_count = 0;
    for (uint32_t rank = lane->end_rank; rank-- > lane->first_rank;) { /* the first one on top */
        evaluator->ranks[rank] = (struct evaluated_rank){
            .at = equations->first[rank], .end = equations->first_end[rank], .next = NOBODY};
        lane->ready[lane->ready_count++] = rank;
    }
}

static void reset_slots(struct evaluator *evaluator, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        evaluator->slots[i] = SLOT_EMPTY;
}

static void reset(struct evaluator *evaluator)
{
    reset_slots(evaluator, 0, evaluator->equations->slot_count);
    reset_lane(evaluator->alone);
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline void post(struct lane *lane, uint32_t slot, int64_t value)
{
    int64_t *slots = lane->evaluator->slots;
    int64_t before = slots[slot];
    slots[slot] = value;
    if (before != SLOT_EMPTY)
        lane->ready[lane->ready_count++] = (uint32_t)(before - SLOT_WAITING);
}

/* Posts the prefixes that this arrival completes. */
static void post_scan(struct lane *lane, uint32_t slot, int64_t value)
{
    int64_t *slots = lane->evaluator->slots;
    slots[slot] = value;
    while (slots[slot] >= SLOT_TIMES && slots[slot - 1] >= SLOT_TIMES) {
        post(lane, slot + 1, later(slots[slot], slots[slot - 1]));
        slot += 2;
    }
}

/* All have arrived: those that wait go on. */
static void release(struct lane *lane, const struct evaluated_instance *instance)
{
    for (uint32_t rank = instance->waiting; rank != NOBODY;
         rank = lane->evaluator->ranks[rank].next)
        lane->ready[lane->ready_count++] = rank;
}

static void apply(struct lane *lane, const struct news *news)
{
    if (!news->is_instance) {
        post(lane, news->slot, news->value);
        return;
    }
    struct evaluated_instance *instance = &lane->instances[news->slot];
    instance->latest = news->value;
    instance->missing = 0;
    release(lane, instance);
}

/* Applies what other lanes have sent. Returns false if there was nothing. Sends nothing itself. */
static bool read_news(struct lane *lane)
{
    struct evaluator *evaluator = lane->evaluator;
    bool found = false;
    for (int from = 0; from < evaluator->lane_count; from++) {
        struct queue *queue = &evaluator->queues[from * evaluator->lane_count + lane->number];
        uint64_t read = atomic_load_explicit(&queue->read, memory_order_relaxed);
        const uint64_t written = atomic_load_explicit(&queue->written, memory_order_acquire);
        if (read == written)
            continue;
        if (!found)
            atomic_store(&lane->idle, false);
        found = true;
        for (; read < written; read++)
            apply(lane, &queue->news[read % QUEUE_LENGTH]);
        atomic_store_explicit(&queue->read, read, memory_order_release);
    }
    return found;
}

/* Where a queue is full, the lane reads its own, so that two lanes do not wait for each other. */
static void send(struct lane *lane, int to, struct news news)
{
    struct queue *queue = &lane->evaluator->queues[lane->number * lane->evaluator->lane_count + to];
    const uint64_t written = atomic_load_explicit(&queue->written, memory_order_relaxed);
    while (written - atomic_load_explicit(&queue->read, memory_order_acquire) == QUEUE_LENGTH)
        if (!read_news(lane))
            sched_yield();
    queue->news[written % QUEUE_LENGTH] = news;
    atomic_store_explicit(&queue->written, written + 1, memory_order_release);
}

/* All ranks of this lane have arrived. The last lane tells the others. */
static void join(struct lane *lane, uint32_t number)
{
    struct evaluated_instance *instance = &lane->instances[number];
    struct joint_instance *joint = &lane->evaluator->joint[number];
    int64_t latest = atomic_load(&joint->latest);
    while (latest < instance->latest &&
           !atomic_compare_exchange_weak(&joint->latest, &latest, instance->latest))
        ;
    if (atomic_fetch_sub(&joint->missing, 1) > 1)
        return;
    latest = atomic_load(&joint->latest);
    for (int to = 0; to < lane->evaluator->lane_count; to++) {
        const struct news news = {.value = latest, .slot = number, .is_instance = true};
        if (to == lane->number)
            apply(lane, &news);
        else
            send(lane, to, news);
    }
}

static inline void arrive(struct lane *lane, uint32_t number, int64_t value)
{
    struct evaluated_instance *instance = &lane->instances[number];
    instance->latest = later(instance->latest, value);
    if (--instance->missing > lane->together)
        return;
    if (lane->together)
        join(lane, number);
    else
        release(lane, instance);
}

/* Runs one rank until it waits or is done. */
static void run_rank(struct lane *lane, uint32_t rank, int64_t *ends)
{
    struct evaluator *evaluator = lane->evaluator;
    struct evaluated_rank *state = &evaluator->ranks[rank];
    const struct step *step = evaluator->equations->steps + state->at;
    const struct step *last = evaluator->equations->steps + evaluator->equations->first[rank + 1];
    int64_t shift = state->shift;
    for (; step < last; step++) {
        switch ((enum step_code)step->code) {
        case STEP_POST:
            if (step->lane && lane->together)
                send(lane, step->lane - 1,
                     (struct news){.value = shift + step->time, .slot = step->slot});
            else
                post(lane, step->slot, shift + step->time);
            continue;
        case STEP_POST_SCAN:
            post_scan(lane, step->slot, shift + step->time);
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
            arrive(lane, step->slot, shift + step->time);
            continue;
        case STEP_AWAIT: {
            struct evaluated_instance *instance = &lane->instances[step->slot];
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

/* Runs the rank on top of the stack. Each rank's state and steps are elsewhere in memory, so those
 * of the ranks further down are fetched meanwhile: first the state, which tells where the steps
 * are. */
static void run_top(struct lane *lane, int64_t *ends)
{
    enum { AHEAD = 4 }; /* ranks */
    const struct evaluator *evaluator = lane->evaluator;
    const uint32_t top = --lane->ready_count;
    if (top >= 2 * AHEAD) {
        const char *steps = (const char *)(evaluator->equations->steps +
                                           evaluator->ranks[lane->ready[top - AHEAD]].at);
        __builtin_prefetch(&evaluator->ranks[lane->ready[top - 2 * AHEAD]], 1);
        __builtin_prefetch(steps);
        __builtin_prefetch(steps + 64); /* the next cache line */
    }
    run_rank(lane, lane->ready[top], ends);
}

/* Whether all lanes are idle and what they have sent is applied: then nothing changes any more.
 * What is read is counted before what is written, and all are idle before and after. */
static bool all_is_done(struct evaluator *evaluator)
{
    const int count = evaluator->lane_count;
    uint64_t read = 0, written = 0;
    bool idle = true;
    for (int i = 0; i < count * count; i++)
        read += atomic_load(&evaluator->queues[i].read);
    for (int i = 0; i < count; i++)
        idle &= atomic_load(&evaluator->lanes[i].idle);
    for (int i = 0; i < count * count; i++)
        written += atomic_load(&evaluator->queues[i].written);
    for (int i = 0; i < count; i++)
        idle &= atomic_load(&evaluator->lanes[i].idle);
    return idle && read == written;
}

static void wait_for(const atomic_int *value, int least)
{
    while (atomic_load(value) >= 0 && atomic_load(value) < least)
        sched_yield();
}

/* Returns whether the lane shall run: all threads could be started, and have reset their parts. */
static bool prepare(struct lane *lane)
{
    struct evaluator *evaluator = lane->evaluator;
    const size_t count = (size_t)evaluator->lane_count, slots = evaluator->equations->slot_count;
    const size_t number = (size_t)lane->number;
    wait_for(&evaluator->started, evaluator->lane_count);
    if (atomic_load(&evaluator->started) < 0)
        return false;
    reset_slots(evaluator, slots * number / count, slots * (number + 1) / count);
    reset_lane(lane);
    atomic_fetch_add(&evaluator->prepared, 1);
    wait_for(&evaluator->prepared, evaluator->lane_count);
    return true;
}

static void *run_lane(void *opaque)
{
    enum { VISITS = 64 /* of ranks, from one look at the news to the next */ };
    struct lane *lane = opaque;
    struct evaluator *evaluator = lane->evaluator;
    if (!prepare(lane))
        return NULL;
    for (unsigned pauses = 0; !atomic_load_explicit(&evaluator->done, memory_order_acquire);) {
        for (int visits = 0; visits < VISITS && lane->ready_count > 0; visits++)
            run_top(lane, lane->ends);
        if (read_news(lane) || lane->ready_count > 0) {
            pauses = 0;
            continue;
        }
        atomic_store(&lane->idle, true);
        if (lane->number == 0 && all_is_done(evaluator))
            atomic_store_explicit(&evaluator->done, true, memory_order_release);
        if (++pauses > 1000)
            sched_yield();
    }
    return NULL;
}

/* False if a thread cannot be started: nothing is done then. */
static bool run_lanes(struct evaluator *evaluator, int64_t *ends)
{
    int started = 1;
    reset_joint(evaluator);
    for (int i = 0; i < evaluator->lane_count; i++) {
        evaluator->lanes[i].ends = ends;
        atomic_init(&evaluator->lanes[i].idle, false);
    }
    while (started < evaluator->lane_count &&
           pthread_create(&evaluator->lanes[started].thread, NULL, run_lane,
                          &evaluator->lanes[started]) == 0)
        started++;
    atomic_store(&evaluator->started, started == evaluator->lane_count ? started : -1);
    run_lane(&evaluator->lanes[0]);
    for (int i = 1; i < started; i++)
        pthread_join(evaluator->lanes[i].thread, NULL);
    return started == evaluator->lane_count;
}

static void run_alone(struct evaluator *evaluator, int64_t *ends)
{
    struct lane *lane = evaluator->alone;
    while (lane->ready_count > 0)
        run_top(lane, ends);
}

uint32_t evaluator_run(struct evaluator *evaluator, int64_t *ends)
{
    evaluator->arrived = NULL;
    if (!evaluator->lanes || !run_lanes(evaluator, ends)) {
        reset(evaluator);
        run_alone(evaluator, ends);
    }
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
    run_alone(evaluator, NULL);
}

void evaluator_resume(struct evaluator *evaluator, uint32_t rank, int64_t change)
{
    struct lane *lane = evaluator->alone;
    struct evaluated_rank *state = &evaluator->ranks[rank];
    state->shift += change;
    state->at++;
    lane->ready[lane->ready_count++] = rank;
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
           (1ul + (size_t)evaluator->lane_count) * equations->instance_count *
               (sizeof *evaluator->alone->instances + sizeof *evaluator->alone->members) +
           (size_t)evaluator->lane_count * (size_t)evaluator->lane_count *
               sizeof *evaluator->queues +
           equations->rank_count * (sizeof *evaluator->ranks + sizeof *evaluator->alone->ready +
                                    2 * sizeof *equations->first + sizeof *equations->last_event);
}
