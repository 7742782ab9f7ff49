/* The last point at which a rank was synchronised with each other rank, while its ends are passed
 * one by one. Two ranks are synchronised by a pair (sync_points.h) in which one of them waits for
 * the other; by an all-to-all collective in which each of them waits or is waited for; by a rooted
 * one in which one waits for the other. */
#ifndef PATTERNS_LAST_POINTS_H
#define PATTERNS_LAST_POINTS_H

#include "patterns/sync_points.h"

struct last_point { /* of two ranks; ends, INDEX_NONE: none yet */
    uint32_t mine, theirs;
};

struct last_points;

/* NULL when memory is out. `points` must outlive it. */
struct last_points *last_points_open(const struct sync_points *points);
void last_points_close(struct last_points *last); /* NULL is allowed */

/* Goes to the first end of a rank, not lower than the previous rank. */
void last_points_begin(struct last_points *last, uint32_t rank);

/* Passes the rank's next end, which must be the one at `place` of points->order. False when memory
 * is out. */
bool last_points_pass(struct last_points *last, uint32_t place);

/* The last passed point at which the rank was synchronised with the rank of the end `other`, before
 * the call of `other`. */
struct last_point last_points_find(const struct last_points *last, uint32_t other);

#endif
