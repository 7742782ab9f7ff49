/* Delay costs (doc/methods.md, section 8; equations in delays.c, causes.c and below): the waiting
 * time that a delay causes directly (short term) and through other waits (long term), by the kind
 * of the wait, at the delay's call path and rank. */
#include "patterns/pass_back.h"

struct delay_costs {
    const struct search_rank *ranks;
    const struct causes *causes;
};

/* Amounts have the costs of idle workers where no kind of waits is. */
enum { IDLE = SYNC_NONE };

/* The workers that idle while the rank that waits does so. */
static double idle_workers(const struct causes *causes, uint32_t caused)
{
    return causes->threads.workers
               ? (double)causes->threads.workers[caused_end(causes, caused)->rank]
               : 0;
}

static void add_short_term(const struct delay_costs *costs, uint32_t caused)
{
    const struct causes *causes = costs->causes;
    const struct search_rank *culprit = caused_culprit(causes, costs->ranks, caused);
    const enum sync_kind kind = caused_kind(causes, caused);
    const double scale = caused_scale(causes, caused);
    const double idle = idle_workers(causes, caused);
    const unsigned char *list = caused_delays(causes, caused);
    for (struct delay delay; delay_list_next(&list, &delay);) {
        const double cost = (double)delay.ticks * scale;
        findings_add_share(culprit->findings, sync_kind_infos[kind].delay, culprit->index,
                           delay.path, cost);
        if (idle > 0)
            findings_add_share(culprit->findings, METRIC_DELAY_OMPIDLE_LONGTERM, culprit->index,
                               delay.path, cost * idle);
    }
}

/* Where the long-term costs of delays belong. */
static enum metric longterm_metric(uint32_t kind)
{
    return kind == IDLE ? METRIC_DELAY_OMPIDLE_LONGTERM : sync_kind_infos[kind].delay_longterm;
}

/* The waits that a wait has caused, by their kinds. */
static void add_long_term(void *data, uint32_t caused, const double *passed)
{
    const struct delay_costs *costs = data;
    const struct search_rank *culprit = caused_culprit(costs->causes, costs->ranks, caused);
    const double excess = (double)caused_excess(costs->causes, caused);
    const unsigned char *list = caused_delays(costs->causes, caused);
    for (struct delay delay; delay_list_next(&list, &delay);)
        for (uint32_t kind = 0; kind < SYNC_KIND_COUNT; kind++)
            if (passed[kind] > 0)
                findings_add_share(culprit->findings, longterm_metric(kind), culprit->index,
                                   delay.path, (double)delay.ticks * passed[kind] / excess);
}

/* What a wait of the culprit's thread for another thread gets: that thread's delays cost it. */
static void pass_to_threads(const struct delay_costs *costs, uint32_t caused, const double *passed,
                            double excess)
{
    const struct causes *causes = costs->causes;
    const struct thread_path *threads = &causes->threads;
    const enum sync_kind own = caused_kind(causes, caused);
    const double scale = caused_scale(causes, caused), idle = idle_workers(causes, caused);
    size_t end;
    for (size_t w = caused_thread_waits(causes, caused, &end); w < end; w++) {
        const struct thread_wait *wait = &threads->waits.items[w];
        if (wait->row < causes->caused.all[caused].passes_from)
            continue;
        for (uint32_t kind = 0; kind < SYNC_KIND_COUNT; kind++) {
            const double amount = (double)wait->ticks * ((passed ? passed[kind] / excess : 0) +
                                                         (kind == IDLE  ? scale * idle
                                                          : kind == own ? scale
                                                                        : 0));
            for (uint32_t d = 0; amount > 0 && d < wait->delay_count; d++) {
                const struct thread_delay *delay = &threads->delays.items[wait->first_delay + d];
                findings_add_share(threads->findings, longterm_metric(kind), delay->place,
                                   delay->path,
                                   (double)delay->ticks * amount / (double)wait->delay);
            }
        }
    }
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
    const double scale = caused_scale(causes, caused), idle = idle_workers(causes, caused);
    for (uint32_t i = 0; i < wait->cause_count && excess > 0; i++) {
        const uint32_t number = wait->first_cause + i;
        const struct sync_end *cause = sync_wait_end(&causes->points, number);
        const double ticks = (double)cause->wait;
        if (cause->event_row < wait->passes_from)
            continue;
        double *to = passed_to(passing, number);
        to[kind] += ticks * scale;
        to[IDLE] += ticks * scale * idle;
        for (uint32_t k = 0; passed && k < SYNC_KIND_COUNT; k++)
            to[k] += ticks * passed[k] / excess;
    }
    if (causes->threads.workers && excess > 0)
        pass_to_threads(costs, caused, passed, excess);
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
