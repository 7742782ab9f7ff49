/* A program's code and data pass through the caches and evict MPI's code and data; spinning does
 * not. A replay that only spun would find MPI's code, queues and message buffers in the first level
 * caches at every call, and communicate up to twice as fast as the program did. So intervals of
 * computation walk through code and memory instead. */
#ifndef REPLAY_REALTIME_WORKING_SET_H
#define REPLAY_REALTIME_WORKING_SET_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

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

#endif
