/* What a rank does while it computes, beside reading the clock: it walks through code and memory,
 * or streams through memory. */
#ifndef REPLAY_REALTIME_FILL_H
#define REPLAY_REALTIME_FILL_H

#include "base/clock.h"
#include "base/mpi/processes.h"

#include <string.h>

/* A program's code and data pass through the caches and evict MPI's code and data; spinning does
 * not. A replay that only spun would find MPI's code, queues and message buffers in the first level
 * caches at every call, and communicate up to twice as fast as the program did. So intervals of
 * computation walk through code and memory instead. */

/* How much memory a computation goes through. */
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
};

struct working_set {
    char *memory;
    size_t sizes[REACH_COUNT]; /* bytes, multiples of WORKING_SET_STEP */
    size_t at;
};

/* Allocates and touches memory that evicts everything else from a cache of `cache_bytes` shared by
 * `sharers` processes. Fails with STATUS_ENVIRONMENT. */
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

/* Executes code block `block` (< CODE_BLOCKS), which has no effect. */
void working_set_execute(uint32_t block);

/* Computation that streams through memory ([replay] fill = stream): for programs limited by memory
 * bandwidth, so that their messages share it as they did in the program. The length of each
 * computation stays as recorded. */

enum { STREAM_STEP = 2048 }; /* bytes copied between two readings of the clock */

struct stream_fill {
    char *memory;
    size_t half;           /* bytes of each of its halves: one is copied to the other */
    size_t at;             /* current position in it */
    double ticks_per_step; /* 0: as fast as memory allows */
    double ahead;          /* traffic beyond the rate, in ticks; < 0: missing traffic */
    double most_owed;      /* limit of missing traffic: more cannot be made up for */
};

/* Collective. Allocates memory larger than a cache of `cache_bytes` and measures how fast all
 * processes stream together. Warns if that is less than `rate`, in bytes read and written per
 * second of each process (0: as fast as memory allows). Fails with STATUS_ENVIRONMENT. */
enum status stream_fill_open(struct stream_fill *fill, const struct processes *processes,
                             const struct clock *clock, size_t cache_bytes, uint64_t rate,
                             struct error *error);
void stream_fill_close(struct stream_fill *fill);

/* After `ticks` of computation: makes some traffic if the rate asks for it. */
static inline void stream_fill_step(struct stream_fill *fill, uint64_t ticks)
{
    fill->ahead -= (double)ticks;
    if (fill->ahead > 0)
        return;
    if (fill->ahead < -fill->most_owed)
        fill->ahead = -fill->most_owed;
    memcpy(fill->memory + fill->half + fill->at, fill->memory + fill->at, STREAM_STEP);
    fill->ahead += fill->ticks_per_step;
    fill->at += STREAM_STEP;
    if (fill->at >= fill->half)
        fill->at = 0;
}

#endif
