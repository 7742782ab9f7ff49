#include "patterns/causes.h"

#include "patterns/sweep.h"

#include <stdlib.h>
#include <string.h>

enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error)
{
    memset(causes, 0, sizeof *causes);
    causes->trace = trace;
    enum status status = sync_collect_pairs(trace, ranks, collector, error);
    for (uint32_t i = 0; i < trace->owned_count; i++)
        search_rank_clear(&ranks[i]);
    if (status == STATUS_OK)
        status = sync_points_make(trace, ranks, collector, &causes->points, error);
    if (status != STATUS_OK)
        return status;
    causes->intervals = intervals_find(&causes->points);
    status = causes->intervals ? STATUS_OK : error_memory(error, "causes of waits");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status =
            delays_find(trace, ranks, &causes->points, causes->intervals, &causes->delays, error);
    if (status != STATUS_OK)
        return status;
    if (!long_term_find(&causes->points, causes->intervals, &causes->delays, &causes->long_term))
        status = error_memory(error, "causes of waits");
    return processes_agree(trace->processes, status, error);
}

void causes_clear(struct causes *causes)
{
    sync_points_clear(&causes->points);
    free(causes->intervals);
    delays_clear(&causes->delays);
    long_term_clear(&causes->long_term);
    memset(causes, 0, sizeof *causes);
}
