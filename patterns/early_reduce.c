/* Early reduce (METHODS 8): the root is there before the last member that sends.
 *
 *     wait of the root = min(latest, E_root) - B_root   where B_root < latest = max B of the
 * senders
 */
#include "patterns/pattern.h"

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    int64_t latest = INT64_MIN;
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].sends && members[i].begin > latest) {
            latest = members[i].begin;
            last = i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].is_root && members[i].begin < latest) {
            waits[i].wait = earlier(latest, members[i].end) - members[i].begin;
            waits[i].cause = last;
        }
    }
}

const struct pattern early_reduce_pattern = {
    .name = "early reduce",
    .description = "waits of the root of an all-to-one collective",
    .flows = 1u << FLOW_TO_ROOT,
    .wait_metric = METRIC_MPI_EARLYREDUCE,
    .completion_metric = METRIC_NONE,
    .sync_kind = SYNC_N_TO_ONE,
    .search_instance = search_instance,
};
