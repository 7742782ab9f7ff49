/* Delay costs (doc/methods.md, section 8; equations in delays.c and causes.c): the waiting time
 * that a delay causes directly (short term) and through other waits (long term), by the kind of the
 * wait, at the delay's call path and rank. */
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

/* The owned rank whose delays caused the wait; NULL if another process owns it. */
static const struct search_rank *culprit_of(const struct search_rank *ranks,
                                            const struct causes *causes, uint32_t wait)
{
    const struct sync_points *points = &causes->points;
    uint32_t culprit = sync_culprit(points, sync_wait_end(points, wait))->rank;
    return search_rank_owned(ranks, causes->trace, culprit);
}

static void add_short_term(const struct search_rank *culprit, const struct causes *causes,
                           uint32_t wait)
{
    const struct sync_points *points = &causes->points;
    enum sync_kind kind = sync_kind_of(points, sync_wait_end(points, wait));
    double scale = wait_scale(causes, wait);
    const unsigned char *list = delays_of(&causes->delays, wait);
    for (struct delay delay; delay_list_next(&list, &delay);)
        findings_add_share(culprit->findings, metrics[kind].short_term, culprit->index, delay.path,
                           (double)delay.ticks * scale);
}

struct taker {
    const struct search_rank *ranks;
    const struct causes *causes;
};

static void add_long_term(void *data, uint32_t wait, const double passed[SYNC_KIND_COUNT])
{
    const struct taker *taker = data;
    const struct causes *causes = taker->causes;
    const struct search_rank *culprit = culprit_of(taker->ranks, causes, wait);
    if (!culprit)
        return;
    double excess = (double)wait_excess(causes, wait);
    const unsigned char *list = delays_of(&causes->delays, wait);
    for (struct delay delay; delay_list_next(&list, &delay);)
        for (enum sync_kind kind = SYNC_NONE + 1; kind < SYNC_KIND_COUNT; kind++)
            if (passed[kind] > 0)
                findings_add_share(culprit->findings, metrics[kind].long_term, culprit->index,
                                   delay.path, (double)delay.ticks * passed[kind] / excess);
}

static enum status search_causes(const struct search_rank *ranks, const struct causes *causes,
                                 struct error *error)
{
    struct taker taker = {ranks, causes};
    for (uint32_t wait = 0; wait < causes->points.wait_count; wait++) {
        const struct search_rank *culprit = culprit_of(ranks, causes, wait);
        if (culprit)
            add_short_term(culprit, causes, wait);
    }
    bool complete = long_term_pass_back(causes, add_long_term, &taker);
    return processes_agree_memory(causes->trace->processes, complete, "causes of waits", error);
}

const struct pattern delay_costs_pattern = {
    .name = "delay costs",
    .description = "what delays cost: the waits they cause directly and by way of others",
    .search_causes = search_causes,
};
