/* How much of the bandwidth of memory classes of computation need, estimated from their pieces in a
 * recording (doc/methods.md, section 14).
 *
 * Visits of a region on one rank by one call path are expected to do equal work. In the recording
 * their durations differ, because other ranks compute at the same time as some of them. Each share
 * implies how much work each visit did. The estimate is the share for which the works of comparable
 * visits differ least:
 *
 *   sum over groups and visits of m loss(work / m - 1)  /  sum over groups and visits of m
 *
 * is smallest, where m is the median work of the group. The loss grows with the square of small
 * deviations, and in proportion to large ones, so that a few disturbed visits do not decide. The
 * interval is that of a jackknife, which leaves out one of 8 parts of the visits at a time. */
#ifndef REPLAY_MEMORY_SHARE_STUDY_H
#define REPLAY_MEMORY_SHARE_STUDY_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of computation, and the visit that it belongs to. Times in ticks. */
struct observed_piece {
    int64_t begin, length;
    uint32_t rank, class;
    uint32_t visit; /* number of the class's visit on the rank, from 1 on */
    uint32_t path;  /* of the visit */
    double threads; /* of the rank that need the share at a time */
};

/* The pieces of all classes, rank after rank, each rank's in order of time. */
struct observed_pieces {
    const struct observed_piece *pieces;
    size_t count;
    const uint32_t *domains; /* [rank] */
    uint32_t rank_count, domain_count;
};

struct share_estimate {
    double share;             /* 0 to 1 */
    double low, high;         /* where the share lies with 95 % confidence */
    uint64_t visits;          /* that it was estimated from */
    double apart, apart_left; /* mean deviation of comparable visits' durations from their median,
                                 relative to it: as recorded, and without the effect of sharing */
};

/* Why a recording does not show a share. */
enum share_obstacle {
    SHARE_FOUND,
    SHARE_FEW_VISITS,  /* `value` visits have comparable ones */
    SHARE_NO_CONTRAST, /* with the largest share, slowdowns of comparable visits would differ by
                          `value`, relatively */
    SHARE_UNCERTAIN,   /* the interval has the width `value` */
};

struct share_verdict {
    enum share_obstacle obstacle;
    uint32_t class; /* with this obstacle */
    double value;
};

/* Estimates the shares of the `wanted` classes [class_count]. `shares` [class_count] has those of
 * the others, and gets the estimated ones. Sets estimates[class] of the wanted classes. Stops at
 * the first class with an obstacle. Fails only if out of memory. */
enum status shares_estimate(const struct observed_pieces *observed, size_t class_count,
                            const bool *wanted, double *shares, struct share_estimate *estimates,
                            struct share_verdict *verdict, struct error *error);

#endif
