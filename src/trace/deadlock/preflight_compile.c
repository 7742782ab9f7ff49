/* The operations of a stream without their times: for each MPI call first everything it posts, then
 * everything it waits for, so that the two halves of a Sendrecv do not wait for each other. */
#include "trace/deadlock/preflight_private.h"

#include "trace/calls/collective_operations.h"
#include "trace/calls/parts.h"
#include "trace/calls/walk.h"

/* Where the steps of a stream go. */
struct steps {
    const struct trace *trace;
    const struct stream *stream;
    struct bytes *out;
};

static bool put(const struct steps *steps, struct step step)
{
    step.rank = steps->stream->rank;
    return bytes_put(steps->out, &step, sizeof step);
}

static bool put_message(const struct steps *steps, enum step_kind kind, uint32_t row,
                        uint32_t index)
{
    const struct message *message = &steps->stream->messages[index];
    bool waits = kind == STEP_WAIT_SEND;
    return put(steps,
               (struct step){.kind = (uint8_t)kind,
                             .mode = waits ? (uint8_t)message_send_mode(message) : 0,
                             .length_bits = waits ? preflight_length_bits(message->bytes) : 0,
                             .row = row,
                             .index = index,
                             .partner_rank = message->partner_rank,
                             .partner = message->partner});
}

static bool put_collective(const struct steps *steps, enum step_kind kind, uint32_t row,
                           uint32_t index)
{
    const struct collective *collective = &steps->stream->collectives[index];
    if (kind == STEP_WAIT_COLLECTIVE && !collective_synchronises(collective))
        return true;
    uint32_t root = collective->root < ROOT_THIS_GROUP
                        ? comm_world_rank(steps->trace->definitions, collective->comm,
                                          steps->stream->rank, collective->root)
                        : INDEX_NONE;
    return put(steps, (struct step){.kind = (uint8_t)kind,
                                    .mode = collective->op,
                                    .row = row,
                                    .index = collective->instance,
                                    .partner_rank = collective->comm,
                                    .partner = root});
}

/* Adds a step for each member of the group of a synchronisation: it arrives or waits. */
static bool put_epoch(const struct steps *steps, enum step_kind kind, uint32_t row,
                      const struct rma_sync *sync)
{
    const struct stream *stream = steps->stream;
    const struct group *group = &steps->trace->definitions->groups[sync->group];
    for (uint32_t m = 0; m < group->count; m++) {
        struct step step = {.kind = (uint8_t)kind,
                            .row = row,
                            .index = (uint32_t)(sync - stream->rma_syncs),
                            .partner_rank = group_rank(group, m),
                            .partner = stream->rma_partners[sync->partners + m]};
        if (step.partner != INDEX_NONE && !put(steps, step))
            return false;
    }
    return true;
}

static bool put_post(const struct steps *steps, const struct post *post)
{
    switch (post->kind) {
    case POST_SEND:
    case POST_RECEIVE:
        return put_message(steps, STEP_POST_MESSAGE, post->row, post->index);
    case POST_COLLECTIVE:
        return put_collective(steps, STEP_POST_COLLECTIVE, post->row, post->index);
    case POST_SYNC:
        return put_epoch(steps, STEP_POST_EPOCH, post->row, &steps->stream->rma_syncs[post->index]);
    case POST_FINALIZE:
        break;
    }
    return true;
}

static bool put_wait(const struct steps *steps, const struct wait *wait)
{
    const struct stream *stream = steps->stream;
    switch (wait->kind) {
    case WAIT_SEND:
        return put_message(steps, STEP_WAIT_SEND, wait->row, wait->index);
    case WAIT_RECEIVE:
        return put_message(steps, STEP_WAIT_RECEIVE, wait->row, wait->index);
    case WAIT_COLLECTIVE:
        return put_collective(steps, STEP_WAIT_COLLECTIVE, wait->row, wait->index);
    case WAIT_SYNC:
        /* MPI lets MPI_Win_start return before the others have called MPI_Win_post. */
        return stream->rma_syncs[wait->index].kind == RMA_SYNC_START ||
               put_epoch(steps, STEP_WAIT_EPOCH, wait->row, sync_awaited(stream, wait->index));
    case WAIT_FINALIZE:
        break;
    }
    return true;
}

bool untimed_compile(const struct trace *trace, const struct stream *stream, struct bytes *out)
{
    const struct steps steps = {trace, stream, out};
    struct call_walk walk;
    bool fits = true;
    call_walk_open(&walk, trace, stream, 0); /* no polling loops, because they depend on times */
    while (fits && call_walk_next(&walk)) {
        for (size_t i = 0; i < walk.posts.count && fits; i++)
            fits = put_post(&steps, &walk.posts.items[i]);
        for (size_t i = 0; i < walk.waits.count && fits; i++)
            fits = put_wait(&steps, &walk.waits.items[i]);
    }
    fits = fits && !walk.no_memory;
    call_walk_close(&walk);
    return fits;
}
