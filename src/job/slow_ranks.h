/* Ranks and hosts that compute longer than the others. */
#ifndef JOB_SLOW_RANKS_H
#define JOB_SLOW_RANKS_H

#include "trace/trace.h"

enum { SLOW_RANKS_MOST = 5 };

/* A rank, or the ranks of a host. */
struct slow_part {
    uint32_t rank;  /* the rank, or the first one of the host */
    int64_t excess; /* computation of a rank above the mean of all ranks, ticks; > 0 */
};

/* Those with the largest excess, largest first. There are no hosts if all ranks run on one. */
struct slow_ranks {
    struct slow_part ranks[SLOW_RANKS_MOST], hosts[SLOW_RANKS_MOST];
    size_t rank_count, host_count;
};

/* Collective. The same on all processes. Fails only if out of memory. */
enum status slow_ranks_find(const struct trace *trace, struct slow_ranks *parts,
                            struct error *error);

/* The hypothesis that the part computes like the others, as text of a configuration; the caller
 * frees it. NULL if out of memory. */
char *slow_part_sections(const struct trace *trace, const struct slow_part *part, bool is_host);

#endif
