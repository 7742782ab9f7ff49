#include "job/replay_session.h"

#include "base/log.h"
#include "base/progress.h"
#include "job/clocks.h"
#include "job/kept_imbalance.h"
#include "job/outcomes.h"
#include "job/pace_check.h"
#include "job/traced_cost.h"
#include "replay/model/model.h"
#include "threads/teams.h"
#include "reduce/assumptions.h"
#include "reduce/folded.h"
#include "trace/calls/walk.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/deadlock/preflight.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Collective. Refuses what a reduced recording was not made for. */
static enum status check_reduced(const struct replay_session *session, struct error *error)
{
    const struct replay_config *config = session->config;
    const struct ini_section *model = ini_find_section(config->ini, "model");
    const struct trace *trace = session->original;
    folded_say(trace);
    enum status status =
        assumptions_check(trace, config->hypotheses, config->hypothesis_count, error);
    if (status == STATUS_OK && config->compensate)
        status = assumptions_check_request(trace, "\"compensate = yes\"", error);
    if (status == STATUS_OK && model && ini_value(model, "machine"))
        status = assumptions_check_request(trace, "a machine file", error);
    if (status == STATUS_OK && config->memory)
        status = assumptions_check_request(trace, "[memory]", error);
    if (status == STATUS_OK && fabs(config->poll_gap_s - CALL_POLL_GAP_S) > 1e-9)
        status = assumptions_check_request(trace, "another \"poll_gap\"", error);
    return processes_agree(session->processes, status, error);
}

static enum status load_recording(struct replay_session *session, struct error *error)
{
    enum status status = trace_load(session->path, session->processes, &session->original, error)
                             ?: trace_match(session->original, error)
                             ?: check_reduced(session, error);
    if (status == STATUS_OK && session->config->correct_clocks)
        status = clocks_correct(session->original, error);
    status = status ?: trace_preflight(session->original, error);
    if (status != STATUS_OK)
        return status;
    const struct trace *trace = session->original;
    session->recorded_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    if (session->config->compensate)
        status = trace_compensate(session->original, &session->compensation, error);
    return status;
}

/* Collective. Makes a session without a trace. */
static enum status open_empty(const struct replay_config *config, const char *path,
                              struct processes *processes, struct replay_session **result,
                              struct error *error)
{
    struct replay_session *session = calloc(1, sizeof *session);
    if (session) {
        session->outcomes = calloc(config->hypothesis_count + 1, sizeof *session->outcomes);
        session->config = config;
        session->processes = processes;
        session->path = path;
    }
    enum status status =
        processes_agree_memory(processes, session && session->outcomes, "the replay", error);
    if (status != STATUS_OK) {
        replay_session_close(session);
        session = NULL;
    }
    *result = session;
    return status;
}

/* Closes a session that could not be opened. Returns `status`. */
static enum status close_failed(struct replay_session **session, enum status status)
{
    if (status != STATUS_OK) {
        replay_session_close(*session);
        *session = NULL;
    }
    return status;
}

/* Collective. Applies the hypotheses where threads share the bandwidth of memory. */
static enum status apply_with_memory(struct replay_session *session, struct error *error)
{
    const struct replay_config *config = session->config;
    const struct engine_setup setup = replay_config_setup(config, &engine_model);
    enum status status = STATUS_OK;
    if (!session->memory)
        status = memory_open(config->memory, session->original, &session->memory, error);
    if (status != STATUS_OK || config->hypothesis_count == 0)
        return status;
    status = memory_apply(session->memory, config->hypotheses, config->hypothesis_count, &setup,
                          &session->changed, session->outcomes, error);
    session->shared_s = session->memory->shared_s;
    session->unshared_s = session->memory->unshared_s;
    return status;
}

static enum status apply_hypotheses(struct replay_session *session, struct error *error)
{
    const struct replay_config *config = session->config;
    if (config->memory)
        return apply_with_memory(session, error);
    if (config->hypothesis_count == 0)
        return STATUS_OK;
    return hypotheses_apply(config->hypotheses, config->hypothesis_count, session->original,
                            &session->changed, session->outcomes, error);
}

/* Only replays say how real runs differ. */
static bool expects_real_runs(const struct replay_session *session)
{
    return !session->config->engine->computes && session->config->hypothesis_count > 0;
}

/* Collective. */
static enum status find_run_spread(struct replay_session *session, struct error *error)
{
    if (!expects_real_runs(session))
        return STATUS_OK;
    return run_spread_find(session->original, &session->run_spread, error);
}

/* True if a rank was recorded with fewer threads than the hypothesis asks for. */
static bool adds_threads(const struct hypothesis *hypothesis, const struct trace *trace)
{
    const char *count = ini_value(hypothesis->section, "count");
    if (hypothesis->kind->subject != SUBJECT_THREADS || !count)
        return false;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        if (strtoll(count, NULL, 10) > 1 + (long long)rank_worker_count(trace, s))
            return true;
    return false;
}

/* Collective. Replays do not start threads: the model has computed the lengths of their regions. */
static double error_of_kind(const struct replay_session *session)
{
    const struct replay_config *config = session->config;
    const struct trace *trace = session->original;
    enum { THREADS, ADDED, COUNTS };
    int64_t counts[COUNTS] = {0};
    for (size_t i = 0; i < config->hypothesis_count; i++) {
        counts[THREADS] += config->hypotheses[i].kind->subject == SUBJECT_THREADS;
        counts[ADDED] += adds_threads(&config->hypotheses[i], trace);
    }
    for (uint32_t i = 0; i < trace->carried_count && config->hypothesis_count > 0; i++)
        counts[THREADS] += stream_is_thread(trace, &trace->carried[i]);
    processes_sum(session->processes, counts, COUNTS);
    return counts[THREADS] > 0 ? outcomes_usual_error(SUBJECT_THREADS, counts[ADDED] > 0) : 0;
}

/* Between predictions and typical runs; at least that of replays of threads. */
static double method_error(const struct replay_session *session, double kind_error)
{
    const struct replay_config *config = session->config;
    if (config->hypothesis_count == 0)
        return 0;
    return fmax(kind_error, outcomes_method_error(config->hypotheses, config->hypothesis_count));
}

/* Collective. What makes predicted savings too large. */
static enum status find_overstated(struct replay_session *session, struct error *error)
{
    if (!expects_real_runs(session))
        return STATUS_OK;
    if (session->changed && session->compensation.event_cost_s == 0)
        session->traced_cost = traced_cost_removed(session->original, session->changed);
    return kept_imbalance_find(session, &session->kept_imbalance, error);
}

enum status replay_session_open(const struct replay_config *config, const char *path,
                                struct processes *processes, struct replay_session **session,
                                struct error *error)
{
    enum status status = open_empty(config, path, processes, session, error);
    if (status != STATUS_OK)
        return status;
    status = load_recording(*session, error)
                 ?: find_run_spread(*session, error)
                 ?: pace_check(*session, error)
                 ?: apply_hypotheses(*session, error)
                 ?: find_overstated(*session, error);
    return close_failed(session, status);
}

enum status replay_session_open_on(const struct replay_config *config, struct trace *trace,
                                   const char *path, struct processes *processes,
                                   struct replay_session **session, struct error *error)
{
    enum status status = open_empty(config, path, processes, session, error);
    if (status != STATUS_OK) {
        trace_destroy(trace);
        return status;
    }
    (*session)->original = trace;
    (*session)->recorded_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    return close_failed(session, apply_hypotheses(*session, error));
}

enum status replay_session_open_beside(const struct replay_session *base,
                                       const struct replay_config *config,
                                       struct replay_session **session, struct error *error)
{
    enum status status = open_empty(config, base->path, base->processes, session, error);
    if (status != STATUS_OK)
        return status;
    (*session)->original = base->original;
    (*session)->shares_original = true;
    (*session)->recorded_s = base->recorded_s;
    (*session)->run_spread = base->run_spread;
    (*session)->compensation = base->compensation;
    (*session)->memory = base->memory;
    (*session)->shares_memory = base->memory != NULL;
    status = assumptions_check(base->original, config->hypotheses, config->hypothesis_count, error);
    status = processes_agree(base->processes, status, error)
                 ?: apply_hypotheses(*session, error)
                 ?: find_overstated(*session, error);
    return close_failed(session, status);
}

/* Each replay takes T. The engine announces the trials later: only it knows which part of the trace
 * they replay. */
static void announce_replays(const struct replay_session *session)
{
    const struct replay_config *config = session->config;
    const bool both = session->changed && config->baseline == BASELINE_REPLAY;
    const int replays = config->repeat * (both ? 2 : 1);
    if (!config->engine->computes)
        progress_announce(session->path, replays, "replay", replays * session->recorded_s,
                          session->processes->per_core);
}

struct repeat_input replay_session_input(const struct replay_session *session)
{
    const struct replay_config *config = session->config;
    const double kind_error = error_of_kind(session);
    return (struct repeat_input){
        .engine = config->engine,
        .setup = replay_config_setup(config, config->engine),
        .original = session->original,
        .changed = session->changed,
        .count = (size_t)config->repeat,
        .run_spread = session->run_spread.run,
        .part_spread = session->run_spread.part,
        .method_error = method_error(session, kind_error),
        .overstated = fmax(0, session->kept_imbalance) + session->traced_cost,
        .kind_error = kind_error,
        .against_trace = config->baseline == BASELINE_TRACE,
    };
}

enum status replay_session_run(struct replay_session *session, struct error *error)
{
    assert(session->original && session->result.count == 0);
    const struct repeat_input input = replay_session_input(session);
    announce_replays(session);
    return repeat_run(&input, &session->result, error);
}

void replay_session_close(struct replay_session *session)
{
    if (!session)
        return;
    repeat_result_clear(&session->result);
    trace_destroy(session->changed);
    if (!session->shares_memory)
        memory_close(session->memory);
    if (!session->shares_original)
        trace_destroy(session->original);
    free(session->outcomes);
    free(session);
}

const struct trace *replay_session_before(const struct replay_session *session)
{
    const struct trace *baseline = session->result.identity.median;
    return session->changed && baseline ? baseline : session->original;
}

const struct trace *replay_session_after(const struct replay_session *session)
{
    return session->changed ? session->result.changed.median : session->result.identity.median;
}

double replay_session_predicted_s(const struct replay_session *session)
{
    return session->changed ? session->result.estimates.changed_s.median
                            : session->result.estimates.identity_s.median;
}
