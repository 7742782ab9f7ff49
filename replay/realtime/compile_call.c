#include "replay/realtime/compile_private.h"

void compile_failed(struct compiler *compiler, enum status status)
{
    if (compiler->status == STATUS_OK)
        compiler->status = status;
}

void compile_out_of_memory(struct compiler *compiler)
{
    if (compiler->status == STATUS_OK)
        compile_failed(compiler, error_memory(compiler->error, "the program of a replay"));
}

/* --- timed calls ------------------------------------------------------------------------------ */

static uint64_t engine_ticks(const struct compiler *compiler, uint64_t ticks)
{
    return (uint64_t)((double)ticks * compiler->input->ticks_scale + 0.5);
}

static uint32_t path_of(const struct compiler *compiler, struct call_rows rows)
{
    const struct stream *stream = compiler->stream;
    bool own = rows.enter < stream->count && stream->kind[rows.enter] == EVENT_ENTER &&
               region_call(compiler->trace, stream, rows.enter) != MPI_CALL_NONE;
    return own ? stream->arg[rows.enter] : CALLPATH_NONE;
}

void begin_timed_call(struct compiler *compiler, struct call_rows rows)
{
    struct timed_call timed = {.begin = rows.begin,
                               .op = (uint32_t)compiler->program->ops.count,
                               .path = path_of(compiler, rows),
                               .lead = rows.lead};
    if (!array_push(&compiler->program->timed_calls, timed))
        compile_out_of_memory(compiler);
}

void add_op(struct compiler *compiler, const struct op *op)
{
    if (!array_push(&compiler->program->ops, *op))
        compile_out_of_memory(compiler);
}

void end_timed_call(struct compiler *compiler, struct call_rows rows, uint64_t rest)
{
    struct replay_program *program = compiler->program;
    if (compiler->status != STATUS_OK)
        return;
    struct timed_call *timed = &program->timed_calls.items[program->timed_calls.count - 1];
    if (timed->op == program->ops.count) { /* nothing to do: the region stays computation */
        program->timed_calls.count--;
        return;
    }
    uint64_t begin_time = compiler->stream->time[timed->begin];
    uint64_t end_time = compiler->stream->time[rows.end];
    uint64_t length = end_time > begin_time ? end_time - begin_time : 0;
    timed->end = rows.end;
    timed->rest = rest < length ? rest : length;
    if (timed->lead > length - timed->rest)
        timed->lead = length - timed->rest;
    begin_time += timed->lead;
    struct op *first = &program->ops.items[timed->op];
    first->flags |= OP_BEGINS;
    first->compute = engine_ticks(
        compiler, begin_time > compiler->last_end ? begin_time - compiler->last_end : 0);
    program->ops.items[program->ops.count - 1].flags |= OP_ENDS;
    compiler->last_end = end_time - timed->rest;
}

/* --- messages --------------------------------------------------------------------------------- */

static bool takes_part(const struct message *message)
{
    return !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED)) && message->peer != PEER_UNKNOWN;
}

static bool tag_fits(struct compiler *compiler, const struct message *message)
{
    char where[512];
    if (message->tag <= (uint32_t)compiler->tag_limit)
        return true;
    if (compiler->status == STATUS_OK)
        compile_failed(compiler, error_set(compiler->error, STATUS_ENVIRONMENT,
                                           "%s has tag %u, but this MPI allows %d at most",
                                           trace_describe_event(compiler->trace, compiler->stream,
                                                                message->post, where, sizeof where),
                                           message->tag, compiler->tag_limit));
    return false;
}

/* A message whose receive was posted with wildcards: either end of it. */
static bool make_wildcard(struct compiler *compiler, const struct message *message,
                          struct transfer *transfer)
{
    struct replay_program *program = compiler->program;
    struct wildcard recorded = {transfer->peer, transfer->tag};
    wildcards_address(compiler->input->wildcards, message, &transfer->comm, &transfer->peer,
                      &transfer->tag);
    if (message->flags & MESSAGE_SEND)
        return true;
    if (!array_push(&program->wildcards, recorded)) {
        compile_out_of_memory(compiler);
        return false;
    }
    transfer->wildcard = (uint32_t)program->wildcards.count;
    return true;
}

/* `uses` more requests are open with the same buffer: this one gets another. */
static bool make_transfer(struct compiler *compiler, const struct message *message, uint64_t key,
                          uint32_t uses, struct transfer *transfer)
{
    enum buffer_use use = message->flags & MESSAGE_SEND ? BUFFER_SEND : BUFFER_RECV;
    if (!tag_fits(compiler, message))
        return false;
    transfer->comm = compiler->calls->communicators->real[message->comm];
    transfer->peer = (int)message->peer;
    transfer->tag = (int)message->tag;
    uint64_t bytes = message->bytes;
    if (!compiler->input->wildcards->sorts &&
        message->flags & (MESSAGE_ANY_SOURCE | MESSAGE_ANY_TAG))
        compiler->calls->approximations->counts[APPROXIMATION_WILDCARDS]++;
    if (wildcards_concern(compiler->input->wildcards, message)) {
        bytes = wildcards_bytes(compiler->input->wildcards, message);
        if (!make_wildcard(compiler, message, transfer))
            return false;
    }
    if (datatype_for(compiler->calls->datatypes, bytes, &transfer->type, &transfer->count) &&
        buffers_reserve(compiler->calls->buffers, key + uses, use, bytes, &transfer->buffer))
        return true;
    compile_out_of_memory(compiler);
    return false;
}

static uint64_t buffer_key(const struct message *message)
{
    uint64_t key = map_mix(((uint64_t)message->comm << 32) + message->peer);
    key = map_mix(key ^ message->tag);
    return map_mix(key ^ (message->flags & MESSAGE_SEND)) ^ map_mix(message->bytes);
}

static uint8_t blocking_send_code(struct compiler *compiler, enum mpi_call call, uint64_t bytes)
{
    switch (call) {
    case MPI_CALL_SSEND:
        return OP_SSEND;
    case MPI_CALL_RSEND:
        compiler->calls->approximations->counts[APPROXIMATION_READY]++;
        return OP_SEND;
    case MPI_CALL_BSEND:
        if (compiler->attached + bytes + MPI_BSEND_OVERHEAD > compiler->input->bsend_space) {
            compiler->calls->approximations->counts[APPROXIMATION_BUFFERED]++;
            return OP_SEND_AND_FORGET;
        }
        compiler->attached += bytes + MPI_BSEND_OVERHEAD;
        return OP_BSEND;
    default:
        return OP_SEND;
    }
}

static uint8_t nonblocking_send_code(struct compiler *compiler, enum mpi_call call, uint64_t bytes)
{
    switch (call) {
    case MPI_CALL_ISSEND:
        return OP_ISSEND;
    case MPI_CALL_IRSEND:
        compiler->calls->approximations->counts[APPROXIMATION_READY]++;
        return OP_ISEND;
    case MPI_CALL_IBSEND:
        if (compiler->attached + bytes + MPI_BSEND_OVERHEAD > compiler->input->bsend_space) {
            compiler->calls->approximations->counts[APPROXIMATION_BUFFERED]++;
            return OP_ISEND;
        }
        compiler->attached += bytes + MPI_BSEND_OVERHEAD;
        return OP_IBSEND;
    default:
        return OP_ISEND;
    }
}

uint32_t open_handle(struct compiler *compiler, const struct message *message)
{
    uint32_t handle;
    if (compiler->free_handles.count > 0)
        handle = compiler->free_handles.items[--compiler->free_handles.count];
    else
        handle = compiler->program->handle_count++;
    compiler->message_handle[message - compiler->stream->messages] = handle;
    return handle;
}

/* The receive that takes the message by its handle. False: no matched probe has taken it. */
static bool close_handle(struct compiler *compiler, const struct message *message,
                         struct transfer *transfer)
{
    uint32_t handle = compiler->message_handle[message - compiler->stream->messages];
    if (handle == INDEX_NONE)
        return false;
    transfer->handle = handle;
    if (!array_push(&compiler->free_handles, handle))
        compile_out_of_memory(compiler);
    return true;
}

static void compile_blocking(struct compiler *compiler, enum mpi_call call, uint32_t row)
{
    const struct message *message = &compiler->stream->messages[compiler->stream->arg[row]];
    struct op op = {.code = OP_RECV};
    if (!takes_part(message))
        return;
    if (message->flags & MESSAGE_SEND)
        op.code = blocking_send_code(compiler, call, message->bytes);
    if (!make_transfer(compiler, message, buffer_key(message), 0, &op.transfer))
        return;
    if (close_handle(compiler, message, &op.transfer))
        op.code = OP_MRECV;
    else if (call == MPI_CALL_MRECV)
        compiler->calls->approximations->counts[APPROXIMATION_MATCHED_PROBE]++;
    add_op(compiler, &op);
}

static void compile_nonblocking(struct compiler *compiler, enum mpi_call call, uint32_t row)
{
    uint32_t index = compiler->stream->arg[row];
    const struct message *message = &compiler->stream->messages[index];
    struct op op = {.code = OP_IRECV};
    if (!takes_part(message))
        return;
    if (message->flags & MESSAGE_SEND)
        op.code = nonblocking_send_code(compiler, call, message->bytes);
    uint64_t key = buffer_key(message);
    if (!make_transfer(compiler, message, key, request_uses(compiler, key), &op.transfer))
        return;
    if (!request_open(compiler, &compiler->message_slot[index], message->completion != INDEX_NONE,
                      key)) {
        compile_out_of_memory(compiler);
        return;
    }
    op.slot = compiler->message_slot[index];
    if (close_handle(compiler, message, &op.transfer))
        op.code = OP_IMRECV;
    else if (call == MPI_CALL_IMRECV)
        compiler->calls->approximations->counts[APPROXIMATION_MATCHED_PROBE]++;
    add_op(compiler, &op);
}

/* The two halves of a Sendrecv; the one to or from MPI_PROC_NULL has left no record. */
static void compile_sendrecv(struct compiler *compiler, enum mpi_call call, struct call_rows rows)
{
    const struct message *send = NULL, *recv = NULL;
    for (uint32_t row = rows.enter + 1; row < rows.leave; row++) {
        const struct message *message = &compiler->stream->messages[compiler->stream->arg[row]];
        if (compiler->stream->kind[row] == EVENT_SEND && takes_part(message))
            send = message;
        if (compiler->stream->kind[row] == EVENT_RECV && takes_part(message))
            recv = message;
    }
    const struct message *any = send ? send : recv;
    if (!any)
        return;
    struct sendrecv *both = arena_alloc(compiler->program->arena, sizeof *both);
    if (!both) {
        compile_out_of_memory(compiler);
        return;
    }
    struct transfer nobody = {.comm = compiler->calls->communicators->real[any->comm],
                              .type = MPI_BYTE,
                              .peer = MPI_PROC_NULL};
    both->send = both->recv = nobody;
    if ((send && !make_transfer(compiler, send, buffer_key(send), 0, &both->send)) ||
        (recv && !make_transfer(compiler, recv, buffer_key(recv), 0, &both->recv)))
        return;
    bool replaces = call == MPI_CALL_SENDRECV_REPLACE && send && recv &&
                    both->send.count == both->recv.count && both->send.type == both->recv.type &&
                    both->send.comm == both->recv.comm;
    struct op op = {.code = replaces ? OP_SENDRECV_REPLACE : OP_SENDRECV, .sendrecv = both};
    add_op(compiler, &op);
}

/* --- collectives ------------------------------------------------------------------------------ */

static uint64_t compile_collective(struct compiler *compiler, enum mpi_call call, uint32_t index,
                                   struct call_rows rows)
{
    const struct collective *collective = &compiler->stream->collectives[index];
    if (collective->instance == INDEX_NONE)
        return 0;
    if (collective->flags & COLLECTIVE_WINDOW) {
        compile_window_collective(compiler, call, collective);
        return 0;
    }
    if (compile_creation(compiler, call, collective, rows))
        return 0;
    struct op op = {.code = OP_COLLECTIVE};
    op.collective = collective_call_make(compiler->calls, collective, compiler->error);
    if (!op.collective) {
        compile_failed(compiler, STATUS_ENVIRONMENT);
        return 0;
    }
    add_op(compiler, &op);
    if (collective_is_reenacted(compiler->calls, collective))
        return 0;
    compiler->calls->approximations->counts[APPROXIMATION_SYNCHRONISED]++;
    const struct agreed *agreed = compiler->calls->agreement->instances[collective->comm];
    return agreed ? (uint64_t)agreed[collective->instance].shortest : 0;
}

static void compile_icollective(struct compiler *compiler, uint32_t index)
{
    const struct collective *collective = &compiler->stream->collectives[index];
    if (collective->instance == INDEX_NONE)
        return;
    struct op op = {.code = OP_ICOLLECTIVE};
    op.collective = collective_call_make(compiler->calls, collective, compiler->error);
    if (!op.collective) {
        compile_failed(compiler, STATUS_ENVIRONMENT);
        return;
    }
    if (!collective_is_reenacted(compiler->calls, collective))
        compiler->calls->approximations->counts[APPROXIMATION_SYNCHRONISED]++;
    uint64_t key = map_mix(collective->comm + 1);
    if (!request_open(compiler, &compiler->collective_slot[index], collective->end != INDEX_NONE,
                      key)) {
        compile_out_of_memory(compiler);
        return;
    }
    op.slot = compiler->collective_slot[index];
    add_op(compiler, &op);
}

/* --- requests --------------------------------------------------------------------------------- */

static uint8_t wait_code(enum mpi_class class, const struct request_set *set)
{
    switch (class) {
    case MPI_CLASS_WAITANY:
        return OP_WAITANY;
    case MPI_CLASS_WAITSOME:
        return OP_WAITSOME;
    case MPI_CLASS_TEST:
    case MPI_CLASS_REQUEST_TEST:
        return set->count == 1 ? OP_TEST : OP_TESTALL;
    case MPI_CLASS_TESTALL:
        return OP_TESTALL;
    case MPI_CLASS_TESTANY:
        return OP_TESTANY;
    case MPI_CLASS_TESTSOME:
        return OP_TESTSOME;
    default:
        return set->count == 1 ? OP_WAIT : OP_WAITALL;
    }
}

static void compile_completions(struct compiler *compiler, enum mpi_class class)
{
    if (class == MPI_CLASS_WAITALL && compiler->required.count == 0 &&
        compiler->unfinished.count > 0) {
        compiler->calls->approximations->counts[APPROXIMATION_UNFINISHED]++;
        if (!request_name_unfinished(compiler))
            compile_out_of_memory(compiler);
    }
    if (compiler->required.count == 0 && compiler->tested.count == 0)
        return;
    struct op op = {0};
    if (!request_set_make(compiler, &op.set)) {
        compile_out_of_memory(compiler);
        return;
    }
    op.code = wait_code(class, &op.set);
    add_op(compiler, &op);
}

/* --- probes ----------------------------------------------------------------------------------- */

struct probe probe_for(const struct compiler *compiler, const struct message *message)
{
    struct probe probe = {.comm = compiler->calls->communicators->real[message->comm],
                          .peer = (int)message->peer,
                          .tag = (int)message->tag};
    if (wildcards_concern(compiler->input->wildcards, message))
        wildcards_address(compiler->input->wildcards, message, &probe.comm, &probe.peer,
                          &probe.tag);
    return probe;
}

/* Matched probes whose message is not recorded are replayed as plain ones; so are those without
 * success, which must not take a message that comes earlier than recorded. */
static void compile_probe(struct compiler *compiler, enum mpi_class class, struct call_rows rows)
{
    const struct message *message = announced_receive(compiler, rows.leave);
    const struct message *matched = matched_message(compiler, rows);
    bool blocks = class == MPI_CLASS_PROBE || class == MPI_CLASS_MPROBE;
    struct op op = {.code = blocks ? OP_PROBE : OP_IPROBE};
    if (matched) {
        op.code = blocks ? OP_MPROBE : OP_POLL_MPROBE;
        op.probe = probe_for(compiler, matched);
        op.probe.handle = open_handle(compiler, matched);
        add_op(compiler, &op);
        return;
    }
    if (class == MPI_CLASS_MPROBE || (class == MPI_CLASS_IMPROBE && message))
        compiler->calls->approximations->counts[APPROXIMATION_MATCHED_PROBE]++;
    if (message) {
        op.probe = probe_for(compiler, message);
    } else if (blocks) {
        compiler->calls->approximations->counts[APPROXIMATION_NO_RECORD]++;
        return;
    } else {
        op.probe = (struct probe){.comm = compiler->calls->communicators->world,
                                  .peer = MPI_ANY_SOURCE,
                                  .tag = MPI_ANY_TAG};
    }
    add_op(compiler, &op);
}

/* --- one call --------------------------------------------------------------------------------- */

static void compile_record(struct compiler *compiler, enum mpi_call call, struct call_rows rows,
                           uint32_t row, uint64_t *rest)
{
    switch (compiler->stream->kind[row]) {
    case EVENT_SEND:
    case EVENT_RECV:
        compile_blocking(compiler, call, row);
        break;
    case EVENT_ISEND:
    case EVENT_IRECV_REQUEST:
        compile_nonblocking(compiler, call, row);
        break;
    case EVENT_COLLECTIVE_END:
        *rest = compile_collective(compiler, call, compiler->stream->arg[row], rows);
        break;
    case EVENT_NBC_REQUEST:
        compile_icollective(compiler, compiler->stream->arg[row]);
        break;
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV:
    case EVENT_NBC_COMPLETE:
    case EVENT_REQUEST_TEST:
        if (!request_name(compiler, row))
            compile_out_of_memory(compiler);
        break;
    case EVENT_RMA_OP:
        compile_window_operation(compiler, call, compiler->stream->arg[row]);
        break;
    case EVENT_RMA_SYNC:
        if (mpi_call_infos[call].class != MPI_CLASS_RMA_SYNC && !request_name(compiler, row))
            compile_out_of_memory(compiler);
        compile_window_sync(compiler, call, row);
        break;
    default:
        break;
    }
}

static uint64_t compile_finalize(struct compiler *compiler)
{
    struct op op = {.code = OP_COLLECTIVE};
    if (!compiler->input->finalizes)
        return 0;
    op.collective = collective_call_barrier(compiler->calls, compiler->calls->communicators->world,
                                            compiler->error);
    if (!op.collective)
        compile_failed(compiler, STATUS_ENVIRONMENT);
    add_op(compiler, &op);
    return compiler->input->finalize_rest;
}

/* Calls whose records are missing, as far as somebody might miss them: calls to MPI_PROC_NULL and
 * waits for null requests have none either. */
static void count_silent(struct compiler *compiler, enum mpi_class class)
{
    int64_t *counts = compiler->calls->approximations->counts;
    switch (class) {
    case MPI_CLASS_RMA:
    case MPI_CLASS_RMA_SYNC:
        /* With records, what has none had nothing to do: no target, nothing to flush. */
        counts[APPROXIMATION_ONE_SIDED] += compiler->trace->definitions->window_count == 0;
        break;
    case MPI_CLASS_IO:
        counts[APPROXIMATION_FILES]++;
        break;
    case MPI_CLASS_COLLECTIVE:
    case MPI_CLASS_ICOLLECTIVE:
    case MPI_CLASS_NEIGHBOUR:
    case MPI_CLASS_INEIGHBOUR:
    case MPI_CLASS_COMM_CREATE:
    case MPI_CLASS_COMM_ICREATE:
    case MPI_CLASS_WINDOW:
    case MPI_CLASS_SYNCHRONISE:
        counts[APPROXIMATION_NO_RECORD]++;
        break;
    default:
        break;
    }
}

void compile_call(struct compiler *compiler, enum mpi_call call, struct call_rows rows)
{
    enum mpi_class class = mpi_call_infos[call].class;
    uint64_t rest = 0;
    size_t before = compiler->program->ops.count;
    compiler->window_call_row = 0;
    begin_timed_call(compiler, rows);
    switch (class) {
    case MPI_CLASS_INIT:
    case MPI_CLASS_ABORT:
    case MPI_CLASS_COMM_FREE: /* MPICH releases a communicator without a message */
        break;
    case MPI_CLASS_FINALIZE:
        rest = compile_finalize(compiler);
        break;
    case MPI_CLASS_SENDRECV:
        compile_sendrecv(compiler, call, rows);
        break;
    case MPI_CLASS_PROBE:
    case MPI_CLASS_IPROBE:
    case MPI_CLASS_MPROBE:
    case MPI_CLASS_IMPROBE:
        compile_probe(compiler, class, rows);
        break;
    default:
        for (uint32_t row = rows.enter + 1; row < rows.leave; row++)
            compile_record(compiler, call, rows, row, &rest);
        compile_completions(compiler, class);
        if (compiler->program->ops.count == before)
            count_silent(compiler, class);
    }
    end_timed_call(compiler, rows, rest);
}
