/* [resize LABEL]: gives the messages that meet the conditions of the section (those of [cut]) the
 * size `bytes`, or `factor` times their size. Computation stays as it is. */
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>

struct resize {
    struct conditions conditions;
    bool fixed; /* `bytes` is given, not `factor` */
    uint64_t bytes;
    double factor;
};

static const struct ini_key resize_keys[] = {
    INI_KEY(resize, bytes, BYTES), INI_KEY(resize, factor, NUMBER, .highest = 1e6),
    MESSAGE_KEYS(resize),          CALL_KEYS(resize),
    COMMUNICATOR_KEY(resize),      INI_KEYS_END,
};

static enum status resize_check(void *state, struct error *error)
{
    struct resize *resize = state;
    const struct ini_section *section = resize->conditions.section;
    enum status status = conditions_check_messages(&resize->conditions, error);
    resize->fixed = ini_value(section, "bytes") != NULL;
    if (status == STATUS_OK && resize->fixed == (ini_value(section, "factor") != NULL))
        return section_error(error, section, NULL, "either \"bytes\" or \"factor\" must be given");
    return status;
}

static bool resize_stream(const struct resize *resize, struct trace *trace, struct stream *stream,
                          const bool *chosen)
{
    if (!stream_copy_tables(stream, trace->arena))
        return false;
    for (uint32_t m = 0; m < stream->message_count; m++) {
        uint64_t *bytes = &stream->messages[m].bytes;
        if (chosen[m])
            *bytes =
                resize->fixed ? resize->bytes : (uint64_t)llround(resize->factor * (double)*bytes);
    }
    return true;
}

static enum status resize_apply(const void *state, struct trace *trace,
                                struct hypothesis_outcome *outcome, struct error *error)
{
    const struct resize *resize = state;
    struct choice choice;
    enum status status = messages_choose(&resize->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome = (struct hypothesis_outcome){true, choice.count, choice.total, "messages"};
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!resize_stream(resize, trace, &trace->streams[s], choice.chosen[s]))
            status = error_memory(error, "the messages of another size");
    choice_clear(&choice);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_resize = {
    .name = "resize",
    .description = "change the size of messages",
    .state_size = sizeof(struct resize),
    .keys = resize_keys,
    .check = resize_check,
    .apply = resize_apply,
};
