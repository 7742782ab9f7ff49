/* Records OpenMP's constructs by the tools interface OMPT (OpenMP 5.0, chapter 4). The runtime
 * looks for ompt_start_tool, which is this library's if silas-trace --openmp has preloaded it.
 *
 * A worker waits in the barrier at the end of its region until its next region begins: only then do
 * runtimes report the end of this barrier. So the master notes when the region has ended, and the
 * worker then leaves barrier and region with this time. */
#include "measure/recorder/openmp.h"

#include "measure/recorder/keeper.h"
#include "measure/recorder/measurement_state.h"
#include "measure/recorder/user_regions.h"

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
    OMPT_PARALLEL_BEGIN = 3,
    OMPT_PARALLEL_END = 4,
    OMPT_IMPLICIT_TASK = 7,
    OMPT_MUTEX_RELEASED = 17,
    OMPT_WORK = 20,
    OMPT_MASTER = 21,
    OMPT_SYNC_REGION = 23,
    OMPT_MUTEX_ACQUIRE = 26,
    OMPT_MUTEX_ACQUIRED = 27,
};
enum { OMPT_BEGIN = 1, OMPT_TASK_INITIAL = 1 };
enum { OMPT_MUTEX_CRITICAL = 5, OMPT_MUTEX_ORDERED = 7 };

#define EXPORTED __attribute__((visibility("default")))
#define OWN_TLS  __attribute__((tls_model("initial-exec")))
#define OPENMP   (UINT64_C(1) << 62) /* in keys of open regions: no address has this bit */

/* A parallel region. Freed by the last thread that uses it. */
struct openmp_team {
    atomic_int users;
    _Atomic uint64_t end;      /* when the master has left it; 0: not yet */
    const void *place;         /* in the code */
    uint32_t region;           /* the parallel region */
    struct openmp_team *outer; /* which the same thread has begun before */
};

/* The innermost team that this thread has begun and not ended. (LLVM's runtime passes data of a
 * nested team to parallel_end that another thread may have got for its next team already.) */
static __thread struct openmp_team *begun_team OWN_TLS;

/* The team in which this thread is a worker; NULL: none. */
static __thread struct openmp_team *own_team OWN_TLS;
/* When this thread has last entered or left a barrier: the time of the team's end, which the master
 * notes, must not be earlier. */
static __thread uint64_t last_barrier OWN_TLS;

/* The constructs that this thread is in, outermost first. The place at the end is often another one
 * than at the begin, which is taken for both. */
enum { MOST_OPEN = 32 };
struct open_construct {
    enum openmp_construct construct;
    const void *place;
    uint32_t region;
};
static __thread struct open_construct open[MOST_OPEN] OWN_TLS;
static __thread unsigned open_count OWN_TLS; /* beyond MOST_OPEN they are not recorded */

static uint32_t enter_construct(enum openmp_construct construct, const void *place, uint64_t time)
{
    const uint32_t region = measurement_state == MEASUREMENT_NONE
                                ? USER_REGION_EXCLUDED
                                : user_construct_region(place, construct);
    if (region != USER_REGION_EXCLUDED)
        user_region_enter_at(OPENMP | region, region, time);
    return region;
}

static void leave_construct(uint32_t region, uint64_t time)
{
    if (region != USER_REGION_EXCLUDED && measurement_state != MEASUREMENT_NONE)
        user_region_leave_at(OPENMP | region, time);
}

/* The innermost open construct of a kind; NULL: there is none. */
static struct open_construct *find_open(enum openmp_construct construct)
{
    for (unsigned i = open_count < MOST_OPEN ? open_count : MOST_OPEN; i > 0; i--)
        if (open[i - 1].construct == construct)
            return &open[i - 1];
    return NULL;
}

static void begin_construct(enum openmp_construct construct, const void *place, uint64_t time)
{
    if (open_count++ < MOST_OPEN)
        open[open_count - 1] =
            (struct open_construct){construct, place, enter_construct(construct, place, time)};
}

/* And those inside of it. */
static void end_construct(enum openmp_construct construct, uint64_t time)
{
    if (open_count > MOST_OPEN) {
        open_count--;
        return;
    }
    const struct open_construct *innermost = find_open(construct);
    if (!innermost)
        return;
    leave_construct(innermost->region, time);
    open_count = (unsigned)(innermost - open);
}

static void report_construct(enum openmp_construct construct, int endpoint, const void *place,
                             uint64_t time)
{
    if (endpoint == OMPT_BEGIN)
        begin_construct(construct, place, time);
    else
        end_construct(construct, time);
}

static void release_team(struct openmp_team *team)
{
    if (atomic_fetch_sub(&team->users, 1) == 1)
        free(team);
}

static void parallel_begin(union ompt_data *task, const void *frame, union ompt_data *parallel,
                           unsigned requested, int flags, const void *place)
{
    (void)task, (void)frame, (void)requested, (void)flags;
    struct openmp_team *team = calloc(1, sizeof *team);
    parallel->ptr = team;
    if (!team)
        return measurement_out_of_memory();
    atomic_store(&team->users, 1);
    team->place = place;
    team->outer = begun_team;
    begun_team = team;
    team->region = enter_construct(OPENMP_PARALLEL, place, record_now());
}

static void parallel_end(union ompt_data *parallel, union ompt_data *task, int flags,
                         const void *place)
{
    (void)parallel, (void)task, (void)flags, (void)place;
    struct openmp_team *team = begun_team;
    if (!team)
        return;
    begun_team = team->outer;
    const uint64_t now = record_now();
    leave_construct(team->region, now);
    atomic_store(&team->end, now);
    release_team(team);
}

/* The present, or the end of this thread's team, if the master has left it. */
static uint64_t time_in_team(void)
{
    const uint64_t end = own_team ? atomic_load(&own_team->end) : 0;
    return !end ? record_now() : end > last_barrier ? end : last_barrier;
}

static void end_worker(void)
{
    struct openmp_team *team = own_team;
    leave_construct(team->region, time_in_team());
    own_team = NULL;
    release_team(team);
}

static void implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
                          unsigned threads, unsigned index, int flags)
{
    (void)task, (void)threads, (void)index; /* which is not the master's at the end of its task */
    if (endpoint != OMPT_BEGIN) {
        if (own_team && !begun_team)
            end_worker();
        return;
    }
    struct openmp_team *team = parallel ? parallel->ptr : NULL;
    if (!team || team == begun_team || flags & OMPT_TASK_INITIAL)
        return;
    atomic_fetch_add(&team->users, 1);
    own_team = team;
    open_count = 0;
    last_barrier = 0;
    enter_construct(OPENMP_PARALLEL, team->place, record_now());
}

static void work(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                 uint64_t count, const void *place)
{
    static const enum openmp_construct constructs[] = {
        [1] = OPENMP_LOOP,  [2] = OPENMP_SECTIONS, [3] = OPENMP_SINGLE, [5] = OPENMP_WORKSHARE,
        [10] = OPENMP_LOOP, [11] = OPENMP_LOOP,    [12] = OPENMP_LOOP,  [13] = OPENMP_LOOP};
    (void)parallel, (void)task, (void)count;
    if (kind >= 0 && kind < (int)(sizeof constructs / sizeof *constructs) && constructs[kind])
        report_construct(constructs[kind], endpoint, place, record_now());
}

static void master(int endpoint, union ompt_data *parallel, union ompt_data *task,
                   const void *place)
{
    (void)parallel, (void)task;
    report_construct(OPENMP_MASTER, endpoint, place, record_now());
}

static void sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                        const void *place)
{
    enum { EXPLICIT = 3, TASKWAIT = 5, TASKGROUP = 6, REDUCTION = 7 };
    const struct openmp_team *team = begun_team ? begun_team : own_team;
    (void)parallel, (void)task;
    if (kind == TASKGROUP || kind == REDUCTION)
        return;
    /* The barrier at the end of a region has no place on workers, nor have explicit barriers in
     * programs built by GCC. While a worker waits, it may run tasks, whose events are later. */
    if (!place && team)
        place = team->place;
    if (!place)
        return;
    last_barrier = endpoint == OMPT_BEGIN ? record_now() : time_in_team();
    report_construct(kind == EXPLICIT   ? OPENMP_BARRIER
                     : kind == TASKWAIT ? OPENMP_TASKWAIT
                                        : OPENMP_IMPLICIT_BARRIER,
                     endpoint, place, last_barrier);
}

/* The construct and its block, in which the thread holds the mutex. Such constructs are nested, so
 * the innermost open one is that of the mutex. OPENMP_NONE for other kinds. */
struct mutex_constructs {
    enum openmp_construct outer, block;
};

static struct mutex_constructs constructs_of(int kind)
{
    return kind == OMPT_MUTEX_CRITICAL
               ? (struct mutex_constructs){OPENMP_CRITICAL, OPENMP_CRITICAL_SBLOCK}
           : kind == OMPT_MUTEX_ORDERED
               ? (struct mutex_constructs){OPENMP_ORDERED, OPENMP_ORDERED_SBLOCK}
               : (struct mutex_constructs){OPENMP_NONE, OPENMP_NONE};
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait_id,
                          const void *place)
{
    (void)hint, (void)implementation, (void)wait_id;
    const struct mutex_constructs of = constructs_of(kind);
    if (of.outer != OPENMP_NONE)
        begin_construct(of.outer, place, record_now());
}

static void mutex_acquired(int kind, uint64_t wait_id, const void *place)
{
    (void)wait_id, (void)place;
    const struct mutex_constructs of = constructs_of(kind);
    const struct open_construct *outer = of.outer != OPENMP_NONE ? find_open(of.outer) : NULL;
    if (outer)
        begin_construct(of.block, outer->place, record_now());
}

static void mutex_released(int kind, uint64_t wait_id, const void *place)
{
    (void)wait_id, (void)place;
    const struct mutex_constructs of = constructs_of(kind);
    const uint64_t now = record_now();
    if (of.outer == OPENMP_NONE)
        return;
    end_construct(of.block, now);
    end_construct(of.outer, now);
}

static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
    static const struct {
        int event;
        ompt_function callback;
    } callbacks[] = {
        {OMPT_PARALLEL_BEGIN, (ompt_function)parallel_begin},
        {OMPT_PARALLEL_END, (ompt_function)parallel_end},
        {OMPT_IMPLICIT_TASK, (ompt_function)implicit_task},
        {OMPT_WORK, (ompt_function)work},
        {OMPT_MASTER, (ompt_function)master},
        {OMPT_SYNC_REGION, (ompt_function)sync_region},
        {OMPT_MUTEX_ACQUIRE, (ompt_function)mutex_acquire},
        {OMPT_MUTEX_ACQUIRED, (ompt_function)mutex_acquired},
        {OMPT_MUTEX_RELEASED, (ompt_function)mutex_released},
    };
    (void)device, (void)tool;
    const ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
    for (size_t i = 0; set && i < sizeof callbacks / sizeof *callbacks; i++)
        set(callbacks[i].event, callbacks[i].callback);
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
