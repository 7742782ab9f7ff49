#include "patterns/causes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error)
{
    memset(causes, 0, sizeof *causes);
    causes->trace = trace;
    enum status status = sync_collect_pairs(trace, ranks, collector, error);
    memory_give_back(); /* what only the pairs needed of the ranks */
    if (status == STATUS_OK)
        status = sync_points_make(trace, ranks, collector, &causes->points, error);
    if (status != STATUS_OK)
        return status;
    causes->intervals = intervals_find(&causes->points);
    free(causes->points.order);
    causes->points.order = NULL;
    status = causes->intervals ? STATUS_OK : error_memory(error, "causes of waits");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status =
            delays_find(trace, ranks, &causes->points, causes->intervals, &causes->delays, error);
    return status;
}

void causes_clear(struct causes *causes)
{
    sync_points_clear(&causes->points);
    free(causes->intervals);
    delays_clear(&causes->delays);
    memset(causes, 0, sizeof *causes);
}
