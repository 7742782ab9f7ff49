/* The open regions of threads, and the hooks of silas/region.h. */
#include "measure/recorder/user_regions.h"

#include "measure/recorder/definitions.h"
#include "measure/recorder/records.h"

#include "base/array.h"

#include <otf2/OTF2_Definitions.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define HAND_SET (UINT64_C(1) << 63) /* no address of a function has this bit */

struct open_user_region {
    uint64_t key;
    uint32_t region; /* USER_REGION_EXCLUDED: not recorded */
};

static __thread ARRAY(struct open_user_region) stack __attribute__((tls_model("initial-exec")));

void user_region_enter(uint64_t key, uint32_t region)
{
    user_region_enter_at(key, region, record_now());
}

void user_region_enter_at(uint64_t key, uint32_t region, uint64_t time)
{
    struct recorder *recorder = recorder_any();
    struct open_user_region open = {key, measurement_paused || !recorder ? USER_REGION_EXCLUDED
                                                                         : region};
    if (!array_push(&stack, open) || open.region == USER_REGION_EXCLUDED)
        return;
    record_enter(recorder, time, region);
}

void user_region_leave(uint64_t key)
{
    user_region_leave_at(key, record_now());
}

/* The number of open regions outside of and including the innermost one with this key; 0: none. */
static size_t open_depth_of(uint64_t key)
{
    size_t at = stack.count;
    while (at > 0 && stack.items[at - 1].key != key)
        at--;
    return at;
}

void user_region_drop(uint64_t key)
{
    const size_t at = open_depth_of(key);
    if (at > 0)
        stack.count = at - 1;
}

uint64_t user_region_innermost(uint64_t bits)
{
    for (size_t at = stack.count; at > 0; at--)
        if (stack.items[at - 1].key & bits)
            return stack.items[at - 1].key;
    return 0;
}

void user_region_leave_at(uint64_t key, uint64_t time)
{
    const size_t at = open_depth_of(key);
    if (at == 0)
        return;
    struct recorder *recorder = recorder_any();
    while (stack.count >= at) {
        uint32_t region = stack.items[stack.count - 1].region;
        atomic_signal_fence(memory_order_seq_cst); /* now a signal handler may reuse the item */
        stack.count--;
        if (recorder && region != USER_REGION_EXCLUDED)
            record_leave(recorder, time, region);
    }
}

void user_regions_end_thread(void)
{
    while (stack.count)
        user_region_leave(stack.items[0].key);
    free(stack.items);
    stack.items = NULL;
    stack.count = stack.capacity = 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ARRAY(struct {
    char *name;
    uint32_t region;
}) named;

/* The region of a name; `file` and `line` are the place where it was first begun. */
static uint32_t named_region(const char *name, size_t length, const char *file, int line)
{
    uint32_t region = USER_REGION_EXCLUDED;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < named.count; i++) {
        if (strncmp(named.items[i].name, name, length) == 0 && !named.items[i].name[length]) {
            region = named.items[i].region;
            goto unlock;
        }
    }
    char *copy = strndup(name, length);
    if (!copy || !array_reserve(&named, 1)) {
        free(copy);
        goto unlock;
    }
    if (!user_filter_excludes(copy))
        region = define_region(copy, NULL, file, (uint32_t)line, OTF2_PARADIGM_USER,
                               OTF2_REGION_ROLE_CODE);
    named.items[named.count].name = copy;
    named.items[named.count++].region = region;
unlock:
    pthread_mutex_unlock(&mutex);
    return region;
}

void silas_region_begin_at(unsigned *cache, const char *name, const char *file, int line);
void silas_region_end_at(unsigned *cache, const char *name);
void silas_region_begin_(const char *name, size_t length);
void silas_region_end_(const char *name, size_t length);

/* The region, which `cache` keeps for one place in the source: 0 before the first call, then the
 * region + 2, which is 1 for an excluded region. */
static uint32_t cached_region(unsigned *cache, const char *name, const char *file, int line)
{
    unsigned known = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (known)
        return known - 2;
    uint32_t region = named_region(name, strlen(name), file, line);
    __atomic_store_n(cache, region + 2, __ATOMIC_RELAXED);
    return region;
}

static void enter_hand_set(uint32_t region)
{
    if (region != USER_REGION_EXCLUDED)
        user_region_enter(HAND_SET | region, region);
}

static void leave_hand_set(uint32_t region)
{
    if (region != USER_REGION_EXCLUDED)
        user_region_leave(HAND_SET | region);
}

EXPORTED void silas_region_begin_at(unsigned *cache, const char *name, const char *file, int line)
{
    if (measurement_state != MEASUREMENT_NONE)
        enter_hand_set(cached_region(cache, name, file, line));
}

EXPORTED void silas_region_end_at(unsigned *cache, const char *name)
{
    if (measurement_state != MEASUREMENT_NONE)
        leave_hand_set(cached_region(cache, name, NULL, 0));
}

/* For Fortran, which passes the length of a string instead of a terminating zero. */
EXPORTED void silas_region_begin_(const char *name, size_t length)
{
    if (measurement_state != MEASUREMENT_NONE)
        enter_hand_set(named_region(name, length, NULL, 0));
}

EXPORTED void silas_region_end_(const char *name, size_t length)
{
    if (measurement_state != MEASUREMENT_NONE)
        leave_hand_set(named_region(name, length, NULL, 0));
}
