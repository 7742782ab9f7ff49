/* A stream's operations without their times: everything an MPI call posts, then everything it waits
 * for, so that the two halves of a Sendrecv do not wait for each other. */
#include "trace/deadlock/preflight_private.h"

/* The rows of one call, first..last, between its enter and leave. */
struct call {
    const struct trace *trace;
    const struct stream *stream;
    struct bytes *out;
    enum mpi_call mpi_call;
};

static enum send_mode mode_of(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_BSEND:
    case MPI_CALL_IBSEND:
    case MPI_CALL_BSEND_INIT:
        return SEND_BUFFERED;
    case MPI_CALL_SSEND:
    case MPI_CALL_ISSEND:
    case MPI_CALL_SSEND_INIT:
        return SEND_SYNCHRONOUS;
    default:
        return SEND_STANDARD;
    }
}

static bool put(const struct call *c, struct step step)
{
    return bytes_put(c->out, &step, sizeof step);
}

static struct step message_step(const struct call *c, enum step_kind kind, uint32_t row,
                                uint32_t index)
{
    const struct message *m = &c->stream->messages[index];
    return (struct step){.kind = (uint8_t)kind,
                         .rank = c->stream->rank,
                         .row = row,
                         .index = index,
                         .partner_rank = m->partner_rank,
                         .partner = m->partner};
}

static struct step collective_step(const struct call *c, enum step_kind kind, uint32_t row,
                                   uint32_t index)
{
    const struct collective *k = &c->stream->collectives[index];
    uint32_t root = k->root < ROOT_THIS_GROUP
                        ? comm_world_rank(c->trace->definitions, k->comm, c->stream->rank, k->root)
                        : INDEX_NONE;
    return (struct step){.kind = (uint8_t)kind,
                         .mode = k->op,
                         .rank = c->stream->rank,
                         .row = row,
                         .index = k->instance,
                         .partner_rank = k->comm,
                         .partner = root};
}

/* The MPI_Win_start whose epoch the MPI_Win_complete at `index` ends. */
static uint32_t start_of(const struct stream *s, uint32_t index)
{
    uint32_t i = index;
    while (i > 0 && (s->rma_syncs[i].kind != RMA_SYNC_START ||
                     s->rma_syncs[i].window != s->rma_syncs[index].window))
        i--;
    return i;
}

/* A step towards each member of the group of a synchronisation: arrives, or waits. MPI lets
 * MPI_Win_start return before the others have called MPI_Win_post, but not MPI_Win_complete. */
static bool put_epoch(const struct call *c, enum step_kind kind, uint32_t row, uint32_t index)
{
    const struct stream *s = c->stream;
    uint8_t what = s->rma_syncs[index].kind;
    if (kind == STEP_WAIT_EPOCH && what == RMA_SYNC_COMPLETE)
        index = start_of(s, index);
    const struct rma_sync *sync = &s->rma_syncs[index];
    if (sync->kind > RMA_SYNC_WAIT || sync->partners == INDEX_NONE ||
        (kind == STEP_WAIT_EPOCH && sync->kind != RMA_SYNC_START && sync->kind != RMA_SYNC_WAIT) ||
        (kind == STEP_WAIT_EPOCH && what == RMA_SYNC_START))
        return true;
    const struct group *group = &c->trace->definitions->groups[sync->group];
    for (uint32_t m = 0; m < group->count; m++) {
        struct step step = {.kind = (uint8_t)kind,
                            .rank = s->rank,
                            .row = row,
                            .index = index,
                            .partner_rank = group_rank(group, m),
                            .partner = s->rma_partners[sync->partners + m]};
        if (step.partner != INDEX_NONE && !put(c, step))
            return false;
    }
    return true;
}

static bool is_matched(const struct stream *s, uint32_t index)
{
    return s->messages[index].partner != INDEX_NONE;
}

static bool put_post(const struct call *c, uint32_t row)
{
    const struct stream *s = c->stream;
    uint32_t arg = s->arg[row];
    switch (s->kind[row]) {
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_ISEND:
    case EVENT_IRECV_REQUEST:
        return !is_matched(s, arg) || put(c, message_step(c, STEP_POST_MESSAGE, row, arg));
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_NBC_REQUEST:
        return s->collectives[arg].instance == INDEX_NONE ||
               put(c, collective_step(c, STEP_POST_COLLECTIVE, row, arg));
    case EVENT_RMA_SYNC:
        return put_epoch(c, STEP_POST_EPOCH, row, arg);
    default:
        return true;
    }
}

/* The mode of a nonblocking send is that of the call which posted it. */
static enum send_mode posted_mode(const struct call *c, uint32_t message)
{
    uint32_t path = stream_callpath_at(c->stream, c->stream->messages[message].post);
    if (path == CALLPATH_NONE)
        return SEND_STANDARD;
    uint32_t region = c->trace->calltree.paths.items[path].region;
    return mode_of(c->trace->definitions->regions[region].mpi_call);
}

static bool put_wait(const struct call *c, uint32_t row)
{
    const struct stream *s = c->stream;
    uint32_t arg = s->arg[row];
    struct step step;
    switch (s->kind[row]) {
    case EVENT_SEND:
    case EVENT_ISEND_COMPLETE:
        if (!is_matched(s, arg))
            return true;
        step = message_step(c, STEP_WAIT_SEND, row, arg);
        step.mode = s->kind[row] == EVENT_SEND ? mode_of(c->mpi_call) : posted_mode(c, arg);
        step.length_bits = preflight_length_bits(s->messages[arg].bytes);
        return put(c, step);
    case EVENT_MATCHED:
        if (arg == INDEX_NONE)
            return true;
        return !is_matched(s, arg) || put(c, message_step(c, STEP_WAIT_RECEIVE, row, arg));
    case EVENT_RECV:
    case EVENT_IRECV:
        return !is_matched(s, arg) || put(c, message_step(c, STEP_WAIT_RECEIVE, row, arg));
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_COMPLETE:
        return s->collectives[arg].instance == INDEX_NONE ||
               !collective_synchronises(&s->collectives[arg]) ||
               put(c, collective_step(c, STEP_WAIT_COLLECTIVE, row, arg));
    case EVENT_RMA_SYNC:
        return put_epoch(c, STEP_WAIT_EPOCH, row, arg);
    default:
        return true;
    }
}

bool untimed_compile(const struct trace *trace, const struct stream *stream, struct bytes *out)
{
    struct call call = {trace, stream, out, MPI_CALL_NONE};
    uint32_t first = 0; /* of the rows since the last enter or leave */
    for (uint32_t row = 0; row <= stream->count; row++) {
        bool boundary = row == stream->count || stream->kind[row] <= EVENT_PROGRAM_END;
        if (!boundary)
            continue;
        for (uint32_t i = first; i < row; i++)
            if (!put_post(&call, i))
                return false;
        for (uint32_t i = first; i < row; i++)
            if (!put_wait(&call, i))
                return false;
        first = row + 1;
        if (row < stream->count && stream->kind[row] == EVENT_ENTER) {
            uint32_t region = trace->calltree.paths.items[stream->arg[row]].region;
            call.mpi_call = trace->definitions->regions[region].mpi_call;
        }
    }
    return true;
}
