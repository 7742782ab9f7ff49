/* Delay costs (METHODS 8; equations in delays.c and long_term.c): at the call path and rank of the
 * delay, the waiting time it causes directly (short term) and by way of other waits (long term), by
 * the kind of the wait that is caused. */
#include "patterns/causes.h"

static const struct {
    enum metric short_term, long_term;
} metrics[SYNC_KIND_COUNT] = {
    [SYNC_LATE_SENDER] = {METRIC_DELAY_LATESENDER, METRIC_DELAY_LATESENDER_LONGTERM},
    [SYNC_LATE_RECEIVER] = {METRIC_DELAY_LATERECEIVER, METRIC_DELAY_LATERECEIVER_LONGTERM},
    [SYNC_BARRIER] = {METRIC_DELAY_BARRIER, METRIC_DELAY_BARRIER_LONGTERM},
    [SYNC_N_TO_N] = {METRIC_DELAY_N2N, METRIC_DELAY_N2N_LONGTERM},
    [SYNC_ONE_TO_N] = {METRIC_DELAY_12N, METRIC_DELAY_12N_LONGTERM},
    [SYNC_N_TO_ONE] = {METRIC_DELAY_N21, METRIC_DELAY_N21_LONGTERM},
    [SYNC_PREFIX] = {METRIC_DELAY_SCAN, METRIC_DELAY_SCAN_LONGTERM},
};

static void add_wait(const struct search_rank *culprit, const struct causes *causes, uint32_t wait)
{
    const struct sync_points *points = &causes->points;
    const struct long_term *all = &causes->long_term;
    const double *passed = &all->passed[(size_t)wait * all->kind_count];
    enum sync_kind kind = sync_kind_of(points, &points->ends[points->waits[wait]]);
    int64_t excess = interval_excess(points, &causes->intervals[wait], causes->delays.total[wait]);
    const unsigned char *list = delays_of(&causes->delays, wait);
    for (struct delay delay; delay_list_next(&list, &delay);) {
        double ticks = (double)delay.ticks;
        findings_add_share(culprit->findings, metrics[kind].short_term, culprit->index, delay.path,
                           ticks * all->costs[wait].scale);
        for (uint32_t i = 0; i < all->kind_count; i++)
            if (passed[i] > 0)
                findings_add_share(culprit->findings, metrics[all->kinds[i]].long_term,
                                   culprit->index, delay.path, ticks * passed[i] / (double)excess);
    }
}

static enum status search_causes(const struct search_rank *ranks, const struct causes *causes,
                                 struct error *error)
{
    const struct sync_points *points = &causes->points;
    (void)error;
    for (uint32_t wait = 0; wait < points->wait_count; wait++) {
        uint32_t culprit = sync_culprit(points, &points->ends[points->waits[wait]])->rank;
        uint32_t local = culprit - causes->trace->first_rank;
        if (local < causes->trace->owned_count)
            add_wait(&ranks[local], causes, wait);
    }
    return STATUS_OK;
}

const struct pattern delay_costs_pattern = {
    .name = "delay costs",
    .description = "what delays cost: the waits they cause directly and by way of others",
    .search_causes = search_causes,
};
