/* Computation that streams through memory ([replay] fill = stream): for programs whose speed is
 * that of the memory, so that their messages have to share it as they did in the program. How long
 * a computation takes stays as recorded. */
#ifndef REPLAY_REALTIME_STREAM_FILL_H
#define REPLAY_REALTIME_STREAM_FILL_H

#include "base/clock.h"
#include "base/mpi/processes.h"

#include <string.h>

enum { STREAM_STEP = 2048 }; /* bytes copied between two looks at the clock */

struct stream_fill {
    char *memory;
    size_t half;           /* bytes of each of its halves: one is copied to the other */
    size_t at;             /* how far that has got */
    double ticks_per_step; /* 0: as fast as memory goes */
    double ahead;     /* ticks' worth of traffic that has been made above the rate; < 0: owed */
    double most_owed; /* more than this is forgotten: memory cannot do it */
};

/* Collective. Provides memory beyond a cache of `cache_bytes` and finds out how fast all processes
 * stream together; warns if that is less than `rate`, in bytes a second of each process, read and
 * written ones counted (0: as fast as memory goes). Fails with STATUS_ENVIRONMENT. */
enum status stream_fill_open(struct stream_fill *fill, const struct processes *processes,
                             const struct clock *clock, size_t cache_bytes, uint64_t rate,
                             struct error *error);
void stream_fill_close(struct stream_fill *fill);

/* `ticks` of computation have passed: makes some traffic if the rate asks for it. */
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
