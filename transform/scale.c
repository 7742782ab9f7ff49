/* [scale LABEL]: multiplies the computation of a region by `factor` (doc/methods.md, section 2).
 *
 *   mode = inclusive   the region's computation and that of everything called from it
 *   mode = exclusive   only while the region itself is the innermost call
 *
 * Time inside MPI is never scaled. If C is the chosen computation of a rank up to an event,
 * round(factor C) replaces it in the event's time. The sum is rounded, so rounding errors do not
 * add up. */
#include "transform/callpath_marks.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

struct scale {
    const struct ini_section *section;
    double factor;
    enum callpath_mark mark;
};

static const char *const scale_keys[] = {"region", "callpath", "factor", "mode", NULL};

static enum status scale_parse(const struct ini_section *section, void *state, struct error *error)
{
    static const char *const modes[] = {"inclusive", "exclusive", NULL};
    struct scale *scale = state;
    int mode = 0;
    *scale = (struct scale){.section = section, .factor = NAN};
    if (!callpath_marks_wanted(section))
        return section_error(error, section, NULL, "\"region\" or \"callpath\" is missing");
    enum status status = ini_get_number(section, "factor", 0, 1e6, &scale->factor, error);
    if (status == STATUS_OK)
        status = ini_get_choice(section, "mode", modes, &mode, error);
    scale->mark = mode == 0 ? CALLPATH_INSIDE : CALLPATH_CHOSEN;
    if (status == STATUS_OK && isnan(scale->factor))
        return section_error(error, section, NULL, "\"factor\" is missing");
    return status;
}

/* Fills in the new times; false if they would not fit into 63 bits. */
static bool scale_stream(const struct scale *scale, const struct callpath_marks *marks,
                         const struct stream *stream, uint64_t *times)
{
    const long double most = (long double)(UINT64_MAX / 4);
    uint64_t measured = 0, scaled = 0; /* computation of the chosen kind so far */
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row == 0) {
            times[0] = stream->time[0];
        } else {
            uint64_t length = stream->time[row] - stream->time[row - 1];
            if (marks_computes(marks, path, scale->mark)) {
                measured += length;
                long double target = roundl((long double)scale->factor * (long double)measured);
                if (target > most)
                    return false;
                length = (uint64_t)target - scaled;
                scaled += length;
            }
            times[row] = times[row - 1] + length;
        }
        path = callpath_after(marks->calltree, stream, row, path);
    }
    return true;
}

static enum status scale_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct scale *scale = state;
    struct callpath_marks marks;
    enum status status = callpath_marks_create(scale->section, trace, &marks, error);
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&marks, scale->mark, scale->section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct stream *stream = &trace->streams[s];
        uint64_t *times = malloc((stream->count + 1) * sizeof *times);
        if (!times)
            status = error_memory(error, "new event times");
        else if (scale_stream(scale, &marks, stream, times))
            rewrite_times(trace, stream, times);
        else
            status =
                section_error(error, scale->section, "factor",
                              "rank %u would run longer than its clock can count", stream->rank);
        free(times);
    }
    callpath_marks_clear(&marks);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_scale = {
    .name = "scale",
    .description = "multiply the computation of a region by a factor",
    .state_size = sizeof(struct scale),
    .keys = scale_keys,
    .parse = scale_parse,
    .apply = scale_apply,
};
