#include "programs/replay_summary.h"

#include "base/log.h"
#include "patterns/search.h"
#include "programs/replay_elsewhere.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_LENGTH = 512 };

static double recorded_s(const struct replay_session *session)
{
    const struct trace *trace = session->original;
    return trace_seconds(trace, (double)(trace->end - trace->begin));
}

size_t replay_summary_shown(struct replay_session *const *sessions, size_t count)
{
    double medians[count];
    for (size_t i = 0; i < count; i++)
        medians[i] = median_of(replay_session_after(sessions[i])->time_s,
                               (size_t)sessions[i]->config->repeat);
    return median_index(medians, count);
}

/* --- statistics ---------------------------------------------------------------------------------
 */

/* The saving of each pair of runs; against the recording if nothing else was asked for. */
static void fill_savings(const struct replay_session *session, struct report_recording *recording,
                         struct interval *seconds)
{
    size_t repeat = (size_t)session->config->repeat;
    double before[repeat];
    for (size_t i = 0; i < repeat; i++)
        before[i] = recording->baseline_s ? recording->baseline_s[i] : recording->time_s;
    recording->saving = interval_of_fractions(before, recording->predicted_s, repeat);
    *seconds = interval_of_savings(before, recording->predicted_s, repeat);
}

static void fill_recording(const struct replay_session *session, struct report_recording *recording,
                           struct interval *saving_s)
{
    size_t repeat = (size_t)session->config->repeat;
    *recording = (struct report_recording){.path = session->path,
                                           .time_s = recorded_s(session),
                                           .baseline_s = session->baseline.time_s,
                                           .predicted_s = session->predicted.time_s};
    if (recording->baseline_s) {
        recording->aggregate_error = session->aggregate_error;
        recording->baseline = interval_of(recording->baseline_s, repeat);
    }
    if (recording->predicted_s) {
        recording->predicted = interval_of(recording->predicted_s, repeat);
        fill_savings(session, recording, saving_s);
    } else {
        recording->predicted = recording->baseline;
    }
}

/* The intervals of all recordings in one. */
static struct interval unite(const struct replay_report *report, size_t member)
{
    struct interval intervals[report->recording_count];
    for (size_t i = 0; i < report->recording_count; i++)
        memcpy(&intervals[i], (const char *)&report->recordings[i] + member, sizeof *intervals);
    return interval_unite(intervals, report->recording_count);
}

/* Medians over all unchanged replays of all recordings. */
static void fill_accuracy(struct replay_report *report)
{
    size_t repeat = (size_t)report->repeat, count = report->recording_count * repeat;
    double total[count], aggregate[count];
    if (!report->recordings[0].baseline_s)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct report_recording *recording = &report->recordings[i / repeat];
        double replayed = recording->baseline_s[i % repeat];
        total[i] = fabs(replayed - recording->time_s) / recording->time_s;
        aggregate[i] = recording->aggregate_error[i % repeat];
    }
    report->has_accuracy = true;
    report->total_error = median_of(total, count);
    report->aggregate_error = median_of(aggregate, count);
}

static enum status fill_statistics(struct replay_session *const *sessions, size_t count,
                                   struct arena *arena, struct replay_report *report,
                                   struct error *error)
{
    double recorded[count];
    struct interval savings_s[count];
    memset(savings_s, 0, sizeof savings_s);
    report->recordings = arena_alloc_array(arena, count, sizeof *report->recordings);
    if (!report->recordings)
        return error_memory(error, "the report");
    report->recording_count = count;
    for (size_t i = 0; i < count; i++) {
        fill_recording(sessions[i], &report->recordings[i], &savings_s[i]);
        recorded[i] = report->recordings[i].time_s;
    }
    report->trace_time_s = median_of(recorded, count);
    report->baseline = unite(report, offsetof(struct report_recording, baseline));
    report->predicted = unite(report, offsetof(struct report_recording, predicted));
    report->saving = unite(report, offsetof(struct report_recording, saving));
    report->saving_s = interval_unite(savings_s, count);
    report->significant = interval_is_significant(&report->saving);
    fill_accuracy(report);
    return STATUS_OK;
}

/* --- what the run was ---------------------------------------------------------------------------
 */

static bool add_line(struct arena *arena, const char **lines, size_t *count, const char *line,
                     size_t length)
{
    for (size_t i = 0; i < *count; i++)
        if (strlen(lines[i]) == length && strncmp(lines[i], line, length) == 0)
            return true;
    char *copy = arena_alloc(arena, length + 1);
    if (!copy)
        return false;
    memcpy(copy, line, length);
    lines[(*count)++] = copy;
    return true;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; text && *text; text++)
        count += *text == '\n';
    return count;
}

/* What the engine said about both sides, each thing once. */
static enum status fill_facts(const struct replay_session *session, struct arena *arena,
                              struct replay_report *report, struct error *error)
{
    const struct replay_side *sides[] = {&session->baseline, &session->predicted};
    size_t capacity = count_lines(session->baseline.facts.approximations) +
                      count_lines(session->predicted.facts.approximations);
    report->approximations = arena_alloc_array(arena, capacity, sizeof *report->approximations);
    if (!report->approximations)
        return error_memory(error, "the report");
    report->trustworthy = true;
    for (size_t i = 0; i < 2; i++) {
        const struct engine_facts *facts = &sides[i]->facts;
        if (!sides[i]->trace)
            continue;
        report->lost_s = fmax(report->lost_s, sides[i]->lost_s);
        if (!facts->trustworthy && report->trustworthy) {
            report->trustworthy = false;
            report->untrustworthy_reason = facts->reason ? facts->reason : "unknown reason";
        }
        for (const char *line = facts->approximations; line && *line;) {
            size_t length = strcspn(line, "\n");
            if (length > 0 && !add_line(arena, report->approximations, &report->approximation_count,
                                        line, length))
                return error_memory(error, "the report");
            line += length + (line[length] == '\n');
        }
    }
    return STATUS_OK;
}

static enum status fill_hypotheses(const struct replay_config *config, struct arena *arena,
                                   struct replay_report *report, struct error *error)
{
    report->hypotheses =
        arena_alloc_array(arena, config->hypothesis_count + 1, sizeof *report->hypotheses);
    if (!report->hypotheses)
        return error_memory(error, "the report");
    for (size_t i = 0; i < config->hypothesis_count; i++) {
        char line[LINE_MAX_LENGTH] = "";
        const struct hypothesis *hypothesis = &config->hypotheses[i];
        hypothesis->kind->describe(hypothesis->state, line, sizeof line);
        report->hypotheses[i] = arena_strdup(arena, line);
        if (!report->hypotheses[i])
            return error_memory(error, "the report");
    }
    report->hypothesis_count = config->hypothesis_count;
    return STATUS_OK;
}

/* The name of the call tree's root: the program, or its first region. */
static const char *program_name(const struct trace *trace)
{
    if (trace->calltree.paths.count == 0)
        return "program";
    return trace->definitions->regions[trace->calltree.paths.items[0].region].name;
}

static enum status fill_names(const struct replay_session *session, struct arena *arena,
                              struct replay_report *report, struct error *error)
{
    const struct replay_config *config = session->config;
    char library[256], host[256] = "";
    gethostname(host, sizeof host - 1);
    replay_mpi_library(library, sizeof library);
    report->program = program_name(session->original);
    report->config = config->ini->path;
    report->engine = config->engine->name;
    report->machine = arena_strdup(arena, host);
    report->mpi_library = arena_strdup(arena, library);
    report->trace_writer = session->original->definitions->creator;
    report->rank_count = session->original->rank_count;
    report->repeat = config->repeat;
    report->identity = replay_session_is_identity(session);
    report->baseline_is_trace = !report->identity && config->baseline == BASELINE_TRACE;
    if (!report->machine || !report->mpi_library)
        return error_memory(error, "the report");
    return STATUS_OK;
}

/* --- wait states --------------------------------------------------------------------------------
 */

/* Collective: the severities of all ranks at process 0. */
static enum status search(const struct trace *trace, struct severity **whole, struct error *error)
{
    struct severity *local = NULL;
    *whole = NULL;
    enum status status = pattern_search(trace, &local, error);
    if (status == STATUS_OK)
        status = severity_gather(local, trace->processes, whole, error);
    severity_destroy(local);
    return status;
}

static enum status fill_comparison(const struct replay_session *session,
                                   struct replay_report *report, struct error *error)
{
    struct severity *before = NULL, *after = NULL;
    enum status status = search(replay_session_before(session), &before, error);
    if (status == STATUS_OK)
        status = search(replay_session_after(session)->median, &after, error);
    if (status == STATUS_OK && before && after) {
        report->efficiency_before = efficiency_of(before);
        report->efficiency_after = efficiency_of(after);
        status = comparison_create(before, after, &report->comparison, error);
    }
    severity_destroy(before);
    severity_destroy(after);
    return processes_agree(session->processes, status, error);
}

/* --- warnings -----------------------------------------------------------------------------------
 */

/* Collective. Warns of what the engine cannot know. */
static void warn(const struct replay_session *session, const struct replay_report *report)
{
    const struct trace *trace = session->original;
    int64_t carried = 0;
    for (uint32_t i = 0; i < trace->carried_count; i++)
        carried += trace->carried[i].count > 0;
    processes_sum(session->processes, &carried, 1);
    if (carried > 0)
        log_warning("%lld locations that are not a rank's main thread (other threads, accelerator "
                    "streams) are not replayed: their events move along with their rank's",
                    (long long)carried);
    replay_warn_if_elsewhere(trace);
    double part = report->lost_s / (report->trace_time_s * trace->rank_count);
    if (session->processes->rank == 0 && part > 0.002)
        log_warning("up to %.1f %% of a replay's time was lost to other programs on the ranks' "
                    "cores; repeat it on a quiet machine",
                    100 * part);
}

static uint64_t count_events(const struct trace *trace)
{
    int64_t events = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        events += trace->streams[i].count;
    processes_sum(trace->processes, &events, 1);
    return (uint64_t)events;
}

enum status replay_summarize(struct replay_session *const *sessions, size_t count,
                             struct arena *arena, struct replay_report *report, struct error *error)
{
    memset(report, 0, sizeof *report);
    report->shown = replay_summary_shown(sessions, count);
    const struct replay_session *shown = sessions[report->shown];
    enum status status = fill_names(shown, arena, report, error);
    if (status == STATUS_OK)
        status = fill_statistics(sessions, count, arena, report, error);
    if (status == STATUS_OK)
        status = fill_facts(shown, arena, report, error);
    if (status == STATUS_OK)
        status = fill_hypotheses(shown->config, arena, report, error);
    status = processes_agree(shown->processes, status, error);
    if (status != STATUS_OK)
        return status;
    report->event_count = count_events(shown->original);
    warn(shown, report);
    report->warnings = log_warnings(&report->warning_count);
    return fill_comparison(shown, report, error);
}

void replay_summary_clear(struct replay_report *report)
{
    comparison_destroy(&report->comparison);
}
