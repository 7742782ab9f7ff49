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

/* --- code ------------------------------------------------------------------------------------- */

/* Every assembler knows nop; where it is as short as one byte, jumps do as well, and faster. */
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
#define NAME(n) block_##n,
#define ALL_BLOCKS(X)                                                                             \
    X(0)                                                                                          \
    X(1)                                                                                          \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) \
        X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

ALL_BLOCKS(BLOCK)

void working_set_execute(uint32_t block)
{
    static void (*const blocks[])(void) = {ALL_BLOCKS(NAME)};
    _Static_assert(sizeof blocks / sizeof *blocks == CODE_BLOCKS, "as the header says");
    blocks[block]();
}
