/* [scale LABEL]: multiplies the computation of a region by `factor` (doc/methods.md, section 2).
 *
 *   mode = inclusive   the region's computation and that of everything called from it
 *   mode = exclusive   only while the region itself is the innermost call
 *
 * Time inside MPI is not scaled, except that of file calls of a single rank that the section
 * chooses themselves: that is a change of the storage. If C is the chosen computation of a rank up
 * to an event, round(factor C) replaces it in the event's time. The sum is rounded, so rounding
 * errors do not add up. */
#include "transform/kinds.h"
#include "transform/rewrite.h"

struct scale {
    const struct ini_section *section;
    double factor;
    int mode; /* index into modes */
};

static const char *const modes[] = {"inclusive", "exclusive", NULL};
static const enum callpath_mark marks_of_mode[] = {CALLPATH_INSIDE, CALLPATH_CHOSEN};

static const struct ini_key scale_keys[] = {
    WHERE_KEYS,
    INI_KEY(scale, factor, NUMBER, .highest = 1e6, .required = true),
    INI_KEY(scale, mode, CHOICE, .choices = modes),
    INI_KEYS_END,
};

static enum status scale_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct scale *scale = state;
    struct callpath_marks marks;
    struct pace pace = {.factor = scale->factor,
                        .marks = &marks,
                        .wanted = marks_of_mode[scale->mode],
                        .section = scale->section,
                        .key = "factor"};
    enum status status = callpath_marks_create(scale->section, trace, &marks, error);
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&marks, pace.wanted, scale->section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_pace(trace, &trace->streams[s], &pace, error);
    callpath_marks_clear(&marks);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_scale = {
    .name = "scale",
    .description = "multiply the computation of a region by a factor",
    .state_size = sizeof(struct scale),
    .keys = scale_keys,
    .needs_where = true,
    .apply = scale_apply,
};
