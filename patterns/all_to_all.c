/* Wait at N x N and N x N completion (METHODS 8). Where all members are inside at once it is as at
 * a barrier. Otherwise not everybody needed everybody (counts of zero): the receivers that were
 * there before the latest member that sends have waited for that one, and their completion counts
 * from their own first end. Where nobody sends anything nobody waits. */
#include "patterns/n_to_n.h"

static void wait_for_senders(const struct member *members, uint32_t count,
                             struct member_wait *waits)
{
    struct n_to_n span = {INT64_MIN, INT64_MAX, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].sends && members[i].begin > span.last_begin) {
            span.last_begin = members[i].begin;
            span.last = i;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (members[i].receives && members[i].begin <= span.last_begin)
            span.first_end = earlier(span.first_end, members[i].end);
    for (uint32_t i = 0; i < count; i++)
        if (members[i].receives && members[i].begin <= span.last_begin)
            waits[i] = n_to_n_wait(&members[i], span);
}

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    struct n_to_n span = n_to_n_span(members, count);
    bool anybody_sends = false;
    for (uint32_t i = 0; i < count; i++)
        anybody_sends = anybody_sends || members[i].sends;
    if (!anybody_sends)
        return;
    if (span.first_end > span.last_begin)
        n_to_n_wait_all(members, count, span, waits);
    else
        wait_for_senders(members, count, waits);
}

const struct pattern all_to_all_pattern = {
    .name = "all to all",
    .description = "waits in collectives in which everybody needs everybody's data",
    .flows = 1u << FLOW_ALL | 1u << FLOW_PAIRS,
    .wait_metric = METRIC_MPI_WAIT_NXN,
    .completion_metric = METRIC_MPI_NXN_COMPLETION,
    .sync_kind = SYNC_N_TO_N,
    .search_instance = search_instance,
};
