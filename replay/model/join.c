#include "replay/model/join.h"

#include "base/mpi/mail.h"

#include <stdlib.h>
#include <string.h>

/* Collective: shares each owner's values; all[rank] has those of all ranks. */
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

static enum status allocate(const struct trace *trace, struct equations *equations,
                            int64_t **counts, struct error *error)
{
    size_t ranks = (size_t)trace->rank_count + 1;
    equations->first = calloc(ranks, sizeof *equations->first);
    equations->first_end = calloc(ranks, sizeof *equations->first_end);
    equations->last_event = calloc(ranks, sizeof *equations->last_event);
    *counts = calloc(2 * ranks, sizeof **counts);
    bool room = equations->first && equations->first_end && equations->last_event && *counts;
    return processes_agree_memory(trace->processes, room, "the model", error);
}

/* Collective. */
static enum status gather_steps(const struct processes *processes, struct part *part,
                                struct equations *equations, struct error *error)
{
    char *received = NULL;
    size_t size = 0;
    if (processes->size == 1) { /* no copy */
        equations->steps = part->steps.items;
        memset(&part->steps, 0, sizeof part->steps);
        return STATUS_OK;
    }
    enum status status =
        mail_gather(processes, part->steps.items, part->steps.count * sizeof(struct step),
                    &received, &size, NULL, error);
    equations->steps = (struct step *)received;
    free(part->steps.items);
    memset(&part->steps, 0, sizeof part->steps);
    return status;
}

/* Collective; the growth beside the steps, if the parts have it. */
static enum status gather_growth(const struct processes *processes, struct part *part,
                                 struct equations *equations, struct error *error)
{
    char *received = NULL;
    size_t size = 0;
    if (!part->has_growth)
        return STATUS_OK;
    enum status status =
        mail_gather(processes, part->growth.items, part->growth.count * sizeof(struct growth),
                    &received, &size, NULL, error);
    equations->growth = (struct growth *)(void *)received;
    free(part->growth.items);
    memset(&part->growth, 0, sizeof part->growth);
    return status;
}

enum status equations_join(struct part *part, const struct layout *layout,
                           struct equations *equations, struct error *error)
{
    const struct trace *trace = layout->trace;
    uint32_t ranks = trace->rank_count;
    int64_t *counts = NULL;
    memset(equations, 0, sizeof *equations);
    equations->rank_count = ranks;
    equations->slot_count = layout->slot_count;
    equations->instance_count = layout->instance_count;
    enum status status = allocate(trace, equations, &counts, error);
    if (status == STATUS_OK) {
        int64_t *steps = counts, *spans = counts + ranks;
        share_counts(trace, part->step_counts, steps);
        share_counts(trace, part->span_counts, spans);
        prefix_sums(steps, ranks, equations->first);
        prefix_sums(spans, ranks, equations->first_end);
        for (uint32_t s = 0; s < trace->owned_count; s++)
            equations->last_event[trace->first_rank + s] = part->last_event[s];
        processes_sum(trace->processes, equations->last_event, ranks);
        status = gather_steps(trace->processes, part, equations, error);
        if (status == STATUS_OK)
            status = gather_growth(trace->processes, part, equations, error);
    }
    free(counts);
    if (status != STATUS_OK)
        equations_clear_steps(equations);
    return status;
}

void equations_clear_steps(struct equations *equations)
{
    free(equations->steps);
    free(equations->growth);
    free(equations->first);
    free(equations->first_end);
    free(equations->last_event);
    memset(equations, 0, sizeof *equations);
}

enum status ends_return(const struct trace *trace, const struct part *part, const int64_t *ends,
                        int64_t **own, struct error *error)
{
    const struct processes *processes = trace->processes;
    struct mail mail = mail_open(processes, sizeof *ends, "the model");
    struct delivery received = {0};
    int64_t *counts = calloc((size_t)processes->size + 1, sizeof *counts);
    size_t at = 0;
    enum status status = processes_agree_memory(processes, counts, "the model", error);
    if (status == STATUS_OK) {
        counts[processes->rank] = (int64_t)part->spans.count;
        processes_sum(processes, counts, (size_t)processes->size);
        for (int p = 0; p < processes->size && processes->rank == 0; p++) {
            const size_t count = (size_t)counts[p];
            mail_check(&mail, bytes_put(mail_box(&mail, p), ends + at, count * sizeof *ends));
            at += count;
        }
        status = mail_exchange(&mail, &received, error);
    }
    mail_close(&mail);
    free(counts);
    *own = received.items;
    return status;
}
