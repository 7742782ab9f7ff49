/* The walk of equations/walk_template.h with times. A rank that waits for a slot leaves its number
 * in the slot, so slots need 8 bytes and no list of waiting ranks.
 *
 * With several threads each thread has separate ranks, and only it touches the slots and instances
 * at which they wait: their slots, and the thread's part of the instances. Other threads send it
 * messages. The evaluation ends when all threads are idle and all messages have been applied. */
#include "replay/model/evaluate.h"

#include "base/memory.h"
#include "equations/walk.h"
#include "replay/model/thread_messages.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The arrivals of all threads at an instance. */
struct joint_instance {
    _Atomic int64_t latest;
    _Atomic uint32_t missing; /* threads */
};

struct evaluator_thread {
    struct evaluator *evaluator;
    struct timed_instance *instances; /* as far as this thread's ranks arrive and wait;
                                             `missing` includes `others` */
    uint32_t *members;                /* [instance]: number of arrivals of this thread */
    struct ready_ranks ready;         /* of this thread's ranks */
    uint32_t first_rank, end_rank;
    uint32_t others; /* 1: all other threads together are one more arrival at an instance; 0: there
                        is only this thread */
    int number;
    int64_t *ends;
    pthread_t thread;
    _Alignas(64) atomic_bool idle; /* other threads look at it */
};

enum { THREADS_MOST = 64 };

struct evaluator {
    const struct equations *equations;
    int64_t *slots;
    struct timed_rank *ranks;
    uint32_t *next;                   /* [rank], of all threads' ready_ranks */
    struct evaluator_thread *alone;   /* has all ranks */
    struct evaluator_thread *threads; /* if there are several; otherwise NULL */
    int thread_count;                 /* of those */
    struct thread_messages messages;
    struct joint_instance *joint; /* [instance] */
    atomic_int started;           /* number of threads that run; -1: they shall end */
    atomic_int prepared;          /* number of threads that have reset their values */
    atomic_bool done;
    evaluator_arrival *arrived; /* called at a STEP_SHARED; NULL: it takes no time */
    void *arrived_data;
};

/* Every rank reads separate steps and slots. */
static void advise_pages(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    memory_advise_huge(evaluator->slots, equations->slot_count * sizeof *evaluator->slots, false);
    memory_advise_huge(evaluator->ranks, equations->rank_count * sizeof *evaluator->ranks, false);
    memory_advise_huge(equations->steps,
                       equations->first[equations->rank_count] * sizeof *equations->steps, true);
}

static void free_threads(struct evaluator_thread *threads, int count)
{
    for (int i = 0; threads && i < count; i++) {
        free(threads[i].instances);
        free(threads[i].members);
        free(threads[i].ready.stack);
    }
    free(threads);
}

/* False if out of memory. */
static bool open_thread(struct evaluator_thread *thread)
{
    const struct equations *equations = thread->evaluator->equations;
    const size_t instances = equations->instance_count;
    const uint32_t ranks = thread->end_rank - thread->first_rank;
    thread->instances = malloc((instances + 1) * sizeof *thread->instances);
    thread->members = calloc(instances + 1, sizeof *thread->members);
    thread->ready = (struct ready_ranks){
        .stack = malloc((ranks + 1ul) * sizeof *thread->ready.stack),
        .next = thread->evaluator->next,
    };
    if (!thread->instances || !thread->members || !thread->ready.stack)
        return false;
    for (size_t i = equations->first[thread->first_rank]; i < equations->first[thread->end_rank];
         i++)
        if (equations->steps[i].code == STEP_ARRIVE)
            thread->members[equations->steps[i].slot]++;
    return true;
}

/* Divides the ranks among threads by the number of their steps. NULL if out of memory. */
static struct evaluator_thread *make_threads(struct evaluator *evaluator, int count)
{
    const struct equations *equations = evaluator->equations;
    const size_t steps = equations->first[equations->rank_count];
    struct evaluator_thread *threads =
        aligned_alloc(_Alignof(struct evaluator_thread), (size_t)count * sizeof *threads);
    uint32_t rank = 0;
    bool opened = threads != NULL;
    if (opened)
        memset(threads, 0, (size_t)count * sizeof *threads);
    for (int i = 0; i < count && opened; i++) {
        const size_t last = steps / (size_t)count * ((size_t)i + 1);
        threads[i].evaluator = evaluator;
        threads[i].number = i;
        threads[i].others = count > 1 ? 1 : 0;
        threads[i].first_rank = rank;
        while (rank < equations->rank_count && (i == count - 1 || equations->first[rank] < last))
            rank++;
        threads[i].end_rank = rank;
        opened = open_thread(&threads[i]);
    }
    if (opened)
        return threads;
    free_threads(threads, count);
    return NULL;
}

enum status evaluator_create(const struct equations *equations, struct evaluator **result,
                             struct error *error)
{
    size_t slots = equations->slot_count, ranks = equations->rank_count;
    struct evaluator *evaluator = calloc(1, sizeof *evaluator);
    *result = NULL;
    if (!evaluator)
        return error_memory(error, "the model");
    evaluator->equations = equations;
    evaluator->slots = malloc((slots + 1) * sizeof *evaluator->slots);
    evaluator->ranks = malloc((ranks + 1) * sizeof *evaluator->ranks);
    evaluator->next = malloc((ranks + 1) * sizeof *evaluator->next);
    evaluator->alone = make_threads(evaluator, 1);
    if (!evaluator->slots || !evaluator->ranks || !evaluator->next || !evaluator->alone) {
        evaluator_destroy(evaluator);
        return error_memory(error, "the model");
    }
    advise_pages(evaluator);
    *result = evaluator;
    return STATUS_OK;
}

void evaluator_destroy(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    free(evaluator->slots);
    free(evaluator->ranks);
    free(evaluator->next);
    free_threads(evaluator->alone, 1);
    free_threads(evaluator->threads, evaluator->thread_count);
    thread_messages_close(&evaluator->messages);
    free(evaluator->joint);
    free(evaluator);
}

/* With fewer ranks a thread spends its time on messages; with fewer steps, on its start. */
enum { THREAD_RANKS = 2048, THREAD_STEPS = 1 << 20 };

int evaluator_threads_for(const struct equations *equations, int cores)
{
    assert(cores > 0);
    size_t most = equations->rank_count / THREAD_RANKS;
    size_t steps = equations->first[equations->rank_count] / THREAD_STEPS;
    most = steps < most ? steps : most;
    return most < 2 || cores < 2 ? 1 : most < (size_t)cores ? (int)most : cores;
}

/* Notes at each STEP_POST which thread has the rank that waits. False if ranks of two threads wait
 * for one slot, if there are prefix reductions, or if out of memory. */
static bool address_posts(struct equations *equations, const struct evaluator_thread *threads,
                          int count)
{
    uint8_t *waiting = calloc(equations->slot_count + 1ul, sizeof *waiting); /* 1 + thread */
    bool divides = waiting != NULL;
    for (int i = 0; i < count && divides; i++)
        for (size_t k = equations->first[threads[i].first_rank];
             k < equations->first[threads[i].end_rank] && divides; k++) {
            const struct step *step = &equations->steps[k];
            divides = step->code != STEP_POST_SCAN;
            if (step->code != STEP_WAIT)
                continue;
            divides &= waiting[step->slot] == 0 || waiting[step->slot] == i + 1;
            waiting[step->slot] = (uint8_t)(i + 1);
        }
    for (int i = 0; i < count && waiting; i++)
        for (size_t k = equations->first[threads[i].first_rank];
             k < equations->first[threads[i].end_rank]; k++) {
            struct step *step = &equations->steps[k];
            if (step->code == STEP_POST)
                step->thread = divides && waiting[step->slot] != i + 1 ? waiting[step->slot] : 0;
        }
    free(waiting);
    return divides;
}

int evaluator_use_threads(struct evaluator *evaluator, struct equations *equations, int threads)
{
    assert(threads > 0);
    assert(evaluator->equations == equations && !evaluator->threads);
    threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    if (threads < 2)
        return 1;
    struct evaluator_thread *made = make_threads(evaluator, threads);
    evaluator->joint = malloc((equations->instance_count + 1ul) * sizeof *evaluator->joint);
    if (made && evaluator->joint && thread_messages_open(&evaluator->messages, threads) &&
        address_posts(equations, made, threads)) {
        evaluator->threads = made;
        evaluator->thread_count = threads;
        return threads;
    }
    thread_messages_close(&evaluator->messages);
    free(evaluator->joint);
    evaluator->joint = NULL;
    free_threads(made, threads);
    return 1;
}

/* To be called before the threads reset their parts. All ranks pass an instance without members. */
static void reset_joint(struct evaluator *evaluator)
{
    for (uint32_t i = 0; i < evaluator->equations->instance_count; i++) {
        uint32_t threads = 0;
        for (int k = 0; k < evaluator->thread_count; k++)
            threads += evaluator->threads[k].members[i] > 0;
        atomic_init(&evaluator->joint[i].latest, TIME_LONG_AGO);
        atomic_init(&evaluator->joint[i].missing, threads);
    }
    thread_messages_reset(&evaluator->messages);
    atomic_init(&evaluator->done, false);
    atomic_init(&evaluator->started, 0);
    atomic_init(&evaluator->prepared, 0);
}

static void reset_thread(struct evaluator_thread *thread)
{
    const struct evaluator *evaluator = thread->evaluator;
    const struct equations *equations = evaluator->equations;
    for (uint32_t i = 0; i < equations->instance_count; i++) {
        const bool has_members = !evaluator->joint || atomic_load(&evaluator->joint[i].missing) > 0;
        thread->instances[i] = (struct timed_instance){
            .latest = TIME_LONG_AGO,
            .missing = thread->members[i] + (has_members ? thread->others : 0),
            .waiting = RANK_NONE};
    }
    thread->ready.count = 0;
    for (uint32_t rank = thread->end_rank;
         rank-- > thread->first_rank;) { /* the first one on top */
        evaluator->ranks[rank] =
            (struct timed_rank){.step = equations->first[rank], .end = equations->first_end[rank]};
        ready_ranks_push(&thread->ready, rank);
    }
}

static void reset_slots(struct evaluator *evaluator, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        evaluator->slots[i] = SLOT_EMPTY;
}

static void reset_alone(struct evaluator *evaluator)
{
    reset_slots(evaluator, 0, evaluator->equations->slot_count);
    reset_thread(evaluator->alone);
}

static inline void evaluator_fill(struct evaluator_thread *thread, uint32_t slot, int64_t value)
{
    timed_slot_fill(&thread->evaluator->slots[slot], value, &thread->ready);
}

static void apply_message(struct evaluator_thread *thread, const struct thread_message *message)
{
    if (!message->is_instance) {
        evaluator_fill(thread, message->slot, message->value);
        return;
    }
    struct timed_instance *instance = &thread->instances[message->slot];
    instance->latest = message->value;
    instance->missing = 0;
    ready_ranks_release(&thread->ready, instance->waiting);
}

/* Applies what other threads have sent. Returns false if there was nothing. Sends nothing itself.
 */
static bool read_messages(struct evaluator_thread *thread)
{
    const struct thread_messages *messages = &thread->evaluator->messages;
    bool found = false;
    for (int from = 0; from < messages->count; from++) {
        struct thread_queue *queue = thread_queue_of(messages, from, thread->number);
        uint64_t read = atomic_load_explicit(&queue->read, memory_order_relaxed);
        const uint64_t written = atomic_load_explicit(&queue->written, memory_order_acquire);
        if (read == written)
            continue;
        if (!found)
            atomic_store(&thread->idle, false);
        found = true;
        for (; read < written; read++)
            apply_message(thread, &queue->messages[read % THREAD_QUEUE_LENGTH]);
        atomic_store_explicit(&queue->read, read, memory_order_release);
    }
    return found;
}

/* While a queue is full, the thread reads its messages: two threads must not wait for each other.
 */
static void send_message(struct evaluator_thread *thread, int to, struct thread_message message)
{
    struct thread_queue *queue = thread_queue_of(&thread->evaluator->messages, thread->number, to);
    while (!thread_queue_put(queue, message))
        if (!read_messages(thread))
            sched_yield();
}

/* All ranks of this thread have arrived. The last thread sends the value to the others. */
static void join_instance(struct evaluator_thread *thread, uint32_t number)
{
    struct timed_instance *instance = &thread->instances[number];
    struct joint_instance *joint = &thread->evaluator->joint[number];
    int64_t latest = atomic_load(&joint->latest);
    while (latest < instance->latest &&
           !atomic_compare_exchange_weak(&joint->latest, &latest, instance->latest))
        ;
    if (atomic_fetch_sub(&joint->missing, 1) > 1)
        return;
    latest = atomic_load(&joint->latest);
    for (int to = 0; to < thread->evaluator->thread_count; to++) {
        const struct thread_message message = {
            .value = latest, .slot = number, .is_instance = true};
        if (to == thread->number)
            apply_message(thread, &message);
        else
            send_message(thread, to, message);
    }
}

static inline void evaluator_set(const struct evaluator_thread *thread, struct running_rank *rank,
                                 const struct step *step, const int64_t *value)
{
    (void)thread;
    rank->shift = *value + step->time;
}

static inline void evaluator_end(const struct evaluator_thread *thread, struct running_rank *rank,
                                 const struct step *step)
{
    rank->shift += step->time;
    if (thread->ends)
        thread->ends[rank->state->end++] = rank->shift;
}

static inline void evaluator_post(struct evaluator_thread *thread, const struct step *step,
                                  int64_t value)
{
    if (step->thread && thread->others)
        send_message(thread, step->thread - 1,
                     (struct thread_message){.value = value, .slot = step->slot});
    else
        evaluator_fill(thread, step->slot, value);
}

static inline const int64_t *evaluator_slot(const struct evaluator_thread *thread, uint32_t slot)
{
    return timed_slot_value(&thread->evaluator->slots[slot]);
}

static inline void evaluator_wait_for_slot(struct evaluator_thread *thread,
                                           const struct running_rank *rank, uint32_t slot)
{
    thread->evaluator->slots[slot] = SLOT_WAITING + rank->rank;
}

static inline int64_t evaluator_maximum(const struct evaluator_thread *thread, const int64_t *a,
                                        const int64_t *b)
{
    (void)thread;
    return time_max(*a, *b);
}

static inline void evaluator_arrive(struct evaluator_thread *thread,
                                    const struct running_rank *rank, uint32_t number, int64_t value)
{
    (void)rank;
    struct timed_instance *instance = &thread->instances[number];
    timed_instance_arrive(instance, value);
    if (instance->missing > thread->others)
        return;
    if (thread->others)
        join_instance(thread, number);
    else
        ready_ranks_release(&thread->ready, instance->waiting);
}

static inline const int64_t *evaluator_instance(const struct evaluator_thread *thread,
                                                uint32_t number)
{
    return timed_instance_value(&thread->instances[number]);
}

static inline void evaluator_wait_for_instance(struct evaluator_thread *thread,
                                               const struct running_rank *rank, uint32_t number)
{
    ready_ranks_wait(&thread->ready, &thread->instances[number].waiting, rank->rank);
}

static inline bool evaluator_share(const struct evaluator_thread *thread,
                                   const struct running_rank *rank, const struct step *step)
{
    const struct evaluator *evaluator = thread->evaluator;
    (void)step;
    if (!evaluator->arrived)
        return true;
    evaluator->arrived(evaluator->arrived_data, rank->rank, rank->shift);
    return false;
}

#define WALK(name) evaluator_##name
#define WALK_STATE struct evaluator_thread
#define WALK_RANK  struct running_rank
#define WALK_VALUE int64_t
#define WALK_TIMES
#define WALK_STEPS (WALK_SLOTS | WALK_STARTS | WALK_PREFIXES | WALK_INSTANCES | WALK_SHARING)
#include "equations/walk_template.h"

/* Runs one rank until it waits or is done. */
static void run_rank(struct evaluator_thread *thread, uint32_t number)
{
    const struct equations *equations = thread->evaluator->equations;
    struct timed_rank *state = &thread->evaluator->ranks[number];
    if (!equations->steps) /* no rank has any */
        return;
    const struct step *step = equations->steps + state->step;
    const struct step *last = equations->steps + equations->first[number + 1];
    struct running_rank rank = {state->shift, number, state};
    while (step < last && evaluator_step(thread, &rank, step))
        step++;
    state->shift = rank.shift;
    state->step = (size_t)(step - equations->steps);
}

/* Runs the rank on top of the stack. The state and the steps of each rank are elsewhere in memory,
 * so those of ranks further down are prefetched: first the state, which says where the steps are.
 */
static void run_top(struct evaluator_thread *thread)
{
    enum { DISTANCE = 4, CACHE_LINE = 64 }; /* ranks; bytes */
    const struct evaluator *evaluator = thread->evaluator;
    const uint32_t *stack = thread->ready.stack;
    const uint32_t top = --thread->ready.count;
    if (top >= 2 * DISTANCE) {
        const char *steps = (const char *)(evaluator->equations->steps +
                                           evaluator->ranks[stack[top - DISTANCE]].step);
        __builtin_prefetch(&evaluator->ranks[stack[top - 2 * DISTANCE]], 1);
        __builtin_prefetch(steps);
        __builtin_prefetch(steps + CACHE_LINE);
    }
    run_rank(thread, stack[top]);
}

/* Whether all threads are idle and have applied all messages: then nothing changes any more. The
 * messages read are counted before those written, and all threads are idle before and after. */
static bool all_is_done(struct evaluator *evaluator)
{
    bool idle = true;
    const uint64_t read = thread_messages_read(&evaluator->messages);
    for (int i = 0; i < evaluator->thread_count; i++)
        idle &= atomic_load(&evaluator->threads[i].idle);
    const uint64_t written = thread_messages_written(&evaluator->messages);
    for (int i = 0; i < evaluator->thread_count; i++)
        idle &= atomic_load(&evaluator->threads[i].idle);
    return idle && read == written;
}

/* Waits until the value is `least` or more, or negative. */
static void wait_for_count(const atomic_int *value, int least)
{
    while (atomic_load(value) >= 0 && atomic_load(value) < least)
        sched_yield();
}

/* Returns whether the thread shall run: all threads could be started, and have reset their parts.
 */
static bool prepare_thread(struct evaluator_thread *thread)
{
    struct evaluator *evaluator = thread->evaluator;
    const size_t count = (size_t)evaluator->thread_count, number = (size_t)thread->number;
    const size_t slots = evaluator->equations->slot_count;
    wait_for_count(&evaluator->started, evaluator->thread_count);
    if (atomic_load(&evaluator->started) < 0)
        return false;
    reset_slots(evaluator, slots * number / count, slots * (number + 1) / count);
    reset_thread(thread);
    atomic_fetch_add(&evaluator->prepared, 1);
    wait_for_count(&evaluator->prepared, evaluator->thread_count);
    return true;
}

static void *run_thread(void *opaque)
{
    /* Ranks that run before the thread looks for messages: enough that looking costs little. Looks
     * without result after which it lets other programs have the core. */
    enum { RANKS_PER_LOOK = 64, LOOKS_MOST = 1000 };
    struct evaluator_thread *thread = opaque;
    struct evaluator *evaluator = thread->evaluator;
    if (!prepare_thread(thread))
        return NULL;
    for (unsigned looks = 0; !atomic_load_explicit(&evaluator->done, memory_order_acquire);) {
        for (int i = 0; i < RANKS_PER_LOOK && thread->ready.count > 0; i++)
            run_top(thread);
        if (read_messages(thread) || thread->ready.count > 0) {
            looks = 0;
            continue;
        }
        atomic_store(&thread->idle, true);
        if (thread->number == 0 && all_is_done(evaluator))
            atomic_store_explicit(&evaluator->done, true, memory_order_release);
        if (++looks > LOOKS_MOST)
            sched_yield();
    }
    return NULL;
}

/* False if a thread cannot be started: nothing is done then. */
static bool run_threads(struct evaluator *evaluator, int64_t *ends)
{
    int started = 1;
    reset_joint(evaluator);
    for (int i = 0; i < evaluator->thread_count; i++) {
        evaluator->threads[i].ends = ends;
        atomic_init(&evaluator->threads[i].idle, false);
    }
    while (started < evaluator->thread_count &&
           pthread_create(&evaluator->threads[started].thread, NULL, run_thread,
                          &evaluator->threads[started]) == 0)
        started++;
    atomic_store(&evaluator->started, started == evaluator->thread_count ? started : -1);
    run_thread(&evaluator->threads[0]);
    for (int i = 1; i < started; i++)
        pthread_join(evaluator->threads[i].thread, NULL);
    return started == evaluator->thread_count;
}

static void run_alone(struct evaluator *evaluator, int64_t *ends)
{
    struct evaluator_thread *thread = evaluator->alone;
    thread->ends = ends;
    while (thread->ready.count > 0)
        run_top(thread);
}

uint32_t evaluator_run(struct evaluator *evaluator, int64_t *ends)
{
    evaluator->arrived = NULL;
    if (!evaluator->threads || !run_threads(evaluator, ends)) {
        reset_alone(evaluator);
        run_alone(evaluator, ends);
    }
    return evaluator_stuck(evaluator);
}

void evaluator_begin(struct evaluator *evaluator)
{
    reset_alone(evaluator);
}

void evaluator_advance(struct evaluator *evaluator, evaluator_arrival *arrived, void *data)
{
    assert(arrived);
    evaluator->arrived = arrived;
    evaluator->arrived_data = data;
    run_alone(evaluator, NULL);
}

void evaluator_resume(struct evaluator *evaluator, uint32_t rank, int64_t change)
{
    assert(rank < evaluator->equations->rank_count);
    struct timed_rank *state = &evaluator->ranks[rank];
    assert(evaluator->equations->steps[state->step].code == STEP_SHARED);
    state->shift += change;
    state->step++;
    ready_ranks_push(&evaluator->alone->ready, rank);
}

uint32_t evaluator_stuck(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    uint32_t rank = 0;
    while (rank < equations->rank_count &&
           evaluator->ranks[rank].step == equations->first[rank + 1])
        rank++;
    return rank;
}

int64_t evaluator_last_time(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    int64_t last = INT64_MIN;
    for (uint32_t rank = 0; rank < equations->rank_count; rank++)
        last = time_max(last, equations->last_event[rank] + evaluator->ranks[rank].shift);
    return last;
}

size_t evaluator_steps_done(const struct evaluator *evaluator, uint32_t rank)
{
    assert(rank < evaluator->equations->rank_count);
    return evaluator->ranks[rank].step - evaluator->equations->first[rank];
}

size_t evaluator_memory(const struct evaluator *evaluator)
{
    const struct equations *equations = evaluator->equations;
    const struct evaluator_thread *alone = evaluator->alone;
    return equations->first[equations->rank_count] * sizeof *equations->steps +
           equations->slot_count * sizeof *evaluator->slots +
           (1ul + (size_t)evaluator->thread_count) * equations->instance_count *
               (sizeof *alone->instances + sizeof *alone->members) +
           thread_messages_memory(&evaluator->messages) +
           equations->rank_count *
               (sizeof *evaluator->ranks + sizeof *evaluator->next + sizeof *alone->ready.stack +
                2 * sizeof *equations->first + sizeof *equations->last_event);
}
