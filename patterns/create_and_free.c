/* Wait at window create, wait at window free: as at a barrier (n_to_n.h). MPI_Win_create and its
 * kin are collective; MPI_Win_free returns only when all have called it (MPI standard, Window
 * Destruction).
 * Definitions: M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote
 * memory access inefficiency patterns, IJHPCA 26(3), 2012. */
#include "patterns/n_to_n.h"

const struct pattern wait_at_create_pattern = {
    .name = "wait at window create",
    .description = "waits for the last process to come to make a window",
    .flows = 1u << FLOW_MAKE,
    .on_windows = true,
    .wait_metric = METRIC_MPI_RMA_WAIT_AT_CREATE,
    .completion_metric = METRIC_NONE,
    .search_instance = n_to_n_search,
};

const struct pattern wait_at_free_pattern = {
    .name = "wait at window free",
    .description = "waits for the last process to come to free a window",
    .flows = 1u << FLOW_FREE,
    .on_windows = true,
    .wait_metric = METRIC_MPI_RMA_WAIT_AT_FREE,
    .completion_metric = METRIC_NONE,
    .search_instance = n_to_n_search,
};
