#include "sweep/compute.h"

#include "base/progress.h"
#include "sweep/workers.h"
#include "job/predict.h"
#include "sweep/changes.h"

#include <assert.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What all runs share. */
struct computation {
    const struct compute_input *input;
    const struct engine *engine;
    struct engine_setup setup; /* with the engine's state of the unchanged trace */
    struct run_pair baseline;  /* `changed`: what the engine says of the unchanged trace; it is
                                  also `unchanged`, unless the recording is the baseline */
    bool in_worker;
};

/* What becomes of one run; a worker sends it, followed by the message if it has failed. */
struct outcome {
    enum status status;
    double time_s, objective;
    size_t changes, regions;
};

/* Collective. The objective of a trace whose T is known. */
static enum status find_objective(const struct computation *computation, const struct trace *trace,
                                  double time_s, double *value, struct error *error)
{
    const struct objective *objective = computation->input->objective;
    *value = time_s;
    return objective->is_time ? STATUS_OK : objective_of(objective, trace, value, error);
}

/* Collective. Prepares the engine, and finds what the runs are compared with. */
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

/* Collective. What becomes of a changed trace. */
static enum status predict(const struct computation *computation, const struct trace *changed,
                           struct outcome *outcome, struct error *error)
{
    const bool time_only = computation->input->objective->is_time;
    struct trace *view = NULL;
    enum status status = engine_predict_changed(computation->engine, &computation->setup, changed,
                                                time_only ? NULL : &view, &outcome->time_s, error);
    if (status == STATUS_OK)
        status = find_objective(computation, view, outcome->time_s, &outcome->objective, error);
    trace_destroy(view);
    return status;
}

/* Collective. */
static enum status read_config(const struct computation *computation, const struct sweep_run *run,
                               struct replay_config **config, struct error *error)
{
    struct ini *copy = NULL;
    enum status status = ini_copy(run->ini, &copy, error);
    if (status == STATUS_OK)
        status = replay_config_from_ini(copy, computation->engine, config, error);
    return processes_agree(computation->input->base->processes, status, error);
}

/* Collective. */
static enum status compute(const struct computation *computation, size_t r, struct outcome *outcome,
                           struct error *error)
{
    const struct replay_session *base = computation->input->base;
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct run_result counted = {0};
    enum status status = read_config(computation, computation->input->runs[r], &config, error);
    if (status == STATUS_OK) {
        count_changes(config, base->original, &counted);
        outcome->changes = counted.changes;
        outcome->regions = counted.regions;
        status = replay_session_open_beside(base, config, &session, error);
    }
    if (status == STATUS_OK && session->changed) {
        status = predict(computation, session->changed, outcome, error);
    } else if (status == STATUS_OK) {
        outcome->time_s = computation->baseline.changed_s;
        outcome->objective = computation->baseline.objective_changed;
    }
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

/* Makes the result of a run and hands it on. `message`: why it has failed; NULL: it has not. Not
 * all failures are the fault of the run: lack of memory ends the sweep, and the run stays open. */
static enum status report_run(const struct computation *computation, size_t r,
                              const struct outcome *outcome, const char *message,
                              struct error *error)
{
    const struct compute_input *input = computation->input;
    struct run_result result = {.state = message ? RUN_FAILED : RUN_DONE,
                                .engine = computation->engine->name,
                                .trustworthy = true,
                                .changes = outcome->changes,
                                .regions = outcome->regions,
                                .model_saving = NAN};
    struct run_pair pair = computation->baseline;
    enum status status;
    bool room;
    if (outcome->status > STATUS_INPUT)
        return error_set(error, outcome->status, "%s", message);
    if (message) {
        room = (result.message = strdup(message)) != NULL;
    } else {
        pair.changed_s = outcome->time_s;
        pair.objective_changed = outcome->objective;
        if (pair.unchanged_s > 0)
            result.model_saving = (pair.unchanged_s - pair.changed_s) / pair.unchanged_s;
        room = (result.pairs = malloc(sizeof pair)) != NULL;
        if (room)
            result.pairs[result.pair_count++] = pair;
    }
    status = room ? input->done(input->data, r, &result, error)
                  : error_memory(error, "the result of a run");
    run_result_clear(&result);
    progress_add(1);
    return status;
}

static enum status compute_together(const struct computation *computation, struct error *error)
{
    const struct processes *processes = computation->input->base->processes;
    enum status status = STATUS_OK;
    for (size_t r = 0; r < computation->input->count && status == STATUS_OK; r++) {
        struct outcome outcome = {0};
        struct error failure = {0};
        outcome.status = compute(computation, r, &outcome, &failure);
        const char *message = outcome.status == STATUS_OK ? NULL : failure.text;
        if (processes->rank == 0)
            status = report_run(computation, r, &outcome, message, error);
        status = processes_agree(processes, status, error);
    }
    return status;
}

static bool work(void *data, size_t r, struct bytes *answer)
{
    struct computation *computation = data;
    struct outcome outcome = {0};
    struct error failure = {0};
    if (!computation->in_worker) {
        /* Runs need the same arrays one after the other: do not return them to the system. */
        mallopt(M_MMAP_THRESHOLD, 32 << 20);
        mallopt(M_TRIM_THRESHOLD, 256 << 20);
        computation->in_worker = true;
    }
    outcome.status = compute(computation, r, &outcome, &failure);
    return bytes_put(answer, &outcome, sizeof outcome) &&
           (outcome.status == STATUS_OK ||
            bytes_put(answer, failure.text, strlen(failure.text) + 1));
}

static enum status take_answer(void *data, size_t r, const struct bytes *answer,
                               struct error *error)
{
    struct outcome outcome;
    assert(answer->size >= sizeof outcome);
    memcpy(&outcome, answer->data, sizeof outcome);
    const char *message = outcome.status == STATUS_OK ? NULL : answer->data + sizeof outcome;
    return report_run(data, r, &outcome, message, error);
}

static enum status take_failure(void *data, size_t r, const char *message, struct error *error)
{
    const struct outcome nothing = {0};
    return report_run(data, r, &nothing, message, error);
}

enum status compute_runs(const struct compute_input *input, struct error *error)
{
    const struct replay_config *config = input->base->config;
    struct computation computation = {.input = input,
                                      .engine = config->engine,
                                      .setup = replay_config_setup(config, config->engine)};
    const struct workers_input workers = {.jobs = input->count,
                                          .workers = input->workers,
                                          .what = "computes the run",
                                          .data = &computation,
                                          .work = work,
                                          .answered = take_answer,
                                          .failed = take_failure};
    assert(config->engine->computes && config->hypothesis_count == 0);
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
