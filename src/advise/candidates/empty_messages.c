/* Messages without data: each is a synchronisation. Those of one region of the program, or all of
 * them. */
#include "advise/candidates/families.h"

#include <stdlib.h>

static const char check[] =
    "Both sides must know that nothing is sent. A message that only says \"go on\" cannot be left "
    "out: what follows must not depend on it.";

/* Collective: [region] empty messages that it sends, and in [region_count] all messages. */
static void count_messages(const struct trace *trace, int64_t *empty)
{
    const uint32_t regions = trace->definitions->region_count;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = &trace->streams[i];
        for (uint32_t m = 0; m < stream->message_count; m++) {
            const struct message *message = &stream->messages[m];
            if (!message_takes_part(message) || !(message->flags & MESSAGE_SEND))
                continue;
            empty[regions]++;
            if (message->bytes > 0)
                continue;
            uint32_t region = path_own_region(trace, stream_callpath_at(stream, message->post));
            if (region != INDEX_NONE)
                empty[region]++;
        }
    }
    processes_sum(trace->processes, empty, regions + 1ul);
}

static bool add(const struct facts *facts, struct candidate_list *list, uint32_t region,
                int64_t count, int64_t all)
{
    const char *name = region == INDEX_NONE ? "" : candidate_region(list, facts->trace, region);
    const char *where = region == INDEX_NONE ? "" : candidate_text(list, "region = %s\n", name);
    const char *in = region == INDEX_NONE ? "" : candidate_text(list, " in %s", name);
    return name && where && in &&
           candidate_add(
               list,
               (struct candidate){
                   .kind = "empty-messages",
                   .effort = EFFORT_SMALL,
                   .path = CALLPATH_NONE,
                   .region = region,
                   .ranks = region == INDEX_NONE ? facts->trace->rank_count
                                                 : facts->regions[region].ranks,
                   .cause = "empty messages",
                   .sections = candidate_text(list, "[cut empty messages]\nsize = 0\n%s", where),
                   .change = candidate_text(list,
                                            "Do not send messages without data%s: %lld of the "
                                            "program's %lld messages are empty there, and each "
                                            "makes its receiver wait for its sender.",
                                            in, (long long)count, (long long)all),
                   .check = check,
               });
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
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
    count_messages(trace, empty);
    bool complete = true;
    uint32_t places = 0;
    for (uint32_t r = 0; r < regions && complete; r++) {
        if (empty[r] == 0)
            continue;
        places++;
        sum += empty[r];
        complete = add(facts, list, r, empty[r], empty[regions]);
    }
    if (complete && places > 1)
        complete = add(facts, list, INDEX_NONE, sum, empty[regions]);
    free(empty);
    return complete ? STATUS_OK : error_memory(error, "the advice");
}

const struct candidate_family candidates_empty_messages = {
    .name = "empty messages",
    .description = "messages without data",
    .propose = propose,
};
