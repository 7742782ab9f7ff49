#include "sweep/objective.h"

#include "base/descriptors.h"
#include "base/names.h"
#include "results/efficiency/measure.h"
#include "patterns/search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Objectives that are not metrics. */
static const struct objective own_objectives[] = {
    {.name = "T", .is_time = true},
    {.name = "efficiency", .larger_is_better = true},
    {.name = "load_balance", .larger_is_better = true},
    {.name = "communication_efficiency", .larger_is_better = true},
    {.name = "serialisation", .larger_is_better = true},
    {.name = "transfer", .larger_is_better = true},
};

enum { OWN_COUNT = sizeof own_objectives / sizeof *own_objectives };

typedef ARRAY(const char *) name_list;

/* Lists all metrics, also those of plug-ins. False when out of memory. */
static bool list_metric_names(name_list *names)
{
    bool listed = true;
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        listed = listed && array_push(names, metric_infos[metric].name);
    for (const struct pattern *const *pattern = pattern_list(); *pattern; pattern++)
        for (const struct metric_info *own = (*pattern)->metrics; own && own->name; own++)
            listed = listed && array_push(names, own->name);
    return listed;
}

static enum status unknown_objective(const char *name, const name_list *names, struct error *error)
{
    char nearest[512];
    names_nearest(name, names->items, names->count, nearest, sizeof nearest);
    return error_set(
        error, STATUS_INPUT,
        "unknown objective \"%s\"%s%s%s; expected T, efficiency, load_balance, "
        "communication_efficiency, serialisation, transfer or a metric of doc/metrics.md",
        name, *nearest ? "; did you mean " : "", nearest, *nearest ? "?" : "");
}

static enum status find_objective_named(const char *name, const name_list *names,
                                        struct objective *objective, struct error *error)
{
    for (size_t i = 0; i < OWN_COUNT; i++)
        if (strcmp(name, own_objectives[i].name) == 0) {
            *objective = own_objectives[i];
            return STATUS_OK;
        }
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(name, names->items[i]) == 0) {
            *objective = (struct objective){.name = name};
            return STATUS_OK;
        }
    return unknown_objective(name, names, error);
}

enum status objective_find(const char *name, struct objective *objective, struct error *error)
{
    name_list names = {0};
    bool listed = true;
    for (size_t i = 0; i < OWN_COUNT; i++)
        listed = listed && array_push(&names, own_objectives[i].name);
    enum status status = listed && list_metric_names(&names)
                             ? find_objective_named(name, &names, objective, error)
                             : error_memory(error, "the names of metrics");
    free(names.items);
    return status;
}

/* The time of call paths needs no pattern. Waits below the metric "time" do not need the patterns
 * that search for causes, which take longest. */
static bool needs_pattern(const struct objective *objective, const struct pattern *pattern)
{
    enum metric metric = metric_from_name(objective->name);
    if (metric == METRIC_TIME)
        return false;
    while (metric != METRIC_NONE && metric != METRIC_TIME)
        metric = metric_infos[metric].parent;
    return metric != METRIC_TIME || !pattern->search_causes;
}

/* The patterns that the objective needs, ending with NULL; the caller frees the list. NULL when out
 * of memory. */
static const struct pattern **needed_patterns(const struct objective *objective)
{
    const struct pattern *const *all = pattern_list();
    const struct pattern **some = malloc((descriptors_count(all) + 1) * sizeof *some);
    size_t count = 0;
    if (!some)
        return NULL;
    for (; *all; all++)
        if (needs_pattern(objective, *all))
            some[count++] = *all;
    some[count] = NULL;
    return some;
}

static double efficiency_called(const char *name, const struct pop_factors *factors)
{
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"load_balance", factors->load_balance},
        {"communication_efficiency", factors->communication},
        {"serialisation", factors->serialisation},
        {"transfer", factors->transfer},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].value;
    return factors->parallel;
}

/* Collective. The efficiency is 0 if no rank computes. Fails with STATUS_INPUT if the model cannot
 * compute T on an ideal network. */
static enum status measure_efficiency(const struct objective *objective, const struct trace *trace,
                                      double *value, struct error *error)
{
    const bool needs_ideal =
        strcmp(objective->name, "serialisation") == 0 || strcmp(objective->name, "transfer") == 0;
    const struct pop_options options = {.why_not_ideal = needs_ideal ? NULL : "not wanted"};
    const struct pop *pop = NULL;
    struct arena *arena = arena_create();
    enum status status =
        processes_agree_memory(trace->processes, arena != NULL, "the efficiencies", error)
            ?: pop_measure(trace, &options, arena, &pop, error);
    if (status == STATUS_OK && pop) {
        *value = efficiency_called(objective->name, &pop->rows[0].factors);
        if (isnan(*value)) /* no rank computes */
            *value = 0;
        if (needs_ideal && pop->why_not_ideal)
            status = error_set(error, STATUS_INPUT, "%s: the objective %s cannot be computed: %s",
                               trace->path ? trace->path : "the trace", objective->name,
                               pop->why_not_ideal);
    }
    arena_destroy(arena);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(trace->processes, value, sizeof *value);
    return status;
}

static double metric_total(const struct objective *objective, const struct severity *whole)
{
    enum metric metric = severity_metric_find(whole, objective->name, "");
    return metric == METRIC_NONE ? 0 : severity_total(whole, metric);
}

static enum status search_metric(const struct objective *objective, const struct trace *trace,
                                 struct severity **whole, struct error *error)
{
    const struct processes *processes = trace->processes;
    struct severity *local = NULL;
    const struct pattern **patterns = needed_patterns(objective);
    enum status status =
        processes_agree_memory(processes, patterns != NULL, "the objective's patterns", error)
            ?: pattern_search_for(trace, patterns, NULL, &local, error)
            ?: severity_gather(&local, processes, whole, error);
    severity_destroy(local);
    free(patterns);
    return status;
}

enum status objective_of(const struct objective *objective, const struct trace *trace,
                         double *value, struct error *error)
{
    assert(objective->name && trace);
    struct severity *whole = NULL;
    if (objective->is_time) {
        *value = trace_seconds(trace, (double)(trace->end - trace->begin));
        return STATUS_OK;
    }
    if (objective->larger_is_better)
        return measure_efficiency(objective, trace, value, error);
    enum status status = search_metric(objective, trace, &whole, error);
    if (status == STATUS_OK) {
        *value = whole ? metric_total(objective, whole) : 0;
        processes_broadcast(trace->processes, value, sizeof *value);
    }
    severity_destroy(whole);
    return status;
}
