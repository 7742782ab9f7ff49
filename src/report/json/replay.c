/* The report of a replay as JSON (base/json.h). */
#include "report/json/json.h"

#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { FORMAT_VERSION = 1 };

static json_t *trace_object(const struct replay_report *report)
{
    json_t *recordings = json_array();
    for (size_t i = 0; i < report->recording_count; i++)
        json_append(&recordings,
                    JSON_MEMBERS({"path", json_text(report->recordings[i].path)},
                                 {"time_s", json_number(report->recordings[i].time_s)}));
    return JSON_MEMBERS({"time_s", json_number(report->trace_time_s)},
                        {"writer", json_text(report->trace_writer)},
                        {"events", json_count(report->event_count)}, {"recordings", recordings},
                        {"shown", json_count(report->shown)});
}

static json_t *baseline_object(const struct replay_report *report)
{
    return JSON_MEMBERS(
        {"kind", json_text(report->identity || report->baseline_is_trace ? "trace" : "replay")},
        {"time_s", report->baseline.median > 0 ? json_interval(&report->baseline) : json_null()});
}

static json_t *identity_object(const struct replay_report *report)
{
    if (!report->has_accuracy)
        return json_null();
    return JSON_MEMBERS({"total_error", json_number(report->total_error)},
                        {"aggregate_error", json_number(report->aggregate_error)});
}

static json_t *outcomes_object(const struct replay_report *report)
{
    const struct report_outcomes *of = &report->outcomes;
    if (of->programs == 0)
        return json_null();
    return JSON_MEMBERS({"changes", json_text(of->changes)},
                        {"programs", json_count((uint64_t)of->programs)},
                        {"within", json_number(of->within)});
}

static json_t *variations_array(const struct replay_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->variation_count; i++) {
        const struct report_variation *row = &report->variations[i];
        json_append(&list, JSON_MEMBERS({"what", json_text(row->what)},
                                        {"before", json_number(row->before)},
                                        {"after", json_number(row->after)}));
    }
    return list;
}

static json_t *saving_object(const struct replay_report *report)
{
    const struct estimate *saving = &report->saving;
    bool claimed = saving->level > 0;
    if (report->identity)
        return json_null();
    return JSON_MEMBERS(
        {"fraction", json_number(saving->median)}, {"low", json_number_if(claimed, saving->low)},
        {"high", json_number_if(claimed, saving->high)}, {"level", json_number(saving->level)},
        {"significant", json_boolean(report->significant)},
        {"time_s", json_interval(&report->saving_s)},
        {"typical", json_interval(&report->saving_typical)},
        {"for_real", json_interval(&report->saving_for_real)},
        {"outcomes", outcomes_object(report)});
}

/* The measured figures, before the correction. */
static json_t *measured_object(const struct replay_report *report)
{
    const struct estimate *saving = &report->measured_saving;
    if (!report->corrected)
        return json_null();
    return JSON_MEMBERS(
        {"time_s", json_interval(&report->measured)},
        {"saving", report->identity ? json_null() : json_interval(saving)},
        {"total_error", json_number_if(report->has_accuracy, report->measured_total_error)},
        {"aggregate_error",
         json_number_if(report->has_accuracy, report->measured_aggregate_error)});
}

/* values[index]; null if there are no values. */
static json_t *element(const double *values, int index)
{
    return json_number_if(values, values ? values[index] : 0);
}

static json_t *replay_run_object(const struct report_recording *recording, size_t index, int run)
{
    return JSON_MEMBERS(
        {"recording", json_count(index)}, {"run", json_integer(run)},
        {"baseline_s", element(recording->unchanged.times_s, run)},
        {"total_error", element(recording->unchanged.total_errors, run)},
        {"aggregate_error", element(recording->unchanged.aggregate_errors, run)},
        {"predicted_s", element(recording->changed.times_s, run)},
        {"measured_baseline_s", element(recording->measured_unchanged.times_s, run)},
        {"measured_predicted_s", element(recording->measured_changed.times_s, run)});
}

static json_t *replay_runs_array(const struct replay_report *report)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < report->recording_count; i++)
        for (int run = 0; run < report->repeat; run++)
            json_append(&runs, replay_run_object(&report->recordings[i], i, run));
    return runs;
}

static json_t *efficiency_object(const struct pop *pop, const struct pop_factors *by_times)
{
    const struct pop_factors *efficiency =
        pop && pop->row_count > 0 ? &pop->rows[0].factors : by_times;
    return JSON_MEMBERS({"parallel", json_number(efficiency->parallel)},
                        {"load_balance", json_number(efficiency->load_balance)},
                        {"communication", json_number(efficiency->communication)},
                        {"computation_mean_s", json_number(efficiency->computation_mean_s)},
                        {"computation_max_s", json_number(efficiency->computation_max_s)});
}

/* The names of all call paths, which all metrics share. */
static json_t *path_names(const struct severity *severity)
{
    json_t *names = json_array();
    for (uint32_t path = 0; path < severity->path_count; path++) {
        char *name = severity_path_text(severity, path);
        json_append(&names, name ? json_text(name) : NULL);
        free(name);
    }
    return names;
}

static json_t *paths_array(const struct comparison *comparison, enum metric metric, json_t *names)
{
    json_t *paths = json_array();
    for (uint32_t path = 0; path < comparison->before->path_count; path++) {
        struct metric_change change = comparison_change(comparison, metric, path);
        if (change.before == 0 && change.after == 0)
            continue;
        json_append(&paths, JSON_MEMBERS({"path", json_incref(json_array_get(names, path))},
                                         {"before", json_number(change.before)},
                                         {"after", json_number(change.after)},
                                         {"difference", json_number(change_saved(&change))}));
    }
    return paths;
}

static json_t *metric_object(const struct comparison *comparison, enum metric metric, json_t *names)
{
    const struct metric_info *infos = comparison->before->metrics, *info = &infos[metric];
    const struct metric_change total = comparison_total(comparison, metric);
    return JSON_MEMBERS(
        {"name", json_text(info->name)}, {"unit", json_text(metric_info_unit(info))},
        {"parent", json_text(info->parent == METRIC_NONE ? NULL : infos[info->parent].name)},
        {"before", json_number(total.before)}, {"after", json_number(total.after)},
        {"difference", json_number(change_saved(&total))},
        {"call_paths", paths_array(comparison, metric, names)});
}

static json_t *metrics_array(const struct comparison *comparison)
{
    json_t *metrics = json_array(), *names = path_names(comparison->before);
    for (uint32_t i = 0; i < comparison->before->metric_count; i++)
        if (severity_has(comparison->before, (enum metric)i) ||
            severity_has(comparison->after, (enum metric)i))
            json_append(&metrics, metric_object(comparison, (enum metric)i, names));
    json_decref(names);
    return metrics;
}

static json_t *compensation_object(const struct replay_report *report)
{
    if (report->event_cost_s == 0)
        return json_null();
    return JSON_MEMBERS({"event_cost_s", json_number(report->event_cost_s)},
                        {"function_cost_s", json_number(report->function_cost_s)},
                        {"mean_s", json_number(report->compensated_s)});
}

static json_t *wildcards_object(const struct replay_report *report)
{
    if (!report->free_wildcards)
        return json_null();
    return JSON_MEMBERS(
        {"receives", json_count(report->wildcards)},
        {"reordered_before", json_number_if(report->baseline.median > 0, report->reordered_before)},
        {"reordered_after", json_number(report->reordered_after)});
}

static json_t *projection_object(const struct projection *projection)
{
    if (!projection)
        return json_null();
    json_t *cuts = json_array();
    for (size_t i = 0; i < projection->cut_count; i++) {
        const struct projected_cut *cut = &projection->cuts[i];
        json_append(&cuts, JSON_MEMBERS({"path", json_text(cut->path)},
                                        {"iterations", json_count(cut->weight.iterations)},
                                        {"in_cut", json_count(cut->weight.count)},
                                        {"total_s", json_number(cut->weight.total_s)},
                                        {"period_s", json_number(cut->period_s)},
                                        {"average_s", json_number(cut->average_s)},
                                        {"before_s", json_number(cut->before_s)},
                                        {"after_s", json_number(cut->after_s)}));
    }
    return JSON_MEMBERS({"whole_s", json_number(projection->whole_s)},
                        {"unchanged_s", json_number(projection->rest_s)}, {"cuts", cuts});
}

static json_t *pops_object(const struct report_details *details)
{
    return JSON_MEMBERS({"before", json_pop(details ? details->pop_before : NULL)},
                        {"after", json_pop(details ? details->pop_after : NULL)});
}

static json_t *report_object(const struct replay_report *report,
                             const struct report_details *details)
{
    return JSON_MEMBERS(
        {"format", json_integer(FORMAT_VERSION)},
        {"versions", JSON_MEMBERS({"silas", json_text(PACKAGE_VERSION)},
                                  {"mpi", json_text(report->mpi_library)},
                                  {"trace_writer", json_text(report->trace_writer)})},
        {"program", json_text(report->program)}, {"config", json_text(report->config)},
        {"machine", json_text(report->machine)}, {"ranks", json_integer(report->rank_count)},
        {"engine", json_text(report->engine)}, {"repeat", json_integer(report->repeat)},
        {"hypotheses", json_texts(report->hypotheses, report->hypothesis_count)},
        {"trustworthy", json_boolean(report->trustworthy)},
        {"untrustworthy_reason",
         json_text(report->trustworthy ? NULL : report->untrustworthy_reason)},
        {"trace", trace_object(report)}, {"baseline", baseline_object(report)},
        {"identity", identity_object(report)},
        {"predicted", JSON_MEMBERS({"time_s", json_interval(&report->predicted)},
                                   {"trace", json_text(report->predicted_trace)})},
        {"saving", saving_object(report)}, {"projection", projection_object(report->projection)},
        {"measured", measured_object(report)},
        {"efficiency",
         JSON_MEMBERS({"before", efficiency_object(details ? details->pop_before : NULL,
                                                   &report->efficiency_before)},
                      {"after", efficiency_object(details ? details->pop_after : NULL,
                                                  &report->efficiency_after)})},
        {"pop", pops_object(details)}, {"compensation", compensation_object(report)},
        {"wildcards", wildcards_object(report)},
        {"fitted", json_number_if(report->fits, report->fitted)},
        {"fit_errors", report->fits ? JSON_MEMBERS({"without", json_number(report->error_unfitted)},
                                                   {"with", json_number(report->error_fitted)})
                                    : json_null()},
        {"lost_fraction", json_number(report->lost_fraction)},
        {"bandwidth",
         JSON_MEMBERS({"facts", json_texts(report->bandwidth, report->bandwidth_count)},
                      {"shared_time_s", json_number(report->shared_s)},
                      {"unshared_time_s", json_number(report->unshared_s)})},
        {"variation", variations_array(report)},
        {"approximations", json_texts(report->approximations, report->approximation_count)},
        {"warnings", json_texts(report->warnings, report->warning_count)},
        {"runs", replay_runs_array(report)}, {"metrics", metrics_array(&report->comparison)});
}

bool json_replay_write(const struct report *report, FILE *stream)
{
    assert(report->replay);
    return json_write(report_object(report->replay, report->details), stream);
}
