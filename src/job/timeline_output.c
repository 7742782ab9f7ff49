#include "job/timeline_output.h"

#include "job/predict.h"
#include "base/sort.h"
#include "job/replay_output.h"
#include "job/timeline_runs.h"
#include "reduce/assumptions.h"
#include "trace/environment.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum status modelled_trace_open(struct modelled_trace *modelled, const struct trace *trace,
                                const struct engine *engine, const struct engine_setup *setup,
                                struct error *error)
{
    assert(engine->equations && setup);
    struct engine_facts facts = {0};
    *modelled = (struct modelled_trace){.trace = trace, .engine = engine};
    enum status status = engine->prepare(trace, setup, &modelled->state, &facts, error);
    free(facts.approximations);
    if (status == STATUS_OK)
        modelled->model = engine->equations(modelled->state);
    if (status == STATUS_OK && trace->processes->rank == 0) {
        status = critical_create(&modelled->model->equations, &modelled->critical, error);
        if (status == STATUS_OK)
            critical_update(modelled->critical, modelled->model->evaluator);
        status = status ?: modelled_trace_consider(modelled, 0, error);
    }
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        modelled_trace_close(modelled);
    return status;
}

enum status modelled_trace_consider(struct modelled_trace *modelled, double shortest_s,
                                    struct error *error)
{
    double known_s;
    enum status status = assumptions_least_wait_of(modelled->trace, &known_s, error);
    double ticks =
        ceil(fmax(known_s, shortest_s) * (double)modelled->trace->definitions->ticks_per_second);
    if (modelled->critical)
        modelled->critical->least_wait = ticks < 1        ? 1
                                         : ticks < 0x1p62 ? (int64_t)ticks
                                                          : INT64_MAX;
    return status;
}

void modelled_trace_close(struct modelled_trace *modelled)
{
    critical_destroy(modelled->critical);
    free(modelled->domino.calls.items);
    if (modelled->state)
        modelled->engine->release(modelled->state);
    *modelled = (struct modelled_trace){0};
}

enum status modelled_trace_find_domino(struct modelled_trace *modelled, struct error *error)
{
    struct evaluator *evaluator = modelled->model->evaluator;
    enum status status = STATUS_OK;
    if (modelled->critical) {
        status = domino_find(modelled->critical, evaluator, false, &modelled->domino, error)
                     ?: domino_weigh(modelled->critical, evaluator, modelled->domino.calls.items,
                                     modelled->domino.first_count, &modelled->effect, error);
    }
    return processes_agree(modelled->trace->processes, status, error);
}

ORDER_BY(order_by_length, struct timeline_wait, DESCENDING(wait) ?: ASCENDING(number))

ORDER_BY(order_by_number, struct timeline_wait, ASCENDING(number))

/* On process 0: lists the waits on the path, the longest ones if there are too many, still without
 * rows. NULL when out of memory. */
static struct timeline_wait *choose_waits(const struct domino *domino, size_t *count)
{
    struct timeline_wait *path = malloc((domino->first_count + 1) * sizeof *path);
    for (size_t i = 0; path && i < domino->first_count; i++) {
        const struct domino_call *call = &domino->calls.items[i];
        path[i] = (struct timeline_wait){
            .number = (uint32_t)i + 1,
            .rank = call->call.rank,
            .other_rank = call->call.other_rank,
            .wait = call->call.wait,
            .last_time = call->last_time,
        };
    }
    *count = domino->first_count;
    if (path && *count > TIMELINE_PATH_WAITS) {
        qsort(path, *count, sizeof *path, order_by_length);
        *count = TIMELINE_PATH_WAITS;
        qsort(path, *count, sizeof *path, order_by_number);
    }
    return path;
}

/* Sets rows[2 i] and rows[2 i + 1] to the rows that enter and leave the i-th wait's call if its
 * rank is owned. `ends` is the same on all processes. */
static void find_call_rows(const struct model *model, const uint64_t *ends, size_t count,
                           int64_t *rows)
{
    const struct trace *trace = model->trace;
    uint64_t first = model->equations.first_end[trace->first_rank];
    for (size_t i = 0; i < count; i++)
        if (ends[i] >= first && ends[i] - first < model->part.spans.count) {
            const struct call_span *span = &model->part.spans.items[ends[i] - first];
            rows[2 * i] = span->enter;
            rows[2 * i + 1] = span->leave;
        }
}

/* Collective. Sends the `path` of process 0 with its `count` waits to all processes and adds the
 * rows of the calls. */
static enum status distribute_path(const struct model *model, const struct domino *domino,
                                   struct timeline_wait **path, size_t *count, struct error *error)
{
    const struct processes *processes = model->trace->processes;
    uint64_t number = *count;
    processes_broadcast(processes, &number, sizeof number);
    *count = (size_t)number;
    if (processes->rank > 0)
        *path = malloc((*count + 1) * sizeof **path);
    uint64_t *ends = calloc(*count + 1, sizeof *ends);
    int64_t *rows = calloc(2 * *count + 1, sizeof *rows);
    bool room = *path && ends && rows;
    enum status status = processes_agree_memory(processes, room, "the time line", error);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < *count && processes->rank == 0; i++)
            ends[i] = domino->calls.items[(*path)[i].number - 1].call.end;
        processes_broadcast(processes, *path, *count * sizeof **path);
        processes_broadcast(processes, ends, *count * sizeof *ends);
        find_call_rows(model, ends, *count, rows);
        processes_max(processes, rows, 2 * *count);
        for (size_t i = 0; i < *count; i++) {
            (*path)[i].enter = (uint32_t)rows[2 * i];
            (*path)[i].leave = (uint32_t)rows[2 * i + 1];
        }
    }
    free(ends);
    free(rows);
    return status;
}

/* Collective. As timeline_output_write, into `file`, with `bands` unless they are NULL. */
static enum status write_timeline(const struct modelled_trace *modelled, bool predicted,
                                  const struct timeline_bands *bands, const char *file,
                                  struct error *error)
{
    const struct model *model = modelled->model;
    const struct domino *domino = &modelled->domino;
    const struct processes *processes = model->trace->processes;
    const bool first = processes->rank == 0;
    struct trace *view = NULL;
    size_t path_count = 0, *counts = NULL;
    struct timeline_call *calls = NULL;
    struct timeline_wait *path = first ? choose_waits(domino, &path_count) : NULL;
    double time_s;
    enum status status =
        processes_agree_memory(processes, path || !first, "the time line", error)
            ?: distribute_path(model, domino, &path, &path_count, error)
            ?: engine_predict(modelled->engine, modelled->state, model->trace, &view, &time_s,
                              error)
            ?: timeline_calls_find(view, &calls, &counts, error);
    if (status == STATUS_OK) {
        struct timeline_input timeline = {
            .trace = view,
            .name = "",
            .predicted = predicted,
            .calls = calls,
            .call_counts = counts,
            .has_path = true,
            .path = path,
            .path_count = path_count,
            .bands = bands,
        };
        if (first) {
            timeline.path_total = domino->first_count;
            timeline.last_time = modelled->critical->last_time;
            timeline.without_path = modelled->effect.without_path;
            timeline.without_longest = modelled->effect.without_longest;
            timeline.longest_count = modelled->effect.longest_count;
        }
        status = timeline_page_write(&timeline, file, error);
    }
    trace_destroy(view);
    free(path);
    free(calls);
    free(counts);
    return status;
}

/* The path of the time line in `directory`, the same on all processes. */
static enum status timeline_path(const struct trace *trace, const char *directory, char *file,
                                 struct error *error)
{
    return processes_agree(trace->processes,
                           output_path(directory, REPLAY_OUTPUT_TIMELINE, file, error), error);
}

enum status timeline_output_write(const struct modelled_trace *modelled, bool predicted,
                                  const char *directory, struct error *error)
{
    char file[PATH_MAX];
    enum status status = timeline_path(modelled->trace, directory, file, error);
    return status ?: write_timeline(modelled, predicted, NULL, file, error);
}

/* Collective. As write_timeline, for a trace whose equations are not prepared yet. */
static enum status write_of_trace(const struct trace *trace, const struct engine *engine,
                                  const struct engine_setup *setup, bool predicted,
                                  const struct timeline_bands *bands, const char *file,
                                  struct error *error)
{
    struct modelled_trace modelled;
    enum status status = modelled_trace_open(&modelled, trace, engine, setup, error)
                             ?: modelled_trace_find_domino(&modelled, error)
                             ?: write_timeline(&modelled, predicted, bands, file, error);
    modelled_trace_close(&modelled);
    return status;
}

enum status timeline_output_of_recording(const struct trace *trace,
                                         const struct timeline_bands *bands, const char *file,
                                         struct error *error)
{
    const struct engine_setup setup = {.options = NULL};
    return write_of_trace(trace, engine_find("model"), &setup, false, bands, file, error);
}

enum status timeline_output_of_session(const struct replay_session *session, const char *directory,
                                       struct error *error)
{
    const struct replay_config *config = session->config;
    const bool has_equations = config->engine->equations != NULL;
    const struct engine *engine = has_equations ? config->engine : engine_find("model");
    struct engine_setup setup = replay_config_setup(config, engine);
    struct model_options options = *(const struct model_options *)setup.options;
    char file[PATH_MAX];
    enum status status = timeline_path(session->original, directory, file, error);
    setup.options = &options;
    if (status != STATUS_OK)
        return status;
    if (has_equations)
        return write_of_trace(session->changed ? session->changed : session->original, engine,
                              &setup, session->changed || options.absolute, NULL, file, error);
    const struct trace *replayed = replay_session_after(session);
    struct trace trace = *replayed;
    struct environment environment = environment_of_replay(replayed);
    trace.environment = &environment;
    trace.recording = NULL;
    options.absolute = false;
    return write_of_trace(&trace, engine, &setup, true, NULL, file, error);
}
