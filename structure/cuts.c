#include "structure/cuts.h"

#include "base/mpi/job_output.h"
#include "trace/save/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS_MAX = 999 };

static bool list_periodic(const struct stretch *parent, struct structure_cuts *cuts)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        struct structure_cut_made made = {.stretch = &parent->children[i]};
        if (made.stretch->iterations > 1 && cuts->made.count < CUTS_MAX) {
            snprintf(made.name, sizeof made.name, "%zu", cuts->made.count + 1);
            if (!array_push(&cuts->made, made))
                return false;
        }
        if (!list_periodic(made.stretch, cuts))
            return false;
    }
    return true;
}

/* Collective. Each process knows the ranges of its own ranks; all need all. `ranges` is all
 * zero. */
static void share_ranges(const struct trace *trace, const struct stretch *stretch,
                         struct cut_range *ranges)
{
    for (uint32_t s = 0; s < trace->owned_count; s++)
        ranges[trace->first_rank + s] =
            (struct cut_range){stretch->own[2 * s], stretch->own[2 * s + 1]};
    processes_sum(trace->processes, (int64_t *)ranges, 2 * (size_t)trace->rank_count);
}

/* Collective. */
static enum status make_one(const struct trace *trace, const char *directory,
                            struct structure_cut_made *made, struct error *error)
{
    struct cut_range *ranges = calloc(trace->rank_count, sizeof *ranges);
    struct trace *cut = NULL;
    char path[PATH_MAX];
    enum status status = processes_agree_memory(trace->processes, ranges != NULL, "a cut", error);
    if (status == STATUS_OK) {
        share_ranges(trace, made->stretch, ranges);
        status = structure_cut(trace, ranges, &cut, &made->losses, error);
    }
    if (status == STATUS_OK)
        status = output_path(directory, made->name, path, error);
    if (status == STATUS_OK)
        status = trace_save(cut, path, error);
    if (status == STATUS_OK) {
        made->events = trace_count_events(cut);
        made->length_s = trace_seconds(cut, (double)(cut->end - cut->begin));
    }
    trace_destroy(cut);
    free(ranges);
    return status;
}

enum status structure_cuts_write(const struct trace *trace, const struct stretch *whole,
                                 const char *directory, struct structure_cuts *cuts,
                                 struct error *error)
{
    static const char *const none[] = {NULL};
    struct job_output output = {0};
    memset(cuts, 0, sizeof *cuts);
    cuts->directory = directory;
    enum status status =
        processes_agree_memory(trace->processes, list_periodic(whole, cuts), "the cuts", error);
    if (status == STATUS_OK && cuts->made.count == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s: nothing repeats, so there is no period to cut out", trace->path);
    if (status == STATUS_OK)
        status = job_output_open(trace->processes, directory, false, "", none, &output, error);
    if (status != STATUS_OK)
        return status;
    cuts->events = trace_count_events(trace);
    for (size_t i = 0; i < cuts->made.count && status == STATUS_OK; i++)
        status = make_one(trace, output.directory, &cuts->made.items[i], error);
    if (status == STATUS_OK)
        return job_output_commit(&output, error);
    job_output_discard(&output);
    return status;
}

void structure_cuts_clear(struct structure_cuts *cuts)
{
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
