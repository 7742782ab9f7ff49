/* Records OpenMP's constructs by the tools interface OMPT (OpenMP 5.0, chapter 4). The runtime
 * looks for ompt_start_tool, which is this library's if silas-trace --openmp has preloaded it.
 *
 * A worker waits in the barrier at the end of its region until its next region begins: only then do
 * runtimes report the end of this barrier, if at all. So nothing is recorded of this end. The
 * archive's writer ends the worker's part when the master has left the team. */
#include "measure/recorder/openmp.h"

#include "measure/recorder/gcc_constructs.h"
#include "measure/recorder/keeper.h"
#include "measure/recorder/records.h"
#include "measure/recorder/user_regions.h"

#include "base/array.h"
#include "base/map.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The part of the interface that is used, from the specification. */
union ompt_data {
    uint64_t value;
    void *ptr;
};
typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_function callback);
struct ompt_start_tool_result {
    int (*initialize)(ompt_lookup lookup, int device, union ompt_data *tool);
    void (*finalize)(union ompt_data *tool);
    union ompt_data tool;
};
enum ompt_event {
    OMPT_THREAD_END = 2,
    OMPT_PARALLEL_BEGIN = 3,
    OMPT_PARALLEL_END = 4,
    OMPT_TASK_CREATE = 5,
    OMPT_TASK_SCHEDULE = 6,
    OMPT_IMPLICIT_TASK = 7,
    OMPT_SYNC_REGION_WAIT = 16,
    OMPT_MUTEX_RELEASED = 17,
    OMPT_WORK = 20,
    OMPT_MASTER = 21,
    OMPT_SYNC_REGION = 23,
    OMPT_MUTEX_ACQUIRE = 26,
    OMPT_MUTEX_ACQUIRED = 27,
    OMPT_NEST_LOCK = 28,
};
enum { OMPT_BEGIN = 1, OMPT_TASK_INITIAL = 1, OMPT_TASK_EXPLICIT = 4 };
enum ompt_mutex {
    OMPT_MUTEX_LOCK = 1,
    OMPT_MUTEX_TEST_LOCK = 2,
    OMPT_MUTEX_NEST_LOCK = 3,
    OMPT_MUTEX_TEST_NEST_LOCK = 4,
    OMPT_MUTEX_CRITICAL = 5,
    OMPT_MUTEX_ATOMIC = 6,
    OMPT_MUTEX_ORDERED = 7,
};

#define EXPORTED    __attribute__((visibility("default")))
#define OWN_TLS     __attribute__((tls_model("initial-exec")))

/* In keys of open regions: no address has these bits. */
#define OPENMP      (UINT64_C(1) << 62)
#define STATIC_LOOP (OPENMP | UINT64_C(1) << 60) /* of GCC; others are OPENMP | construct */

/* A parallel region. Freed by the last thread that uses it. */
struct openmp_team {
    atomic_int users;
    atomic_bool ended;         /* the master has left it */
    bool recorded;             /* recording was on when it began */
    bool entered;              /* the master has begun its implicit task */
    uint32_t number, region;   /* the parallel region */
    const void *place;         /* in the code */
    struct openmp_team *outer; /* which the same thread has begun before */
    size_t outer_first_task;   /* of that thread */
};

static _Atomic uint32_t team_count;

/* Acquisitions of the locks with the same hash. */
enum { LOCK_COUNTS = 256 };
static _Atomic uint32_t acquisitions[LOCK_COUNTS];

enum { MOST_HELD = 16 /* locks; further ones are not recorded */ };

/* The calling thread. */
static __thread struct {
    /* The innermost team that it has begun and not ended. (LLVM's runtime passes data of a nested
     * team to parallel_end that another thread may have got for its next team already.) */
    struct openmp_team *begun;
    struct openmp_team *own; /* the team in which it is a worker; NULL: none */
    unsigned index;          /* in its own team */
    uint32_t tasks_created;
    const void *mutex_place; /* of the mutex that it acquires */
    uint64_t mutex_time;     /* when it began to */
    ARRAY(uint64_t) tasks;   /* explicit tasks that it runs, outermost first: their numbers */
    size_t first_task;       /* of the innermost team */
    unsigned held_count;
    struct {
        uint64_t lock;
        uint32_t acquisition;
    } held[MOST_HELD];
} self OWN_TLS;

static bool is_recording(void)
{
    return measurement_state != MEASUREMENT_NONE && !measurement_paused;
}

static struct openmp_team *current_team(void)
{
    return self.begun ? self.begun : self.own;
}

/* Its index in the current team. */
static unsigned thread_index(void)
{
    return self.begun ? 0 : self.index;
}

static void record_event(uint64_t time, enum record_kind kind, uint32_t number, uint32_t index)
{
    struct recorder *recorder = measurement_state == MEASUREMENT_NONE ? NULL : recorder_any();
    if (recorder)
        record_of_thread(recorder, time, kind, number, index);
}

/* The barrier at the end of a region has no place on workers. Nor has the loop of a region that
 * consists of a loop, in a program built by GCC. */
static const void *place_or_team(const void *place)
{
    const struct openmp_team *team = current_team();
    place = gcc_construct_place(place);
    return !place && team ? team->place : place;
}

static uint32_t region_at(enum openmp_construct construct, const void *place)
{
    return place && is_recording() ? user_construct_region(place, construct) : USER_REGION_EXCLUDED;
}

/* Regions that are not recorded are opened, too: the end of a construct has no other mark. */
static void begin_construct(enum openmp_construct construct, const void *place, uint64_t time)
{
    if (measurement_state != MEASUREMENT_NONE)
        user_region_enter_at(OPENMP | construct, region_at(construct, place), time);
}

/* And those inside of it. */
static void end_construct(enum openmp_construct construct, uint64_t time)
{
    if (measurement_state != MEASUREMENT_NONE)
        user_region_leave_at(OPENMP | construct, time);
}

/* In programs built by GCC the runtime does not see the end of a single block. Barriers and
 * work-sharing constructs cannot be inside of it. */
static void end_single(uint64_t time)
{
    if (__builtin_expect(user_region_innermost(UINT64_MAX) == (OPENMP | OPENMP_SINGLE_SBLOCK), 0))
        end_construct(OPENMP_SINGLE, time);
}

/* Nor the end of a static loop. It is before the next construct that all threads of the team
 * reach, and outside of those that only some of them execute. */
static void static_loop_begins(const void *place)
{
    if (measurement_state == MEASUREMENT_NONE || !current_team())
        return;
    const uint64_t now = record_now(), around = user_region_innermost(OPENMP);
    if (around == STATIC_LOOP)
        user_region_leave_at(STATIC_LOOP, now);
    else if (around != (OPENMP | OPENMP_PARALLEL))
        return;
    user_region_enter_at(STATIC_LOOP, region_at(OPENMP_LOOP, place), now);
}

static void end_static_loop(uint64_t time)
{
    if (user_region_innermost(OPENMP) == STATIC_LOOP)
        user_region_leave_at(STATIC_LOOP, time);
}

static void release_team(struct openmp_team *team)
{
    if (atomic_fetch_sub(&team->users, 1) == 1)
        free(team);
}

static void parallel_begin(union ompt_data *task, const void *frame, union ompt_data *parallel,
                           unsigned requested, int flags, const void *place)
{
    (void)task, (void)frame, (void)flags;
    struct openmp_team *team = calloc(1, sizeof *team);
    parallel->ptr = team;
    if (!team)
        return measurement_out_of_memory();
    atomic_store(&team->users, 1);
    team->place = place;
    team->outer = self.begun;
    team->outer_first_task = self.first_task;
    self.first_task = self.tasks.count;
    self.begun = team;
    team->recorded = is_recording();
    if (!team->recorded)
        return;
    team->number = atomic_fetch_add(&team_count, 1);
    team->region = region_at(OPENMP_PARALLEL, place);
    record_event(record_now(), RECORD_TEAM_FORK, requested, 0);
}

static void parallel_end(union ompt_data *parallel, union ompt_data *task, int flags,
                         const void *place)
{
    (void)parallel, (void)task, (void)flags, (void)place;
    struct openmp_team *team = self.begun;
    if (!team)
        return;
    self.begun = team->outer;
    self.tasks.count = self.first_task;
    self.first_task = team->outer_first_task;
    if (team->recorded) {
        const uint64_t now = record_now();
        if (team->entered) {
            end_construct(OPENMP_PARALLEL, now);
            record_event(now, RECORD_TEAM_END, team->number, 0);
        }
        record_event(now, RECORD_TEAM_JOIN, 0, 0);
    }
    atomic_store(&team->ended, true);
    release_team(team);
}

static void end_own_team(void)
{
    struct openmp_team *team = self.own;
    self.own = NULL;
    if (team->recorded) {
        user_region_drop(OPENMP | OPENMP_PARALLEL);
        record_event(record_now(), RECORD_TEAM_END, team->number, self.index);
    }
    release_team(team);
}

static void implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
                          unsigned threads, unsigned index, int flags)
{
    (void)task, (void)threads;
    if (endpoint != OMPT_BEGIN) {
        if (self.own && !self.begun)
            end_own_team();
        return;
    }
    struct openmp_team *team = parallel ? parallel->ptr : NULL;
    if (!team || flags & OMPT_TASK_INITIAL)
        return;
    if (team == self.begun) {
        team->entered = true;
    } else {
        if (self.own)
            end_own_team();
        atomic_fetch_add(&team->users, 1);
        self.own = team;
        self.index = index;
        self.first_task = self.tasks.count = 0;
    }
    gcc_constructs_new_region();
    if (!team->recorded)
        return;
    const uint64_t now = record_now();
    record_event(now, RECORD_TEAM_BEGIN, team->number, thread_index());
    if (measurement_state != MEASUREMENT_NONE)
        user_region_enter_at(OPENMP | OPENMP_PARALLEL, team->region, now);
}

static void work(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                 uint64_t count, const void *place)
{
    enum { EXECUTOR = 3 };
    static const enum openmp_construct constructs[] = {
        [1] = OPENMP_LOOP,   [2] = OPENMP_SECTIONS,  [EXECUTOR] = OPENMP_SINGLE,
        [4] = OPENMP_SINGLE, [5] = OPENMP_WORKSHARE, [10] = OPENMP_LOOP,
        [11] = OPENMP_LOOP,  [12] = OPENMP_LOOP,     [13] = OPENMP_LOOP};
    (void)parallel, (void)task, (void)count;
    if (kind < 0 || kind >= (int)(sizeof constructs / sizeof *constructs) || !constructs[kind])
        return;
    const uint64_t now = record_now();
    enum openmp_construct construct = constructs[kind];
    /* Sections that GCC has compiled are reported as a loop. */
    if (construct == OPENMP_LOOP &&
        (endpoint == OMPT_BEGIN ? gcc_construct_is_sections()
                                : user_region_innermost(OPENMP) == (OPENMP | OPENMP_SECTIONS)))
        construct = OPENMP_SECTIONS;
    if (endpoint != OMPT_BEGIN)
        return end_construct(construct, now);
    end_single(now);
    end_static_loop(now);
    begin_construct(construct, place_or_team(place), now);
    if (kind == EXECUTOR)
        begin_construct(OPENMP_SINGLE_SBLOCK, place, now);
}

static void master(int endpoint, union ompt_data *parallel, union ompt_data *task,
                   const void *place)
{
    (void)parallel, (void)task;
    const uint64_t now = record_now();
    if (endpoint != OMPT_BEGIN)
        return end_construct(OPENMP_MASTER, now);
    end_static_loop(now);
    begin_construct(OPENMP_MASTER, place, now);
}

enum ompt_sync {
    OMPT_SYNC_EXPLICIT = 3,
    OMPT_SYNC_TASKWAIT = 5,
    OMPT_SYNC_TASKGROUP = 6,
    OMPT_SYNC_REDUCTION = 7
};

static void sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                        const void *place)
{
    const enum openmp_construct construct = kind == OMPT_SYNC_EXPLICIT   ? OPENMP_BARRIER
                                            : kind == OMPT_SYNC_TASKWAIT ? OPENMP_TASKWAIT
                                                                         : OPENMP_IMPLICIT_BARRIER;
    struct openmp_team *team = current_team();
    (void)parallel, (void)task;
    if (kind == OMPT_SYNC_TASKGROUP || kind == OMPT_SYNC_REDUCTION)
        return;
    if (endpoint != OMPT_BEGIN) {
        if (!team || !atomic_load(&team->ended)) /* otherwise a worker leaves its last barrier */
            end_construct(construct, record_now());
        return;
    }
    const uint64_t now = record_now();
    if (construct != OPENMP_TASKWAIT) {
        end_single(now);
        end_static_loop(now);
    }
    begin_construct(construct, place_or_team(place), now);
}

/* Of a taskgroup this is the wait at its end; the sync region includes its body. */
static void sync_region_wait(int kind, int endpoint, union ompt_data *parallel,
                             union ompt_data *task, const void *place)
{
    (void)parallel, (void)task;
    if (kind != OMPT_SYNC_TASKGROUP)
        return;
    if (endpoint == OMPT_BEGIN)
        begin_construct(OPENMP_TASKGROUP, place, record_now());
    else
        end_construct(OPENMP_TASKGROUP, record_now());
}

/* The region of a mutex, which a block that holds it may be in. */
struct mutex_regions {
    enum openmp_construct outer, block;
    bool waits_only; /* the region ends when the thread has the mutex. It is recorded then: runtimes
                        report tests of locks in the same way, and those that fail have no end */
    bool is_lock;
};

static const struct mutex_regions *mutex_regions_of(int kind)
{
    static const struct mutex_regions regions[] = {
        [OMPT_MUTEX_LOCK] = {OPENMP_SET_LOCK, OPENMP_NONE, true, true},
        [OMPT_MUTEX_TEST_LOCK] = {OPENMP_SET_LOCK, OPENMP_NONE, true, true},
        [OMPT_MUTEX_NEST_LOCK] = {OPENMP_SET_NEST_LOCK, OPENMP_NONE, true, true},
        [OMPT_MUTEX_TEST_NEST_LOCK] = {OPENMP_SET_NEST_LOCK, OPENMP_NONE, true, true},
        [OMPT_MUTEX_CRITICAL] = {OPENMP_CRITICAL, OPENMP_CRITICAL_SBLOCK, false, true},
        [OMPT_MUTEX_ATOMIC] = {OPENMP_ATOMIC, OPENMP_NONE, false, true},
        [OMPT_MUTEX_ORDERED] = {OPENMP_ORDERED, OPENMP_ORDERED_SBLOCK, false, false},
    };
    const bool known = kind > 0 && kind < (int)(sizeof regions / sizeof *regions);
    return &regions[known ? kind : 0];
}

static void record_lock_event(uint64_t time, enum record_kind kind, uint32_t acquisition,
                              uint64_t lock)
{
    struct recorder *recorder = recorder_any();
    if (recorder)
        record_pair(recorder, time, kind, 0, acquisition, lock, 0);
}

static void hold_lock(uint64_t lock, uint64_t time)
{
    if (!is_recording() || self.held_count == MOST_HELD)
        return;
    const uint32_t acquisition = atomic_fetch_add_explicit(
        &acquisitions[map_mix(lock) % LOCK_COUNTS], 1, memory_order_relaxed);
    self.held[self.held_count].lock = lock;
    self.held[self.held_count++].acquisition = acquisition;
    record_lock_event(time, RECORD_LOCK_ACQUIRE, acquisition, lock);
}

static void drop_lock(uint64_t lock, uint64_t time)
{
    unsigned at = self.held_count;
    while (at > 0 && self.held[at - 1].lock != lock)
        at--;
    if (at == 0)
        return;
    if (measurement_state != MEASUREMENT_NONE)
        record_lock_event(time, RECORD_LOCK_RELEASE, self.held[at - 1].acquisition, lock);
    for (self.held_count--; at <= self.held_count; at++)
        self.held[at - 1] = self.held[at];
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t lock,
                          const void *place)
{
    (void)hint, (void)implementation, (void)lock;
    const struct mutex_regions *regions = mutex_regions_of(kind);
    self.mutex_place = place;
    self.mutex_time = record_now();
    if (!regions->waits_only && regions->outer != OPENMP_NONE)
        begin_construct(regions->outer, place, self.mutex_time);
}

/* Records the call in which the thread has got a lock. */
static void set_lock(enum openmp_construct call, uint64_t lock, bool is_first, uint64_t time)
{
    begin_construct(call, self.mutex_place, self.mutex_time);
    if (is_first)
        hold_lock(lock, time);
    end_construct(call, time);
}

static void mutex_acquired(int kind, uint64_t lock, const void *place)
{
    (void)place; /* often another one than that of the begin */
    const struct mutex_regions *regions = mutex_regions_of(kind);
    const uint64_t now = record_now();
    if (regions->waits_only)
        return set_lock(regions->outer, lock, true, now);
    if (regions->is_lock)
        hold_lock(lock, now);
    if (regions->block != OPENMP_NONE)
        begin_construct(regions->block, self.mutex_place, now);
}

static void mutex_released(int kind, uint64_t lock, const void *place)
{
    (void)place;
    const struct mutex_regions *regions = mutex_regions_of(kind);
    const uint64_t now = record_now();
    if (regions->block != OPENMP_NONE)
        end_construct(regions->block, now);
    if (regions->is_lock)
        drop_lock(lock, now);
    if (!regions->waits_only && regions->outer != OPENMP_NONE)
        end_construct(regions->outer, now);
}

/* The thread has the lock already. */
static void nest_lock(int endpoint, uint64_t lock, const void *place)
{
    (void)place;
    if (endpoint == OMPT_BEGIN)
        set_lock(OPENMP_SET_NEST_LOCK, lock, false, record_now());
}

/* What the runtime keeps for the tool of an explicit task. Implicit tasks have 0. */
enum { TASK_CREATOR_BIT = 32, TASK_REGION_BIT = 44 };

#define MOST_TASK_CREATOR ((UINT32_C(1) << (TASK_REGION_BIT - TASK_CREATOR_BIT)) - 1)
#define MOST_TASK_REGION  ((UINT32_C(1) << (64 - TASK_REGION_BIT)) - 1) /* it is not recorded */

static uint32_t task_number(uint64_t task)
{
    return (uint32_t)task;
}

static uint32_t task_creator(uint64_t task)
{
    return (uint32_t)(task >> TASK_CREATOR_BIT) & MOST_TASK_CREATOR;
}

static uint32_t task_region(uint64_t task)
{
    const uint32_t region = (uint32_t)(task >> TASK_REGION_BIT);
    return region == MOST_TASK_REGION ? USER_REGION_EXCLUDED : region;
}

static void task_create(union ompt_data *encountering, const void *frame, union ompt_data *created,
                        int flags, int has_dependences, const void *place)
{
    (void)encountering, (void)frame, (void)has_dependences;
    if (!(flags & OMPT_TASK_EXPLICIT))
        return;
    uint32_t index = thread_index(), region = region_at(OPENMP_TASK, place);
    index = index < MOST_TASK_CREATOR ? index : MOST_TASK_CREATOR;
    region = region < MOST_TASK_REGION ? region : MOST_TASK_REGION;
    if (++self.tasks_created == 0) /* the number of implicit tasks */
        self.tasks_created++;
    created->value = (uint64_t)region << TASK_REGION_BIT | (uint64_t)index << TASK_CREATOR_BIT |
                     self.tasks_created;
    const uint32_t creation = region_at(OPENMP_CREATE_TASK, place);
    struct recorder *recorder = creation == USER_REGION_EXCLUDED ? NULL : recorder_any();
    if (!recorder)
        return;
    const uint64_t now = record_now(); /* the runtime reports no end of the creation */
    record_enter(recorder, now, creation);
    record_of_thread(recorder, now, RECORD_TASK_CREATE, self.tasks_created, index);
    record_leave(recorder, now, creation);
}

static void record_switch(uint64_t task, uint64_t time)
{
    if (is_recording())
        record_event(time, RECORD_TASK_SWITCH, task_number(task),
                     task ? task_creator(task) : thread_index());
}

/* Tasks that a thread runs are nested: a task that waits is continued when those that the thread
 * has begun meanwhile have ended. The parts of untied tasks are such tasks, too. */
static void task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
    enum { COMPLETE = 1, CANCEL = 3, EARLY_FULFILL = 5, LATE_FULFILL = 6 };
    if (!next || status == EARLY_FULFILL || status == LATE_FULFILL)
        return;
    const uint64_t now = record_now(), task = next->value;
    size_t at = self.tasks.count;
    while (at > self.first_task && self.tasks.items[at - 1] != task)
        at--;
    const bool continues = !task || at > self.first_task;
    while (continues && self.tasks.count > at) {
        const uint64_t ended = self.tasks.items[--self.tasks.count];
        end_construct(OPENMP_TASK, now);
        if ((status == COMPLETE || status == CANCEL) && ended == prior->value && is_recording())
            record_event(now, RECORD_TASK_COMPLETE, task_number(ended), task_creator(ended));
    }
    if (!continues && !array_push(&self.tasks, task))
        return measurement_out_of_memory();
    record_switch(task, now);
    if (!continues && measurement_state != MEASUREMENT_NONE)
        user_region_enter_at(OPENMP | OPENMP_TASK, task_region(task), now);
}

static void thread_end(union ompt_data *thread)
{
    (void)thread;
    free(self.tasks.items);
    self.tasks.items = NULL;
    self.tasks.count = self.tasks.capacity = self.first_task = 0;
}

static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
    static const struct {
        int event;
        ompt_function callback;
    } callbacks[] = {
        {OMPT_THREAD_END, (ompt_function)thread_end},
        {OMPT_PARALLEL_BEGIN, (ompt_function)parallel_begin},
        {OMPT_PARALLEL_END, (ompt_function)parallel_end},
        {OMPT_TASK_CREATE, (ompt_function)task_create},
        {OMPT_TASK_SCHEDULE, (ompt_function)task_schedule},
        {OMPT_IMPLICIT_TASK, (ompt_function)implicit_task},
        {OMPT_WORK, (ompt_function)work},
        {OMPT_MASTER, (ompt_function)master},
        {OMPT_SYNC_REGION, (ompt_function)sync_region},
        {OMPT_SYNC_REGION_WAIT, (ompt_function)sync_region_wait},
        {OMPT_MUTEX_ACQUIRE, (ompt_function)mutex_acquire},
        {OMPT_MUTEX_ACQUIRED, (ompt_function)mutex_acquired},
        {OMPT_MUTEX_RELEASED, (ompt_function)mutex_released},
        {OMPT_NEST_LOCK, (ompt_function)nest_lock},
    };
    (void)device, (void)tool;
    const ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
    for (size_t i = 0; set && i < sizeof callbacks / sizeof *callbacks; i++)
        set(callbacks[i].event, callbacks[i].callback);
    if (set)
        gcc_constructs_watch(static_loop_begins);
    return set != NULL;
}

static void finalize(union ompt_data *tool)
{
    (void)tool;
}

struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

EXPORTED struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct ompt_start_tool_result result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return getenv(KEEPER_ENV_OPENMP) && measurement_settings.directory ? &result : NULL;
}
