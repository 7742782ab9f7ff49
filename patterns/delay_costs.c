/* Delay costs (doc/methods.md, section 8; equations in delays.c, causes.c and below): the waiting
 * time that a delay causes directly (short term) and through other waits (long term), by the kind
 * of the wait, at the delay's call path and rank. */
#include "patterns/pass_back.h"

struct delay_costs {
    const struct search_rank *ranks;
    const struct causes *causes;
};

static void add_short_term(const struct delay_costs *costs, uint32_t caused)
{
    const struct causes *causes = costs->causes;
    const struct search_rank *culprit = caused_culprit(causes, costs->ranks, caused);
    const enum sync_kind kind = caused_kind(causes, caused);
    const double scale = caused_scale(causes, caused);
    const unsigned char *list = caused_delays(causes, caused);
    for (struct delay delay; delay_list_next(&list, &delay);)
        findings_add_share(culprit->findings, sync_kind_infos[kind].delay, culprit->index,
                           delay.path, (double)delay.ticks * scale);
}

/* The waits that a wait has caused, by their kinds. */
static void add_long_term(void *data, uint32_t caused, const double *passed)
{
    const struct delay_costs *costs = data;
    const struct search_rank *culprit = caused_culprit(costs->causes, costs->ranks, caused);
    const double excess = (double)caused_excess(costs->causes, caused);
    const unsigned char *list = caused_delays(costs->causes, caused);
    for (struct delay delay; delay_list_next(&list, &delay);)
        for (enum sync_kind kind = SYNC_NONE + 1; kind < SYNC_KIND_COUNT; kind++)
            if (passed[kind] > 0)
                findings_add_share(culprit->findings, sync_kind_infos[kind].delay_longterm,
                                   culprit->index, delay.path,
                                   (double)delay.ticks * passed[kind] / excess);
}

/* With D the sum of a wait's delays and W that of its culprit's own waits in the interval, a delay
 * d costs in the long term d x passed / (D + W). Each of the culprit's waits w gets its share, too:
 * passed(w) grows by w x scale (of the kind of the wait) and by w x passed / (D + W). */
static void pass_costs(void *data, uint32_t caused, const double *passed, struct passing *passing)
{
    const struct delay_costs *costs = data;
    const struct causes *causes = costs->causes;
    const struct caused_wait *wait = &causes->caused.all[caused];
    const enum sync_kind kind = caused_kind(causes, caused);
    const double excess = (double)caused_excess(causes, caused);
    const double scale = caused_scale(causes, caused);
    for (uint32_t i = 0; i < wait->cause_count && excess > 0; i++) {
        const uint32_t number = wait->first_cause + i;
        const struct sync_end *cause = sync_wait_end(&causes->points, number);
        const double ticks = (double)cause->wait;
        if (cause->event_row < wait->passes_from)
            continue;
        double *to = passed_to(passing, number);
        to[kind] += ticks * scale;
        for (uint32_t k = 0; passed && k < SYNC_KIND_COUNT; k++)
            to[k] += ticks * passed[k] / excess;
    }
}

static enum status search_delay_costs(const struct search_rank *ranks, const struct causes *causes,
                                      struct error *error)
{
    _Static_assert((int)SYNC_KIND_COUNT <= (int)PASSED_MOST,
                   "an amount has a number for each kind");
    struct delay_costs costs = {ranks, causes};
    const struct pass_back rules = {.causes = causes,
                                    .data = &costs,
                                    .width = SYNC_KIND_COUNT,
                                    .pass = pass_costs,
                                    .spend = add_long_term,
                                    .spends_late = true};
    for (uint32_t rank = 0; rank < causes->points.rank_count; rank++) {
        findings_prefetch(ranks[rank].findings, rank + 1);
        for (uint32_t i = causes->caused.first[rank]; i < causes->caused.first[rank + 1]; i++) {
            caused_prefetch(causes, i);
            add_short_term(&costs, i);
        }
    }
    return pass_back(&rules, error);
}

const struct pattern delay_costs_pattern = {
    .name = "delay costs",
    .description = "what delays cost: the waits they cause directly and by way of others",
    .search_causes = search_delay_costs,
};
