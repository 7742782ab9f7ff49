#include "sweep/compute.h"

#include "base/memory.h"
#include "base/progress.h"
#include "sweep/workers.h"
#include "job/predict.h"
#include "sweep/changes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shared by all runs. */
struct computation {
    const struct compute_input *input;
    const struct engine *engine;
    struct engine_setup setup; /* with the engine's state of the unchanged trace */
    struct run_pair baseline;  /* `changed`: the prediction for the unchanged trace, which is also
                                  `unchanged` unless the recording is the baseline */
};

/* The outcome of one run. A worker sends it, followed by the message if the run has failed. */
struct run_outcome {
    enum status status;
    double time_s, objective;
    size_t changes, regions;
};

/* Collective. Finds the objective of a trace with this T. */
static enum status find_objective(const struct computation *computation, const struct trace *trace,
                                  double time_s, double *value, struct error *error)
{
    const struct objective *objective = computation->input->objective;
    *value = time_s;
    return objective->is_time ? STATUS_OK : objective_of(objective, trace, value, error);
}

/* Collective. Prepares the engine, and predicts the unchanged trace, with which the runs are
 * compared. */
static enum status open_baseline(struct computation *computation, struct error *error)
{
    const struct replay_session *base = computation->input->base;
    const struct trace *trace = base->original;
    struct run_pair *baseline = &computation->baseline;
    struct engine_facts facts = {0};
    struct trace *view = NULL;
    void *state = NULL;
    enum status status =
        computation->engine->prepare(trace, &computation->setup, &state, &facts, error);
    free(facts.approximations);
    computation->setup.original = state;
    if (status == STATUS_OK)
        status =
            engine_predict(computation->engine, state, trace, &view, &baseline->changed_s, error);
    if (status == STATUS_OK)
        status = find_objective(computation, view, baseline->changed_s,
                                &baseline->objective_changed, error);
    trace_destroy(view);
    baseline->unchanged_s = baseline->changed_s;
    baseline->objective_unchanged = baseline->objective_changed;
    if (status != STATUS_OK || base->config->baseline == BASELINE_REPLAY)
        return status;
    baseline->unchanged_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    return find_objective(computation, trace, baseline->unchanged_s, &baseline->objective_unchanged,
                          error);
}

/* Collective. Predicts a changed trace. */
static enum status predict_run(const struct computation *computation, const struct trace *changed,
                               struct run_outcome *outcome, struct error *error)
{
    const bool time_only = computation->input->objective->is_time;
    struct trace *view = NULL;
    enum status status =
        engine_predict_changed(computation->engine, &computation->setup, changed,
                               time_only ? NULL : &view, &outcome->time_s, error)
            ?: find_objective(computation, view, outcome->time_s, &outcome->objective, error);
    trace_destroy(view);
    return status;
}

/* Collective. Changes the trace for one run and predicts it. */
static enum status compute_run(const struct computation *computation, size_t r,
                               struct run_outcome *outcome, struct error *error)
{
    const struct replay_session *base = computation->input->base;
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct run_result counted = {0};
    enum status status = processes_agree(base->processes,
                                         replay_config_of_copy(computation->input->runs[r]->ini,
                                                               computation->engine, &config, error),
                                         error);
    if (status == STATUS_OK) {
        run_result_count_changes(config, base->original, &counted);
        outcome->changes = counted.changes;
        outcome->regions = counted.regions;
        status = replay_session_open_beside(base, config, &session, error);
    }
    if (status == STATUS_OK && session->changed) {
        status = predict_run(computation, session->changed, outcome, error);
    } else if (status == STATUS_OK) {
        outcome->time_s = computation->baseline.changed_s;
        outcome->objective = computation->baseline.objective_changed;
    }
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

/* Makes the result of a run and passes it to the caller. `message`: why it has failed; NULL: it has
 * not. A failure that is not due to the run, such as lack of memory, ends the sweep, and the run
 * stays open. */
static enum status report_run(const struct computation *computation, size_t r,
                              const struct run_outcome *outcome, const char *message,
                              struct error *error)
{
    const struct compute_input *input = computation->input;
    struct run_result result = {.state = message ? RUN_FAILED : RUN_DONE,
                                .engine = computation->engine->name,
                                .trustworthy = true,
                                .changes = outcome->changes,
                                .regions = outcome->regions,
                                .typical_error = NAN,
                                .model_saving = NAN};
    struct run_pair pair = computation->baseline;
    enum status status;
    bool stored;
    if (outcome->status > STATUS_INPUT)
        return error_set(error, outcome->status, "%s", message);
    if (message) {
        stored = (result.message = strdup(message)) != NULL;
    } else {
        pair.changed_s = outcome->time_s;
        pair.objective_changed = outcome->objective;
        if (pair.unchanged_s > 0)
            result.model_saving = (pair.unchanged_s - pair.changed_s) / pair.unchanged_s;
        stored = (result.pairs = malloc(sizeof pair)) != NULL;
        if (stored)
            result.pairs[result.pair_count++] = pair;
    }
    status = stored ? input->done(input->data, r, &result, error)
                    : error_memory(error, "the result of a run");
    run_result_clear(&result);
    progress_add(1);
    return status;
}

/* Collective. All processes compute each run together. */
static enum status compute_together(const struct computation *computation, struct error *error)
{
    const struct processes *processes = computation->input->base->processes;
    enum status status = STATUS_OK;
    for (size_t r = 0; r < computation->input->count && status == STATUS_OK; r++) {
        struct run_outcome outcome = {0};
        struct error failure = {0};
        outcome.status = compute_run(computation, r, &outcome, &failure);
        const char *message = outcome.status == STATUS_OK ? NULL : failure.text;
        if (processes->rank == 0)
            status = report_run(computation, r, &outcome, message, error);
        status = processes_agree(processes, status, error);
    }
    return status;
}

/* In a worker: computes a run, and writes its outcome into `answer`. */
static bool answer_run(void *data, size_t r, struct bytes *answer)
{
    struct computation *computation = data;
    struct run_outcome outcome = {0};
    struct error failure = {0};
    outcome.status = compute_run(computation, r, &outcome, &failure);
    return bytes_put(answer, &outcome, sizeof outcome) &&
           (outcome.status == STATUS_OK ||
            bytes_put(answer, failure.text, strlen(failure.text) + 1));
}

static enum status take_answer(void *data, size_t r, const struct bytes *answer,
                               struct error *error)
{
    struct run_outcome outcome;
    assert(answer->size >= sizeof outcome);
    memcpy(&outcome, answer->data, sizeof outcome);
    const char *message = outcome.status == STATUS_OK ? NULL : answer->data + sizeof outcome;
    return report_run(data, r, &outcome, message, error);
}

static enum status take_worker_failure(void *data, size_t r, const char *message,
                                       struct error *error)
{
    const struct run_outcome nothing = {0};
    return report_run(data, r, &nothing, message, error);
}

enum status compute_runs(const struct compute_input *input, struct error *error)
{
    assert(input->base && input->done && input->workers >= 0);
    const struct replay_config *config = input->base->config;
    struct computation computation = {.input = input,
                                      .engine = config->engine,
                                      .setup = replay_config_setup(config, config->engine)};
    const struct workers_input workers = {.jobs = input->count,
                                          .workers = input->workers,
                                          .what = "computes the run",
                                          .data = &computation,
                                          .work = answer_run,
                                          .answered = take_answer,
                                          .failed = take_worker_failure};
    assert(input->objective && input->done && config->engine->computes &&
           config->hypothesis_count == 0);
    memory_begin();
    enum status status = open_baseline(&computation, error);
    progress_begin("computing", "changes", (double)input->count);
    if (status == STATUS_OK)
        status = input->base->processes->size == 1 ? workers_run(&workers, error)
                                                   : compute_together(&computation, error);
    progress_end();
    if (computation.setup.original)
        config->engine->release((void *)computation.setup.original);
    return status;
}
