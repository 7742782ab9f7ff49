#include "replay/model/model.h"

#include "replay/model/evaluate.h"
#include "replay/model/join.h"
#include "replay/model/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model {
    const struct trace *trace;
    struct part part;
    struct program program;
    struct evaluator *evaluator; /* on process 0 */
};

static void model_release(void *opaque)
{
    struct model *model = opaque;
    if (!model)
        return;
    evaluator_destroy(model->evaluator);
    program_clear_steps(&model->program);
    part_clear(&model->part);
    free(model);
}

/* Process 0 reads the machine file for all. */
static enum status share_machine(const struct trace *trace, const char *path,
                                 struct machine *machine, struct error *error)
{
    enum status status = STATUS_OK;
    if (trace->processes->rank == 0)
        status = machine_load(path, machine, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(trace->processes, machine, sizeof *machine);
    return status;
}

/* Collective. From the trace to the owned part of its program. */
static enum status compile(const struct trace *trace, const struct engine_options *options,
                           struct layout *layout, struct part *part, char **parameters,
                           struct error *error)
{
    const struct trace *recording = trace->recording ? trace->recording : trace;
    struct machine machine;
    struct recorded recorded = {0};
    enum status status = STATUS_OK;
    if (options->machine)
        status = share_machine(trace, options->machine, &machine, error);
    if (status == STATUS_OK)
        status = recorded_make(recording, options->machine ? &machine : NULL, options->poll_gap_s,
                               &recorded, error);
    if (status != STATUS_OK)
        return status;
    struct compile_input input = {.trace = trace,
                                  .layout = layout,
                                  .recorded = &recorded,
                                  .platform = &recorded.platform,
                                  .absolute = options->absolute,
                                  .poll_gap_s = options->poll_gap_s};
    status = part_compile(&input, part, error);
    *parameters = platform_describe(&recorded.platform, trace->rank_count);
    if (status == STATUS_OK && !*parameters)
        status = error_memory(error, "the model");
    recorded_clear(&recorded);
    return processes_agree(trace->processes, status, error);
}

static enum status check_options(const struct engine_options *options, struct error *error)
{
    if (options->absolute && !options->machine)
        return error_set(error, STATUS_INPUT,
                         "mode = absolute needs the machine's parameters: name a machine file in "
                         "section [model]");
    return STATUS_OK;
}

static enum status build(struct model *model, const struct engine_options *options,
                         struct engine_facts *facts, struct error *error)
{
    const struct trace *trace = model->trace;
    struct layout layout;
    char *parameters = NULL;
    enum status status = layout_make(trace, &layout, error);
    if (status != STATUS_OK)
        return status;
    status = compile(trace, options, &layout, &model->part, &parameters, error);
    if (status == STATUS_OK)
        status = program_join(&model->part, &layout, &model->program, error);
    if (status == STATUS_OK) {
        if (trace->processes->rank == 0)
            status = evaluator_create(&model->program, &model->evaluator, error);
        status = processes_agree(trace->processes, status, error);
    }
    if (status == STATUS_OK &&
        asprintf(&facts->approximations, "%s\n%s",
                 options->absolute  ? "what communication costs: as the machine file says"
                 : options->machine ? "what communication costs: as recorded; when messages "
                                      "arrive: as the machine file says"
                                    : "what communication costs: as recorded; when messages "
                                      "arrive: by parameters found in the recording",
                 parameters) < 0) {
        facts->approximations = NULL;
        status = error_memory(error, "the model");
    }
    status = processes_agree(trace->processes, status, error);
    free(parameters);
    layout_clear(&layout);
    return status;
}

static enum status model_prepare(const struct trace *trace, const struct engine_options *options,
                                 void **opaque, struct engine_facts *facts, struct error *error)
{
    *opaque = NULL;
    memset(facts, 0, sizeof *facts);
    struct model *model = calloc(1, sizeof *model);
    enum status status = check_options(options, error);
    if (status == STATUS_OK && !model)
        status = error_memory(error, "the model");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK) {
        model->trace = trace;
        status = build(model, options, facts, error);
    }
    if (status != STATUS_OK) {
        model_release(model);
        free(facts->approximations);
        facts->approximations = NULL;
        return status;
    }
    facts->trustworthy = true;
    *opaque = model;
    return STATUS_OK;
}

/* Collective. Where a rank is stuck: behind the last call that it has ended. */
static enum status report_stuck(const struct model *model, uint32_t rank, size_t ends,
                                struct error *error)
{
    const struct trace *trace = model->trace;
    const struct stream *stream = trace_stream(trace, rank);
    enum status status = STATUS_OK;
    if (stream) {
        char where[1024] = "";
        size_t window = ends;
        for (uint32_t s = 0; s < rank - trace->first_rank; s++)
            window += model->part.window_counts[s];
        trace_describe_event(trace, stream, model->part.windows.items[window].enter, where,
                             sizeof where);
        status = error_set(error, STATUS_INPUT,
                           "in the model the ranks wait for each other for ever; one of them: %s. "
                           "Does the program rely on buffering of messages as large as S?",
                           where);
    }
    return processes_agree(trace->processes, status, error);
}

/* Collective. Evaluates at process 0; `*ends` is there only. */
static enum status evaluate(struct model *model, int64_t **ends, struct error *error)
{
    const struct processes *processes = model->trace->processes;
    const struct program *program = &model->program;
    struct {
        uint64_t ends;
        uint32_t rank;
    } stuck = {0, program->rank_count};
    enum status status = STATUS_OK;
    *ends = NULL;
    if (processes->rank == 0) {
        *ends = malloc((program->first_end[program->rank_count] + 1) * sizeof **ends);
        if (*ends)
            stuck.rank = evaluator_run(model->evaluator, *ends);
        else
            status = error_memory(error, "the model");
        if (status == STATUS_OK && stuck.rank < program->rank_count) {
            const struct step *steps = program->steps + program->first[stuck.rank];
            for (size_t i = 0; i < evaluator_steps_done(model->evaluator, stuck.rank); i++)
                stuck.ends += steps[i].code == STEP_END;
        }
    }
    status = processes_agree(processes, status, error);
    processes_broadcast(processes, &stuck, sizeof stuck);
    if (status == STATUS_OK && stuck.rank < program->rank_count)
        status = report_stuck(model, stuck.rank, stuck.ends, error);
    return status;
}

static enum status model_run(void *opaque, struct trace *view, struct engine_run *run,
                             struct error *error)
{
    struct model *model = opaque;
    int64_t *ends, *own = NULL;
    enum status status = evaluate(model, &ends, error);
    if (status == STATUS_OK)
        status = ends_return(model->trace, &model->part, ends, &own, error);
    free(ends);
    if (status != STATUS_OK)
        return status;
    view_write(model->trace, &model->part, own, view);
    free(own);
    trace_update_span(view);
    memset(run, 0, sizeof *run);
    run->time_s = trace_seconds(view, (double)(view->end - view->begin));
    return STATUS_OK;
}

const struct engine engine_model = {
    .name = "model",
    .description = "computes what would happen from what was recorded (LogGPS)",
    .any_processes = true,
    .exact = true,
    .prepare = model_prepare,
    .run = model_run,
    .release = model_release,
};
