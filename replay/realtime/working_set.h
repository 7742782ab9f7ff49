/* What a program computes on passes through the caches and drives MPI's data out of them; spinning
 * does not. A replay that only spun would find MPI's queues, code and message buffers in the first
 * level cache at every call, and communicate up to twice as fast as the program did. So intervals
 * of computation walk through memory instead. */
#ifndef REPLAY_REALTIME_WORKING_SET_H
#define REPLAY_REALTIME_WORKING_SET_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct working_set {
    char *memory;
    size_t size, at; /* bytes; `size` is a multiple of WORKING_SET_STEP, or 0 */
};

enum { WORKING_SET_STEP = 16 * 64 }; /* bytes between two looks at the clock: 16 cache lines */

/* Allocates and touches as much as drives everything out of a cache of `cache_bytes` that `sharers`
 * processes share. Fails with STATUS_ENVIRONMENT. */
enum status working_set_open(struct working_set *set, size_t cache_bytes, int sharers,
                             struct error *error);
void working_set_close(struct working_set *set);

/* Reads and writes the next WORKING_SET_STEP bytes. */
static inline void working_set_step(struct working_set *set)
{
    volatile uint64_t *word = (volatile uint64_t *)(set->memory + set->at);
    for (int line = 0; line < WORKING_SET_STEP / 64; line++)
        word[8 * line]++;
    set->at += WORKING_SET_STEP;
    if (set->at == set->size)
        set->at = 0;
}

#endif
