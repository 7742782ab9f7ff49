#include "config.h" /* dladdr1 */

#include "measure/recorder/user_regions.h"

#include "measure/recorder/definitions.h"
#include "measure/recorder/measurement_state.h"

#include "base/array.h"
#include "base/map.h"

#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A hash table from addresses to regions, with open addressing. Readers take no lock, because an
 * entry's region is stored before its address and a table that became too small is never freed. */
struct function {
    _Atomic uintptr_t address;
    uint32_t region;
};

struct function_table {
    size_t slots, used;
    struct function function[];
};

enum { FIRST_SLOTS = 1024 };
static_assert((FIRST_SLOTS & (FIRST_SLOTS - 1)) == 0, "find_function masks the hash");

static _Atomic(struct function_table *) current;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of writers */
static __thread bool busy /* this thread holds the mutex */ __attribute__((
    tls_model("initial-exec")));

static ARRAY(struct object {
    uint64_t load_address;
    char *path;
}) objects;

/* The entry of a function, or a free entry for it. */
static struct function *find_function(struct function_table *table, uintptr_t address)
{
    size_t slot = map_mix(address) & (table->slots - 1);
    for (;; slot = (slot + 1) & (table->slots - 1)) {
        uintptr_t found =
            atomic_load_explicit(&table->function[slot].address, memory_order_acquire);
        if (found == address || !found)
            return &table->function[slot];
    }
}

/* The mutex is held. */
static struct function_table *roomy_table(void)
{
    struct function_table *table = atomic_load(&current);
    if (table && 2 * table->used < table->slots)
        return table;
    size_t slots = table ? 2 * table->slots : FIRST_SLOTS;
    struct function_table *larger = calloc(1, sizeof *larger + slots * sizeof larger->function[0]);
    if (!larger)
        return NULL;
    larger->slots = slots;
    for (size_t i = 0; table && i < table->slots; i++) {
        uintptr_t address = atomic_load(&table->function[i].address);
        if (!address)
            continue;
        struct function *function = find_function(larger, address);
        function->region = table->function[i].region;
        atomic_store(&function->address, address);
        larger->used++;
    }
    atomic_store(&current, larger);
    return larger;
}

/* The mutex is held. */
static bool insert_function(uintptr_t address, uint32_t region)
{
    struct function_table *table = roomy_table();
    if (!table)
        return false;
    struct function *function = find_function(table, address);
    if (atomic_load(&function->address))
        return true;
    function->region = region;
    atomic_store_explicit(&function->address, address, memory_order_release);
    table->used++;
    return true;
}

bool user_function_known_as(const void *address, uint32_t region)
{
    pthread_mutex_lock(&mutex);
    bool inserted = insert_function((uintptr_t)address, region);
    pthread_mutex_unlock(&mutex);
    return inserted;
}

/* Called by the filter while a function is being defined; the mutex is held. */
static void exclude_function(void *data, uint64_t address)
{
    insert_function((uintptr_t)(*(const uint64_t *)data + address), USER_REGION_EXCLUDED);
}

static void object_path(const char *name, char *path, size_t size)
{
    if (name[0]) {
        char *real = realpath(name, NULL);
        snprintf(path, size, "%s", real ? real : name);
        free(real);
        return;
    }
    ssize_t length = readlink("/proc/self/exe", path, size - 1); /* the program itself */
    path[length > 0 ? length : 0] = '\0';
}

/* The number and load address of the object that contains `address`; it is defined if it is new. */
static uint32_t object_of(const void *address, uint64_t *load_address)
{
    Dl_info info;
    struct link_map *map = NULL;
    char path[4096] = "";
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return RECORD_NONE;
    *load_address = map->l_addr;
    object_path(map->l_name, path, sizeof path);
    for (size_t i = 0; i < objects.count; i++) {
        if (objects.items[i].load_address == map->l_addr &&
            strcmp(objects.items[i].path, path) == 0)
            return (uint32_t)i;
    }
    struct object object = {map->l_addr, strdup(path)};
    if (!object.path || !array_push(&objects, object)) {
        free(object.path);
        return RECORD_NONE;
    }
    struct definition definition;
    definition_begin(&definition, DEFINITION_OBJECT, NULL, 0);
    definition_put(&definition, load_address, sizeof *load_address);
    definition_put_text(&definition, path);
    definition_end(&definition);
    user_filter_functions(path, exclude_function, load_address);
    return (uint32_t)(objects.count - 1);
}

/* In the table, constructs have their number in bits that no address has. */
enum { CONSTRUCT_SHIFT = 56 };

/* The mutex is held. */
static uint32_t define_keyed_region(uintptr_t key)
{
    const uint32_t construct = (uint32_t)(key >> CONSTRUCT_SHIFT);
    const uintptr_t address = key & ((UINT64_C(1) << CONSTRUCT_SHIFT) - 1);
    uint64_t load_address = 0;
    uint32_t object = object_of((const void *)address, &load_address);
    struct function_table *table = atomic_load(&current);
    if (table) { /* object_of may have applied the filter to it */
        struct function *known = find_function(table, key);
        if (atomic_load(&known->address))
            return known->region;
    }
    uint32_t region = construct ? define_construct(object, address - load_address, construct)
                                : define_function(object, address - load_address);
    insert_function(key, region);
    return region;
}

/* The region of a function by its address, or of a construct; defined at its first call. */
static uint32_t region_of_key(uintptr_t key)
{
    struct function_table *table = atomic_load_explicit(&current, memory_order_acquire);
    if (__builtin_expect(table != NULL, 1)) {
        struct function *function = find_function(table, key);
        if (__builtin_expect(atomic_load_explicit(&function->address, memory_order_acquire) != 0,
                             1))
            return function->region;
    }
    if (busy) /* called in a signal handler or by the code below: not recorded */
        return USER_REGION_EXCLUDED;
    busy = true;
    pthread_mutex_lock(&mutex);
    uint32_t region = define_keyed_region(key);
    pthread_mutex_unlock(&mutex);
    busy = false;
    return region;
}

uint32_t user_construct_region(const void *place, int construct)
{
    assert(construct > 0 && construct < 128);
    return region_of_key((uintptr_t)construct << CONSTRUCT_SHIFT | (uintptr_t)place);
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (measurement_state == MEASUREMENT_NONE)
        return;
    uint32_t region = region_of_key((uintptr_t)function);
    if (region != USER_REGION_EXCLUDED)
        user_region_enter((uintptr_t)function, region);
}

EXPORTED void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    if (measurement_state == MEASUREMENT_NONE)
        return;
    if (region_of_key((uintptr_t)function) != USER_REGION_EXCLUDED)
        user_region_leave((uintptr_t)function);
}
