#include "advise/trial.h"

#include "base/array.h"
#include "base/paired.h"
#include "replay/model/model.h"
#include "sweep/compute.h"
#include "sweep/rounds.h"
#include "sweep/savings.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status trial_base_config(const char *program, const char *trace, const char *machine,
                              struct replay_config **config, struct error *error)
{
    assert(program && trace);
    char *text = NULL;
    int length = asprintf(&text, "[trace]\npath = %s\n\n[replay]\nengine = model\n%s%s\n", trace,
                          machine ? "\n[model]\nmachine = " : "", machine ? machine : "");
    if (length < 0)
        return error_memory(error, "the configuration");
    enum status status = replay_config_of_text(program, text, engine_find("model"), config, error);
    free(text);
    return status;
}

const char *trial_machine(const struct replay_session *base)
{
    const struct engine_setup setup = replay_config_setup(base->config, engine_find("model"));
    return ((const struct model_options *)setup.options)->machine;
}

const char *trial_config(const struct replay_session *base, const char *sections,
                         struct arena *arena)
{
    assert(sections && arena);
    char *absolute = realpath(base->original->path, NULL), *text = NULL;
    const char *machine = trial_machine(base);
    char *absolute_machine = machine ? realpath(machine, NULL) : NULL;
    int length =
        asprintf(&text, "[trace]\npath = %s\n\n%s%s%s%s",
                 absolute ? absolute : base->original->path, machine ? "[model]\nmachine = " : "",
                 absolute_machine ? absolute_machine
                 : machine        ? machine
                                  : "",
                 machine ? "\n\n" : "", sections);
    free(absolute);
    free(absolute_machine);
    return length < 0 ? NULL : arena_adopt(arena, text);
}

const char *trial_join(const char *first, const char *second, struct arena *arena)
{
    struct bytes text = {0};
    bool complete = bytes_put(&text, first, strlen(first)) && bytes_put(&text, "\n", 1);
    while (*second && complete) {
        const size_t length = strcspn(second, "\n"), all = length + (second[length] == '\n');
        if (*second == '[' && second[length - 1] == ']')
            complete = bytes_put(&text, second, length - 1) && bytes_put(&text, " 2]\n", 4);
        else
            complete = bytes_put(&text, second, all);
        second += all;
    }
    const char *joined =
        complete && bytes_put(&text, "", 1) ? arena_strdup(arena, text.data) : NULL;
    bytes_clear(&text);
    return joined;
}

/* On process 0: collects the results. */
struct trial_savings {
    struct hypothesis_trial *trials;
    double unchanged_s;
};

static enum status take_saving(void *data, size_t run, struct run_result *result,
                               struct error *error)
{
    struct trial_savings *savings = data;
    (void)error;
    if (result->state == RUN_DONE && result->pair_count > 0 && result->pairs[0].unchanged_s > 0) {
        savings->unchanged_s = result->pairs[0].unchanged_s;
        savings->trials[run].saving = pair_saving(&result->pairs[0]);
    }
    return STATUS_OK;
}

struct trial_runs {
    struct sweep_run *runs;
    const struct sweep_run **list;
    size_t count;
    struct arena *arena;
};

static void trial_runs_close(struct trial_runs *runs)
{
    for (size_t i = 0; runs->runs && i < runs->count; i++)
        ini_destroy(runs->runs[i].ini);
    arena_destroy(runs->arena);
}

/* Makes a run of each trial. After a failure there is nothing to close. */
static enum status trial_runs_open(const struct replay_session *base,
                                   const struct hypothesis_trial *trials, size_t count,
                                   struct trial_runs *runs, struct error *error)
{
    *runs = (struct trial_runs){.count = count, .arena = arena_create()};
    if (runs->arena) {
        runs->runs = arena_alloc_array(runs->arena, count + 1, sizeof *runs->runs);
        runs->list = arena_alloc_array(runs->arena, count + 1, sizeof *runs->list);
    }
    if (!runs->runs || !runs->list)
        return error_memory(error, "the advice");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "candidate %zu", i + 1);
        const char *text = trial_config(base, trials[i].sections, runs->arena);
        runs->runs[i].name = arena_strdup(runs->arena, name);
        runs->list[i] = &runs->runs[i];
        status = text && runs->runs[i].name
                     ? ini_parse_text(name, text, strlen(text), &runs->runs[i].ini, error)
                     : error_memory(error, "the advice");
    }
    if (status != STATUS_OK) {
        trial_runs_close(runs);
        *runs = (struct trial_runs){0};
    }
    return status;
}

enum status trials_compute(const struct replay_session *base, struct hypothesis_trial *trials,
                           size_t count, double *time_s, struct error *error)
{
    assert(trials || count == 0);
    const struct processes *processes = base->processes;
    struct trial_runs runs = {0};
    struct trial_savings savings = {.trials = trials, .unchanged_s = base->recorded_s};
    struct objective objective;
    for (size_t i = 0; i < count; i++)
        trials[i].saving = NAN;
    enum status status = objective_find("T", &objective, error)
                             ?: trial_runs_open(base, trials, count, &runs, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && count > 0)
        status = compute_runs(
            &(struct compute_input){
                .base = base,
                .runs = runs.list,
                .count = count,
                .objective = &objective,
                .done = take_saving,
                .data = &savings,
            },
            error);
    trial_runs_close(&runs);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        processes_broadcast(processes, &trials[i].saving, sizeof trials[i].saving);
    processes_broadcast(processes, &savings.unchanged_s, sizeof savings.unchanged_s);
    *time_s = savings.unchanged_s;
    return STATUS_OK;
}

static enum status take_replays_of_trial(void *data, size_t run, struct run_result *result,
                                         struct error *error)
{
    struct replayed_trial *replayed = &((struct replayed_trial *)data)[run];
    double *differences = malloc((result->pair_count + 1) * sizeof *differences);
    if (!differences)
        return error_memory(error, "the advice");
    for (size_t i = 0; i < result->pair_count; i++)
        differences[i] = pair_saving(&result->pairs[i]);
    replayed->done = result->state == RUN_DONE && result->pair_count > 0;
    if (replayed->done) {
        replayed->trustworthy = result->trustworthy;
        replayed->saving = paired_estimate(differences, result->pair_count);
        replayed->p = paired_p_value(differences, result->pair_count);
    }
    free(differences);
    return STATUS_OK;
}

/* Makes the configuration by which the recording is replayed. */
static enum status make_replay_config(const struct replay_session *base, struct arena *arena,
                                      struct replay_config **config, struct error *error)
{
    const char *text = trial_config(base, "[replay]\nengine = realtime\n", arena);
    return text ? replay_config_of_text("advice", text, engine_find("realtime"), config, error)
                : error_memory(error, "the advice");
}

enum status trials_replay(const struct replay_session *base, const struct hypothesis_trial *trials,
                          size_t count, size_t rounds, struct replayed_trial *replayed,
                          struct error *error)
{
    assert(rounds >= 1 && (trials || count == 0));
    const struct processes *processes = base->processes;
    struct trial_runs runs = {0};
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct objective objective;
    memset(replayed, 0, count * sizeof *replayed);
    enum status status = trial_runs_open(base, trials, count, &runs, error)
                             ?: objective_find("T", &objective, error)
                             ?: make_replay_config(base, runs.arena, &config, error);
    status = processes_agree(processes, status, error)
                 ?: replay_session_open_beside(base, config, &session, error);
    if (status == STATUS_OK)
        status = rounds_replay(
            &(struct rounds_input){
                .base = session,
                .runs = runs.list,
                .count = count,
                .objective = &objective,
                .rounds = rounds,
                .seed = 1,
                .done = take_replays_of_trial,
                .data = replayed,
            },
            error);
    if (status == STATUS_OK)
        processes_broadcast(processes, replayed, count * sizeof *replayed);
    replay_session_close(session);
    replay_config_destroy(config);
    trial_runs_close(&runs);
    return status;
}
