/* [resize LABEL]: messages of another size: those that meet the conditions of the section (as of
 * [cut]) get `bytes`, or `factor` times as many as they have. Computation stays as it is. */
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

static void resize_release(void *state)
{
    struct resize *resize = state;
    message_conditions_clear(&resize->conditions);
    free(resize);
}

static enum status read_size(struct resize *resize, struct error *error)
{
    struct section_ref ref = resize->conditions.ref;
    const char *bytes = NULL;
    resize->factor = NAN;
    enum status status = ini_get_string(ref.ini, ref.section, "bytes", &bytes, error);
    if (status == STATUS_OK && bytes)
        status = ini_get_bytes(ref.ini, ref.section, "bytes", &resize->bytes, error);
    if (status == STATUS_OK)
        status = ini_get_number(ref.ini, ref.section, "factor", 0, 1e6, &resize->factor, error);
    resize->fixed = bytes != NULL;
    if (status == STATUS_OK && resize->fixed != isnan(resize->factor))
        return section_error(error, ref, NULL, "either \"bytes\" or \"factor\" must be given");
    return status;
}

static enum status resize_parse(struct section_ref ref, void **state, struct error *error)
{
    struct resize *resize = calloc(1, sizeof *resize);
    if (!resize)
        return error_memory(error, "the hypotheses");
    enum status status = message_conditions_read(ref, &resize->conditions, error);
    if (status == STATUS_OK)
        status = read_size(resize, error);
    if (status != STATUS_OK) {
        resize_release(resize);
        return status;
    }
    *state = resize;
    return STATUS_OK;
}

/* The tables of messages are shared with the recording until now. */
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
    .keys = resize_keys,
    .parse = resize_parse,
    .apply = resize_apply,
    .release = resize_release,
};
