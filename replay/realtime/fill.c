#include "replay/realtime/fill.h"

#include "base/log.h"

#include <assert.h>
#include <sys/mman.h>

/* Bounds of a rank's memory: twice a large second-level cache; and for hosts with huge caches. */
static const size_t SET_SMALLEST = 4u << 20, SET_LARGEST = 64u << 20;

enum status working_set_open(struct working_set *set, size_t cache_bytes, int sharers,
                             struct error *error)
{
    memset(set, 0, sizeof *set);
    size_t size = 2 * cache_bytes / (size_t)(sharers > 0 ? sharers : 1);
    size = size < SET_SMALLEST ? SET_SMALLEST : size > SET_LARGEST ? SET_LARGEST : size;
    size -= size % WORKING_SET_STEP;
    /* Populated at once, which takes less time than a page fault for each page. */
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return error_memory(error, "the working set of a replay");
    set->memory = memory;
    set->sizes[REACH_CORE] = SET_SMALLEST;
    set->sizes[REACH_CACHE] = size;
    return STATUS_OK;
}

void working_set_close(struct working_set *set)
{
    if (set->memory)
        munmap(set->memory, set->sizes[REACH_CACHE]);
    memset(set, 0, sizeof *set);
}

/* All assemblers know nop. If a nop has one byte, jumps do the same and are faster. */
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
    assert(block < CODE_BLOCKS);
    static void (*const blocks[])(void) = {EIGHT(NAME, 0) EIGHT(NAME, 1) EIGHT(NAME, 2)
                                               EIGHT(NAME, 3)};
    static_assert(sizeof blocks / sizeof *blocks == CODE_BLOCKS, "as the header says");
    blocks[block]();
}

static const size_t HALF_SMALLEST = 32u << 20, HALF_LARGEST = 256u << 20; /* bytes of a half */
static const double TRIAL_S = 10e-3, MOST_OWED_S = 1e-3;

/* Bytes per second, read and written, while all processes stream. */
static double measure_stream_rate(struct stream_fill *fill, const struct processes *processes,
                                  const struct clock *clock)
{
    processes_barrier(processes);
    uint64_t begin = clock_now(clock), now = begin;
    uint64_t end = begin + (uint64_t)(TRIAL_S * clock->ticks_per_second);
    double steps = 0;
    for (; now < end; steps++) {
        stream_fill_step(fill, 1);
        now = clock_now(clock);
    }
    return steps * 2 * STREAM_STEP / ((double)(now - begin) / clock->ticks_per_second);
}

enum status stream_fill_open(struct stream_fill *fill, const struct processes *processes,
                             const struct clock *clock, size_t cache_bytes, uint64_t rate,
                             struct error *error)
{
    assert(cache_bytes < SIZE_MAX / 2);
    memset(fill, 0, sizeof *fill);
    size_t half = cache_bytes < HALF_SMALLEST  ? HALF_SMALLEST
                  : cache_bytes > HALF_LARGEST ? HALF_LARGEST
                                               : cache_bytes;
    fill->half = half - half % STREAM_STEP;
    void *memory =
        mmap(NULL, 2 * fill->half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    enum status status =
        memory == MAP_FAILED ? error_memory(error, "streaming through memory") : STATUS_OK;
    if (status == STATUS_OK) {
        memset(memory, 1, 2 * fill->half);
        fill->memory = memory;
    }
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    int64_t slowest = (int64_t)measure_stream_rate(fill, processes, clock);
    processes_min(processes, &slowest, 1);
    if (rate > (uint64_t)slowest)
        log_warning(
            "stream_rate = %.3g GB/s: when all ranks stream, each reaches only %.3g GB/s, and "
            "streams at this rate",
            (double)rate * 1e-9, (double)slowest * 1e-9);
    fill->ticks_per_step = rate > 0 ? 2 * STREAM_STEP * clock->ticks_per_second / (double)rate : 0;
    fill->most_owed = MOST_OWED_S * clock->ticks_per_second;
    fill->surplus = 0;
    return STATUS_OK;
}

void stream_fill_close(struct stream_fill *fill)
{
    if (fill->memory)
        munmap(fill->memory, 2 * fill->half);
    memset(fill, 0, sizeof *fill);
}
