/* [template LABEL]: the start of a new kind of hypothesis. It is compiled and tested, but not in
 * kinds.h's list. It makes every visit of a region longer by `extra`, before its leave.
 *
 * To make a new kind, copy this file, rename everything called template, describe at the top what
 * it does to a trace and by which formula, and add it to kinds.h and local.mk. A
 * kind that adds or removes operations sets operations_changed; the trace is then matched and
 * checked again before a replay. */
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>

struct template
{
    const struct ini_section *section; /* set before the keys are read */
    double extra;                      /* seconds */
};

/* Keys that are not in this table are refused. */
static const struct ini_key template_keys[] = {
    WHERE_KEYS,
    INI_KEY(template, extra, DURATION, .required = true),
    INI_KEYS_END,
};

struct lengthening {
    const struct callpath_marks *marks;
    uint64_t extra; /* ticks */
};

/* New times of one rank: events move by the time that was added before them. */
static enum status write_longer(void *data, const struct stream *stream, uint64_t *times,
                                struct error *error)
{
    (void)error;
    const struct lengthening *longer = data;
    uint64_t added = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        bool leaves = stream->kind[row] == EVENT_LEAVE;
        if (leaves && marks_of(longer->marks, stream->arg[stream->arg[row]]) & CALLPATH_VISIT)
            added += longer->extra;
        times[row] = stream->time[row] + added;
    }
    return STATUS_OK;
}

static enum status template_apply(const void *state, struct trace *trace,
                                  struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct template *template = state;
    struct callpath_marks marks;
    struct lengthening longer = {
        &marks, (uint64_t)llround(template->extra * (double)trace->definitions->ticks_per_second)};
    enum status status = callpath_marks_create(template->section, trace, &marks, error);
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&marks, CALLPATH_VISIT, template->section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_stream(trace, &trace->streams[s], write_longer, &longer, error);
    callpath_marks_clear(&marks);
    /* All processes fail if one does, so that none waits in a collective operation. */
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_template = {
    .name = "template",
    .description = "make every visit of a region take longer",
    .state_size = sizeof(struct template),
    .keys = template_keys,
    .needs_where = true,
    .apply = template_apply,
};
