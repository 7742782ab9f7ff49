/* Several messages where one would do: a rank sends them one after another to the same rank, and
 * learns nothing in between (transform/repeated_messages.h). They are tried as one message, sent
 * when the last one was, with all their data. */
#include "advise/candidates/families.h"

#include "transform/repeated_messages.h"

#include <stdlib.h>

static const char check[] = "The receiver then gets all parts when the last one is ready. If it "
                            "needs the first part earlier, "
                            "the saving is smaller.";

/* Of the messages that are sent in a region of the program. */
struct count {
    int64_t sent, repeated;
};

static const double fewer = 0.5; /* of the messages of a region must be saved */

/* Collective: counts[region of the program]. False when memory is out. */
static bool count_messages(const struct trace *trace, struct count *counts)
{
    bool complete = true;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++) {
        const struct stream *stream = &trace->streams[i];
        bool *repeated = calloc(stream->message_count + 1ul, sizeof *repeated);
        complete = repeated && repeated_messages_mark(trace, stream, repeated);
        for (uint32_t m = 0; m < stream->message_count && complete; m++) {
            const struct message *message = &stream->messages[m];
            if (!message_takes_part(message) || !(message->flags & MESSAGE_SEND))
                continue;
            uint32_t region = path_own_region(trace, stream_callpath_at(stream, message->post));
            if (region == INDEX_NONE)
                continue;
            counts[region].sent++;
            counts[region].repeated += repeated[m];
        }
        free(repeated);
    }
    return complete;
}

static bool add(const struct facts *facts, struct candidate_list *list, uint32_t region,
                const struct count *count)
{
    const char *name = candidate_region(list, facts->trace, region);
    double factor = (double)count->sent / (double)(count->sent - count->repeated);
    return name &&
           candidate_add(
               list, (struct candidate){
                         .kind = "repeated-messages",
                         .effort = EFFORT_MEDIUM,
                         .path = CALLPATH_NONE,
                         .region = region,
                         .ranks = facts->regions[region].ranks,
                         .cause = "repeated messages",
                         .sections = candidate_text(list,
                                                    "[cut repeated messages]\nrepeated = yes\n"
                                                    "region = %s\n\n[resize joined messages]\n"
                                                    "region = %s\nfactor = %.9g\n",
                                                    name, name, factor),
                         .change = candidate_text(
                             list,
                             "Send one message instead of %.3g in %s: %lld of its %lld messages "
                             "follow another one to the same rank, with nothing received in "
                             "between. If they have the same contents, leave the others out.",
                             factor, name, (long long)count->repeated, (long long)count->sent),
                         .check = check,
                     });
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
                           struct error *error)
{
    const struct trace *trace = facts->trace;
    const uint32_t regions = trace->definitions->region_count;
    struct count *counts = calloc(regions + 1ul, sizeof *counts);
    bool complete = counts && count_messages(trace, counts);
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK && counts)
        processes_sum(trace->processes, &counts[0].sent, 2ul * (regions + 1ul));
    for (uint32_t r = 0; r < regions && status == STATUS_OK && complete && counts; r++)
        if (counts[r].repeated > 0 && (double)counts[r].repeated >= fewer * (double)counts[r].sent)
            complete = add(facts, list, r, &counts[r]);
    free(counts);
    if (status == STATUS_OK && !complete)
        status = error_memory(error, "the advice");
    return status;
}

const struct candidate_family candidates_repeated_messages = {
    .name = "repeated messages",
    .description = "several messages where one would do",
    .propose = propose,
};
