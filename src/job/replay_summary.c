#include "job/replay_summary.h"

#include "base/log.h"
#include "base/plural.h"
#include "job/outcomes.h"
#include "patterns/search.h"
#include "threads/posix.h"
#include "threads/teams.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_LENGTH = 512 };

/* Returns the index of the session with the median prediction, the same on all processes. The
 * report shows this session, and its predicted trace is written. */
static size_t shown_session(struct replay_session *const *sessions, size_t count)
{
    double predicted[count];
    assert(count > 0);
    for (size_t i = 0; i < count; i++)
        predicted[i] = replay_session_predicted_s(sessions[i]);
    double median = estimate_of(predicted, count).median;
    size_t nearest = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(predicted[i] - median) < fabs(predicted[nearest] - median))
            nearest = i;
    return nearest;
}

/* Returns one estimate for several recordings of a program: the median of their medians, and the
 * smallest interval that contains all of their intervals, so that it includes the differences
 * between recordings. `offset`: of the estimate in struct repeat_result, in bytes. */
static struct estimate unite_estimates(struct replay_session *const *sessions, size_t count,
                                       size_t offset)
{
    double medians[count];
    struct estimate all = {.low = INFINITY, .high = -INFINITY, .level = 1};
    for (size_t i = 0; i < count; i++) {
        struct estimate one;
        memcpy(&one, (const char *)&sessions[i]->result + offset, sizeof one);
        medians[i] = one.median;
        all.low = fmin(all.low, one.low);
        all.high = fmax(all.high, one.high);
        all.level = fmin(all.level, one.level);
    }
    all.median = estimate_of(medians, count).median;
    return all;
}

/* The median of an error over all unchanged replays of all recordings. `offset`: of the array of
 * errors in struct report_recording, in bytes. */
static double median_error(const struct replay_report *report, size_t offset)
{
    size_t repeat = (size_t)report->repeat, count = report->recording_count * repeat;
    double errors[count];
    for (size_t i = 0; i < count; i++) {
        const double *own;
        memcpy(&own, (const char *)&report->recordings[i / repeat] + offset, sizeof own);
        errors[i] = own[i % repeat];
    }
    return fabs(estimate_of(errors, count).median);
}

static void fill_accuracy(struct replay_report *report)
{
    if (!report->recordings[0].unchanged.times_s || report->event_cost_s > 0)
        return; /* no unchanged replay, or one without the cost of tracing */
    report->has_accuracy = true;
    report->total_error =
        median_error(report, offsetof(struct report_recording, unchanged.total_errors));
    report->aggregate_error =
        median_error(report, offsetof(struct report_recording, unchanged.aggregate_errors));
    if (!report->corrected)
        return;
    report->measured_total_error =
        median_error(report, offsetof(struct report_recording, measured_unchanged.total_errors));
    report->measured_aggregate_error = median_error(
        report, offsetof(struct report_recording, measured_unchanged.aggregate_errors));
}

static bool fill_statistics(struct replay_session *const *sessions, size_t count,
                            struct arena *arena, struct replay_report *report)
{
    double recorded[count];
    report->recordings = arena_alloc_array(arena, count, sizeof *report->recordings);
    if (!report->recordings)
        return false;
    report->recording_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct repeat_result *result = &sessions[i]->result;
        report->recordings[i] = (struct report_recording){
            sessions[i]->path,       sessions[i]->recorded_s,   result->identity.figures,
            result->changed.figures, result->identity.measured, result->changed.measured};
        recorded[i] = sessions[i]->recorded_s;
    }
    report->trace_time_s = estimate_of(recorded, count).median;
    report->baseline =
        unite_estimates(sessions, count, offsetof(struct repeat_result, estimates.identity_s));
    report->predicted =
        report->identity
            ? report->baseline
            : unite_estimates(sessions, count, offsetof(struct repeat_result, estimates.changed_s));
    report->saving =
        unite_estimates(sessions, count, offsetof(struct repeat_result, estimates.saving_fraction));
    report->saving_for_real =
        unite_estimates(sessions, count, offsetof(struct repeat_result, estimates.saving_for_real));
    report->saving_typical =
        unite_estimates(sessions, count, offsetof(struct repeat_result, estimates.saving_typical));
    report->saving_s =
        unite_estimates(sessions, count, offsetof(struct repeat_result, estimates.saving_s));
    report->outcomes =
        outcomes_of_changes(sessions[0]->config->hypotheses, sessions[0]->config->hypothesis_count,
                            sessions[0]->config->engine->computes);
    report->significant = estimate_is_significant(&report->saving);
    report->corrected = sessions[0]->result.corrected;
    report->measured =
        unite_estimates(sessions, count,
                        report->identity ? offsetof(struct repeat_result, measured.identity_s)
                                         : offsetof(struct repeat_result, measured.changed_s));
    report->measured_saving =
        unite_estimates(sessions, count, offsetof(struct repeat_result, measured.saving_fraction));
    fill_accuracy(report);
    return true;
}

/* Copies what the engine reports: its approximations, one line each, and whether the result is
 * trustworthy. */
static bool fill_facts(const struct replay_session *session, struct arena *arena,
                       struct replay_report *report)
{
    const struct engine_facts *facts = &session->result.facts;
    const char *text = facts->approximations ? facts->approximations : "";
    size_t capacity = 1;
    for (const char *c = text; *c; c++)
        capacity += *c == '\n';
    char *copy = arena_strdup(arena, text);
    report->approximations = arena_alloc_array(arena, capacity, sizeof *report->approximations);
    if (!copy || !report->approximations)
        return false;
    for (char *line; (line = strsep(&copy, "\n"));)
        if (*line)
            report->approximations[report->approximation_count++] = line;
    report->trustworthy = facts->trustworthy;
    report->untrustworthy_reason = facts->reason ? facts->reason : "the engine does not say why";
    return true;
}

/* Describes the bandwidth that threads share, and the prediction without sharing. */
static bool fill_bandwidth(const struct replay_session *session, struct arena *arena,
                           struct replay_report *report)
{
    enum { LONGEST = 400 };
    const struct memory *memory = session->memory;
    char line[LONGEST];
    if (!memory)
        return true;
    report->bandwidth =
        arena_alloc_array(arena, memory->class_count + 1, sizeof *report->bandwidth);
    for (size_t c = 0; report->bandwidth && c < memory->class_count; c++) {
        memory_class_describe(&memory->classes[c], line, sizeof line);
        report->bandwidth[report->bandwidth_count++] = arena_strdup(arena, line);
    }
    report->shared_s = session->shared_s;
    report->unshared_s = session->unshared_s;
    if (report->bandwidth && session->changed) {
        snprintf(line, sizeof line,
                 "T after the change, by the model: %.6g s; without the effect of sharing: %.6g s",
                 session->shared_s, session->unshared_s);
        report->bandwidth[report->bandwidth_count++] = arena_strdup(arena, line);
    }
    bool room = report->bandwidth != NULL;
    for (size_t i = 0; room && i < report->bandwidth_count; i++)
        room = report->bandwidth[i] != NULL;
    return room;
}

/* The part of the replays' time in which other programs used the ranks' cores that any machine may
 * have, because its system needs some time itself. */
static const double USUAL_LOSS = 0.002;

double replay_lost_fraction(const struct replay_session *session)
{
    const struct repeat_result *result = &session->result;
    double lost = result->identity.lost_s + result->changed.lost_s, all = 0;
    bool noisy = result->corrected; /* the figures are without the lost time */
    const double *identity =
        (noisy ? &result->identity.measured : &result->identity.figures)->times_s;
    const double *changed = (noisy ? &result->changed.measured : &result->changed.figures)->times_s;
    for (size_t i = 0; i < result->count; i++) {
        all += identity ? identity[i] : 0;
        all += changed ? changed[i] : 0;
    }
    return all > 0 ? lost / (all * session->original->rank_count) : 0;
}

static double reordered_fraction(const struct repeat_runs *runs)
{
    return runs->wildcards > 0 ? (double)runs->reordered / (double)runs->wildcards : 0;
}

/* Copies how much of T was fitted, and how many wildcard receives got another message than in the
 * recording. */
static void fill_engine_facts(const struct replay_session *session, struct replay_report *report)
{
    const struct repeat_result *result = &session->result;
    const struct repeat_runs *after = session->changed ? &result->changed : &result->identity;
    report->fits = result->facts.fits;
    report->fitted = result->facts.fitted;
    report->error_unfitted = result->facts.error_unfitted;
    report->error_fitted = result->facts.error_fitted;
    report->free_wildcards = result->facts.free_wildcards;
    report->wildcards = after->wildcards / result->count;
    report->reordered_before = reordered_fraction(&result->identity);
    report->reordered_after = reordered_fraction(after);
}

static bool is_same_outcome(const struct hypothesis_outcome *a, const struct hypothesis_outcome *b)
{
    return a->things == b->things && a->chosen == b->chosen && a->total == b->total;
}

/* One line with the hypothesis and its counts. Counts that differ between recordings are listed
 * one by one: "cut: size 64 (10 of 40, 20 of 40 messages, by recording)". */
static void describe_hypothesis(struct replay_session *const *sessions, size_t count, size_t index,
                                char line[LINE_MAX_LENGTH])
{
    const struct hypothesis *hypothesis = &sessions[0]->config->hypotheses[index];
    const struct hypothesis_outcome *first = &sessions[0]->outcomes[index];
    size_t same = 1, used = 0;
    char counts[LINE_MAX_LENGTH / 2];
    while (same < count && is_same_outcome(&sessions[same]->outcomes[index], first))
        same++;
    if (same == count || !first->things) {
        hypothesis_describe(hypothesis, first, line, LINE_MAX_LENGTH);
        return;
    }
    for (size_t i = 0; i < count && used < sizeof counts; i++) {
        const struct hypothesis_outcome *outcome = &sessions[i]->outcomes[index];
        used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%lld of %lld",
                                 i > 0 ? ", " : "", (long long)outcome->chosen,
                                 (long long)outcome->total);
    }
    if (used >= sizeof counts) /* the line has no room for all recordings */
        strcpy(counts + sizeof counts - sizeof "...", "...");
    hypothesis_describe(hypothesis, NULL, line, LINE_MAX_LENGTH / 2 - 50);
    used = strlen(line);
    snprintf(line + used, LINE_MAX_LENGTH - used, " (%s %s, by recording)", counts, first->things);
}

static bool fill_hypotheses(struct replay_session *const *sessions, size_t count,
                            struct arena *arena, struct replay_report *report)
{
    report->hypothesis_count = sessions[0]->config->hypothesis_count;
    report->hypotheses =
        arena_alloc_array(arena, report->hypothesis_count + 1, sizeof *report->hypotheses);
    bool complete = report->hypotheses != NULL;
    for (size_t i = 0; complete && i < report->hypothesis_count; i++) {
        char line[LINE_MAX_LENGTH];
        describe_hypothesis(sessions, count, i, line);
        report->hypotheses[i] = arena_strdup(arena, line);
        complete = report->hypotheses[i] != NULL;
    }
    return complete;
}

static bool fill_names(const struct replay_session *session, struct arena *arena,
                       struct replay_report *report)
{
    const struct replay_config *config = session->config;
    char library[256], host[256] = "";
    gethostname(host, sizeof host - 1);
    if (!config->engine->computes)
        processes_mpi_library(library, sizeof library);
    report->config = config->ini->path;
    report->engine = config->engine->name;
    report->machine = arena_strdup(arena, host);
    report->mpi_library = config->engine->computes ? NULL : arena_strdup(arena, library);
    report->trace_writer = session->original->definitions->creator;
    report->rank_count = session->original->rank_count;
    report->repeat = (int)config->repeat;
    report->computed = config->engine->computes;
    report->identity = !session->changed;
    report->baseline_is_trace = !report->identity && config->baseline == BASELINE_TRACE;
    report->event_cost_s = session->compensation.event_cost_s;
    report->function_cost_s = session->compensation.function_cost_s;
    report->compensated_s = session->compensation.mean_s;
    return report->machine && (report->mpi_library || config->engine->computes);
}

/* The name of the root call path with most of the time: the program or its main region. Functions
 * that run before main have separate root call paths. */
static const char *recorded_program(const struct severity *severity)
{
    const char *name = "program";
    double most = -1;
    for (uint32_t path = 0; path < severity->path_count; path++) {
        double time = severity->paths[path].parent == SEVERITY_NONE
                          ? severity_path_inclusive(severity, METRIC_TIME, path)
                          : -1;
        if (time > most) {
            most = time;
            name = severity->paths[path].name;
        }
    }
    return name;
}

static enum status fill_comparison(const struct replay_session *session,
                                   struct replay_report *report, struct error *error)
{
    struct severity *before = NULL, *after = NULL;
    enum status status = pattern_search_whole(replay_session_before(session), &before, error)
                             ?: pattern_search_whole(replay_session_after(session), &after, error);
    if (status == STATUS_OK && before && after) {
        report->efficiency_before = pop_factors_of(before);
        report->efficiency_after = pop_factors_of(after);
        status = comparison_create(before, after, &report->comparison, error);
        if (status == STATUS_OK)
            report->program = recorded_program(report->comparison.before);
    }
    severity_destroy(before);
    severity_destroy(after);
    return processes_agree(session->processes, status, error);
}

/* Counts the locations of the owned ranks that have no part in a team. */
static int64_t count_outside_teams(const struct trace *trace, const struct teams *teams)
{
    int64_t outside = 0;
    bool *inside = calloc((size_t)trace->owned_count + trace->carried_count, sizeof *inside);
    for (size_t l = 0; inside && l < teams->lanes.count; l++)
        inside[teams->lanes.items[l].stream] = true;
    for (uint32_t i = 0; inside && i < trace->carried_count; i++)
        outside += !inside[trace->owned_count + i] && trace->carried[i].count > 0;
    free(inside);
    return outside;
}

/* Collective. Warns of threads and other locations that are not simulated. */
static void warn_of_threads(const struct trace *trace)
{
    enum { OUTSIDE = TEAM_FAULTS, COUNTS };
    struct teams teams = {0};
    int64_t counts[COUNTS] = {0};
    if (trace->carried_count > 0 && teams_find(trace, &teams)) {
        memcpy(counts, teams.faults, sizeof teams.faults);
        counts[OUTSIDE] = count_outside_teams(trace, &teams);
    }
    teams_clear(&teams);
    processes_sum(trace->processes, counts, COUNTS);
    if (counts[OUTSIDE] > 0)
        log_warning("%lld other thread%s or accelerator stream%s recorded but %s not simulated: "
                    "hypotheses about their work change nothing, and waiting for them stays as "
                    "recorded",
                    (long long)counts[OUTSIDE], plural((uint64_t)counts[OUTSIDE]),
                    counts[OUTSIDE] == 1 ? " was" : "s were", counts[OUTSIDE] == 1 ? "is" : "are");
    if (counts[TEAM_NESTED] > 0)
        log_warning("%lld parallel region%s inside of others: their threads are not simulated, "
                    "and count as work of the thread that created them",
                    (long long)counts[TEAM_NESTED], counts[TEAM_NESTED] == 1 ? " is" : "s are");
    if (counts[TEAM_UNJOINED] > 0)
        log_warning("%lld parallel region%s not end in the recording: their threads are not "
                    "simulated, and waiting for them stays as recorded",
                    (long long)counts[TEAM_UNJOINED],
                    counts[TEAM_UNJOINED] == 1 ? " does" : "s do");
    posix_threads_check(trace);
    if (counts[TEAM_UNKNOWN] > 0)
        log_warning("a thread works outside of the parallel regions of its rank, %lld time%s: that "
                    "work is not simulated, and waiting for it stays as recorded",
                    (long long)counts[TEAM_UNKNOWN], plural((uint64_t)counts[TEAM_UNKNOWN]));
}

/* Collective. Warns of what makes the prediction less certain and no engine reports. */
static void warn_of_distrust(const struct replay_session *session,
                             const struct replay_report *report)
{
    const struct trace *trace = session->original;
    warn_of_threads(trace);
    if (trace->definitions->threads && session->changed)
        log_warning("threads that communicate at the same time are predicted as ranks: waiting of "
                    "one thread for others of its process (joins, locks) stays as recorded, so T "
                    "may not shrink");
    replay_warn_if_elsewhere(trace, !report->computed);
    if (report->lost_fraction > USUAL_LOSS && report->lost_fraction <= REPLAY_LOST_TOO_MUCH)
        log_warning("other programs used the ranks' cores for %.1f %% of the replays' time; repeat "
                    "the replays on a quiet machine",
                    100 * report->lost_fraction);
}

/* Marks the result as not trustworthy if other programs used the ranks' cores too much. */
static bool judge_lost_time(struct arena *arena, struct replay_report *report)
{
    char text[LINE_MAX_LENGTH];
    if (!report->trustworthy || report->lost_fraction <= REPLAY_LOST_TOO_MUCH)
        return true;
    snprintf(text, sizeof text,
             "other programs used the ranks' cores for %.0f %% of the replays' time; repeat the "
             "replays on a quiet machine",
             100 * report->lost_fraction);
    report->trustworthy = false;
    report->untrustworthy_reason = arena_strdup(arena, text);
    return report->untrustworthy_reason != NULL;
}

enum status replay_summarize(struct replay_session *const *sessions, size_t count,
                             struct arena *arena, struct replay_report *report, struct error *error)
{
    memset(report, 0, sizeof *report);
    report->shown = shown_session(sessions, count);
    const struct replay_session *shown = sessions[report->shown];
    fill_engine_facts(shown, report);
    report->lost_fraction = replay_lost_fraction(shown);
    bool complete =
        fill_names(shown, arena, report) && fill_statistics(sessions, count, arena, report) &&
        fill_facts(shown, arena, report) && fill_bandwidth(shown, arena, report) &&
        fill_hypotheses(sessions, count, arena, report) && judge_lost_time(arena, report);
    enum status status = processes_agree_memory(shown->processes, complete, "the report", error);
    if (status != STATUS_OK)
        return status;
    report->event_count = (uint64_t)trace_count_events(shown->original);
    warn_of_distrust(shown, report);
    report->warnings = log_warnings(&report->warning_count);
    return fill_comparison(shown, report, error);
}

void replay_summary_clear(struct replay_report *report)
{
    comparison_destroy(&report->comparison);
}
