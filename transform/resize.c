/* [resize LABEL]: gives the messages that meet the conditions of the section (those of [cut]) the
 * size `bytes`, or `factor` times their size. Computation stays as it is. */
#include "transform/choose_messages.h"
#include "transform/kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct resize {
    struct message_conditions conditions;
    bool fixed; /* `bytes` is given, not `factor` */
    uint64_t bytes;
    double factor;
};

static const char *const resize_keys[] = {"bytes",        "factor",   "size",   "tag",
                                          "region",       "callpath", "sender", "receiver",
                                          "communicator", "all",      NULL};

static void resize_clear(void *state)
{
    message_conditions_clear(&((struct resize *)state)->conditions);
}

static enum status read_size(struct resize *resize, struct error *error)
{
    const struct ini_section *section = resize->conditions.section;
    resize->fixed = ini_value(section, "bytes") != NULL;
    resize->factor = NAN;
    enum status status = ini_get_bytes(section, "bytes", &resize->bytes, error);
    if (status == STATUS_OK)
        status = ini_get_number(section, "factor", 0, 1e6, &resize->factor, error);
    if (status == STATUS_OK && resize->fixed != isnan(resize->factor))
        return section_error(error, section, NULL, "either \"bytes\" or \"factor\" must be given");
    return status;
}

static enum status resize_parse(const struct ini_section *section, void *state, struct error *error)
{
    struct resize *resize = state;
    enum status status = message_conditions_read(section, &resize->conditions, error);
    return status == STATUS_OK ? read_size(resize, error) : status;
}

/* Copies the table of messages, which is shared with the recording before. */
static bool resize_stream(const struct resize *resize, struct arena *arena, struct stream *stream,
                          const bool *chosen)
{
    struct message *messages =
        arena_memdup(arena, stream->messages, stream->message_count * sizeof *messages);
    struct collective *collectives =
        arena_memdup(arena, stream->collectives, stream->collective_count * sizeof *collectives);
    struct rma_sync *syncs =
        arena_memdup(arena, stream->rma_syncs, stream->rma_sync_count * sizeof *syncs);
    if (!messages || !collectives || !syncs)
        return false;
    for (uint32_t m = 0; m < stream->message_count; m++)
        if (chosen[m])
            messages[m].bytes = resize->fixed
                                    ? resize->bytes
                                    : (uint64_t)llround(resize->factor * (double)messages[m].bytes);
    stream->messages = messages;
    stream->collectives = collectives;
    stream->rma_syncs = syncs;
    return true;
}

static enum status resize_apply(const void *state, struct trace *trace,
                                struct hypothesis_outcome *outcome, struct error *error)
{
    const struct resize *resize = state;
    struct message_choice choice;
    enum status status = messages_choose(&resize->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome = (struct hypothesis_outcome){true, choice.count, choice.total, "messages"};
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!resize_stream(resize, trace->arena, &trace->streams[s], choice.chosen[s]))
            status = error_memory(error, "the messages of another size");
    message_choice_clear(&choice, trace);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_resize = {
    .name = "resize",
    .description = "messages of another size",
    .state_size = sizeof(struct resize),
    .keys = resize_keys,
    .parse = resize_parse,
    .apply = resize_apply,
    .clear = resize_clear,
};
