#include "programs/pop_variation.h"

#include "job/variation_costs.h"
#include "programs/asked_trace.h"
#include "trace/environment.h"
#include "trace/threads.h"

#include <math.h>
#include <stdio.h>

/* Adds ranks or hosts to the slow parts. False when out of memory. */
static bool add_parts(const struct trace *trace, const struct part_cost *costs, size_t count,
                      bool are_hosts, double time_s, struct arena *arena,
                      struct pop_variation *variation)
{
    for (size_t i = 0; i < count; i++) {
        char name[300];
        if (are_hosts)
            snprintf(name, sizeof name, "host %s", environment_host(trace, costs[i].rank));
        else
            rank_name(trace->definitions, costs[i].rank, name);
        const char *kept = arena_strdup(arena, name);
        if (!kept)
            return false;
        variation->slow[variation->slow_count++] =
            (struct pop_slow_part){kept, 1 - costs[i].cost_s / time_s};
    }
    return true;
}

/* False when out of memory. */
static bool fill_factors(const struct trace *trace, const struct variation_costs *costs,
                         double time_s, struct arena *arena, struct pop_variation *variation)
{
    *variation = (struct pop_variation){
        .ranks = 1 - costs->ranks_s / time_s,
        .iterations = 1 - costs->iterations_s / time_s,
        .noise = 1 - costs->noise_s / time_s,
        .slow = arena_alloc_array(arena, 2 * SLOW_RANKS_MOST, sizeof *variation->slow)};
    return variation->slow &&
           add_parts(trace, costs->hosts, costs->host_count, true, time_s, arena, variation) &&
           add_parts(trace, costs->ranks, costs->rank_count, false, time_s, arena, variation);
}

enum status pop_variation_find(const struct trace *trace, double time_s, struct arena *arena,
                               struct pop_variation *variation, struct error *error)
{
    struct asked_trace asked = {.session = NULL};
    asked.setup.options = &asked.options;
    *variation = (struct pop_variation){NAN, NAN, NAN, NULL, 0};
    enum status status =
        modelled_trace_open(&asked.modelled, trace, engine_find("model"), &asked.setup, error);
    if (status != STATUS_OK)
        return status == STATUS_INPUT ? STATUS_OK : status;
    struct variation_costs costs;
    struct model_options options;
    const struct engine_setup setup = question_setup(&asked, &options);
    status = variation_costs_find(asked.modelled.engine, &setup, trace, question_time_s(&asked),
                                  &costs, error);
    if (status == STATUS_OK) {
        const bool room =
            trace->processes->rank != 0 || fill_factors(trace, &costs, time_s, arena, variation);
        status = processes_agree_memory(trace->processes, room, "the factors", error);
    }
    modelled_trace_close(&asked.modelled);
    return status;
}
