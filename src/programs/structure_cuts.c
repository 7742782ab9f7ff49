#include "programs/structure_cuts.h"

#include "base/array.h"
#include "base/interrupt.h"
#include "base/output.h"
#include "trace/save/save.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CUTS_MAX = 999 };

static int64_t count_events(const struct trace *trace)
{
    int64_t events = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        events += trace->streams[s].count;
    processes_sum(trace->processes, &events, 1);
    return events;
}

static bool list_periodic(const struct stretch *parent, struct structure_cuts *cuts)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const struct stretch *stretch = &parent->children[i];
        if (stretch->iterations > 1 && cuts->count < CUTS_MAX) {
            struct structure_cut_made *made =
                realloc(cuts->made, (cuts->count + 1) * sizeof *cuts->made);
            if (!made)
                return false;
            cuts->made = made;
            made[cuts->count] = (struct structure_cut_made){.stretch = stretch};
            snprintf(made[cuts->count].name, sizeof made->name, "%zu", cuts->count + 1);
            cuts->count++;
        }
        if (!list_periodic(stretch, cuts))
            return false;
    }
    return true;
}

/* Collective. Each process knows the ranges of its own ranks; all need all. */
static enum status share_ranges(const struct trace *trace, const struct stretch *stretch,
                                struct cut_range *ranges, struct error *error)
{
    int64_t *bounds = calloc(2 * (size_t)trace->rank_count, sizeof *bounds);
    enum status status = processes_agree_memory(trace->processes, bounds && ranges, "a cut", error);
    if (status == STATUS_OK) {
        for (uint32_t s = 0; s < trace->owned_count; s++)
            for (uint32_t side = 0; side < 2; side++)
                bounds[2 * (trace->first_rank + s) + side] = (int64_t)stretch->own[2 * s + side];
        processes_sum(trace->processes, bounds, 2 * (size_t)trace->rank_count);
        for (uint32_t rank = 0; rank < trace->rank_count; rank++)
            ranges[rank] =
                (struct cut_range){(uint64_t)bounds[2 * rank], (uint64_t)bounds[2 * rank + 1]};
    }
    free(bounds);
    return status;
}

/* Collective. */
static enum status make_one(const struct trace *trace, const char *directory,
                            struct structure_cut_made *made, struct error *error)
{
    struct cut_range *ranges = calloc(trace->rank_count, sizeof *ranges);
    struct trace *cut = NULL;
    char path[PATH_MAX];
    enum status status = share_ranges(trace, made->stretch, ranges, error);
    if (status == STATUS_OK)
        status = structure_cut(trace, ranges, &cut, &made->losses, error);
    if (status == STATUS_OK) {
        bool fits = snprintf(path, sizeof path, "%s/%s", directory, made->name) < PATH_MAX;
        status = fits ? trace_save(cut, path, error)
                      : error_set(error, STATUS_INPUT, "%s: the path is too long", directory);
    }
    if (status == STATUS_OK) {
        made->events = count_events(cut);
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
    const struct processes *processes = trace->processes;
    static const char *const none[] = {NULL};
    struct output *output = NULL;
    char temporary[PATH_MAX] = "";
    memset(cuts, 0, sizeof *cuts);
    cuts->directory = directory;
    enum status status =
        processes_agree_memory(processes, list_periodic(whole, cuts), "the cuts", error);
    if (status == STATUS_OK && cuts->count == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s: nothing repeats, so there is no period to cut out", trace->path);
    if (status != STATUS_OK)
        return status;
    cuts->events = count_events(trace);
    if (processes->rank == 0 && access(directory, F_OK) == 0)
        status = error_set(error, STATUS_INPUT, "%s exists; remove it, or choose another directory",
                           directory);
    else if (processes->rank == 0)
        status = output_open(directory, false, none, &output, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    if (output)
        snprintf(temporary, sizeof temporary, "%s", output_directory(output));
    processes_broadcast(processes, temporary, sizeof temporary);
    interrupt_remove(temporary);
    for (size_t i = 0; i < cuts->count && status == STATUS_OK; i++)
        status = make_one(trace, temporary, &cuts->made[i], error);
    if (status == STATUS_OK)
        status = output_commit(output, error);
    else
        output_discard(output);
    status = processes_agree(processes, status, error);
    interrupt_remove(NULL);
    return status;
}

void structure_cuts_clear(struct structure_cuts *cuts)
{
    free(cuts->made);
    memset(cuts, 0, sizeof *cuts);
}

const struct structure_cut_made *structure_cut_of(const struct structure_cuts *cuts,
                                                  const struct stretch *stretch)
{
    for (size_t i = 0; cuts && i < cuts->count; i++)
        if (cuts->made[i].stretch == stretch)
            return &cuts->made[i];
    return NULL;
}
