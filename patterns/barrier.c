/* Wait at barrier and barrier completion (METHODS 8): see n_to_n.h. */
#include "patterns/n_to_n.h"

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    struct n_to_n span = n_to_n_span(members, count);
    for (uint32_t i = 0; i < count; i++)
        waits[i] = n_to_n_wait(&members[i], span);
}

const struct pattern barrier_pattern = {
    .name = "barrier",
    .description = "waits in front of a barrier, and what it takes after the first has left it",
    .operations = 1u << COLLECTIVE_BARRIER,
    .wait_metric = METRIC_MPI_BARRIER_WAIT,
    .completion_metric = METRIC_MPI_BARRIER_COMPLETION,
    .sync_kind = SYNC_BARRIER,
    .search_instance = search_instance,
};
