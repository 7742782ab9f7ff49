#include "job/kept_imbalance.h"

#include "base/log.h"
#include "job/predict.h"
#include "replay/model/model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool balances_visits(const struct hypothesis *hypothesis)
{
    const char *mode = ini_value(hypothesis->section, "mode");
    return strcmp(hypothesis->kind->name, "balance") == 0 && mode && strcmp(mode, "instance") == 0;
}

/* A copy of the configuration whose balances are of ranks as a whole. */
static enum status copy_with_whole_ranks(const struct replay_config *config, struct ini **copy,
                                         struct error *error)
{
    enum status status = ini_copy(config->ini, copy, error);
    for (size_t i = 0; i < config->hypothesis_count && status == STATUS_OK; i++) {
        const struct ini_section *section = config->hypotheses[i].section;
        char set[400];
        if (!balances_visits(&config->hypotheses[i]))
            continue;
        snprintf(set, sizeof set, "balance%s%s.mode=global", *section->label ? " " : "",
                 section->label);
        status = ini_set(*copy, set, error);
    }
    return status;
}

/* Collective. T of the unchanged trace, of the changed one and of `whole`, by the model. */
static enum status predict_all(const struct replay_session *session, const struct trace *whole,
                               double times_s[3], struct error *error)
{
    struct engine_setup setup = replay_config_setup(session->config, &engine_model);
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    enum status status = engine_model.prepare(session->original, &setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    setup.original = state;
    status = engine_model.run(state, NULL, NULL, &run, error);
    times_s[0] = run.time_s;
    status = status
                 ?: engine_predict_changed(&engine_model, &setup, session->changed, NULL,
                                           &times_s[1], error)
                 ?: engine_predict_changed(&engine_model, &setup, whole, NULL, &times_s[2], error);
    free(facts.approximations);
    engine_model.release(state);
    return status;
}

enum status kept_imbalance_find(const struct replay_session *session, double *part,
                                struct error *error)
{
    static const double WORTH_SAYING = 0.005;
    const struct replay_config *config = session->config;
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct trace *whole = NULL;
    double times_s[3] = {0};
    size_t count = 0, changed = 0;
    assert(session->original && session->changed);
    *part = 0;
    for (size_t i = 0; i < config->hypothesis_count; i++)
        changed += balances_visits(&config->hypotheses[i]);
    if (changed == 0 || config->memory)
        return STATUS_OK;
    enum status status = copy_with_whole_ranks(config, &ini, error)
                             ?: hypotheses_parse(ini, &hypotheses, &count, error);
    status = processes_agree(session->processes, status, error)
                 ?: hypotheses_apply(hypotheses, count, session->original, &whole, NULL, error)
                 ?: predict_all(session, whole, times_s, error);
    if (status == STATUS_OK && times_s[0] > 0)
        *part = (times_s[2] - times_s[1]) / times_s[0];
    if (*part > WORTH_SAYING)
        log_note("%s: balancing each rank as a whole saves %.1f %% of T, balancing each visit "
                 "%.1f %%; a program that is really balanced keeps differences due to chance",
                 session->path, 100 * (1 - times_s[2] / times_s[0]),
                 100 * (1 - times_s[1] / times_s[0]));
    trace_destroy(whole);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return status == STATUS_INPUT ? STATUS_OK : status;
}
