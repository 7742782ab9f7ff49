#include "replay/realtime/working_set.h"

#include <string.h>
#include <sys/mman.h>

/* Bounds of a rank's memory: twice a large second level cache; for hosts with huge caches. */
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

/* --- code ------------------------------------------------------------------------------------- */

/* Every assembler knows nop. If nop is as short as one byte, jumps work as well and faster. */
#if defined(__x86_64__) || defined(__i386__)
#define CODE_LINES ".rept 64\n jmp 1f\n .balign 64\n 1:\n .endr\n"
#else
#define CODE_LINES ".rept 1024\n nop\n .endr\n"
#endif

#define BLOCK(n)                                                       \
    __attribute__((noinline, aligned(64))) static void block_##n(void) \
    {                                                                  \
        __asm__ volatile(CODE_LINES ::: "memory");                     \
    }
/* Eight blocks, numbered in octal. */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define NAME(n)     block_##n,

EIGHT(BLOCK, 0)
EIGHT(BLOCK, 1)
EIGHT(BLOCK, 2)
EIGHT(BLOCK, 3)

void working_set_execute(uint32_t block)
{
    static void (*const blocks[])(void) = {EIGHT(NAME, 0) EIGHT(NAME, 1) EIGHT(NAME, 2)
                                               EIGHT(NAME, 3)};
    _Static_assert(sizeof blocks / sizeof *blocks == CODE_BLOCKS, "as the header says");
    blocks[block]();
}
