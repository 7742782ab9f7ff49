#include "replay/noise.h"

#include "replay/model/model.h"

#include <stdlib.h>

enum status noise_take_out(const struct trace *replayed, const struct trace *undisturbed,
                           const struct engine_options *options, struct trace *corrected,
                           struct error *error)
{
    struct engine_options model_options = {.poll_gap_s = options->poll_gap_s};
    struct engine_facts facts = {0};
    struct engine_run run;
    struct trace recording = *replayed, trace = *undisturbed;
    void *state;
    recording.recording = NULL;
    trace.recording = &recording;
    trace.begin = recording.begin;
    enum status status = engine_model.prepare(&trace, &model_options, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    status = engine_model.run(state, corrected, NULL, &run, error);
    engine_model.release(state);
    free(facts.approximations);
    return status;
}
