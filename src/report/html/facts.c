/* The head of the page and the figures of its plots, as JSON (base/json.h). */
#include "report/html/html.h"

#include "base/command_line.h"
#include "base/files.h"
#include "base/units.h"
#include "report/shares.h"
#include "report/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 5 };

static void add_fact(json_t **facts, const char *term, json_t *value)
{
    json_append(facts, JSON_LIST(json_text(term), value));
}

static void add_text(json_t **facts, const char *term, const char *text)
{
    if (text && *text)
        add_fact(facts, term, json_text(text));
}

static void add_texts(json_t **facts, const char *term, const char *const *texts, size_t count)
{
    if (count > 0)
        add_fact(facts, term, json_texts(texts, count));
}

static void add_time_fact(json_t **facts, const char *term, const struct estimate *time)
{
    char text[200];
    struct time_format format = time_format_for(time->median, DIGITS);
    if (time->median <= 0)
        return;
    if (time->level > 0)
        snprintf(text, sizeof text, "%s %s (%s to %s)", time_text(&format, time->median).text,
                 format.unit, time_text(&format, time->low).text,
                 time_text(&format, time->high).text);
    else
        snprintf(text, sizeof text, "%s %s", time_text(&format, time->median).text, format.unit);
    add_text(facts, term, text);
}

static void add_outcomes(json_t **facts, const struct replay_report *replay)
{
    const struct report_outcomes *of = &replay->outcomes;
    char text[200];
    if (of->programs == 0)
        return;
    snprintf(
        text, sizeof text,
        "a saving of %.2f to %.2f %% of T, with the errors measured in %d programs (%s changed)",
        100 * (replay->saving.median - of->within), 100 * (replay->saving.median + of->within),
        of->programs, of->changes);
    add_text(facts, "By errors of earlier predictions", text);
}

static void add_for_real(json_t **facts, const struct replay_report *replay)
{
    const struct estimate *typical = &replay->saving_typical, *real = &replay->saving_for_real;
    char text[200];
    if (replay->identity || replay->computed || !replay->corrected || real->level == 0)
        return;
    snprintf(
        text, sizeof text,
        "a saving of %.2f to %.2f %% of T, the median of many pairs of runs, with the error of "
        "such predictions",
        100 * typical->low, 100 * typical->high);
    add_text(facts, "Between typical runs", text);
    snprintf(text, sizeof text,
             "a saving of %.2f to %.2f %% of T, including error and noise of the replays and the "
             "spread of runs",
             100 * real->low, 100 * real->high);
    add_text(facts, "Between two single runs", text);
}

static void add_variations(json_t **facts, const struct replay_report *replay)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < replay->variation_count; i++) {
        const struct report_variation *row = &replay->variations[i];
        char text[500], before[40] = "unknown", after[40] = "unknown";
        if (!isnan(row->before))
            snprintf(before, sizeof before, "%.2f %% of T", 100 * row->before);
        if (!isnan(row->after))
            snprintf(after, sizeof after, "%.2f %%", 100 * row->after);
        if (replay->identity)
            snprintf(text, sizeof text, "%s: %s", row->what, before);
        else
            snprintf(text, sizeof text, "%s: %s before, %s after", row->what, before, after);
        json_append(&lines, json_text(text));
    }
    if (replay->variation_count > 0)
        add_fact(facts, "Saved without variation", lines);
    else
        json_decref(lines);
}

static void add_recordings(json_t **facts, const struct replay_report *replay)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < replay->recording_count; i++) {
        char text[4200];
        snprintf(text, sizeof text, "%s (T %s)%s", replay->recordings[i].path,
                 time_text_alone(replay->recordings[i].time_s, DIGITS).text,
                 replay->recording_count > 1 && i == replay->shown ? ", shown below" : "");
        json_append(&lines, json_text(text));
    }
    add_fact(facts, replay->recording_count == 1 ? "Recording" : "Recordings", lines);
}

static void add_replay(json_t **facts, const struct replay_report *replay)
{
    char text[300];
    add_texts(facts, replay->hypothesis_count == 1 ? "What if" : "What if all of",
              replay->hypotheses, replay->hypothesis_count);
    if (!replay->identity && replay->baseline.median > 0)
        add_time_fact(facts, "T before", &replay->baseline);
    add_time_fact(facts, replay->identity ? "T replayed" : "T after", &replay->predicted);
    add_for_real(facts, replay);
    add_outcomes(facts, replay);
    add_variations(facts, replay);
    add_recordings(facts, replay);
    if (replay->fits) {
        char fitted[VERDICT_FITTED_SIZE];
        verdict_fitted(replay, fitted);
        add_text(facts, "Fitted", fitted);
    }
    snprintf(text, sizeof text, "%u", replay->rank_count);
    add_text(facts, "Ranks", text);
    snprintf(text, sizeof text, "%s, engine %s", replay->machine ? replay->machine : "",
             replay->engine ? replay->engine : "");
    add_text(facts, "Machine", text);
    add_text(facts, "MPI", replay->mpi_library);
    add_text(facts, "Recorded by", replay->trace_writer);
    add_text(facts, "Configuration", replay->config);
    add_texts(facts, replay->computed ? "How it was computed" : "Not replayed for real",
              replay->approximations, replay->approximation_count);
    add_texts(facts, "Warnings", replay->warnings, replay->warning_count);
}

static void add_runs(json_t **facts, const struct html_runs *runs)
{
    char text[100];
    for (uint32_t i = 0; i < runs->count; i++)
        if (runs->runs[i]->total_seconds > 0) {
            snprintf(text, sizeof text, runs->count == 1 ? "T" : "T %s", runs->names[i]);
            add_text(facts, text, time_text_alone(runs->runs[i]->total_seconds, DIGITS).text);
        }
    uint32_t ranks = 0, locations = runs->count > 0 ? runs->runs[0]->location_count : 0;
    for (uint32_t i = 0; i < locations; i++)
        ranks += runs->runs[0]->locations[i].thread == 0;
    if (runs->count == 2 && runs->location_counts[0] != runs->location_counts[1])
        snprintf(text, sizeof text, "%u before, %u after", runs->location_counts[0],
                 runs->location_counts[1]);
    else if (ranks == locations)
        snprintf(text, sizeof text, "%u", ranks);
    else
        snprintf(text, sizeof text, "%u, with %u threads together", ranks, locations);
    add_text(facts, "Ranks", text);
}

static json_t *factors_json(const struct pop_factors *factors)
{
    return JSON_MEMBERS({"parallel", json_number(factors->parallel)},
                        {"load_balance", json_number(factors->load_balance)},
                        {"communication", json_number(factors->communication)},
                        {"serialisation", json_number(factors->serialisation)},
                        {"transfer", json_number(factors->transfer)},
                        {"mpi_parallel", json_number(factors->mpi_parallel)},
                        {"threads", json_number(factors->threads)},
                        {"thread_balance", json_number(factors->thread_load_balance)},
                        {"thread_communication", json_number(factors->thread_communication)},
                        {"thread_additive", json_number(factors->thread_additive)},
                        {"serial_regions", json_number(factors->serial_regions)},
                        {"parallel_regions", json_number(factors->parallel_regions)},
                        {"time_s", json_number(factors->time_s)},
                        {"ideal_s", json_number(factors->ideal_s)},
                        {"computation_mean_s", json_number(factors->computation_mean_s)},
                        {"computation_max_s", json_number(factors->computation_max_s)});
}

static json_t *pop_row_json(const struct pop_row *row)
{
    return JSON_MEMBERS({"part", json_text(pop_part_name(row->part))},
                        {"name", json_text(row->name ? row->name : "")},
                        {"first", json_count(row->first)}, {"count", json_count(row->count)},
                        {"begin", json_number(row->begin_s)}, {"end", json_number(row->end_s)},
                        {"factors", factors_json(&row->factors)});
}

static json_t *pop_rows_json(const struct pop_row *rows, size_t count, const char *why)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(&list, pop_row_json(&rows[i]));
    return JSON_MEMBERS({"rows", list}, {"why", json_text(why)});
}

/* The efficiencies of a run as a whole, from its times alone. */
static json_t *plain_pop_json(const struct severity *run)
{
    const struct pop_row row = {
        .part = POP_RUN, .name = "", .end_s = run->total_seconds, .factors = pop_factors_of(run)};
    return row.factors.parallel > 0 ? pop_rows_json(&row, 1, NULL) : json_null();
}

static json_t *pop_json(const struct pop *pop, const struct severity *run)
{
    if (pop && pop->row_count > 0)
        return pop_rows_json(pop->rows, pop->row_count, pop->why_not_ideal);
    return run ? plain_pop_json(run) : json_null();
}

static json_t *pops_json(const struct report *report, const struct html_runs *runs)
{
    const struct report_details *details = report->details;
    const struct severity *last = runs->count > 0 ? runs->runs[runs->count - 1] : NULL;
    const struct severity *first = runs->count == 2 ? runs->runs[0] : NULL;
    json_t *before = pop_json(first && details ? details->pop_before : NULL, first);
    json_t *after = pop_json(details ? details->pop_after : NULL, last);
    return JSON_MEMBERS({"before", before}, {"after", after});
}

/* [run][computation, MPI, waiting][location]; null without times. */
static json_t *rank_times_json(const struct html_runs *runs)
{
    json_t *list = json_array();
    if (runs->count == 0 || !severity_has(runs->runs[0], METRIC_TIME)) {
        json_decref(list);
        return json_null();
    }
    for (uint32_t i = 0; i < runs->count; i++) {
        struct time_shares shares;
        if (!time_shares_find(runs->runs[i], &shares)) {
            json_append(&list, NULL);
            continue;
        }
        json_append(&list, JSON_LIST(json_numbers(shares.computation, shares.count),
                                     json_numbers(shares.mpi, shares.count),
                                     json_numbers(shares.waiting, shares.count)));
        time_shares_clear(&shares);
    }
    return list;
}

static json_t *group_json(const char *name, const struct replay_report *replay, bool changed,
                          const struct estimate *estimate)
{
    json_t *times = json_array();
    for (size_t i = 0; i < replay->recording_count; i++) {
        const struct report_recording *recording = &replay->recordings[i];
        const double *own = changed ? recording->changed.times_s : recording->unchanged.times_s;
        for (int k = 0; own && k < replay->repeat; k++)
            json_append(&times, json_number(own[k]));
    }
    return json_joined(JSON_MEMBERS({"name", json_text(name)}, {"times", times}),
                       json_interval(estimate));
}

static json_t *replays_json(const struct replay_report *replay)
{
    json_t *groups = json_array();
    if (!replay || replay->computed) {
        json_decref(groups);
        return json_null();
    }
    if (replay->baseline.median > 0 && replay->recordings[0].unchanged.times_s)
        json_append(&groups, group_json(replay->identity ? "replays" : "unchanged", replay, false,
                                        &replay->baseline));
    if (!replay->identity && replay->recordings[0].changed.times_s)
        json_append(&groups, group_json("changed", replay, true, &replay->predicted));
    return JSON_MEMBERS({"groups", groups}, {"recorded", json_number(replay->trace_time_s)});
}

static json_t *verdict_json(const struct report *report, const struct comparison *comparison)
{
    static const char *const kinds[] = {[VERDICT_STATE] = "state",
                                        [VERDICT_SAVING] = "saving",
                                        [VERDICT_LOSS] = "loss",
                                        [VERDICT_NOTHING] = "nothing"};
    struct verdict verdict;
    if (!verdict_find(report, comparison, &verdict))
        return NULL;
    return JSON_MEMBERS(
        {"kind", json_text(kinds[verdict.kind])}, {"sentence", json_text(verdict.sentence)},
        {"trust", json_text(verdict.trust)}, {"trustworthy", json_boolean(verdict.trustworthy)});
}

/* The root call path with most of the time: the program. */
static const char *program_of(const struct severity *run)
{
    const char *name = "a run";
    double most = -1;
    for (uint32_t path = 0; path < run->path_count; path++) {
        const double time = run->paths[path].parent == SEVERITY_NONE
                                ? severity_path_inclusive(run, METRIC_TIME, path)
                                : -1;
        if (time > most) {
            most = time;
            name = run->paths[path].name;
        }
    }
    return name;
}

static json_t *title_json(const struct report *report, const struct html_runs *runs)
{
    char text[1024];
    const char *program = report->replay    ? report->replay->program
                          : runs->count > 0 ? program_of(runs->runs[0])
                                            : "a run";
    const char *name = files_base_name(program) ?: "a run";
    const size_t others = report->replay && report->replay->hypothesis_count > 0
                              ? report->replay->hypothesis_count - 1
                              : 0;
    if (!report->replay)
        snprintf(text, sizeof text, "%s: %s", name, runs->count == 2 ? "two runs" : "wait states");
    else if (report->replay->identity)
        snprintf(text, sizeof text, "%s: replayed unchanged", name);
    else
        snprintf(text, sizeof text, "%.300s: what if %.600s%s", name,
                 report->replay->hypothesis_count > 0 ? report->replay->hypotheses[0] : "...",
                 others > 0 ? ", and others" : "");
    return json_text(text);
}

json_t *html_facts(const struct report *report, const struct comparison *comparison,
                   const struct html_runs *runs)
{
    assert(runs->count <= 2);
    json_t *facts = json_array();
    if (report->replay)
        add_replay(&facts, report->replay);
    else
        add_runs(&facts, runs);
    return JSON_MEMBERS(
        {"title", title_json(report, runs)}, {"names", json_texts(runs->names, runs->count)},
        {"verdict", verdict_json(report, comparison)}, {"facts", facts},
        {"command", json_text(report->details && report->details->command ? report->details->command
                                                                          : command_line_text())},
        {"pop", pops_json(report, runs)}, {"rank_times", rank_times_json(runs)},
        {"replays", replays_json(report->replay)});
}
