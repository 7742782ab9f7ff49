/* [redistribute LABEL]: another division of the work among the ranks. On each rank, the computation
 * of the chosen regions, with everything they call, takes the rank's factor times as long. With
 * `messages = yes`, the messages posted inside these regions become as many times larger as their
 * sender's factor says. */
#include "base/names.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

struct redistribute {
    struct conditions conditions; /* only `section` */
    const char *factors;          /* list of numbers, one for each rank */
    bool messages;
};

static const struct ini_key redistribute_keys[] = {
    WHERE_KEYS,
    INI_KEY(redistribute, factors, STRING, .required = true),
    INI_KEY(redistribute, messages, BOOL),
    INI_KEYS_END,
};

struct rank_factors {
    ARRAY(double) list; /* [rank] */
};

static const double MOST_FACTOR = 1e6; /* as for [scale] */

/* Reads the list. The caller frees its items, also after a failure. */
static enum status read_factors(const struct redistribute *redistribute,
                                struct rank_factors *factors, struct error *error)
{
    const struct ini_section *section = redistribute->conditions.section;
    const char *list = redistribute->factors;
    bool out_of_memory = false;
    enum status status = STATUS_OK;
    char *item, *end;
    while (status == STATUS_OK && (item = names_next(&list, &out_of_memory))) {
        const double factor = strtod(item, &end);
        if (end == item || *end || !(factor >= 0 && factor <= MOST_FACTOR))
            status = section_error(error, section, "factors",
                                   "factors: \"%s\": expected numbers from 0 to %g, one for each "
                                   "rank, separated by commas",
                                   item, MOST_FACTOR);
        else
            out_of_memory |= !array_push(&factors->list, factor);
        free(item);
    }
    return out_of_memory ? error_memory(error, "the factors of the ranks") : status;
}

static enum status redistribute_check(void *state, struct error *error)
{
    struct rank_factors factors = {0};
    enum status status = read_factors(state, &factors, error);
    free(factors.list.items);
    return status;
}

static enum status redistribute_work(const struct redistribute *redistribute, struct trace *trace,
                                     const double *factors, struct error *error)
{
    const struct ini_section *section = redistribute->conditions.section;
    struct callpath_marks marks;
    struct pace pace = {
        .marks = &marks, .wanted = CALLPATH_INSIDE, .section = section, .key = "factors"};
    enum status status = callpath_marks_create(section, trace, &marks, error);
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&marks, CALLPATH_INSIDE, section, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        pace.factor = factor_of(factors[trace->streams[s].rank]);
        status = rewrite_pace(trace, &trace->streams[s], &pace, error);
    }
    callpath_marks_clear(&marks);
    return processes_agree(trace->processes, status, error);
}

/* Collective. */
static enum status resize_messages(const struct redistribute *redistribute, struct trace *trace,
                                   const double *factors, struct hypothesis_outcome *outcome,
                                   struct error *error)
{
    struct choice choice;
    enum status status = messages_choose(&redistribute->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome = (struct hypothesis_outcome){true, choice.count, choice.total, "messages"};
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct stream *stream = &trace->streams[s];
        if (!stream_copy_tables(stream, trace->arena))
            status = error_memory(error, "the messages of another size");
        for (uint32_t m = 0; m < stream->message_count && status == STATUS_OK; m++) {
            struct message *message = &stream->messages[m];
            const bool sends = message->flags & MESSAGE_SEND;
            if (choice.chosen[s][m])
                message->bytes = (uint64_t)llround(
                    factors[sends ? stream->rank : message->partner_rank] * (double)message->bytes);
        }
    }
    choice_clear(&choice);
    return processes_agree(trace->processes, status, error);
}

static enum status redistribute_apply(const void *state, struct trace *trace,
                                      struct hypothesis_outcome *outcome, struct error *error)
{
    const struct redistribute *redistribute = state;
    struct rank_factors factors = {0};
    enum status status = read_factors(redistribute, &factors, error);
    if (status == STATUS_OK && factors.list.count != trace->rank_count)
        status = section_error(error, redistribute->conditions.section, "factors",
                               "factors: %zu numbers, but the trace has %u ranks: expected one for "
                               "each",
                               factors.list.count, trace->rank_count);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = redistribute_work(redistribute, trace, factors.list.items, error);
    if (status == STATUS_OK && redistribute->messages)
        status = resize_messages(redistribute, trace, factors.list.items, outcome, error);
    free(factors.list.items);
    return status;
}

const struct hypothesis_kind hypothesis_redistribute = {
    .name = "redistribute",
    .subject = SUBJECT_COMPUTATION,
    .description = "divide the work of a region, with its messages, differently among the ranks",
    .state_size = sizeof(struct redistribute),
    .keys = redistribute_keys,
    .needs_where = true,
    .check = redistribute_check,
    .apply = redistribute_apply,
};
