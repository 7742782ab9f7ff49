/* Messages without data, which only synchronise: those of one region of the program, or all of
 * them. */
#include "advise/candidates/families.h"

#include <stdlib.h>

static const char empty_check[] = "Make sure that both sides know that no message is sent, and "
                                  "that the receiver does not use the "
                                  "message as a signal.";

/* Collective. Counts empty messages: [region that sends them]; [region_count]: all messages. */
static void count_empty_messages(const struct trace *trace, int64_t *empty)
{
    const uint32_t regions = trace->definitions->region_count;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = &trace->streams[i];
        for (uint32_t m = 0; m < stream->message_count; m++) {
            const struct message *message = &stream->messages[m];
            const uint32_t region = message_sender_region(trace, stream, message);
            empty[regions] += message_takes_part(message) && (message->flags & MESSAGE_SEND);
            if (region != INDEX_NONE && message->bytes == 0)
                empty[region]++;
        }
    }
    processes_sum(trace->processes, empty, regions + 1ul);
}

static void add_empty_messages(const struct facts *facts, struct candidate_list *list,
                               uint32_t region, int64_t count, int64_t all)
{
    const bool everywhere = region == INDEX_NONE;
    const char *name = everywhere ? "" : candidate_region(list, facts->trace, region);
    const char *value = everywhere ? "" : candidate_region_pattern(list, facts->trace, region);
    const char *where = everywhere ? "" : candidate_text(list, "region = %s\n", value);
    const char *in = everywhere ? "" : candidate_text(list, " in %s", name);
    candidate_add(list,
                  (struct advice_candidate){
                      .kind = "empty-messages",
                      .effort = EFFORT_SMALL,
                      .path = CALLPATH_NONE,
                      .region = region,
                      .ranks = everywhere ? facts->trace->rank_count : facts->regions[region].ranks,
                      .cause = "empty messages",
                      .sections = candidate_text(list, "[cut empty messages]\nsize = 0\n%s", where),
                      .change = candidate_text(list,
                                               "Do not send messages without data%s: %lld of the "
                                               "program's %lld messages are empty there, and each "
                                               "makes its receiver wait for its sender.",
                                               in, (long long)count, (long long)all),
                      .check = empty_check,
                  });
}

static enum status propose_empty_messages(const struct facts *facts, struct candidate_list *list,
                                          struct error *error)
{
    const struct trace *trace = facts->trace;
    const uint32_t regions = trace->definitions->region_count;
    int64_t *empty = calloc(regions + 2ul, sizeof *empty), sum = 0;
    enum status status =
        processes_agree_memory(trace->processes, empty != NULL, "the advice", error);
    if (status != STATUS_OK) {
        free(empty);
        return status;
    }
    count_empty_messages(trace, empty);
    uint32_t places = 0;
    for (uint32_t r = 0; r < regions; r++) {
        if (empty[r] == 0)
            continue;
        places++;
        sum += empty[r];
        add_empty_messages(facts, list, r, empty[r], empty[regions]);
    }
    if (places > 1)
        add_empty_messages(facts, list, INDEX_NONE, sum, empty[regions]);
    free(empty);
    return STATUS_OK;
}

const struct candidate_family candidates_empty_messages = {
    .name = "empty messages",
    .description = "messages without data",
    .propose = propose_empty_messages,
};
