#include "replay/realtime/working_set.h"

#include <string.h>
#include <sys/mman.h>

/* Bounds on a rank's memory: twice a large second level cache, and hosts with very large ones. */
static const size_t SMALLEST = 4u << 20, LARGEST = 64u << 20;

enum status working_set_open(struct working_set *set, size_t cache_bytes, int sharers,
                             struct error *error)
{
    memset(set, 0, sizeof *set);
    size_t size = 2 * cache_bytes / (size_t)(sharers > 0 ? sharers : 1);
    size = size < SMALLEST ? SMALLEST : size > LARGEST ? LARGEST : size;
    size -= size % WORKING_SET_STEP;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return error_memory(error, "the working set of a replay");
    memset(memory, 1, size);
    set->memory = memory;
    set->sizes[REACH_CORE] = SMALLEST;
    set->sizes[REACH_CACHE] = size;
    return STATUS_OK;
}

void working_set_close(struct working_set *set)
{
    if (set->memory)
        munmap(set->memory, set->sizes[REACH_CACHE]);
    memset(set, 0, sizeof *set);
}
