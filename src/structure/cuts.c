#include "structure/cuts.h"

#include "base/mpi/job_output.h"
#include "structure/named_range.h"
#include "trace/save/save.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS_MAX = 999 }; /* of a trace; further ones are not made */

/* How often the inside of a stretch occurs in the whole trace, and the total length of all
 * occurrences as a multiple of its length. */
struct surroundings {
    int level;
    size_t times;
    double scale;
};

static struct surroundings inside_of(const struct stretch *stretch, struct surroundings around)
{
    if (stretch->iterations < 2)
        return around;
    const uint64_t *bounds = stretch->bounds + stretch->representative;
    return (struct surroundings){around.level + 1, around.times * stretch->iterations,
                                 around.scale * (double)(stretch->end - stretch->begin) /
                                     (double)(bounds[1] - bounds[0])};
}

/* False if out of memory. */
static bool add_cut(const struct trace *trace, struct structure_cuts *cuts,
                    struct structure_cut_made made)
{
    if (cuts->made.count == CUTS_MAX)
        return true;
    cut_name_of_stretch(trace, made.stretch, made.sample, cuts->made.count + 1, made.name);
    return array_push(&cuts->made, made);
}

/* Of the iterations that a sample represents together. */
static uint64_t represented_ticks(const struct stretch *stretch,
                                  const struct stretch_sample *sample)
{
    uint64_t sum = 0;
    for (size_t i = sample->from; i < sample->to; i++)
        if (stretch_sample_represents(stretch, sample, i))
            sum += stretch_iteration_ticks(stretch, i);
    return sum;
}

static bool list_stretches(const struct trace *trace, const struct stretch *parent,
                           struct surroundings around, bool rest, struct structure_cuts *cuts)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const struct stretch *stretch = &parent->children[i];
        struct structure_cut_made made = {.stretch = stretch,
                                          .before = i > 0 ? stretch - 1 : NULL,
                                          .after = i + 1 < parent->child_count ? stretch + 1 : NULL,
                                          .level = around.level,
                                          .times = around.times};
        const double scale = around.scale / (double)(trace->end - trace->begin);
        bool allocated = true;
        for (size_t k = 0; k < stretch->sample_count && allocated; k++) {
            made.sample = &stretch->samples[k];
            if (k == 0 || made.sample->from > stretch->samples[k - 1].from)
                made.part = cuts->made.count + 1;
            made.total_part = scale * (double)represented_ticks(stretch, made.sample);
            allocated = add_cut(trace, cuts, made);
        }
        if (stretch->iterations == 1 && rest) {
            made.total_part = scale * (double)(stretch->end - stretch->begin);
            allocated = add_cut(trace, cuts, made);
        }
        if (!allocated)
            return false;
        if (!list_stretches(trace, stretch, inside_of(stretch, around), false, cuts))
            return false;
    }
    return true;
}

/* The part of owned rank s that is cut out. */
static struct cut_range own_range(const struct trace *trace, const struct structure_cut_made *made,
                                  uint32_t s)
{
    const struct stretch *stretch = made->stretch;
    if (made->sample)
        return made->sample->own[s].cut;
    /* A part that does not repeat begins and ends on each rank at the neighbours' iterations. */
    struct cut_range range = {stretch->begin,
                              stretch->end == trace->end ? stretch->end + 1 : stretch->end};
    if (made->before && made->before->sample_count > 0)
        range.begin = made->before->samples[made->before->sample_count - 1].own[s].all.end;
    if (made->after && made->after->sample_count > 0)
        range.end = made->after->samples[0].own[s].all.begin;
    return range;
}

/* Collective. Fills in the ranges of all ranks from each process's own. `ranges` is all zero. */
static void share_ranges(const struct trace *trace, const struct structure_cut_made *made,
                         struct cut_range *ranges)
{
    for (uint32_t s = 0; s < trace->owned_count; s++)
        ranges[trace->first_rank + s] = own_range(trace, made, s);
    processes_sum(trace->processes, (int64_t *)ranges, 2 * (size_t)trace->rank_count);
}

/* Sets the lengths of the iterations that a cut represents, in ticks; `lengths` has room for those
 * of the stretch. Returns how many there are. */
static size_t represented_lengths(const struct structure_cut_made *made, uint64_t *lengths)
{
    const struct stretch *stretch = made->stretch;
    size_t count = 0;
    if (!made->sample)
        lengths[count++] = stretch->end - stretch->begin;
    for (size_t i = 0; made->sample && i < stretch->iterations; i++)
        if (stretch_sample_represents(stretch, made->sample, i))
            lengths[count++] = stretch_iteration_ticks(stretch, i);
    return count;
}

/* Collective. Sets computation[rank]: its mean in the `count` iterations that the cut represents,
 * seconds. `ticks` [rank] is all zero. */
static void average_computation(const struct trace *trace, const struct structure_cut_made *made,
                                size_t count, int64_t *ticks, double *computation)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct cut_range all = own_range(trace, made, s);
        ticks[trace->first_rank + s] =
            made->sample
                ? (int64_t)made->sample->own[s].computation
                : (int64_t)stream_computation(trace, &trace->streams[s], all.begin, all.end);
    }
    processes_sum(trace->processes, ticks, trace->rank_count);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        computation[rank] = trace_seconds(trace, (double)ticks[rank] / (double)count);
}

/* Collective. Stores the weight of the cut in it. */
static enum status add_weight(const struct trace *trace, const struct structure_cut_made *made,
                              struct trace *cut, struct error *error)
{
    const struct stretch *stretch = made->stretch;
    double whole_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    struct cut_weight weight = {.whole_s = whole_s,
                                .total_s = whole_s * made->total_part,
                                .count = made->sample ? made->sample->count : 1,
                                .first = made->sample ? made->sample->first : 0,
                                .level = made->level,
                                .part = made->sample ? made->part : 0,
                                .computation_s = calloc(trace->rank_count, sizeof(double))};
    uint64_t *lengths = malloc(stretch->iterations * sizeof *lengths);
    int64_t *ticks = calloc(trace->rank_count, sizeof *ticks);
    bool allocated = lengths && ticks && weight.computation_s;
    enum status status = processes_agree_memory(trace->processes, allocated, "a cut", error);
    if (status == STATUS_OK) {
        const size_t count = represented_lengths(made, lengths);
        weight.iterations = count * made->times;
        average_computation(trace, made, count, ticks, weight.computation_s);
        cut_weight_set_periods(&weight, trace, lengths, count);
        allocated = cut_weight_store(cut, &weight);
        status = processes_agree_memory(trace->processes, allocated, "a cut", error);
    }
    free(ticks);
    free(lengths);
    cut_weight_clear(&weight);
    return status;
}

/* Collective. Cuts the ranges out of the trace, [rank]. */
static enum status write_one(const struct trace *trace, const char *directory,
                             const struct cut_range *ranges, const struct cut_weight *named,
                             struct structure_cut_made *made, struct error *error)
{
    struct trace *cut = NULL;
    char path[PATH_MAX];
    enum status status = structure_cut(trace, ranges, &cut, &made->losses, &made->crossings, error);
    if (status == STATUS_OK && made->stretch)
        status = add_weight(trace, made, cut, error);
    else if (status == STATUS_OK)
        status =
            processes_agree_memory(trace->processes, cut_weight_store(cut, named), "a cut", error);
    if (status == STATUS_OK)
        status = output_path(directory, made->name, path, error);
    if (status == STATUS_OK)
        status = trace_save(cut, path, error);
    if (status == STATUS_OK) {
        made->events = trace_count_events(cut);
        made->length_s = trace_seconds(cut, (double)(cut->end - cut->begin));
        part_measure(trace, ranges + trace->first_rank, 0, &made->metrics);
    }
    trace_destroy(cut);
    return status;
}

/* Collective. Cuts a stretch, or the range that the user has named. */
static enum status make_one(const struct trace *trace, const char *directory, const char *range,
                            struct structure_cut_made *made, struct error *error)
{
    struct cut_range *ranges = calloc(trace->rank_count, sizeof *ranges);
    struct cut_weight weight = {0};
    enum status status = processes_agree_memory(trace->processes, ranges != NULL, "a cut", error);
    if (status == STATUS_OK && made->stretch)
        share_ranges(trace, made, ranges);
    else if (status == STATUS_OK)
        status = named_range_find(trace, range, ranges, &weight, error);
    if (status == STATUS_OK)
        status = write_one(trace, directory, ranges, &weight, made, error);
    cut_weight_clear(&weight);
    free(ranges);
    return status;
}

enum status structure_cuts_write(const struct trace *trace, const struct stretch *whole,
                                 const struct structure_cuts_options *options,
                                 struct structure_cuts *cuts, struct error *error)
{
    static const char *const none[] = {NULL};
    const struct surroundings nothing = {0, 1, 1};
    struct structure_cut_made named = {.times = 1};
    struct job_output output = {0};
    assert(trace->matched);
    memset(cuts, 0, sizeof *cuts);
    cuts->directory = options->directory;
    if (options->range)
        cut_name_of_range(options->range, named.name);
    bool allocated = options->range ? array_push(&cuts->made, named)
                                    : list_stretches(trace, whole, nothing, options->rest, cuts);
    enum status status = processes_agree_memory(trace->processes, allocated, "the cuts", error);
    bool repeats = options->range != NULL;
    for (size_t i = 0; i < cuts->made.count && !repeats; i++)
        repeats |= cuts->made.items[i].stretch->iterations > 1;
    if (status == STATUS_OK && !repeats)
        status = error_set(error, STATUS_INPUT,
                           "%s: nothing repeats, so there is no period to cut out", trace->path);
    if (status == STATUS_OK)
        status =
            job_output_open(trace->processes, options->directory, false, "", none, &output, error);
    cuts->events = trace_count_events(trace);
    for (size_t i = 0; i < cuts->made.count && status == STATUS_OK; i++)
        status = make_one(trace, output.directory, options->range, &cuts->made.items[i], error);
    if (status == STATUS_OK)
        status = job_output_commit(&output, error);
    else
        job_output_discard(&output);
    if (status != STATUS_OK)
        structure_cuts_clear(cuts);
    return status;
}

void structure_cuts_clear(struct structure_cuts *cuts)
{
    for (size_t i = 0; i < cuts->made.count; i++)
        free(cuts->made.items[i].crossings.items);
    free(cuts->made.items);
    memset(cuts, 0, sizeof *cuts);
}

const struct structure_cut_made *structure_cut_of(const struct structure_cuts *cuts,
                                                  const struct stretch *stretch)
{
    for (size_t i = 0; cuts && i < cuts->made.count; i++)
        if (cuts->made.items[i].stretch == stretch)
            return &cuts->made.items[i];
    return NULL;
}
