#include "predict/predicted.h"

#include "replay/model/model.h"
#include "trace/calls/records.h"
#include "trace/deadlock/preflight.h"
#include "trace/match/match.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Gives the records within calls the times at which a tracer writes them: before it calls MPI, or
 * when MPI has returned. The model knows only when calls begin and end. */
static void place_records(const struct trace *trace, struct stream *stream)
{
    uint32_t enter = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (event_opens(stream->kind[row]))
            enter = row;
        if (!event_closes(stream->kind[row]) || stream->arg[row] != enter ||
            !callpath_communicates(trace, stream->arg[enter]))
            continue;
        for (uint32_t record = enter + 1; record < row; record++) {
            bool before = record_properties((enum event_kind)stream->kind[record]) & RECORD_BEFORE;
            stream->time[record] = stream->time[before ? enter : row];
        }
    }
}

/* Collective. Moves the times of a view into its origin. */
static void take_times(struct trace *trace, const struct trace *view)
{
    for (uint32_t s = 0; s < trace->owned_count; s++)
        memcpy(trace->streams[s].time, view->streams[s].time,
               trace->streams[s].count * sizeof *trace->streams[s].time);
    for (uint32_t s = 0; s < trace->owned_count; s++)
        place_records(trace, &trace->streams[s]);
    trace_update_span(trace);
}

enum status predict_view(const struct trace *trace, const char *hardware, struct trace **view,
                         struct prediction_outcome *outcome, struct error *error)
{
    assert(trace->matched && hardware);
    struct model_options options = {.absolute = 1, .machine = hardware, .untimed = true};
    struct engine_setup setup = {.options = &options};
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    *view = NULL;
    enum status status = engine_model.prepare(trace, &setup, &state, &facts, error);
    if (status == STATUS_OK) {
        *view = trace_view(trace, error);
        status = processes_agree(trace->processes, *view ? STATUS_OK : STATUS_ENVIRONMENT, error);
    }
    if (status == STATUS_OK)
        status = engine_model.run(state, *view, NULL, &run, error);
    engine_model.release(state);
    if (status != STATUS_OK) {
        free(facts.approximations);
        trace_destroy(*view);
        *view = NULL;
        return status;
    }
    *outcome = (struct prediction_outcome){.time_s = run.time_s,
                                           .events = trace_count_events(trace),
                                           .approximations = facts.approximations};
    return STATUS_OK;
}

enum status predict_times(struct trace *trace, const char *hardware,
                          struct prediction_outcome *outcome, struct error *error)
{
    struct trace *view = NULL;
    enum status status = trace_match(trace, error);
    if (status == STATUS_OK)
        status = trace_preflight(trace, error);
    if (status == STATUS_OK)
        status = predict_view(trace, hardware, &view, outcome, error);
    if (status == STATUS_OK)
        take_times(trace, view);
    trace_destroy(view);
    return status;
}

enum status script_predict(const struct evaluation *evaluation, const char *hardware,
                           struct processes *processes, struct trace **trace,
                           struct prediction_outcome *outcome, struct error *error)
{
    *trace = NULL;
    enum status status = script_evaluate(evaluation, processes, trace, error);
    if (status != STATUS_OK)
        return status;
    status = predict_times(*trace, hardware, outcome, error);
    if (status == STATUS_INPUT && processes->rank == 0)
        script_locate(evaluation, error);
    return status;
}
