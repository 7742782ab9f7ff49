/* Sends, receives and probes. */
#include "replay/realtime/compiler.h"

#include "trace/calls/semantics.h"

#include <limits.h>

static bool tag_fits(struct compiler *compiler, const struct message *message)
{
    char where[512];
    if (message->tag <= (uint32_t)compiler->tag_limit)
        return true;
    if (compiler->status == STATUS_OK)
        compile_failed(compiler, error_set(compiler->error, STATUS_ENVIRONMENT,
                                           "%s has tag %u, but the largest tag of this MPI is %d",
                                           trace_describe_event(compiler->trace, compiler->stream,
                                                                message->post, where, sizeof where),
                                           message->tag, compiler->tag_limit));
    return false;
}

/* Either end of a message whose receive was posted with wildcards. */
static bool make_wildcard(struct compiler *compiler, const struct message *message,
                          struct transfer *transfer)
{
    struct replay_program *program = compiler->program;
    struct wildcard recorded = {transfer->peer, transfer->tag};
    wildcards_address(compiler->input->wildcards, message, &transfer->comm, &transfer->peer,
                      &transfer->tag);
    if (message->flags & MESSAGE_SEND)
        return true;
    bool room = compile_check(compiler, array_push(&program->wildcards, recorded));
    transfer->wildcard = (uint32_t)program->wildcards.count;
    return room;
}

/* Whether the receiver of this message does not wait for it, by a hypothesis [wait]. */
static bool is_early(const struct message *message)
{
    return message->flags & (message->flags & MESSAGE_SEND ? MESSAGE_NOT_AWAITED : MESSAGE_NO_WAIT);
}

/* Addresses this rank itself, under a tag that no other of its messages has. */
static void early_address(const struct compiler *compiler, const struct message *message,
                          MPI_Comm *comm, int *peer, int *tag)
{
    struct replay_program *program = compiler->program;
    if (!program->has_early_comm)
        MPI_Comm_dup(MPI_COMM_SELF, &program->early_comm);
    program->has_early_comm = true;
    *comm = program->early_comm;
    *peer = 0;
    *tag = (int)(message - compiler->stream->messages) % compiler->tag_limit;
}

/* Sets type and count for `bytes` of a message, and the bytes that its buffer needs. False if out
 * of memory. */
static bool set_data(struct compiler *compiler, const struct message *message, uint64_t bytes,
                     struct transfer *transfer, uint64_t *space)
{
    const struct rebuilt_type *layout =
        call_types_layout(rebuilt_types_find(compiler->calls->rebuilt, message->types), true, 0);
    MPI_Aint lowest;
    *space = bytes;
    if (layout && layout->type != MPI_DATATYPE_NULL && bytes / layout->size < INT_MAX) {
        transfer->type = layout->type;
        transfer->count = (int)((bytes + layout->size - 1) / layout->size);
        *space = datatype_span(transfer->type, (uint64_t)transfer->count, &lowest);
        return true;
    }
    compiler->calls->approximations->counts[APPROXIMATION_LAYOUTS] += message->types > 0;
    return datatype_for(compiler->calls->datatypes, MPI_BYTE, bytes, &transfer->type,
                        &transfer->count);
}

/* The end that the message has before the run, whose data are contiguous. `transfer` is complete
 * but for its address. */
static bool add_early_end(struct compiler *compiler, const struct message *message, uint64_t key,
                          struct transfer *transfer)
{
    struct replay_program *program = compiler->program;
    const bool sends = message->flags & MESSAGE_SEND;
    early_address(compiler, message, &transfer->comm, &transfer->peer, &transfer->tag);
    struct early_end end = {*transfer, !sends};
    return datatype_for(compiler->calls->datatypes, MPI_BYTE, message->bytes, &end.transfer.type,
                        &end.transfer.count) &&
           buffers_reserve(compiler->calls->buffers, map_mix(key ^ MESSAGE_NO_WAIT),
                           sends ? BUFFER_RECV : BUFFER_SEND, message->bytes,
                           &end.transfer.buffer) &&
           array_push(&program->early, end);
}

/* If `uses` requests are open on the message's buffer, this message gets another buffer. */
static bool make_transfer(struct compiler *compiler, const struct message *message, uint64_t key,
                          uint32_t uses, struct transfer *transfer)
{
    enum buffer_use use = message->flags & MESSAGE_SEND ? BUFFER_SEND : BUFFER_RECV;
    if (!tag_fits(compiler, message))
        return false;
    communicators_address(compiler->calls->communicators, compiler->trace, compiler->stream,
                          message, &transfer->comm, &transfer->peer);
    transfer->tag = (int)message->tag;
    if (message->flags & MESSAGE_PARTITIONED) /* must not match other messages with its tag */
        transfer->tag = compiler->tag_limit - transfer->tag;
    uint64_t bytes = message->bytes;
    if (!compiler->input->wildcards->sorts &&
        message->flags & (MESSAGE_ANY_SOURCE | MESSAGE_ANY_TAG))
        compiler->calls->approximations->counts[APPROXIMATION_WILDCARDS]++;
    if (!is_early(message) && wildcards_concern(compiler->input->wildcards, message)) {
        bytes = wildcards_bytes(compiler->input->wildcards, message);
        if (!make_wildcard(compiler, message, transfer))
            return false;
    }
    struct buffers *buffers = compiler->calls->buffers;
    uint64_t space;
    bool room = set_data(compiler, message, bytes, transfer, &space);
    room = room && (message->flags & MESSAGE_UNTOUCHED
                        ? buffers_reserve_untouched(buffers, key + uses, space, &transfer->buffer)
                        : buffers_reserve(buffers, key + uses, use, space, &transfer->buffer));
    if (room && is_early(message))
        room = add_early_end(compiler, message, key, transfer);
    else if (message->flags & MESSAGE_SEND && message->flags & MESSAGE_NO_WAIT)
        compiler->calls->approximations->counts[APPROXIMATION_WAITS]++;
    return compile_check(compiler, room);
}

static uint64_t buffer_key(const struct message *message)
{
    uint64_t key = map_mix(((uint64_t)message->comm << 32) + message->peer);
    key = map_mix(key ^ message->tag);
    return map_mix(key ^ (message->flags & MESSAGE_SEND)) ^ map_mix(message->bytes);
}

/* Reserves space for a message in the attached buffer. False if it is full. */
static bool reserve_attached(struct compiler *compiler, uint64_t bytes)
{
    if (compiler->attached + bytes + MPI_BSEND_OVERHEAD > compiler->input->bsend_space) {
        compiler->calls->approximations->counts[APPROXIMATION_BUFFERED]++;
        return false;
    }
    compiler->attached += bytes + MPI_BSEND_OVERHEAD;
    return true;
}

static uint8_t send_code(struct compiler *compiler, const struct message *message, bool blocks)
{
    switch (message_send_mode(message)) {
    case SEND_SYNCHRONOUS:
        return blocks ? OP_SSEND : OP_ISSEND;
    case SEND_BUFFERED:
        if (reserve_attached(compiler, message->bytes))
            return blocks ? OP_BSEND : OP_IBSEND;
        return blocks ? OP_SEND_AND_FORGET : OP_ISEND;
    case SEND_READY:
        compiler->calls->approximations->counts[APPROXIMATION_READY]++;
        break;
    case SEND_STANDARD:
        break;
    }
    return blocks ? OP_SEND : OP_ISEND;
}

/* Gives a message that a matched probe takes a place for its handle. */
static uint32_t open_handle(struct compiler *compiler, const struct message *message)
{
    uint32_t handle;
    if (compiler->free_handles.count > 0)
        handle = compiler->free_handles.items[--compiler->free_handles.count];
    else
        handle = compiler->program->handle_count++;
    compiler->message_handle[message - compiler->stream->messages] = handle;
    return handle;
}

/* Compiles the receive that takes the message by its handle. False: no probe has taken it. */
static bool close_handle(struct compiler *compiler, const struct message *message,
                         struct transfer *transfer)
{
    uint32_t handle = compiler->message_handle[message - compiler->stream->messages];
    if (handle == INDEX_NONE)
        return false;
    transfer->handle = handle;
    compile_check(compiler, array_push(&compiler->free_handles, handle));
    return true;
}

void compile_message(struct compiler *compiler, const struct post *post)
{
    const struct message *message = &compiler->stream->messages[post->index];
    enum event_kind kind = (enum event_kind)compiler->stream->kind[post->row];
    bool blocks = kind == EVENT_SEND || kind == EVENT_RECV;
    struct op op = {.code = blocks ? OP_RECV : OP_IRECV};
    if (post->kind == POST_SEND)
        op.code = send_code(compiler, message, blocks);
    uint64_t key = buffer_key(message);
    if (!make_transfer(compiler, message, key, blocks ? 0 : request_uses(compiler, key),
                       &op.transfer))
        return;
    if (!blocks)
        op.slot = request_open(compiler, &compiler->message_slot[post->index], key);
    if (close_handle(compiler, message, &op.transfer))
        op.code = blocks ? OP_MRECV : OP_IMRECV;
    else if (compiler->walk.call.mpi_call == MPI_CALL_MRECV ||
             compiler->walk.call.mpi_call == MPI_CALL_IMRECV)
        compiler->calls->approximations->counts[APPROXIMATION_MATCHED_PROBE]++;
    add_op(compiler, &op);
}

/* A send to or a receive from MPI_PROC_NULL has no record. */
void compile_sendrecv(struct compiler *compiler)
{
    const struct call_walk *walk = &compiler->walk;
    const struct message *send = NULL, *recv = NULL;
    for (size_t i = 0; i < walk->posts.count; i++) {
        const struct post *post = &walk->posts.items[i];
        if (post->kind == POST_SEND)
            send = &compiler->stream->messages[post->index];
        else if (post->kind == POST_RECEIVE)
            recv = &compiler->stream->messages[post->index];
    }
    const struct message *any = send ? send : recv;
    if (!any)
        return;
    struct sendrecv *both = arena_alloc(compiler->program->arena, sizeof *both);
    if (!compile_check(compiler, both))
        return;
    struct transfer null_process = {.comm = compiler->calls->communicators->real[any->comm],
                                    .type = MPI_BYTE,
                                    .peer = MPI_PROC_NULL};
    both->send = both->recv = null_process;
    if ((send && !make_transfer(compiler, send, buffer_key(send), 0, &both->send)) ||
        (recv && !make_transfer(compiler, recv, buffer_key(recv), 0, &both->recv)))
        return;
    bool replaces = walk->call.mpi_call == MPI_CALL_SENDRECV_REPLACE && send && recv &&
                    both->send.count == both->recv.count && both->send.type == both->recv.type &&
                    both->send.comm == both->recv.comm;
    struct op op = {.code = replaces ? OP_SENDRECV_REPLACE : OP_SENDRECV, .sendrecv = both};
    add_op(compiler, &op);
}

/* The probe that finds the message of this receive, with the same wildcards. */
static struct probe probe_for(const struct compiler *compiler, const struct message *message)
{
    struct probe probe = {.tag = (int)message->tag};
    communicators_address(compiler->calls->communicators, compiler->trace, compiler->stream,
                          message, &probe.comm, &probe.peer);
    if (is_early(message))
        early_address(compiler, message, &probe.comm, &probe.peer, &probe.tag);
    else if (wildcards_concern(compiler->input->wildcards, message))
        wildcards_address(compiler->input->wildcards, message, &probe.comm, &probe.peer,
                          &probe.tag);
    return probe;
}

/* A loop ends when the message has arrived. Matched probes are replayed as plain ones if their
 * message is not recorded, and also if they were unsuccessful: these must not take a message that
 * arrives before its recorded time. */
void compile_probe(struct compiler *compiler)
{
    const struct recorded_call *call = &compiler->walk.call;
    enum mpi_class class = mpi_call_infos[call->mpi_call].class;
    int64_t *counts = compiler->calls->approximations->counts;
    const struct message *message =
        call->probed == INDEX_NONE ? NULL : &compiler->stream->messages[call->probed];
    bool blocks = mpi_class_is_blocking_probe(class);
    struct op op = {.code = blocks ? OP_PROBE : OP_IPROBE};
    if (message)
        op.probe = probe_for(compiler, message);
    else
        op.probe = (struct probe){.comm = compiler->calls->communicators->world,
                                  .peer = MPI_ANY_SOURCE,
                                  .tag = MPI_ANY_TAG};
    if (call->rounds > 1) {
        op.code = call->matched ? OP_POLL_MPROBE : OP_POLL_PROBE;
        op.probe.spacing = poll_spacing(compiler);
    } else if (call->matched) {
        op.code = blocks ? OP_MPROBE : OP_POLL_MPROBE;
    } else {
        counts[APPROXIMATION_MATCHED_PROBE] +=
            class == MPI_CLASS_MPROBE || (class == MPI_CLASS_IMPROBE && message);
        if (!message && blocks) {
            counts[APPROXIMATION_NO_RECORD]++;
            return;
        }
    }
    if (call->matched)
        op.probe.handle = open_handle(compiler, message);
    add_op(compiler, &op);
}
