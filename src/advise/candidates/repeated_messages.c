/* Several messages that could be one: a rank sends them to the same rank, one after the other, and
 * receives nothing in between (transform/repeated_messages.h). They are tried as one message with
 * all their data, which is sent when the last one was. */
#include "advise/candidates/families.h"

#include "transform/repeated_messages.h"

#include <stdlib.h>

static const char repeated_check[] = "The receiver gets all parts when the last one is ready. If "
                                     "it needs the first part earlier, the "
                                     "saving is smaller.";

/* Messages that are sent in a region of the program. */
struct sent_count {
    int64_t sent, repeated;
};

static const double REPEATED_PART = 0.5; /* of a region's messages: fewer are not worth a change */

/* Counts the messages of the owned ranks: counts[region]. False when out of memory. */
static bool count_repeated_messages(const struct trace *trace, struct sent_count *counts)
{
    bool complete = true;
    for (uint32_t i = 0; i < trace->owned_count && complete; i++) {
        const struct stream *stream = &trace->streams[i];
        bool *repeated = calloc(stream->message_count + 1ul, sizeof *repeated);
        complete = repeated && repeated_messages_mark(trace, stream, repeated);
        for (uint32_t m = 0; m < stream->message_count && complete; m++) {
            const uint32_t region = message_sender_region(trace, stream, &stream->messages[m]);
            if (region == INDEX_NONE)
                continue;
            counts[region].sent++;
            counts[region].repeated += repeated[m];
        }
        free(repeated);
    }
    return complete;
}

static void add_repeated_messages(const struct facts *facts, struct candidate_list *list,
                                  uint32_t region, const struct sent_count *count)
{
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    double factor = (double)count->sent / (double)(count->sent - count->repeated);
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "repeated-messages",
            .effort = EFFORT_MEDIUM,
            .cause = "repeated messages",
            .sections = candidate_text(list,
                                       "[cut repeated messages]\nrepeated = yes\n"
                                       "region = %s\n\n[resize joined messages]\n"
                                       "region = %s\nfactor = %.9g\n",
                                       value, value, factor),
            .change =
                candidate_text(list,
                               "Send one message instead of %.3g in %s: %lld of its %lld messages "
                               "follow another message to the same rank, with nothing received in "
                               "between. If they have the same contents, send only one of them.",
                               factor, name, (long long)count->repeated, (long long)count->sent),
            .check = repeated_check,
        });
}

static enum status propose_repeated_messages(const struct facts *facts, struct candidate_list *list,
                                             struct error *error)
{
    const struct trace *trace = facts->trace;
    const uint32_t regions = trace->definitions->region_count;
    struct sent_count *counts = calloc(regions + 1ul, sizeof *counts);
    bool complete = counts && count_repeated_messages(trace, counts);
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK && counts)
        processes_sum(trace->processes, &counts[0].sent, 2ul * (regions + 1ul));
    for (uint32_t r = 0; r < regions && status == STATUS_OK && counts; r++)
        if (counts[r].repeated > 0 &&
            (double)counts[r].repeated >= REPEATED_PART * (double)counts[r].sent)
            add_repeated_messages(facts, list, r, &counts[r]);
    free(counts);
    return status;
}

const struct candidate_family candidates_repeated_messages = {
    .name = "repeated messages",
    .description = "several messages that could be one",
    .propose = propose_repeated_messages,
};
