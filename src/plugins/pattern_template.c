/* A plug-in with a pattern and its own metrics. To write one, copy this file, name the wait, and
 * state its equation and its source here (doc/plugins.md).
 *
 *     early message: time between the calls that post a send and its receive, if the send's comes
 *     first; at the call that posts the receive. */
#include <silas/plugin.h>

static const struct metric_info metrics[] = {
    {.name = "early_message",
     .unit = UNIT_SECONDS,
     .parent = METRIC_NONE, /* METRIC_TIME: a kind of waiting */
     .title = "Early Message",
     .description = "Time between the calls that post a send and its receive"},
    {.name = "early_message_count",
     .unit = UNIT_COUNT,
     .parent = METRIC_NONE,
     .title = "Early Messages",
     .description = "Number of messages that are sent before their receive is posted"},
    {0},
};
enum { EARLY_MESSAGE, EARLY_MESSAGE_COUNT }; /* their places */

static void search_early_messages(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (message->flags & MESSAGE_SEND || !message_takes_part(message) ||
            rank->post_call[i] == CALL_NONE)
            continue;
        const struct search_call *call = &rank->calls[rank->post_call[i]];
        int64_t early = call->enter - rank->other[i].enter;
        if (early > 0) {
            search_rank_add(rank, METRIC_OWN(EARLY_MESSAGE), call, early); /* ticks */
            search_rank_add(rank, METRIC_OWN(EARLY_MESSAGE_COUNT), call, 1);
        }
    }
}

static const struct pattern template_pattern = {
    .name = "template",
    .description = "messages that are sent before their receive is posted",
    .metrics = metrics,
    .search_rank = search_early_messages,
};

static const struct pattern *const patterns[] = {&template_pattern, NULL};

const struct silas_plugin silas_plugin = {
    SILAS_PLUGIN_VERSION,
    .name = "template of a pattern",
    .patterns = patterns,
};
