/* Loads with unpredictable addresses, and streams through memory. */
#ifndef REPLAY_CALIBRATE_CHASE_H
#define REPLAY_CALIBRATE_CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cycle through all lines of a buffer in random order: each line has the address of the next one.
 */
struct chase {
    void *buffer;
    size_t lines;
    void *at; /* the current line */
};

enum { CHASE_LINE = 64 }; /* bytes from place to place; lines of some caches are longer */

/* Makes the path. False if out of memory; nothing is allocated then. */
bool chase_open(struct chase *chase, size_t bytes);
void chase_close(struct chase *chase); /* all zero is allowed */

/* Makes `loads` further loads (a multiple of 8), each of which waits for the one before. */
void chase_go(struct chase *chase, uint64_t loads);

/* to[i] = 3 from[i] for `count` doubles: the scale of J. McCalpin's STREAM benchmark, which counts
 * 8 bytes read and 8 bytes written for each. */
void stream_scale(double *restrict to, const double *restrict from, size_t count);

#endif
