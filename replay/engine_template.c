/* engine = template: where to start a new engine. It is compiled and tested, but not in
 * engine_list.c. It predicts that everything takes `factor` times as long as in the trace.
 *
 * To make an engine: copy this file into a new folder next to model/ and realtime/, rename
 * everything called template, say at the top what it predicts and by which formula, and add it to
 * engine_list.c and local.mk. It may use costs/, but no other engine. */
#include "replay/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct template_options {
    double factor;
};

struct template
{
    const struct trace *trace;
    double factor;
};

static const struct template_options template_defaults = {.factor = 1};

static const struct ini_key template_keys[] = {
    INI_KEY(template_options, factor, NUMBER, .lowest = 0.001, .highest = 1000),
    INI_KEYS_END,
};

static enum status template_prepare(const struct trace *trace, const struct engine_setup *setup,
                                    void **state, struct engine_facts *facts, struct error *error)
{
    const struct template_options *options = setup->options ? setup->options : &template_defaults;
    struct template *template = malloc(sizeof *template);
    memset(facts, 0, sizeof *facts);
    facts->trustworthy = true;
    facts->approximations = strdup("all calls: times are stretched\n");
    bool room = template && facts->approximations;
    /* All processes fail if one does: none may be missing in a collective call. */
    enum status status =
        processes_agree_memory(trace->processes, room, "the template engine", error);
    if (status != STATUS_OK) {
        free(template);
        free(facts->approximations);
        facts->approximations = NULL;
        return status;
    }
    *template = (struct template){trace, options->factor};
    *state = template;
    return STATUS_OK;
}

static enum status template_run(void *state, struct trace *view, struct trace *undisturbed,
                                struct engine_run *run, struct error *error)
{
    const struct template *template = state;
    const struct trace *trace = template->trace;
    (void)undisturbed; /* this engine is not `correctable` */
    (void)error;       /* nothing can fail */
    memset(run, 0, sizeof *run);
    run->time_s =
        trace_seconds(trace, round(template->factor * (double)(trace->end - trace->begin)));
    if (!view) /* only T is needed */
        return STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *from = &trace->streams[s];
        for (uint32_t row = 0; row < from->count; row++)
            view->streams[s].time[row] =
                trace->begin +
                (uint64_t)llround(template->factor * (double)(from->time[row] - trace->begin));
    }
    trace_update_span(view);
    return STATUS_OK;
}

const struct engine engine_template = {
    .name = "template",
    .description = "stretches the recorded times by a factor",
    .any_processes = true,
    .computes = true,
    .section = "template",
    .section_keys = template_keys,
    .options_size = sizeof(struct template_options),
    .default_options = &template_defaults,
    .prepare = template_prepare,
    .run = template_run,
    .release = free,
};
