/* Records pthread_create and pthread_join (silas-trace --pthread). The functions here stand before
 * those of the C library, because this library is preloaded. Threads that MPI, the OpenMP runtime
 * or a network library makes for itself are not recorded. */
#include "measure/recorder/posix_threads.h"

#include "measure/recorder/code_library.h"
#include "measure/recorder/definitions.h"
#include "measure/recorder/next_function.h"
#include "measure/recorder/records.h"
#include "measure/recorder/user_regions.h"

#include "base/map.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <otf2/OTF2_Definitions.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define PTHREADS (UINT64_C(1) << 61) /* in keys of open regions: no address has this bit */

typedef int thread_creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int thread_joiner(pthread_t, void **);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct map numbers; /* pthread_t -> number, of threads that no pthread_join has waited for */
static uint32_t created;   /* threads; the first has number 1 */

/* Of the calling thread; 0: its creation was not recorded. */
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));

enum thread_call { THREAD_CREATE = 1, THREAD_JOIN, THREAD_CALLS };

/* The region of a call, which is defined when it is needed first, also if the filter excludes it:
 * the archive's writer sees by the definition that threads were recorded. */
static uint32_t region_of_call(enum thread_call call)
{
    static const char *const names[THREAD_CALLS] = {"", "pthread_create", "pthread_join"};
    static const OTF2_RegionRole roles[THREAD_CALLS] = {
        [THREAD_CREATE] = OTF2_REGION_ROLE_THREAD_CREATE,
        [THREAD_JOIN] = OTF2_REGION_ROLE_THREAD_WAIT};
    static uint32_t regions[THREAD_CALLS];
    static bool known[THREAD_CALLS];
    assert(call > 0 && call < THREAD_CALLS);
    pthread_mutex_lock(&mutex);
    if (!known[call]) {
        regions[call] =
            define_region(names[call], NULL, NULL, 0, OTF2_PARADIGM_PTHREAD, roles[call]);
        if (user_filter_excludes(names[call]))
            regions[call] = USER_REGION_EXCLUDED;
    }
    known[call] = true;
    const uint32_t region = regions[call];
    pthread_mutex_unlock(&mutex);
    return region;
}

/* True if the code at `place` belongs to a library that makes threads for itself. */
static bool is_in_runtime(const void *place)
{
    static const char *const libraries[] = {"libomp.",  "libgomp.", "libiomp5.",  "libmpi",
                                            "libopen-", "libuc",    "libfabric.", "libpmix."};
    return code_library_begins(place, libraries, sizeof libraries / sizeof *libraries);
}

static bool records_threads(const void *caller)
{
    return measurement_settings.pthreads && measurement_state != MEASUREMENT_NONE &&
           !measurement_paused && !is_in_runtime(caller);
}

static void record_thread(enum record_kind kind, uint32_t number)
{
    struct recorder *recorder = measurement_state == MEASUREMENT_NONE ? NULL : recorder_any();
    if (recorder)
        record_plain(recorder, record_now(), kind, number);
}

struct thread_start {
    void *(*routine)(void *);
    void *argument;
    uint32_t number;
};

static void *run_recorded(void *data)
{
    const struct thread_start start = *(struct thread_start *)data;
    free(data);
    assert(start.number > 0 && own_number == 0);
    own_number = start.number;
    record_thread(RECORD_THREAD_BEGIN, own_number);
    __cyg_profile_func_enter((void *)(uintptr_t)start.routine, NULL);
    return start.routine(start.argument); /* ends in posix_thread_ends, as pthread_exit does */
}

void posix_thread_ends(void)
{
    user_regions_end_thread();
    if (own_number > 0)
        record_thread(RECORD_THREAD_END, own_number);
    own_number = 0;
}

static int create_recorded(thread_creator *create, pthread_t *thread, const pthread_attr_t *attr,
                           struct thread_start *start)
{
    const uint32_t region = region_of_call(THREAD_CREATE);
    user_region_enter(PTHREADS | THREAD_CREATE, region);
    /* The lock is held until `numbers` has the thread, which may be joined at once. */
    pthread_mutex_lock(&mutex);
    const uint32_t number = start->number = ++created;
    record_thread(RECORD_THREAD_CREATE, number);
    const int result = create(thread, attr, run_recorded, start);
    const bool noted = result != 0 || map_set(&numbers, (uint64_t)*thread, number);
    pthread_mutex_unlock(&mutex);
    if (result != 0)
        free(start);
    if (!noted)
        measurement_out_of_memory();
    user_region_leave(PTHREADS | THREAD_CREATE);
    return result;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                            void *argument)
{
    thread_creator *create = (thread_creator *)next_function("pthread_create");
    if (!create)
        return ENOSYS;
    if (!records_threads(__builtin_return_address(0)))
        return create(thread, attr, routine, argument);
    struct thread_start *start = malloc(sizeof *start);
    if (!start) {
        measurement_out_of_memory();
        return create(thread, attr, routine, argument);
    }
    *start = (struct thread_start){routine, argument, 0};
    return create_recorded(create, thread, attr, start);
}

EXPORTED int pthread_join(pthread_t thread, void **value)
{
    thread_joiner *join = (thread_joiner *)next_function("pthread_join");
    if (!join)
        return ENOSYS;
    if (!records_threads(__builtin_return_address(0)))
        return join(thread, value);
    user_region_enter(PTHREADS | THREAD_JOIN, region_of_call(THREAD_JOIN));
    pthread_mutex_lock(&mutex); /* its number is taken before another thread can get its id */
    const uint32_t number = map_take(&numbers, (uint64_t)thread);
    pthread_mutex_unlock(&mutex);
    const int result = join(thread, value);
    if (result == 0 && number != MAP_NONE)
        record_thread(RECORD_THREAD_WAIT, number);
    user_region_leave(PTHREADS | THREAD_JOIN);
    return result;
}
