/* [template LABEL]: the start of a new kind of hypothesis. It is compiled and tested, but not in
 * hypothesis_list.c. It makes every visit of a region longer by `extra`, before its leave.
 *
 * To make a new kind, copy this file, rename everything called template, describe at the top what
 * it does to a trace and by which formula, and add it to kinds.h, hypothesis_list.c and local.mk. A
 * kind that adds or removes operations sets operations_changed; the trace is then matched and
 * checked again before a replay. */
#include "transform/callpath_marks.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

struct template
{
    const struct ini_section *section;
    double extra_s;
};

static const char *const template_keys[] = {"region", "callpath", "extra", NULL};

/* Keys that are not in template_keys have been refused already. */
static enum status template_parse(const struct ini_section *section, void *state,
                                  struct error *error)
{
    struct template *template = state;
    *template = (struct template){section, NAN};
    if (!callpath_marks_wanted(section))
        return section_error(error, section, NULL, "\"region\" or \"callpath\" is missing");
    enum status status = ini_get_duration(section, "extra", &template->extra_s, error);
    if (status == STATUS_OK && isnan(template->extra_s))
        return section_error(error, section, NULL, "\"extra\" is missing");
    return status;
}

/* New times of one rank: events move by the time that was added before them. */
static void template_stream(const struct callpath_marks *marks, const struct stream *stream,
                            uint64_t extra, uint64_t *times)
{
    uint64_t added = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        bool leaves = stream->kind[row] == EVENT_LEAVE;
        if (leaves && marks_of(marks, stream->arg[stream->arg[row]]) & CALLPATH_VISIT)
            added += extra;
        times[row] = stream->time[row] + added;
    }
}

static enum status template_apply(const void *state, struct trace *trace,
                                  struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct template *template = state;
    uint64_t extra =
        (uint64_t)llround(template->extra_s * (double)trace->definitions->ticks_per_second);
    struct callpath_marks marks;
    enum status status = callpath_marks_create(template->section, trace, &marks, error);
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&marks, CALLPATH_VISIT, template->section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct stream *stream = &trace->streams[s];
        uint64_t *times = malloc(((size_t)stream->count + 1) * sizeof *times);
        if (times) {
            template_stream(&marks, stream, extra, times);
            rewrite_times(trace, stream, times);
        } else {
            status = error_memory(error, "new event times");
        }
        free(times);
    }
    callpath_marks_clear(&marks);
    /* All processes fail if one does, so that none waits in a collective operation. */
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_template = {
    .name = "template",
    .description = "make every visit of a region take longer",
    .state_size = sizeof(struct template),
    .keys = template_keys,
    .parse = template_parse,
    .apply = template_apply,
};
