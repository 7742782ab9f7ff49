/* Early scan (METHODS 8): a member of a prefix reduction waits for the lower ranks.
 *
 *     wait = min(latest, E) - B   where B < latest = max B of the senders up to the member's own
 * rank
 */
#include "patterns/pattern.h"

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    int64_t latest = INT64_MIN;
    uint32_t cause = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].sends && members[i].begin > latest) {
            latest = members[i].begin;
            cause = i;
        }
        if (members[i].begin < latest)
            waits[i] = (struct member_wait){
                .wait = earlier(latest, members[i].end) - members[i].begin, .cause = cause};
    }
}

const struct pattern early_scan_pattern = {
    .name = "early scan",
    .description = "waits for lower ranks in a prefix reduction",
    .flows = 1u << FLOW_PREFIX,
    .wait_metric = METRIC_MPI_EARLYSCAN,
    .completion_metric = METRIC_NONE,
    .sync_kind = SYNC_PREFIX,
    .search_instance = search_instance,
};
