#include "job/report_variation.h"

#include "base/sort.h"
#include "job/predict.h"
#include "job/variation_costs.h"
#include "replay/model/model.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The costs before and after the change. */
struct compared_costs {
    const struct trace *trace; /* unchanged */
    struct variation_costs before, after;
    bool changed; /* `after` was computed */
};

/* Largest first, by the cost before the change if it was computed. */
static int order_by_cost(const void *left, const void *right)
{
    const struct report_variation *a = left, *b = right;
    const double cost_a = isnan(a->before) ? a->after : a->before;
    const double cost_b = isnan(b->before) ? b->after : b->before;
    return ORDER(cost_b, cost_a) ?: strcmp(a->what, b->what);
}

static void add_row(struct replay_report *report, const struct compared_costs *costs,
                    const char *what, double before_s, double after_s)
{
    if (isnan(before_s) && isnan(after_s))
        return;
    report->variations[report->variation_count++] =
        (struct report_variation){what, before_s / costs->before.time_s,
                                  costs->changed ? after_s / costs->after.time_s : NAN};
}

/* The cost of a part that a list contains; NAN if it does not. */
static double cost_of_part(const struct part_cost *list, size_t count, uint32_t rank)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].rank == rank)
            return list[i].cost_s;
    return NAN;
}

/* NULL when out of memory. */
static const char *name_of_part(const struct trace *trace, uint32_t rank, bool is_host,
                                struct arena *arena)
{
    char name[300];
    variation_part_name(trace, rank, is_host, name, sizeof name);
    return arena_strdup(arena, name);
}

/* Adds the ranks or hosts that cost most before the change, or those that do so only after it.
 * False when out of memory. */
static bool add_parts(struct replay_report *report, const struct compared_costs *costs,
                      bool of_after, bool are_hosts, struct arena *arena)
{
    const struct variation_costs *own = of_after ? &costs->after : &costs->before;
    const struct part_cost *list = are_hosts ? own->hosts : own->ranks;
    const struct part_cost *before = are_hosts ? costs->before.hosts : costs->before.ranks;
    const struct part_cost *after = are_hosts ? costs->after.hosts : costs->after.ranks;
    const size_t count = are_hosts ? own->host_count : own->rank_count;
    const size_t before_count = are_hosts ? costs->before.host_count : costs->before.rank_count;
    const size_t after_count = are_hosts ? costs->after.host_count : costs->after.rank_count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t rank = list[i].rank;
        const double before_s = cost_of_part(before, before_count, rank);
        if (of_after && !isnan(before_s))
            continue;
        const char *name = name_of_part(costs->trace, rank, are_hosts, arena);
        if (!name)
            return false;
        add_row(report, costs, name, before_s, cost_of_part(after, after_count, rank));
    }
    return true;
}

static bool fill_rows(struct replay_report *report, const struct compared_costs *costs,
                      struct arena *arena)
{
    enum { KINDS = 3, MOST = KINDS + 4 * SLOW_RANKS_MOST };
    const struct variation_costs *before = &costs->before, *after = &costs->after;
    report->variations = arena_alloc_array(arena, MOST, sizeof *report->variations);
    if (!report->variations)
        return false;
    add_row(report, costs, "differences between ranks", before->ranks_s, after->ranks_s);
    add_row(report, costs, "differences between iterations of a rank", before->iterations_s,
            after->iterations_s);
    add_row(report, costs, "noise", before->noise_s, after->noise_s);
    for (int hosts = 0; hosts < 2; hosts++)
        if (!add_parts(report, costs, false, hosts, arena) ||
            (costs->changed && !add_parts(report, costs, true, hosts, arena)))
            return false;
    qsort(report->variations, report->variation_count, sizeof *report->variations, order_by_cost);
    return true;
}

/* Collective. */
static enum status find_both(const struct replay_session *session,
                             const struct engine_setup *unchanged, struct compared_costs *costs,
                             struct error *error)
{
    struct engine_setup setup = *unchanged;
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    double changed_s = 0;
    enum status status = engine_model.prepare(session->original, &setup, &state, &facts, error);
    free(facts.approximations);
    if (status != STATUS_OK)
        return status;
    setup.original = state;
    status = engine_model.run(state, NULL, NULL, &run, error)
                 ?: variation_costs_find(&engine_model, &setup, session->original, run.time_s,
                                         &costs->before, error);
    if (session->changed && status == STATUS_OK)
        status =
            engine_predict_changed(&engine_model, &setup, session->changed, NULL, &changed_s, error)
                ?: variation_costs_find(&engine_model, &setup, session->changed, changed_s,
                                        &costs->after, error);
    engine_model.release(state);
    return status;
}

enum status report_variation_find(const struct replay_session *session, struct arena *arena,
                                  struct replay_report *report, struct error *error)
{
    const struct replay_config *config = session->config;
    assert(session->original && report->variation_count == 0);
    if (!config->report_variation || config->memory)
        return STATUS_OK;
    struct engine_setup setup = replay_config_setup(config, &engine_model);
    struct model_options options = *(const struct model_options *)setup.options;
    struct compared_costs costs = {.trace = session->original, .changed = session->changed != NULL};
    options.parametric = false;
    setup.options = &options;
    enum status status = find_both(session, &setup, &costs, error);
    if (status == STATUS_INPUT) /* the model cannot compute this trace */
        return STATUS_OK;
    const bool room = status != STATUS_OK || fill_rows(report, &costs, arena);
    return status ?: processes_agree_memory(session->processes, room, "the report", error);
}
