#include "replay/model/join.h"

#include <stdlib.h>
#include <string.h>

/* Collective: [rank] of all ranks from each owner's own. */
static void share_counts(const struct trace *trace, const size_t *own, int64_t *all)
{
    for (uint32_t s = 0; s < trace->owned_count; s++)
        all[trace->first_rank + s] = (int64_t)own[s];
    processes_sum(trace->processes, all, trace->rank_count);
}

static void prefix_sums(const int64_t *counts, uint32_t count, size_t *sums)
{
    sums[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        sums[i + 1] = sums[i] + (size_t)counts[i];
}

static enum status allocate(const struct trace *trace, struct program *program, int64_t **counts,
                            struct error *error)
{
    size_t ranks = (size_t)trace->rank_count + 1;
    program->first = calloc(ranks, sizeof *program->first);
    program->first_end = calloc(ranks, sizeof *program->first_end);
    program->last_event = calloc(ranks, sizeof *program->last_event);
    *counts = calloc(2 * ranks, sizeof **counts);
    bool room = program->first && program->first_end && program->last_event && *counts;
    return processes_agree(trace->processes, room ? STATUS_OK : error_memory(error, "the model"),
                           error);
}

/* Collective. */
static enum status gather_steps(const struct processes *processes, struct part *part,
                                struct program *program, struct error *error)
{
    char *received = NULL;
    size_t size = 0;
    if (processes->size == 1) { /* no copy */
        program->steps = part->steps.items;
        memset(&part->steps, 0, sizeof part->steps);
        return STATUS_OK;
    }
    enum status status =
        processes_gather(processes, part->steps.items, part->steps.count * sizeof(struct step),
                         &received, &size, NULL, error);
    program->steps = (struct step *)received;
    free(part->steps.items);
    memset(&part->steps, 0, sizeof part->steps);
    return status;
}

/* Collective; beside the steps, if the parts have it. */
static enum status gather_growth(const struct processes *processes, struct part *part,
                                 struct program *program, struct error *error)
{
    char *received = NULL;
    size_t size = 0;
    if (!part->has_growth)
        return STATUS_OK;
    enum status status =
        processes_gather(processes, part->growth.items, part->growth.count * sizeof(struct growth),
                         &received, &size, NULL, error);
    program->growth = (struct growth *)(void *)received;
    free(part->growth.items);
    memset(&part->growth, 0, sizeof part->growth);
    return status;
}

enum status program_join(struct part *part, const struct layout *layout, struct program *program,
                         struct error *error)
{
    const struct trace *trace = layout->trace;
    uint32_t ranks = trace->rank_count;
    int64_t *counts = NULL;
    memset(program, 0, sizeof *program);
    program->rank_count = ranks;
    program->slot_count = layout->slot_count;
    program->instance_count = layout->instance_count;
    enum status status = allocate(trace, program, &counts, error);
    if (status == STATUS_OK) {
        int64_t *steps = counts, *windows = counts + ranks;
        share_counts(trace, part->step_counts, steps);
        share_counts(trace, part->window_counts, windows);
        prefix_sums(steps, ranks, program->first);
        prefix_sums(windows, ranks, program->first_end);
        for (uint32_t s = 0; s < trace->owned_count; s++)
            program->last_event[trace->first_rank + s] = part->last_event[s];
        processes_sum(trace->processes, program->last_event, ranks);
        status = gather_steps(trace->processes, part, program, error);
        if (status == STATUS_OK)
            status = gather_growth(trace->processes, part, program, error);
    }
    free(counts);
    if (status != STATUS_OK)
        program_clear_steps(program);
    return status;
}

void program_clear_steps(struct program *program)
{
    free(program->steps);
    free(program->growth);
    free(program->first);
    free(program->first_end);
    free(program->last_event);
    memset(program, 0, sizeof *program);
}

enum status ends_return(const struct trace *trace, const struct part *part, const int64_t *ends,
                        int64_t **own, struct error *error)
{
    const struct processes *processes = trace->processes;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    int64_t *counts = calloc((size_t)processes->size + 1, sizeof *counts);
    char *received = NULL;
    size_t size = 0, at = 0;
    bool room = outbox && counts;
    enum status status =
        processes_agree(processes, room ? STATUS_OK : error_memory(error, "the model"), error);
    if (status == STATUS_OK) {
        counts[processes->rank] = (int64_t)part->windows.count;
        processes_sum(processes, counts, (size_t)processes->size);
        for (int p = 0; p < processes->size && processes->rank == 0 && room; p++) {
            room = outbox_put(&outbox[p], ends + at, (size_t)counts[p] * sizeof *ends);
            at += (size_t)counts[p];
        }
        status = processes_exchange_filled(processes, outbox, room, "the model", &received, &size,
                                           error);
    }
    free(outbox);
    free(counts);
    *own = (int64_t *)received;
    return status;
}
