#include "replay/correction/noise.h"

#include "replay/costs/limits.h"
#include "replay/model/model.h"
#include "trace/environment.h"

#include <stdlib.h>

static enum status make_limits(const struct trace *replayed, const struct engine_run *run,
                               double poll_gap_s, struct call_limits *limits, struct error *error)
{
    struct machine machine = {0};
    struct call_costs costs;
    enum status status = call_limits_open(replayed, &run->own, limits, error);
    if (status != STATUS_OK || limits->lost_count == 0)
        return status;
    status = call_costs_make(replayed, poll_gap_s, &machine, &costs, error);
    if (status != STATUS_OK)
        return status;
    status = call_limits_learn(replayed, &costs, limits, error);
    call_costs_clear(&costs);
    return status;
}

/* Collective. Times ascend from the begin of the replay on, and end at the last event. */
static enum status check_times(const struct trace *replayed, const struct trace *corrected,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < corrected->owned_count && status == STATUS_OK; s++) {
        const struct stream *stream = &corrected->streams[s];
        uint64_t last = replayed->begin;
        for (uint32_t row = 0; row < stream->count; last = stream->time[row++])
            if (stream->time[row] < last || stream->time[row] > corrected->end) {
                status = error_set(error, STATUS_INPUT,
                                   "the equations give event %u of rank %u a time before that of "
                                   "the event in front of it",
                                   row, stream->rank);
                break;
            }
    }
    return processes_agree(corrected->processes, status, error);
}

enum status noise_take_out(const struct trace *replayed, const struct trace *undisturbed,
                           const struct engine_run *run, double poll_gap_s, struct trace *corrected,
                           struct error *error)
{
    struct call_limits limits;
    struct engine_facts facts = {0};
    struct engine_run model_run;
    struct trace recording = *replayed, trace = *undisturbed;
    void *state;
    struct environment environment = environment_of_replay(replayed);
    recording.recording = NULL;
    trace.recording = &recording;
    trace.environment = NULL;
    recording.environment = &environment;
    trace.begin = recording.begin;
    const struct model_options options = {.limits = &limits};
    const struct engine_setup setup = {.options = &options, .poll_gap_s = poll_gap_s};
    enum status status = make_limits(replayed, run, poll_gap_s, &limits, error);
    if (status == STATUS_OK)
        status = engine_model.prepare(&trace, &setup, &state, &facts, error);
    if (status == STATUS_OK) {
        status = engine_model.run(state, corrected, NULL, &model_run, error);
        engine_model.release(state);
        free(facts.approximations);
    }
    if (status == STATUS_OK)
        status = check_times(replayed, corrected, error);
    call_limits_clear(&limits);
    return status;
}
