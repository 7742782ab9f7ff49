#include "replay/model/compile.h"

#include "base/mpi/exchange.h"

#include <stdlib.h>
#include <string.h>

/* Collective. Process 0 gets the arrays of all processes as `*gathered`, the others NULL. Frees
 * `own`, unless it is the result. */
static enum status gather_array(const struct processes *processes, void *own, size_t size,
                                void **gathered, struct error *error)
{
    char *received = NULL;
    if (processes->size == 1) { /* no copy */
        *gathered = own;
        return STATUS_OK;
    }
    enum status status = exchange_gather(processes, own, size, &received, &size, NULL, error);
    *gathered = received;
    free(own);
    return status;
}

/* Collective. Sets on all processes where each rank's steps and spans begin, and its last event.
 * `counts` has three values per rank, all 0. */
static void share_counts(const struct trace *trace, const struct model_part *part, int64_t *counts,
                         struct equations *equations)
{
    uint32_t ranks = trace->rank_count;
    int64_t *steps = counts, *spans = steps + ranks, *last_event = spans + ranks;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        steps[trace->first_rank + s] = (int64_t)part->step_counts[s];
        spans[trace->first_rank + s] = (int64_t)part->span_counts[s];
        last_event[trace->first_rank + s] = part->last_event[s];
    }
    processes_sum(trace->processes, counts, 3 * (size_t)ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        equations->first[rank + 1] = equations->first[rank] + (size_t)steps[rank];
        equations->first_end[rank + 1] = equations->first_end[rank] + (size_t)spans[rank];
        equations->last_event[rank] = last_event[rank];
    }
}

enum status equations_join(struct model_part *part, const struct layout *layout,
                           struct equations *equations, struct error *error)
{
    const struct trace *trace = layout->trace;
    size_t ranks = (size_t)trace->rank_count + 1;
    int64_t *counts = calloc(3 * ranks, sizeof *counts);
    void *steps = NULL, *growth = NULL;
    *equations = (struct equations){
        .first = calloc(ranks, sizeof *equations->first),
        .first_end = calloc(ranks, sizeof *equations->first_end),
        .last_event = calloc(ranks, sizeof *equations->last_event),
        .rank_count = trace->rank_count,
        .slot_count = layout->slot_count,
        .instance_count = layout->instance_count,
    };
    bool room = equations->first && equations->first_end && equations->last_event && counts;
    enum status status = processes_agree_memory(trace->processes, room, "the model", error);
    if (status == STATUS_OK) {
        share_counts(trace, part, counts, equations);
        status = gather_array(trace->processes, part->steps.items,
                              part->steps.count * sizeof *part->steps.items, &steps, error);
        memset(&part->steps, 0, sizeof part->steps);
    }
    if (status == STATUS_OK && part->has_growth) {
        status = gather_array(trace->processes, part->growth.items,
                              part->growth.count * sizeof *part->growth.items, &growth, error);
        memset(&part->growth, 0, sizeof part->growth);
    }
    equations->steps = steps;
    equations->growth = growth;
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

enum status ends_return(const struct trace *trace, const struct equations *equations,
                        const int64_t *ends, int64_t **own, struct error *error)
{
    struct exchange exchange = exchange_open(trace->processes, sizeof *ends, "the model");
    struct received received;
    for (uint32_t rank = 0; rank < trace->rank_count && trace->processes->rank == 0; rank++) {
        size_t from = equations->first_end[rank], to = equations->first_end[rank + 1];
        exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, trace_owner(trace, rank)),
                                            ends + from, (to - from) * sizeof *ends));
    }
    enum status status = exchange_run(&exchange, &received, error);
    *own = received.items;
    return status;
}
