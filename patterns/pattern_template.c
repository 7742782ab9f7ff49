/* Where to start a new family of patterns: copy this file, name the wait, state its equation and
 * its source, and
 *   1. add a line for each metric to src/severity/metric_list.h (and its rule to doc/metrics.md),
 *   2. add the family to patterns/pattern_list.c and the file to patterns/local.mk,
 *   3. add a case with known waits to tests/patterns/.
 * This one is compiled and tested, but not in the list. It searches an owned rank's messages:
 *
 *     early message: time between the posting of a send and the posting of its receive, if the
 *     send comes first; at the call that posts the receive. */
#include "patterns/pattern.h"

#define TEMPLATE_METRIC METRIC_MPI_LATERECEIVER /* put your own metric here */

static void search_rank(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (message->flags & MESSAGE_SEND || !message_takes_part(message) ||
            rank->post_call[i] == CALL_NONE)
            continue;
        int64_t early = (int64_t)stream->time[message->post] - rank->other[i].time;
        if (early > 0)
            search_rank_add(rank, TEMPLATE_METRIC, &rank->calls[rank->post_call[i]], early);
    }
}

const struct pattern template_pattern = {
    .name = "template",
    .description = "messages that are sent before their receive is posted",
    .search_rank = search_rank,
};
