/* Values are built from the innermost outwards. If memory is out a value is NULL, which makes the
 * array or object around it NULL, and so the whole report. */
#include "report/json/parts.h"

#include "config.h"

#include <math.h>
#include <stdlib.h>

enum { FORMAT_VERSION = 1, DIGITS = 12 };

static json_t *number_if(bool known, double value)
{
    return known ? json_number(value) : json_null();
}

static json_t *interval(const struct estimate *interval)
{
    const bool claimed = interval->level > 0;
    return json_pack("{s:o, s:o, s:o, s:o}", "median", json_number(interval->median), "low",
                     number_if(claimed, interval->low), "high", number_if(claimed, interval->high),
                     "level", json_number(interval->level));
}

static json_t *trace_object(const struct replay_report *report)
{
    json_t *recordings = json_array();
    for (size_t i = 0; i < report->recording_count; i++)
        json_append(&recordings,
                    json_pack("{s:o, s:o}", "path", json_text(report->recordings[i].path), "time_s",
                              json_number(report->recordings[i].time_s)));
    return json_pack("{s:o, s:o, s:I, s:o, s:I}", "time_s", json_number(report->trace_time_s),
                     "writer", json_text(report->trace_writer), "events",
                     (json_int_t)report->event_count, "recordings", recordings, "shown",
                     (json_int_t)report->shown);
}

static json_t *baseline_object(const struct replay_report *report)
{
    return json_pack("{s:s, s:o}", "kind",
                     report->identity || report->baseline_is_trace ? "trace" : "replay", "time_s",
                     report->baseline.median > 0 ? interval(&report->baseline) : json_null());
}

static json_t *identity_object(const struct replay_report *report)
{
    if (!report->has_accuracy)
        return json_null();
    return json_pack("{s:o, s:o}", "total_error", json_number(report->total_error),
                     "aggregate_error", json_number(report->aggregate_error));
}

static json_t *saving_object(const struct replay_report *report)
{
    const struct estimate *saving = &report->saving;
    bool claimed = saving->level > 0;
    if (report->identity)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "fraction", json_number(saving->median),
                     "low", number_if(claimed, saving->low), "high",
                     number_if(claimed, saving->high), "level", json_number(saving->level),
                     "significant", report->significant, "time_s", interval(&report->saving_s),
                     "for_real", interval(&report->saving_for_real));
}

/* The measured figures, before the correction. */
static json_t *measured_object(const struct replay_report *report)
{
    const struct estimate *saving = &report->measured_saving;
    if (!report->corrected)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "time_s", interval(&report->measured), "saving",
                     report->identity ? json_null() : interval(saving), "total_error",
                     number_if(report->has_accuracy, report->measured_total_error),
                     "aggregate_error",
                     number_if(report->has_accuracy, report->measured_aggregate_error));
}

/* values[index]; null if there are no values. */
static json_t *element(const double *values, int index)
{
    return number_if(values, values ? values[index] : 0);
}

static json_t *run_object(const struct report_recording *recording, size_t index, int run)
{
    return json_pack("{s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "recording", (json_int_t)index,
                     "run", run, "baseline_s", element(recording->unchanged.times_s, run),
                     "total_error", element(recording->unchanged.total_errors, run),
                     "aggregate_error", element(recording->unchanged.aggregate_errors, run),
                     "predicted_s", element(recording->changed.times_s, run), "measured_baseline_s",
                     element(recording->measured_unchanged.times_s, run), "measured_predicted_s",
                     element(recording->measured_changed.times_s, run));
}

static json_t *runs_array(const struct replay_report *report)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < report->recording_count; i++)
        for (int run = 0; run < report->repeat; run++)
            json_append(&runs, run_object(&report->recordings[i], i, run));
    return runs;
}

static json_t *efficiency_object(const struct pop *pop, const struct pop_factors *by_times)
{
    const struct pop_factors *efficiency =
        pop && pop->row_count > 0 ? &pop->rows[0].factors : by_times;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "parallel", json_number(efficiency->parallel),
                     "load_balance", json_number(efficiency->load_balance), "communication",
                     json_number(efficiency->communication), "computation_mean_s",
                     json_number(efficiency->computation_mean_s), "computation_max_s",
                     json_number(efficiency->computation_max_s));
}

static json_t *path_name(const struct comparison *comparison, uint32_t path)
{
    char *name = severity_path_text(comparison->before, path);
    json_t *string = name ? json_text(name) : NULL;
    free(name);
    return string;
}

static json_t *paths_array(const struct comparison *comparison, enum metric metric)
{
    json_t *paths = json_array();
    for (uint32_t path = 0; path < comparison->before->path_count; path++) {
        struct change change = comparison_change(comparison, metric, path);
        if (change.before == 0 && change.after == 0)
            continue;
        json_append(&paths,
                    json_pack("{s:o, s:o, s:o, s:o}", "path", path_name(comparison, path), "before",
                              json_number(change.before), "after", json_number(change.after),
                              "difference", json_number(change_saved(&change))));
    }
    return paths;
}

static json_t *metric_object(const struct comparison *comparison, enum metric metric)
{
    const struct metric_info *infos = comparison->before->metrics, *info = &infos[metric];
    const struct change total = comparison_total(comparison, metric);
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", info->name, "unit", metric_info_unit(info),
        "parent", json_text(info->parent == METRIC_NONE ? NULL : infos[info->parent].name),
        "before", json_number(total.before), "after", json_number(total.after), "difference",
        json_number(change_saved(&total)), "call_paths", paths_array(comparison, metric));
}

static json_t *metrics_array(const struct comparison *comparison)
{
    json_t *metrics = json_array();
    for (uint32_t i = 0; i < comparison->before->metric_count; i++)
        if (severity_has(comparison->before, (enum metric)i) ||
            severity_has(comparison->after, (enum metric)i))
            json_append(&metrics, metric_object(comparison, (enum metric)i));
    return metrics;
}

static json_t *compensation_object(const struct replay_report *report)
{
    if (report->event_cost_s == 0)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "event_cost_s", json_number(report->event_cost_s),
                     "function_cost_s", json_number(report->function_cost_s), "mean_s",
                     json_number(report->compensated_s));
}

static json_t *wildcards_object(const struct replay_report *report)
{
    if (!report->free_wildcards)
        return json_null();
    return json_pack("{s:I, s:o, s:o}", "receives", (json_int_t)report->wildcards,
                     "reordered_before",
                     number_if(report->baseline.median > 0, report->reordered_before),
                     "reordered_after", json_number(report->reordered_after));
}

static json_t *projection_object(const struct projection *projection)
{
    if (!projection)
        return json_null();
    json_t *cuts = json_array();
    for (size_t i = 0; i < projection->cut_count; i++) {
        const struct projected_cut *cut = &projection->cuts[i];
        json_append(
            &cuts,
            json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "path", json_text(cut->path),
                      "iterations", (json_int_t)cut->weight.iterations, "in_cut",
                      (json_int_t)cut->weight.count, "total_s", json_number(cut->weight.total_s),
                      "period_s", json_number(cut->period_s), "average_s",
                      json_number(cut->average_s), "before_s", json_number(cut->before_s),
                      "after_s", json_number(cut->after_s)));
    }
    return json_pack("{s:o, s:o, s:o}", "whole_s", json_number(projection->whole_s), "unchanged_s",
                     json_number(projection->rest_s), "cuts", cuts);
}

static json_t *pops_object(const struct report_details *details)
{
    return json_pack("{s:o, s:o}", "before", json_pop(details ? details->pop_before : NULL),
                     "after", json_pop(details ? details->pop_after : NULL));
}

static json_t *report_object(const struct replay_report *report,
                             const struct report_details *details)
{
    const struct json_member members[] = {
        {"format", json_integer(FORMAT_VERSION)},
        {"versions", json_pack("{s:s, s:o, s:o}", "silas", PACKAGE_VERSION, "mpi",
                               json_text(report->mpi_library), "trace_writer",
                               json_text(report->trace_writer))},
        {"program", json_text(report->program)},
        {"config", json_text(report->config)},
        {"machine", json_text(report->machine)},
        {"ranks", json_integer(report->rank_count)},
        {"engine", json_text(report->engine)},
        {"repeat", json_integer(report->repeat)},
        {"hypotheses", json_texts(report->hypotheses, report->hypothesis_count)},
        {"trustworthy", json_boolean(report->trustworthy)},
        {"untrustworthy_reason",
         json_text(report->trustworthy ? NULL : report->untrustworthy_reason)},
        {"trace", trace_object(report)},
        {"baseline", baseline_object(report)},
        {"identity", identity_object(report)},
        {"predicted", json_pack("{s:o, s:o}", "time_s", interval(&report->predicted), "trace",
                                json_text(report->predicted_trace))},
        {"saving", saving_object(report)},
        {"projection", projection_object(report->projection)},
        {"measured", measured_object(report)},
        {"efficiency",
         json_pack(
             "{s:o, s:o}", "before",
             efficiency_object(details ? details->pop_before : NULL, &report->efficiency_before),
             "after",
             efficiency_object(details ? details->pop_after : NULL, &report->efficiency_after))},
        {"pop", pops_object(details)},
        {"compensation", compensation_object(report)},
        {"wildcards", wildcards_object(report)},
        {"fitted", number_if(report->fits, report->fitted)},
        {"lost_fraction", json_number(report->lost_fraction)},
        {"bandwidth", json_pack("{s:o, s:o, s:o}", "facts",
                                json_texts(report->bandwidth, report->bandwidth_count),
                                "shared_time_s", json_number(report->shared_s), "unshared_time_s",
                                json_number(report->unshared_s))},
        {"approximations", json_texts(report->approximations, report->approximation_count)},
        {"warnings", json_texts(report->warnings, report->warning_count)},
        {"runs", runs_array(report)},
        {"metrics", metrics_array(&report->comparison)},
    };
    return json_members(members, sizeof members / sizeof *members);
}

bool json_replay_write(const struct report *report, FILE *stream)
{
    json_t *object = report_object(report->replay, report->details);
    bool written =
        object && json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) == 0;
    json_decref(object);
    return written;
}
