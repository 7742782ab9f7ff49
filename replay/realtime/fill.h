/* What a rank does while it computes, in addition to reading the clock: it executes code and
 * accesses memory, or streams through memory. */
#ifndef REPLAY_REALTIME_FILL_H
#define REPLAY_REALTIME_FILL_H

#include "base/clock.h"
#include "base/mpi/processes.h"

#include <string.h>

/* A program's code and data evict MPI's code and data from the caches; spinning does not. A replay
 * that only spun would find MPI's code, queues and message buffers in the first-level caches in
 * every call, and would communicate up to twice as fast as the program did. So intervals of
 * computation execute code and access memory. */

/* How much memory a computation accesses. */
enum working_set_reach {
    REACH_NONE,  /* spins */
    REACH_CORE,  /* a little more than a core's own caches */
    REACH_CACHE, /* the largest cache */
    REACH_COUNT,
};

enum {
    CODE_BLOCKS = 32,           /* together larger than first level instruction caches, */
    CODE_BLOCK_LINES = 64,      /* with a jump from each line to the next */
    WORKING_SET_STEP = 16 * 64, /* bytes between two readings of the clock: 16 cache lines */
    FILL_NUMBERS = 128,         /* fit into a first level cache beside the program's data */
};

struct working_set {
    char *memory;
    size_t sizes[REACH_COUNT]; /* bytes, multiples of WORKING_SET_STEP */
    size_t at;
    double numbers[FILL_NUMBERS]; /* for working_set_calculate */
};

/* Allocates and touches memory large enough to evict all other data from a cache of `cache_bytes`
 * that `sharers` processes share. Fails with STATUS_ENVIRONMENT. */
enum status working_set_open(struct working_set *set, size_t cache_bytes, int sharers,
                             struct error *error);
void working_set_close(struct working_set *set);

/* Reads and writes the next WORKING_SET_STEP bytes. */
static inline void working_set_step(struct working_set *set, enum working_set_reach reach)
{
    volatile uint64_t *word = (volatile uint64_t *)(set->memory + set->at);
    for (int line = 0; line < WORKING_SET_STEP / 64; line++)
        word[8 * line]++;
    set->at += WORKING_SET_STEP;
    if (set->at >= set->sizes[reach])
        set->at = 0;
}

/* A fixed piece of arithmetic on data in a first level cache. Its time shows the pace of the core.
 */
static inline void working_set_calculate(struct working_set *set)
{
    for (int i = 0; i < FILL_NUMBERS; i++)
        set->numbers[i] = set->numbers[i] * 0.5 + 1;
}

/* Executes code block `block` (< CODE_BLOCKS), which has no effect. */
void working_set_execute(uint32_t block);

/* Computation that streams through memory ([replay] fill = stream), for programs that are limited
 * by memory bandwidth: so messages share it as they did in the program. The length of each
 * computation is as recorded. */

enum { STREAM_STEP = 2048 }; /* bytes copied between two readings of the clock */

struct stream_fill {
    char *memory;
    size_t half;           /* bytes of each of its halves: one is copied to the other */
    size_t at;             /* current position in it */
    double ticks_per_step; /* 0: as fast as memory allows */
    double surplus;        /* traffic above the rate, in ticks; < 0: missing traffic */
    double most_owed;      /* limit of missing traffic: the rest is not made up */
};

/* Collective. Allocates memory larger than a cache of `cache_bytes`, and measures the rate of each
 * process while all stream. `rate`: bytes read and written per second of each process, 0: as fast
 * as memory allows. Warns if the measured rate is less. Fails with STATUS_ENVIRONMENT. */
enum status stream_fill_open(struct stream_fill *fill, const struct processes *processes,
                             const struct clock *clock, size_t cache_bytes, uint64_t rate,
                             struct error *error);
void stream_fill_close(struct stream_fill *fill);

/* After `ticks` of computation: copies STREAM_STEP bytes if traffic is missing at the rate. */
static inline void stream_fill_step(struct stream_fill *fill, uint64_t ticks)
{
    fill->surplus -= (double)ticks;
    if (fill->surplus > 0)
        return;
    if (fill->surplus < -fill->most_owed)
        fill->surplus = -fill->most_owed;
    memcpy(fill->memory + fill->half + fill->at, fill->memory + fill->at, STREAM_STEP);
    fill->surplus += fill->ticks_per_step;
    fill->at += STREAM_STEP;
    if (fill->at >= fill->half)
        fill->at = 0;
}

#endif
