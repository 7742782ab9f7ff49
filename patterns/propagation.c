/* Where waits for messages come from and what they cause (doc/methods.md, section 8; scale:
 * causes.c):
 *
 *     indirect    = scale x the culprit's own waits,          direct   = wait - indirect
 *     propagating = the part that makes others wait,          terminal = wait - propagating
 *
 * A wait w makes others wait by the largest w x scale over the waits for messages that it
 * causes. */
#include "patterns/causes.h"

#include <stdlib.h>

static const struct {
    enum metric direct, indirect, propagating, terminal;
} metrics[SYNC_KIND_COUNT] = {
    [SYNC_LATE_SENDER] = {METRIC_MPI_WAIT_DIRECT_LATESENDER, METRIC_MPI_WAIT_INDIRECT_LATESENDER,
                          METRIC_MPI_WAIT_PROPAGATING_LS, METRIC_MPI_WAIT_TERMINAL_LS},
    [SYNC_LATE_RECEIVER] = {METRIC_MPI_WAIT_DIRECT_LATERECEIVER,
                            METRIC_MPI_WAIT_INDIRECT_LATERECEIVER, METRIC_MPI_WAIT_PROPAGATING_LR,
                            METRIC_MPI_WAIT_TERMINAL_LR},
};

/* The waits of the owned ranks. */
struct owned_waits {
    uint32_t first, last; /* up to the one before `last` */
};

static struct owned_waits owned_waits(const struct causes *causes)
{
    const uint32_t *first_wait = causes->points.first_wait, first = causes->trace->first_rank;
    return (struct owned_waits){first_wait[first], first_wait[first + causes->trace->owned_count]};
}

/* Ticks by which each of the waits makes others wait for a message, from the first one; free them.
 * NULL when memory is out. */
static double *find_propagating(const struct causes *causes, struct owned_waits owned)
{
    const struct sync_points *points = &causes->points;
    double *propagating = calloc((size_t)(owned.last - owned.first) + 1, sizeof *propagating);
    for (uint32_t wait = 0; wait < points->wait_count && propagating; wait++) {
        const struct interval *interval = &causes->intervals[wait];
        if (interval->cause_count == 0 || interval->first_cause < owned.first ||
            interval->first_cause >= owned.last ||
            !sync_kind_is_message(sync_kind_of(points, sync_wait_end(points, wait))))
            continue;
        double scale = wait_scale(causes, wait);
        for (uint32_t i = 0; i < interval->cause_count; i++) {
            uint32_t number = interval->first_cause + i;
            const struct sync_end *cause = sync_wait_end(points, number);
            double ticks = (double)cause->wait * scale;
            if (cause->event_row >= interval->passes_from &&
                ticks > propagating[number - owned.first])
                propagating[number - owned.first] = ticks;
        }
    }
    return propagating;
}

static void add_wait(const struct search_rank *rank, enum sync_kind kind,
                     const struct sync_end *end, double indirect, double propagating)
{
    uint32_t path = sync_end_path(rank->stream, end);
    double wait = (double)end->wait;
    if (propagating > wait)
        propagating = wait;
    findings_add_share(rank->findings, metrics[kind].indirect, rank->index, path, indirect);
    findings_add_share(rank->findings, metrics[kind].direct, rank->index, path, wait - indirect);
    findings_add_share(rank->findings, metrics[kind].propagating, rank->index, path, propagating);
    findings_add_share(rank->findings, metrics[kind].terminal, rank->index, path,
                       wait - propagating);
}

static enum status search_causes(const struct search_rank *ranks, const struct causes *causes,
                                 struct error *error)
{
    const struct sync_points *points = &causes->points;
    const struct owned_waits owned = owned_waits(causes);
    double *propagating = find_propagating(causes, owned);
    for (uint32_t wait = owned.first; wait < owned.last && propagating; wait++) {
        const struct sync_end *end = sync_wait_end(points, wait);
        enum sync_kind kind = sync_kind_of(points, end);
        const struct search_rank *rank = search_rank_owned(ranks, causes->trace, end->rank);
        if (sync_kind_is_message(kind))
            add_wait(rank, kind, end, wait_scale(causes, wait) * (double)wait_caused(causes, wait),
                     propagating[wait - owned.first]);
    }
    enum status status = processes_agree_memory(causes->trace->processes, propagating,
                                                "where waits for messages come from", error);
    free(propagating);
    return status;
}

const struct pattern propagation_pattern = {
    .name = "propagation",
    .description = "where waits for messages come from, and what they lead to",
    .search_causes = search_causes,
};
