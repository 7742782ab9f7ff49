/* Computation that streams through memory ([replay] fill = stream): for programs limited by memory
 * bandwidth, so that their messages share it as they did in the program. The length of each
 * computation stays as recorded. */
#ifndef REPLAY_REALTIME_STREAM_FILL_H
#define REPLAY_REALTIME_STREAM_FILL_H

#include "base/clock.h"
#include "base/mpi/processes.h"

#include <string.h>

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
