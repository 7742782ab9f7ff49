/* [template LABEL], a kind of hypothesis as a plug-in: makes every visit of a region longer by
 * `extra`, before its leave. To write one, copy this file and describe its change here. */
#include <silas/plugin.h>

struct template_state {
    const struct ini_section *section; /* set before the keys are read */
    double extra;                      /* seconds */
    uint64_t ticks;                    /* the same, of the trace that is changed */
    struct callpath_marks marks;
};

static const struct ini_key template_keys[] = {
    WHERE_KEYS, /* region, callpath */
    INI_KEY(template_state, extra, DURATION, .required = true),
    INI_KEYS_END,
};

/* New times of one rank: events move by the time that was added before them. */
static enum status write_longer(void *data, const struct stream *stream, uint64_t *times,
                                struct error *error)
{
    (void)error; /* nothing can fail */
    const struct template_state *own = data;
    uint64_t added = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (stream->kind[row] == EVENT_LEAVE &&
            marks_of(&own->marks, stream->arg[stream->arg[row]]) & CALLPATH_VISIT)
            added += own->ticks;
        times[row] = stream->time[row] + added;
    }
    return STATUS_OK;
}

static enum status template_apply(const void *state, struct trace *trace,
                                  struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome; /* set operations_changed if operations are added or removed */
    struct template_state own = *(const struct template_state *)state;
    own.ticks = (uint64_t)(own.extra * (double)trace->definitions->ticks_per_second + 0.5);
    enum status status = callpath_marks_create(own.section, trace, &own.marks, error);
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&own.marks, CALLPATH_VISIT, own.section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_stream(trace, &trace->streams[s], write_longer, &own, error);
    callpath_marks_clear(&own.marks);
    return processes_agree(trace->processes, status, error); /* so that all return the same */
}

static const struct hypothesis_kind template_kind = {
    .name = "template",
    .description = "longer visits of a region",
    .state_size = sizeof(struct template_state),
    .keys = template_keys,
    .needs_where = true,
    .apply = template_apply,
};
static const struct hypothesis_kind *const hypotheses[] = {&template_kind, NULL};

const struct silas_plugin silas_plugin = {SILAS_PLUGIN_VERSION, .name = "template of a hypothesis",
                                          .hypotheses = hypotheses};
