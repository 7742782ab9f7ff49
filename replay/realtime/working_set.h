/* What a program executes and computes on passes through the caches and drives MPI's code and data
 * out of them; spinning does not. A replay that only spun would find MPI's code, queues and message
 * buffers in the first level caches at every call, and communicate up to twice as fast as the
 * program did. So intervals of computation walk through code and memory instead. */
#ifndef REPLAY_REALTIME_WORKING_SET_H
#define REPLAY_REALTIME_WORKING_SET_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* How much memory a computation goes through. */
enum working_set_reach {
    REACH_NONE,  /* it spins */
    REACH_CORE,  /* what a core's own caches hold, and some more */
    REACH_CACHE, /* the largest cache */
    REACH_COUNT,
};

enum {
    CODE_BLOCKS = 32,           /* together more than first level caches for instructions hold, */
    CODE_BLOCK_LINES = 64,      /* with a jump from each line to the next */
    WORKING_SET_STEP = 16 * 64, /* bytes between two looks at the clock: 16 cache lines */
};

struct working_set {
    char *memory;
    size_t sizes[REACH_COUNT]; /* bytes, multiples of WORKING_SET_STEP */
    size_t at;
};

/* Allocates and touches memory that drives everything else out of a cache of `cache_bytes` shared
 * by `sharers` processes. Fails with STATUS_ENVIRONMENT. */
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

/* Executes block `block` (< CODE_BLOCKS) of otherwise useless code. */
void working_set_execute(uint32_t block);

#endif
