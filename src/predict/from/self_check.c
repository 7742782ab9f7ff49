#include "predict/from/self_check.h"

#include "predict/evaluate.h"
#include "predict/predicted.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { EVENTS_FACTOR = 4 }; /* a prediction may have this many times the events of its recording */

/* Collective. */
static enum status predict_recording(const struct recorded_program *program,
                                     struct evaluation *evaluation, const char *hardware,
                                     struct processes *processes, double *time_s,
                                     struct error *error)
{
    const struct script_recording *recording = program->recording;
    struct parameter_setting *settings = calloc(recording->count + 1ul, sizeof *settings);
    struct prediction_outcome outcome = {0};
    struct trace *trace = NULL;
    enum status status = processes_agree_memory(processes, settings, "the parameters", error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < recording->count; i++)
        settings[i] = (struct parameter_setting){recording->names[i], recording->values[i]};
    evaluation->ranks = program->trace->rank_count;
    evaluation->settings = settings;
    evaluation->setting_count = recording->count;
    evaluation->seed = EVALUATION_SEED;
    evaluation->most_events = EVENTS_FACTOR * (uint64_t)trace_count_events(program->trace) + 1000;
    status = script_evaluate(evaluation, processes, &trace, error);
    if (status == STATUS_OK)
        status = predict_times(trace, hardware, &outcome, error);
    *time_s = outcome.time_s;
    free(outcome.approximations);
    trace_destroy(trace);
    free(settings);
    return status;
}

enum status self_check_run(const struct self_check *check, double *worst, struct error *error)
{
    assert(check->count > 0);
    struct model_script *script = NULL;
    struct hardware hardware;
    struct evaluation evaluation = {.hardware = &hardware};
    enum status status = hardware_load(check->hardware, &hardware, error);
    if (status == STATUS_OK)
        status = script_read(check->script, &script, error);
    status = processes_agree(check->processes, status, error);
    evaluation.script = script;
    *worst = 0;
    for (uint32_t p = 0; p < check->count && status == STATUS_OK; p++) {
        double time_s;
        status = predict_recording(&check->programs[p], &evaluation, check->hardware,
                                   check->processes, &time_s, error);
        double relative = time_s / check->programs[p].time_s - 1;
        if (status == STATUS_OK && !(fabs(relative) <= fabs(*worst)))
            *worst = relative;
    }
    script_destroy(script);
    if (status != STATUS_INPUT)
        return status;
    *worst = INFINITY;
    return STATUS_OK;
}
