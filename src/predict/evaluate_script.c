#include "predict/evaluate_private.h"

#include "base/names.h"
#include "base/progress.h"
#include "predict/measured.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEASURED_EVENTS = 8000000 }; /* of a recording are held at a time */

static struct global *find_param(const struct model_script *script, const char *name)
{
    for (uint32_t g = 0; g < script->global_count; g++)
        if (script->globals[g].param && strcmp(script->globals[g].name, name) == 0)
            return &script->globals[g];
    return NULL;
}

static enum status unknown_param(struct script_evaluator *e, const char *name)
{
    const struct model_script *script = e->script;
    const char **names = calloc(script->global_count + 1u, sizeof *names);
    size_t params = 0;
    if (!names)
        return error_memory(e->error, "the parameters");
    for (uint32_t g = 0; g < script->global_count; g++)
        if (script->globals[g].param)
            names[params++] = script->globals[g].name;
    int nearest = nearest_name(name, names, params);
    if (params == 0)
        error_set(e->error, STATUS_INPUT, "%s: --set %s: the script has no parameters",
                  script->path, name);
    else if (nearest >= 0)
        error_set(e->error, STATUS_INPUT,
                  "%s: --set %s: the script has no such parameter; did you mean \"%s\"?",
                  script->path, name, names[nearest]);
    else
        error_set(e->error, STATUS_INPUT,
                  "%s: --set %s: the script has no such parameter; its first one is \"%s\"",
                  script->path, name, names[0]);
    free(names);
    return STATUS_INPUT;
}

static void apply_settings(struct script_evaluator *e)
{
    const struct evaluation *input = e->input;
    for (uint32_t g = 0; g < e->script->global_count; g++)
        e->params[g] = NAN;
    for (uint32_t s = 0; s < input->setting_count && e->status == STATUS_OK; s++) {
        struct global *param = find_param(e->script, input->settings[s].name);
        if (param)
            e->params[param - e->script->globals] = input->settings[s].value;
        else
            e->status = unknown_param(e, input->settings[s].name);
    }
}

/* Sets the globals that do not depend on communicators and measured regions, as rank e->rank sees
 * them. */
static void set_early_globals(struct script_evaluator *e)
{
    for (uint32_t g = 0; g < e->script->global_count && e->status == STATUS_OK; g++)
        if (!e->script->globals[g].late)
            e->globals[g] =
                isnan(e->params[g]) ? evaluate(e, e->script->globals[g].value) : e->params[g];
}

/* Notes that a measurement needs this rank of the recording. */
static void request_rank(struct script_evaluator *e, uint32_t measurement, uint32_t rank)
{
    for (size_t i = e->measured.count; i-- > 0;)
        if (e->measured.items[i].measurement == measurement && e->measured.items[i].rank == rank)
            return;
    struct measured_seconds requested = {.measurement = measurement, .rank = rank};
    if (!array_push(&e->measured, requested))
        evaluation_out_of_memory(e);
}

/* Finds the ranks of recordings that any rank of the prediction needs. */
static void find_measured_ranks(struct script_evaluator *e)
{
    const struct model_script *script = e->script;
    bool vary = false;
    for (uint32_t m = 0; m < script->measurement_count; m++)
        vary |= script->measurements[m].rank->kind != EXPRESSION_NUMBER;
    for (uint32_t rank = 0; rank < (vary ? e->input->ranks : 1) && e->status == STATUS_OK; rank++) {
        e->rank = rank;
        set_early_globals(e);
        for (uint32_t m = 0; m < script->measurement_count && e->status == STATUS_OK; m++)
            if (rank == 0 || script->measurements[m].rank->kind != EXPRESSION_NUMBER)
                request_rank(e, m, evaluate_measured_rank(e, m));
    }
}

/* The path of a recording, relative to the script. The arena owns it; NULL when memory is out. */
static const char *recording_path(struct script_evaluator *e, const char *path)
{
    const char *slash = strrchr(e->script->path, '/');
    char *whole;
    if (*path == '/' || !slash)
        return path;
    if (asprintf(&whole, "%.*s/%s", (int)(slash - e->script->path), e->script->path, path) < 0)
        return NULL;
    return arena_adopt(e->arena, whole);
}

/* A recording that does not exist is an error where a step asks for it (value_of_measured): scripts
 * can do with or without one. */
static void forgo_recording(struct script_evaluator *e, uint32_t trace)
{
    for (size_t i = 0; i < e->measured.count; i++)
        if (e->script->measurements[e->measured.items[i].measurement].trace == trace)
            e->measured.items[i].seconds = NAN;
}

/* Collective. Answers all questions about one recording. */
static enum status measure(struct script_evaluator *e, uint32_t trace,
                           struct measured_query *queries, struct measured_answer *answers,
                           struct error *error)
{
    uint32_t count = 0, failed = UINT32_MAX, failed_measurement = UINT32_MAX;
    for (size_t i = 0; i < e->measured.count; i++) {
        const struct script_measurement *m =
            &e->script->measurements[e->measured.items[i].measurement];
        if (m->trace == trace)
            queries[count++] =
                (struct measured_query){m->region, e->measured.items[i].rank, m->sampled};
    }
    const char *path = count > 0 ? recording_path(e, e->script->traces[trace].path) : "";
    enum status status = processes_agree_memory(e->processes, path != NULL, "a path", error);
    if (count == 0 || status != STATUS_OK)
        return status;
    bool missing = access(path, F_OK) != 0;
    processes_broadcast(e->processes, &missing, sizeof missing);
    if (missing) {
        forgo_recording(e, trace);
        return STATUS_OK;
    }
    status = measured_answer(path, MEASURED_EVENTS, queries, count, e->processes, answers, &failed,
                             error);
    count = 0;
    for (size_t i = 0; i < e->measured.count; i++) {
        const struct script_measurement *m =
            &e->script->measurements[e->measured.items[i].measurement];
        if (m->trace != trace)
            continue;
        if (count == failed)
            failed_measurement = e->measured.items[i].measurement;
        e->measured.items[i].seconds = answers[count].seconds;
        e->measured.items[i].lengths = answers[count].lengths;
        e->measured.items[i].visits = answers[count++].visits;
    }
    if (status != STATUS_INPUT)
        return status;
    struct script_position place = failed_measurement != UINT32_MAX
                                       ? e->script->measurements[failed_measurement].place
                                       : e->script->traces[trace].place;
    struct error cause = *error;
    return script_error(e->script, place, error, "%s", cause.text);
}

/* Collective; all processes have the same questions. */
static enum status measure_all(struct script_evaluator *e, struct error *error)
{
    size_t count = e->measured.count;
    struct measured_query *queries = calloc(count + 1, sizeof *queries);
    struct measured_answer *answers = calloc(count + 1, sizeof *answers);
    enum status status =
        processes_agree_memory(e->processes, queries && answers, "measured regions", error);
    for (uint32_t t = 0; t < e->script->trace_count && status == STATUS_OK; t++)
        status = measure(e, t, queries, answers, error);
    free(queries);
    free(answers);
    return status;
}

static bool allocate(struct script_evaluator *e)
{
    const struct model_script *script = e->script;
    e->arena = arena_create();
    if (!e->arena)
        return false;
    e->params = arena_alloc_array(e->arena, script->global_count + 1u, sizeof *e->params);
    e->globals = arena_alloc_array(e->arena, script->global_count + 1u, sizeof *e->globals);
    e->tables = arena_alloc_array(e->arena, script->table_count + 1u, sizeof *e->tables);
    e->comms = arena_alloc_array(e->arena, script->comm_count + 1u, sizeof *e->comms);
    e->case_visits = arena_alloc_array(e->arena, script->case_count + 1u, sizeof *e->case_visits);
    e->turns = arena_alloc_array(e->arena, script->turn_count + 1u, sizeof *e->turns);
    e->remembered =
        arena_alloc_array(e->arena, script->procedure_count + 1u, sizeof *e->remembered);
    bool done = e->params && e->globals && e->tables && e->comms && e->case_visits && e->turns &&
                e->remembered;
    for (uint32_t p = 0; p < script->procedure_count && done; p++) {
        e->remembered[p].arguments = arena_alloc_array(
            e->arena, script->procedures[p].parameters + 1u, sizeof *e->remembered[p].arguments);
        done = e->remembered[p].arguments != NULL;
    }
    return done;
}

static void clear(struct script_evaluator *e)
{
    for (uint32_t c = 0; e->comms && c < e->script->comm_count; c++)
        free(e->comms[c].parts.items);
    for (size_t i = 0; i < e->measured.count; i++)
        free(e->measured.items[i].lengths);
    free(e->measured.items);
    free(e->open.items);
    free(e->counts[0]);
    free(e->counts[1]);
    free(e->stack);
    builder_destroy(e->builder);
    arena_destroy(e->arena);
}

static double optional_seconds(struct script_evaluator *e, const struct expression *expression)
{
    return expression ? evaluate_seconds(e, expression) : 0;
}

/* What the current rank does. */
static void evaluate_rank(struct script_evaluator *e)
{
    e->open.count = 0;
    memset(e->case_visits, 0, (e->script->case_count + 1u) * sizeof *e->case_visits);
    memset(e->turns, 0, (e->script->turn_count + 1u) * sizeof *e->turns);
    double startup = optional_seconds(e, e->script->startup);
    double shutdown = optional_seconds(e, e->script->shutdown);
    if (e->status != STATUS_OK)
        return;
    builder_begin_rank(e->builder, startup);
    evaluate_main(e);
    if (e->status != STATUS_OK)
        return;
    e->events += builder_events(e->builder);
    builder_end_rank(e->builder, shutdown);
}

/* Globals may use communicators and communicators globals that stand before them; so both are made
 * in the order of the script. */
static void evaluate_declarations(struct script_evaluator *e)
{
    e->rank = 0;
    for (uint32_t c = 0; c < e->script->comm_count && e->status == STATUS_OK; c++)
        evaluate_comm(e, c);
    e->rank = UINT32_MAX; /* all globals, also those that are the same on all ranks */
    if (e->status == STATUS_OK)
        evaluate_set_rank(e, 0, NULL);
}

/* Tables, and which ranks of recordings are needed. */
static void prepare(struct script_evaluator *e)
{
    e->measuring = true;
    e->rank = 0;
    set_early_globals(e);
    for (uint32_t t = 0; t < e->script->table_count; t++)
        evaluate_table(e, t);
    if (e->script->measurement_count > 0 && e->status == STATUS_OK)
        find_measured_ranks(e);
    e->measuring = false;
}

/* Collective. Everything before the ranks. */
static enum status declare(struct script_evaluator *e, struct error *error)
{
    apply_settings(e);
    if (e->status == STATUS_OK)
        prepare(e);
    enum status status = processes_agree(e->processes, e->status, error);
    if (status == STATUS_OK)
        status = measure_all(e, error);
    if (status == STATUS_OK)
        evaluate_declarations(e);
    return status;
}

static enum status run(struct script_evaluator *e, struct trace **trace, struct error *error)
{
    enum status status = declare(e, error);
    if (status != STATUS_OK)
        return status;
    uint32_t first = builder_first_rank(e->builder), count = builder_owned_ranks(e->builder);
    progress_begin("evaluating", "ranks", count);
    for (uint32_t i = 0; i < count && e->status == STATUS_OK; i++) {
        evaluate_set_rank(e, first + i, NULL);
        if (e->status == STATUS_OK)
            evaluate_rank(e);
        progress_add(1);
    }
    progress_end();
    return builder_finish(e->builder, e->status, trace, error);
}

/* Collective. */
static enum status open_evaluator(struct script_evaluator *e, const struct evaluation *evaluation,
                                  struct processes *processes, struct error *error)
{
    const struct model_script *script = evaluation->script;
    *e = (struct script_evaluator){
        .input = evaluation, .script = script, .processes = processes, .error = error};
    assert(evaluation->ranks > 0);
    bool allocated = allocate(e);
    enum status status = processes_agree_memory(processes, allocated, "the prediction", error);
    if (status == STATUS_OK)
        status = builder_create(processes, script->name, evaluation->ranks,
                                evaluation->hardware->ranks_per_node, script->regions,
                                script->region_count, &e->builder, error);
    if (status == STATUS_OK)
        builder_surround(e->builder, script->frames, script->frame_count, script->bare);
    else
        clear(e);
    return status;
}

enum status script_evaluate(const struct evaluation *evaluation, struct processes *processes,
                            struct trace **trace, struct error *error)
{
    struct script_evaluator e;
    *trace = NULL;
    enum status status = open_evaluator(&e, evaluation, processes, error);
    if (status == STATUS_OK) {
        status = run(&e, trace, error);
        clear(&e);
    }
    return status;
}

struct script_position script_place(const struct evaluation *evaluation, uint32_t rank,
                                    uint64_t event)
{
    assert(rank < evaluation->ranks);
    struct script_evaluator e;
    struct error error;
    struct processes alone;
    struct script_position found = {0, 0};
    if (processes_fork(&alone, 1, &error) != STATUS_OK)
        return found;
    if (open_evaluator(&e, evaluation, &alone, &error) != STATUS_OK)
        return found;
    if (declare(&e, &error) == STATUS_OK && e.status == STATUS_OK) {
        for (uint32_t r = 0; r < rank; r++)
            builder_skip_rank(e.builder);
        e.locates = true;
        e.wanted = event;
        evaluate_set_rank(&e, rank, NULL);
        if (e.status == STATUS_OK)
            evaluate_rank(&e);
    }
    found = e.found;
    clear(&e);
    return found;
}
