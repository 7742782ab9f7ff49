/* Wait at barrier and barrier completion (METHODS 8): see n_to_n.h. */
#include "patterns/n_to_n.h"

const struct pattern barrier_pattern = {
    .name = "barrier",
    .description = "waits in front of a barrier, and what it takes after the first has left it",
    .flows = 1u << FLOW_BARRIER,
    .wait_metric = METRIC_MPI_BARRIER_WAIT,
    .completion_metric = METRIC_MPI_BARRIER_COMPLETION,
    .sync_kind = SYNC_BARRIER,
    .search_instance = n_to_n_search,
};
