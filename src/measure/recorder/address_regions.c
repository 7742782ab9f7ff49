#include "config.h" /* dladdr1 */

#include "measure/recorder/address_regions.h"

#include "measure/recorder/definitions.h"
#include "measure/recorder/user_regions.h"

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

/* A hash table with open addressing. Readers take no lock, because an entry's region is stored
 * before its key and a table that became too small is never freed. A key is an address, with its
 * kind in bits that no address has. */
struct entry {
    _Atomic uintptr_t key;
    _Atomic uint32_t region;
};

struct table {
    size_t slots, used;
    struct entry entries[];
};

enum {
    FIRST_SLOTS = 1024,
    ADDRESS_BITS = 48,
};
static_assert((FIRST_SLOTS & (FIRST_SLOTS - 1)) == 0, "find_address masks the hash");
static_assert(sizeof(uintptr_t) == sizeof(uint64_t) &&
                  ADDRESS_OF_CALL + MPI_CALL_COUNT < 1 << (64 - ADDRESS_BITS),
              "a key has room for the kinds");

static _Atomic(struct table *) current;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of writers */
static __thread bool busy /* this thread holds the mutex */ __attribute__((
    tls_model("initial-exec")));

static ARRAY(struct object {
    uint64_t load_address;
    char *path;
}) objects;

static uintptr_t address_key(unsigned kind, const void *address)
{
    return (uintptr_t)kind << ADDRESS_BITS | (uintptr_t)address;
}

/* The entry of a key, or a free entry for it. */
static struct entry *find_address(struct table *table, uintptr_t key)
{
    size_t slot = map_mix(key) & (table->slots - 1);
    for (;; slot = (slot + 1) & (table->slots - 1)) {
        const uintptr_t found =
            atomic_load_explicit(&table->entries[slot].key, memory_order_acquire);
        if (found == key || !found)
            return &table->entries[slot];
    }
}

/* The mutex is held. */
static struct table *roomy_table(void)
{
    struct table *table = atomic_load(&current);
    if (table && 2 * table->used < table->slots)
        return table;
    const size_t slots = table ? 2 * table->slots : FIRST_SLOTS;
    struct table *larger = calloc(1, sizeof *larger + slots * sizeof larger->entries[0]);
    if (!larger)
        return NULL;
    larger->slots = slots;
    for (size_t i = 0; table && i < table->slots; i++) {
        const uintptr_t key = atomic_load(&table->entries[i].key);
        if (!key)
            continue;
        struct entry *entry = find_address(larger, key);
        atomic_store(&entry->region, atomic_load(&table->entries[i].region));
        atomic_store(&entry->key, key);
        larger->used++;
    }
    atomic_store(&current, larger);
    return larger;
}

/* The mutex is held. The entry with this key, which gets the region if it is new; NULL if out of
 * memory. */
static struct entry *insert(uintptr_t key, uint32_t region)
{
    struct table *table = roomy_table();
    if (!table)
        return NULL;
    struct entry *entry = find_address(table, key);
    if (atomic_load(&entry->key))
        return entry;
    atomic_store(&entry->region, region);
    atomic_store_explicit(&entry->key, key, memory_order_release);
    table->used++;
    return entry;
}

bool address_region_set(unsigned kind, const void *address, uint32_t region)
{
    pthread_mutex_lock(&mutex);
    struct entry *entry = insert(address_key(kind, address), region);
    if (entry)
        atomic_store(&entry->region, region);
    pthread_mutex_unlock(&mutex);
    return entry != NULL;
}

/* Called by the filter while a region is being defined; the mutex is held. */
static void exclude_function(void *data, uint64_t address)
{
    const uint64_t load_address = *(const uint64_t *)data;
    insert(address_key(ADDRESS_OF_FUNCTION, (const void *)(uintptr_t)(load_address + address)),
           USER_REGION_EXCLUDED);
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

/* The mutex is held. */
static uint32_t define_address(unsigned kind, const void *address, address_definer *define,
                               const void *data)
{
    uint64_t load_address = 0;
    const uint32_t object = object_of(address, &load_address);
    struct table *table = atomic_load(&current);
    if (table) { /* object_of may have applied the filter to it */
        struct entry *known = find_address(table, address_key(kind, address));
        if (atomic_load(&known->key))
            return atomic_load(&known->region);
    }
    const uint32_t region = define(kind, object, (uint64_t)(uintptr_t)address - load_address, data);
    insert(address_key(kind, address), region);
    return region;
}

uint32_t address_region(unsigned kind, const void *address, address_definer *define,
                        const void *data)
{
    struct table *table = atomic_load_explicit(&current, memory_order_acquire);
    if (__builtin_expect((uintptr_t)address >> ADDRESS_BITS != 0, 0))
        return USER_REGION_EXCLUDED;
    if (__builtin_expect(table != NULL, 1)) {
        const uintptr_t key = address_key(kind, address);
        struct entry *entry = find_address(table, key);
        if (__builtin_expect(atomic_load_explicit(&entry->key, memory_order_acquire) == key, 1))
            return atomic_load_explicit(&entry->region, memory_order_relaxed);
    }
    if (busy) /* called in a signal handler or by the code below: not recorded */
        return USER_REGION_EXCLUDED;
    busy = true;
    pthread_mutex_lock(&mutex);
    const uint32_t region = define_address(kind, address, define, data);
    pthread_mutex_unlock(&mutex);
    busy = false;
    return region;
}
