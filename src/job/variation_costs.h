/* What differences of the computation between ranks, between iterations and by chance cost, by a
 * model: T if repeated computation took the same time ([variation], doc/config.md). */
#ifndef JOB_VARIATION_COSTS_H
#define JOB_VARIATION_COSTS_H

#include "job/slow_ranks.h"
#include "replay/engine.h"

/* A rank or a host. */
struct part_cost {
    uint32_t rank; /* the rank, or the first one of the host */
    double cost_s;
};

/* By how many seconds T would be shorter. NAN where the model cannot compute it, as in a trace that
 * was reduced without assuming this. */
struct variation_costs {
    double time_s;                         /* T */
    double ranks_s, iterations_s, noise_s; /* without the differences between like computation of
                                              ranks; of iterations of a rank; without noise */
    double both_s;                         /* without the first two */
    struct part_cost ranks[SLOW_RANKS_MOST], hosts[SLOW_RANKS_MOST]; /* if the part computed as
                                              the mean of the others; most expensive first */
    size_t rank_count, host_count;
};

/* Writes what changes without a part's slowness into `text`: "rank 3 as fast as the others on
 * average". `rank` is the rank, or the first one of the host. */
void variation_part_name(const struct trace *trace, uint32_t rank, bool is_host, char *text,
                         size_t size);

/* Collective. Of the trace, whose T is `time_s`. `setup->original` is the engine's state for the
 * unchanged trace. The trace must be matched. The same on all processes. Fails only if out of
 * memory. */
enum status variation_costs_find(const struct engine *engine, const struct engine_setup *setup,
                                 const struct trace *trace, double time_s,
                                 struct variation_costs *costs, struct error *error);

#endif
