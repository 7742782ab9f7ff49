/* Late broadcast (METHODS 8): members that receive from a root which is not there yet.
 *
 *     wait = min(B_root, E) - B   where B < B_root
 */
#include "patterns/pattern.h"

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    const struct member *root = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (members[i].is_root)
            root = &members[i];
    for (uint32_t i = 0; i < count && root; i++) {
        if (&members[i] != root && members[i].receives && members[i].begin < root->begin) {
            waits[i].wait = earlier(root->begin, members[i].end) - members[i].begin;
            waits[i].cause = (uint32_t)(root - members);
        }
    }
}

const struct pattern late_broadcast_pattern = {
    .name = "late broadcast",
    .description = "waits for the root of a one-to-all collective",
    .flows = 1u << FLOW_FROM_ROOT,
    .wait_metric = METRIC_MPI_LATEBROADCAST,
    .completion_metric = METRIC_NONE,
    .sync_kind = SYNC_ONE_TO_N,
    .search_instance = search_instance,
};
