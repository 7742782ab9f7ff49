/* Early scan (METHODS 8): a member of a prefix reduction waits for the lower ranks.
 *
 *     wait = min(latest, E) - B   where B < latest = max B of the senders up to the member's own
 * rank
 */
#include "patterns/pattern.h"

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].sends)
            latest = later(latest, members[i].begin);
        if (members[i].begin < latest)
            waits[i].wait = earlier(latest, members[i].end) - members[i].begin;
    }
}

const struct pattern early_scan_pattern = {
    .name = "early scan",
    .description = "waits for lower ranks in a prefix reduction",
    .operations = 1u << COLLECTIVE_SCAN | 1u << COLLECTIVE_EXSCAN,
    .wait_metric = METRIC_MPI_EARLYSCAN,
    .completion_metric = METRIC_NONE,
    .search_instance = search_instance,
};
