#include "sweep/objective.h"

#include "base/descriptors.h"
#include "base/names.h"
#include "results/efficiency/measure.h"
#include "patterns/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Those that are not metrics. The efficiencies are larger if the program is better. */
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

/* All metrics, also those that patterns of plug-ins bring. */
static bool list_metrics(name_list *names)
{
    bool room = true;
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        room = room && array_push(names, metric_infos[metric].name);
    for (const struct pattern *const *pattern = pattern_list(); *pattern; pattern++)
        for (const struct metric_info *own = (*pattern)->metrics; own && own->name; own++)
            room = room && array_push(names, own->name);
    return room;
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

static enum status find_among(const char *name, const name_list *names, struct objective *objective,
                              struct error *error)
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
    bool room = true;
    for (size_t i = 0; i < OWN_COUNT; i++)
        room = room && array_push(&names, own_objectives[i].name);
    enum status status = room && list_metrics(&names) ? find_among(name, &names, objective, error)
                                                      : error_memory(error, "the names of metrics");
    free(names.items);
    return status;
}

/* Time of call paths is found by the sweep over the events, for which no pattern is needed. Waits
 * below the metric "time" need no search for their causes, which takes longest. */
static bool is_needed(const struct objective *objective, const struct pattern *pattern)
{
    enum metric metric = metric_from_name(objective->name);
    if (metric == METRIC_TIME)
        return false;
    while (metric != METRIC_NONE && metric != METRIC_TIME)
        metric = metric_infos[metric].parent;
    return metric != METRIC_TIME || !pattern->search_causes;
}

/* The patterns of the list that the objective needs, ending with NULL; the caller frees them. */
static const struct pattern **needed_patterns(const struct objective *objective)
{
    const struct pattern *const *all = pattern_list();
    const struct pattern **some = malloc((descriptors_count(all) + 1) * sizeof *some);
    size_t count = 0;
    if (!some)
        return NULL;
    for (; *all; all++)
        if (is_needed(objective, *all))
            some[count++] = *all;
    some[count] = NULL;
    return some;
}

static double factor_of(const char *name, const struct pop_factors *factors)
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

/* Collective. 0 if nobody computes. Fails with STATUS_INPUT if the model cannot compute T_ideal. */
static enum status measure(const struct objective *objective, const struct trace *trace,
                           double *value, struct error *error)
{
    const bool needs_ideal =
        strcmp(objective->name, "serialisation") == 0 || strcmp(objective->name, "transfer") == 0;
    const struct pop_options options = {.why_not_ideal = needs_ideal ? NULL : "not wanted"};
    const struct pop *pop = NULL;
    struct arena *arena = arena_create();
    enum status status =
        processes_agree_memory(trace->processes, arena != NULL, "the efficiencies", error);
    if (status == STATUS_OK)
        status = pop_measure(trace, &options, arena, &pop, error);
    if (status == STATUS_OK && pop) {
        *value = factor_of(objective->name, &pop->rows[0].factors);
        if (isnan(*value)) /* nobody computes */
            *value = 0;
        if (needs_ideal && pop->why_not_ideal)
            status = error_set(error, STATUS_INPUT, "%s: the objective %s is not known: %s",
                               trace->path ? trace->path : "the trace", objective->name,
                               pop->why_not_ideal);
    }
    arena_destroy(arena);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(trace->processes, value, sizeof *value);
    return status;
}

static double value_in(const struct objective *objective, const struct severity *whole)
{
    enum metric metric = severity_metric_find(whole, objective->name, "");
    return metric == METRIC_NONE ? 0 : severity_total(whole, metric);
}

static enum status search(const struct objective *objective, const struct trace *trace,
                          struct severity **whole, struct error *error)
{
    const struct processes *processes = trace->processes;
    struct severity *local = NULL;
    const struct pattern **patterns = needed_patterns(objective);
    enum status status =
        processes_agree_memory(processes, patterns != NULL, "the objective's patterns", error);
    if (status == STATUS_OK)
        status = pattern_search_for(trace, patterns, NULL, &local, error);
    if (status == STATUS_OK)
        status = severity_gather(&local, processes, whole, error);
    severity_destroy(local);
    free(patterns);
    return status;
}

enum status objective_of(const struct objective *objective, const struct trace *trace,
                         double *value, struct error *error)
{
    struct severity *whole = NULL;
    if (objective->is_time) {
        *value = trace_seconds(trace, (double)(trace->end - trace->begin));
        return STATUS_OK;
    }
    if (objective->larger_is_better)
        return measure(objective, trace, value, error);
    enum status status = search(objective, trace, &whole, error);
    if (status == STATUS_OK) {
        *value = whole ? value_in(objective, whole) : 0;
        processes_broadcast(trace->processes, value, sizeof *value);
    }
    severity_destroy(whole);
    return status;
}
