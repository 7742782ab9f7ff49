#include "job/traced_cost.h"

#include "transform/compensate.h"

#include <math.h>

/* Collective. The tracer's work in all events of all ranks, in ticks. */
static int64_t ticks_of_tracing(const struct trace *trace, const struct event_costs *costs)
{
    double sum = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t row = 1; row < trace->streams[s].count; row++)
            sum += event_cost_before(trace, &trace->streams[s], row, costs);
    int64_t ticks = llround(sum);
    processes_sum(trace->processes, &ticks, 1);
    return ticks;
}

double traced_cost_removed(const struct trace *original, const struct trace *changed)
{
    const double whole = (double)(original->end - original->begin) * original->rank_count;
    struct event_costs costs;
    struct error unread;
    bool stated = false;
    if (whole <= 0 || event_costs_read(original, &costs, &stated, &unread) != STATUS_OK || !stated)
        return 0;
    const int64_t before = ticks_of_tracing(original, &costs);
    return fmax(0, (double)(before - ticks_of_tracing(changed, &costs)) / whole);
}
