/* The costs of starting and ending a team of threads, as silas-trace has measured them
 * (SILAS::TEAM_COSTS). */
#ifndef THREADS_TEAM_COSTS_H
#define THREADS_TEAM_COSTS_H

#include "trace/definitions.h"

/* All times are ticks, and those of a team of one thread are zero. */
struct team_cost {
    int64_t wake;  /* from the fork until the master begins its part */
    int64_t start; /* from the fork until the last worker begins its part */
    int64_t join;  /* from the last end of a part until the master continues */
};

enum { MOST_TEAM_GAPS = 4, MOST_TEAM_COSTS = 16 };

struct team_costs {
    uint32_t gap_count;
    int64_t gaps[MOST_TEAM_GAPS]; /* times without a team before the measured ones, ascending */
    uint32_t count;               /* 0: unknown */
    uint32_t threads[MOST_TEAM_COSTS]; /* ascending */
    struct team_cost costs[MOST_TEAM_COSTS][MOST_TEAM_GAPS];
};

/* The costs that the archive states; a text that is not understood is taken as far as it is. */
struct team_costs team_costs_read(const struct definitions *definitions);

/* The cost of a team of `threads` that begins `gap` after the end of the one before. Linear between
 * the measured numbers of threads, and beyond the last one in proportion to the number of workers;
 * linear between the measured gaps, and beyond them as at the nearest one. Zero if nothing is
 * known.
 */
struct team_cost team_cost_of(const struct team_costs *costs, uint32_t threads, int64_t gap);

#endif
