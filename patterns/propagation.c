/* Where waits for messages come from and what they lead to (METHODS 8; equations in long_term.c):
 *
 *     indirect    = what the culprit's own waits account for, direct   = wait - indirect
 *     propagating = what makes others wait for a message,     terminal = wait - propagating
 */
#include "patterns/causes.h"

static const struct {
    enum metric direct, indirect, propagating, terminal;
} metrics[SYNC_KIND_COUNT] = {
    [SYNC_LATE_SENDER] = {METRIC_MPI_WAIT_DIRECT_LATESENDER, METRIC_MPI_WAIT_INDIRECT_LATESENDER,
                          METRIC_MPI_WAIT_PROPAGATING_LS, METRIC_MPI_WAIT_TERMINAL_LS},
    [SYNC_LATE_RECEIVER] = {METRIC_MPI_WAIT_DIRECT_LATERECEIVER,
                            METRIC_MPI_WAIT_INDIRECT_LATERECEIVER, METRIC_MPI_WAIT_PROPAGATING_LR,
                            METRIC_MPI_WAIT_TERMINAL_LR},
};

static void add_wait(const struct search_rank *rank, enum sync_kind kind,
                     const struct sync_end *end, const struct wait_costs *costs, int64_t caused)
{
    uint32_t path = end->path;
    double wait = (double)end->wait, indirect = costs->scale * (double)caused;
    double propagating = costs->propagating < wait ? costs->propagating : wait;
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
    (void)error;
    for (uint32_t wait = 0; wait < points->wait_count; wait++) {
        const struct sync_end *end = &points->ends[points->waits[wait]];
        enum sync_kind kind = sync_kind_of(points, end);
        uint32_t local = end->rank - causes->trace->first_rank;
        if (sync_kind_is_message(kind) && local < causes->trace->owned_count)
            add_wait(&ranks[local], kind, end, &causes->long_term.costs[wait],
                     interval_excess(points, &causes->intervals[wait], 0));
    }
    return STATUS_OK;
}

const struct pattern propagation_pattern = {
    .name = "propagation",
    .description = "where waits for messages come from, and what they lead to",
    .search_causes = search_causes,
};
