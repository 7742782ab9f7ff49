/* [scale LABEL]: multiplies the computation of a region by `factor` (doc/methods.md, section 2).
 *
 *   mode = inclusive   the region's computation and that of everything called from it
 *   mode = exclusive   only while the region itself is the innermost call
 *
 * Time inside MPI is not scaled, except that of file calls that the section chooses themselves:
 * that is a change of the storage. Of a collective file call, the time is scaled that it took after
 * the last member had arrived (replay/costs/recorded.h). Rounding is that of
 * pace.h. */
#include "replay/costs/recorded.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>

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

/* Collective file calls while their times are scaled. */
struct file_scaling {
    const struct scale *scale;
    const struct trace *trace;
    const struct callpath_marks *marks;
    struct recorded recorded; /* of the recording */
};

static bool is_scaled_file_call(const struct file_scaling *scaling, uint32_t path)
{
    return marks_of(scaling->marks, path) & CALLPATH_CHOSEN &&
           mpi_call_infos[callpath_call(scaling->trace, path)].class == MPI_CLASS_SYNCHRONISE;
}

/* Ticks by which a rank's part in an operation becomes longer; it cannot become shorter than 0. */
static int64_t added_to_file_call(const struct file_scaling *scaling, const struct stream *stream,
                                  const struct collective *collective)
{
    const struct trace *recording = scaling->recorded.trace;
    const size_t s = (size_t)(stream - scaling->trace->streams);
    const struct recorded_wait *costs = scaling->recorded.streams[s].waits[WAIT_COLLECTIVE];
    if (collective->recorded >= recording->streams[s].collective_count)
        return 0;
    const int64_t cost = costs[collective->recorded].cost;
    const int64_t length =
        (int64_t)(stream->time[collective->end] - stream->time[collective->begin]);
    const double added = (scaling->scale->factor - 1) * (double)(cost > 0 ? cost : 0);
    return added > -(double)length ? llround(added) : -length;
}

static enum status write_file_times(void *data, const struct stream *stream, uint64_t *times,
                                    struct error *error)
{
    const struct file_scaling *scaling = data;
    const double most = (double)(INT64_MAX / 4);
    uint32_t path = CALLPATH_NONE;
    int64_t added = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        path = callpath_after(&scaling->trace->calltree, stream, row, path);
        if (stream->kind[row] == EVENT_COLLECTIVE_END && is_scaled_file_call(scaling, path))
            added += added_to_file_call(scaling, stream, &stream->collectives[stream->arg[row]]);
        if ((double)added > most)
            return section_error(error, scaling->scale->section, "factor",
                                 "rank %u would run longer than its clock can count", stream->rank);
        times[row] = (uint64_t)((int64_t)stream->time[row] + added);
    }
    return STATUS_OK;
}

/* Collective. */
static enum status scale_file_calls(struct file_scaling *scaling, struct trace *trace,
                                    struct error *error)
{
    enum status status = recorded_make(trace->recording ? trace->recording : trace, NULL, 0,
                                       &scaling->recorded, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_stream(trace, &trace->streams[s], write_file_times, scaling, error);
    recorded_clear(&scaling->recorded);
    return status;
}

static enum status scale_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct scale *scale = state;
    struct callpath_marks marks;
    struct pace pace = {.factor = factor_of(scale->factor),
                        .marks = &marks,
                        .wanted = marks_of_mode[scale->mode],
                        .section = scale->section,
                        .key = "factor"};
    struct file_scaling scaling = {.scale = scale, .trace = trace, .marks = &marks};
    bool scales_files = false; /* the same on all processes, as the call tree is */
    enum status status = callpath_marks_create(scale->section, trace, &marks, error);
    for (uint32_t p = 0; status == STATUS_OK && p < trace->calltree.paths.count; p++)
        scales_files = scales_files || is_scaled_file_call(&scaling, p);
    if (status == STATUS_OK && !scales_files)
        status = callpath_marks_need_computation(&marks, pace.wanted, scale->section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_pace(trace, &trace->streams[s], &pace, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK && scales_files)
        status = processes_agree(trace->processes, scale_file_calls(&scaling, trace, error), error);
    callpath_marks_clear(&marks);
    return status;
}

const struct hypothesis_kind hypothesis_scale = {
    .name = "scale",
    .subject = SUBJECT_COMPUTATION,
    .description = "multiply the computation time of a region by a factor",
    .state_size = sizeof(struct scale),
    .keys = scale_keys,
    .needs_where = true,
    .apply = scale_apply,
};
