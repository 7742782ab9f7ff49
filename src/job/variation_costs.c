#include "job/variation_costs.h"

#include "base/sort.h"
#include "job/predict.h"
#include "trace/environment.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void variation_part_name(const struct trace *trace, uint32_t rank, bool is_host, char *text,
                         size_t size)
{
    static const char suffix[] = "as fast as the others on average";
    if (is_host)
        snprintf(text, size, "host %s %s", environment_host(trace, rank), suffix);
    else
        snprintf(text, size, "rank %u %s", rank, suffix);
}

/* The trace, and the engine that predicts it. */
struct varied_trace {
    const struct engine *engine;
    const struct engine_setup *setup;
    const struct trace *trace;
    double time_s;
};

static enum status find_cost(const struct varied_trace *varied, const char *sections,
                             double *cost_s, struct error *error)
{
    bool can;
    double without_s = 0;
    enum status status = engine_predict_sections(varied->engine, varied->setup, varied->trace,
                                                 sections, &can, &without_s, error);
    *cost_s = can ? varied->time_s - without_s : NAN;
    return status;
}

ORDER_BY(order_by_cost, struct part_cost, DESCENDING(cost_s) ?: ASCENDING(rank))

static enum status find_costs_of_parts(const struct varied_trace *varied,
                                       const struct slow_part *parts, size_t count, bool are_hosts,
                                       struct part_cost *costs, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char *sections = slow_part_sections(varied->trace, &parts[i], are_hosts);
        costs[i].rank = parts[i].rank;
        status = sections ? find_cost(varied, sections, &costs[i].cost_s, error)
                          : error_memory(error, "the hosts");
        if (isnan(costs[i].cost_s))
            costs[i].cost_s = 0;
        free(sections);
    }
    qsort(costs, count, sizeof *costs, order_by_cost);
    return status;
}

/* Everything except single ranks and hosts. */
static enum status find_costs_of_all(const struct varied_trace *varied,
                                     struct variation_costs *costs, struct error *error)
{
    *costs = (struct variation_costs){.time_s = varied->time_s};
    return find_cost(varied, "[variation]\nremove = ranks\n", &costs->ranks_s, error)
               ?: find_cost(varied, "[variation]\nremove = iterations\n", &costs->iterations_s,
                            error)
               ?: find_cost(varied,
                            "[variation a]\nremove = ranks\n[variation b]\nremove = iterations\n",
                            &costs->both_s, error)
               ?: find_cost(varied, "[variation]\nremove = noise\n", &costs->noise_s, error);
}

enum status variation_costs_find(const struct engine *engine, const struct engine_setup *setup,
                                 const struct trace *trace, double time_s,
                                 struct variation_costs *costs, struct error *error)
{
    assert(engine->computes && setup->original);
    const struct varied_trace varied = {engine, setup, trace, time_s};
    struct slow_ranks parts = {.rank_count = 0};
    enum status status =
        find_costs_of_all(&varied, costs, error) ?: slow_ranks_find(trace, &parts, error);
    costs->rank_count = parts.rank_count;
    costs->host_count = parts.host_count;
    return status
               ?: find_costs_of_parts(&varied, parts.ranks, parts.rank_count, false, costs->ranks,
                                      error)
               ?: find_costs_of_parts(&varied, parts.hosts, parts.host_count, true, costs->hosts,
                                      error);
}
