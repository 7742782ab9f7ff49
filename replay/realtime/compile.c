/* Compiles a rank's events into its program. */
#include "replay/realtime/compiler.h"

#include "trace/calls/records.h"
#include "trace/spawned.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The call that reenacts a record. */
static const struct replayed_collective *make_collective(struct compiler *compiler,
                                                         const struct collective *collective)
{
    const struct replayed_collective *call =
        collective_call_make(compiler->calls, collective, compiler->error);
    if (!call)
        compile_failed(compiler, STATUS_ENVIRONMENT);
    return call;
}

static void count_synchronised(struct compiler *compiler)
{
    compiler->calls->approximations->counts[APPROXIMATION_SYNCHRONISED]++;
}

/* Who waits in an operation: not all members, if it is a call on a file that does not wait, or if a
 * hypothesis [wait] has removed waits. */
enum waiting_members { MEMBERS_WAIT, SOME_MEMBERS_WAIT, NO_MEMBER_WAITS };

static enum waiting_members waiting_members(struct compiler *compiler,
                                            const struct collective *collective)
{
    const struct agreed *all = compiler->calls->agreement->instances[collective->comm];
    const struct agreed *agreed = all ? &all[collective->instance] : NULL;
    int64_t *counts = compiler->calls->approximations->counts;
    if (collective->op == COLLECTIVE_BARRIER && collective->flags & COLLECTIVE_LOCAL)
        return NO_MEMBER_WAITS;
    if (!agreed || !agreed->no_wait || collective->flags & COLLECTIVE_WINDOW) {
        counts[APPROXIMATION_WAITS] += collective->no_wait;
        return MEMBERS_WAIT;
    }
    if (!agreed->waits)
        return NO_MEMBER_WAITS;
    counts[APPROXIMATION_SOME_WAIT]++;
    return SOME_MEMBERS_WAIT;
}

static const struct replayed_collective *make_barrier(struct compiler *compiler, MPI_Comm comm)
{
    const struct replayed_collective *call =
        collective_call_barrier(compiler->calls, comm, compiler->error);
    if (!call)
        compile_failed(compiler, STATUS_ENVIRONMENT);
    return call;
}

/* The call of a member that does not wait lasts as long as that of the member that came last, and
 * that of a member that never waits as long as it did. */
static uint64_t ticks_without_wait(const struct compiler *compiler,
                                   const struct collective *collective)
{
    const uint64_t *time = compiler->stream->time;
    const uint64_t own = time[collective->end] - time[collective->begin];
    const struct agreed *agreed =
        &compiler->calls->agreement->instances[collective->comm][collective->instance];
    const bool waits = collective->no_wait || agreed->waits;
    return waits && (uint64_t)agreed->shortest < own ? (uint64_t)agreed->shortest : own;
}

/* Compiles an operation in which not all members wait: alone, or by a nonblocking barrier for which
 * only those wait that do. Returns as compile_collective. */
static uint64_t compile_partly_awaited(struct compiler *compiler, uint32_t index,
                                       enum waiting_members members)
{
    const struct collective *collective = &compiler->stream->collectives[index];
    struct op op = {.code = OP_COLLECTIVE};
    if (members == NO_MEMBER_WAITS) {
        op.collective = make_barrier(compiler, MPI_COMM_SELF);
        add_op(compiler, &op);
        return ticks_without_wait(compiler, collective);
    }
    op.code = OP_ICOLLECTIVE;
    op.collective = make_barrier(compiler, compiler->calls->communicators->real[collective->comm]);
    op.slot =
        request_open(compiler, &compiler->collective_slot[index], map_mix(collective->comm + 1));
    add_op(compiler, &op);
    if (!collective->no_wait) {
        struct op wait = {.code = OP_WAIT};
        request_complete(compiler, &compiler->collective_slot[index]);
        request_set_make(compiler, &wait.set);
        add_op(compiler, &wait);
    }
    return ticks_without_wait(compiler, collective);
}

/* Returns the ticks that the call takes beyond its reenactment. */
static uint64_t compile_collective(struct compiler *compiler, uint32_t index)
{
    const struct collective *collective = &compiler->stream->collectives[index];
    const enum waiting_members members = waiting_members(compiler, collective);
    struct op op = {.code = OP_COLLECTIVE};
    if (members != MEMBERS_WAIT)
        return compile_partly_awaited(compiler, index, members);
    if (collective->flags & COLLECTIVE_WINDOW) {
        compile_window_collective(compiler, collective);
        return 0;
    }
    if (compile_creation(compiler, collective))
        return 0;
    if (!(collective->flags & COLLECTIVE_LOCAL)) { /* of those, a barrier would wait */
        op.collective = make_collective(compiler, collective);
        add_op(compiler, &op);
    }
    if (collective_is_reenacted(compiler->calls, collective))
        return 0;
    count_synchronised(compiler);
    const struct agreed *agreed = compiler->calls->agreement->instances[collective->comm];
    return agreed ? (uint64_t)agreed[collective->instance].shortest : 0;
}

static void compile_icollective(struct compiler *compiler, uint32_t index)
{
    const struct collective *collective = &compiler->stream->collectives[index];
    struct op op = {.code = OP_ICOLLECTIVE};
    op.collective = waiting_members(compiler, collective) == NO_MEMBER_WAITS
                        ? make_barrier(compiler, MPI_COMM_SELF)
                        : make_collective(compiler, collective);
    if (!collective_is_reenacted(compiler->calls, collective))
        count_synchronised(compiler);
    op.slot =
        request_open(compiler, &compiler->collective_slot[index], map_mix(collective->comm + 1));
    add_op(compiler, &op);
}

static uint8_t wait_code(enum mpi_class class, uint32_t rounds, const struct request_set *set)
{
    if (rounds > 1)
        return OP_POLL_TEST;
    switch (class) {
    case MPI_CLASS_WAITANY:
        return OP_WAITANY;
    case MPI_CLASS_WAITSOME:
        return OP_WAITSOME;
    case MPI_CLASS_TEST:
    case MPI_CLASS_ARRIVED:
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

/* All completions of the call become one operation. How many rounds a polling loop has is left to
 * the replay. */
static void compile_completions(struct compiler *compiler, enum mpi_class class)
{
    const struct recorded_call *call = &compiler->walk.call;
    compiler->calls->approximations->counts[APPROXIMATION_UNFINISHED] += call->unrecorded;
    if (compiler->required.count == 0 && compiler->tested.count == 0)
        return;
    struct op op = {0};
    request_set_make(compiler, &op.set);
    op.code = wait_code(class, call->rounds, &op.set);
    if (call->rounds > 1)
        op.set.spacing = poll_spacing(compiler);
    add_op(compiler, &op);
}

static uint64_t compile_finalize(struct compiler *compiler)
{
    struct op op = {.code = OP_COLLECTIVE};
    if (!compiler->input->finalizes || spawned_world_count(compiler->trace->definitions) > 1)
        return 0;
    compiler->calls->approximations->counts[APPROXIMATION_WAITS] +=
        compiler->stream->finalize_no_wait;
    op.collective = make_barrier(compiler, compiler->calls->communicators->world);
    add_op(compiler, &op);
    return compiler->input->finalize_rest;
}

/* Counts calls without records, except calls to MPI_PROC_NULL and waits for null requests, which
 * have none. */
static void count_silent(struct compiler *compiler, enum mpi_class class)
{
    int64_t *counts = compiler->calls->approximations->counts;
    switch (class) {
    case MPI_CLASS_RMA:
    case MPI_CLASS_RMA_SYNC:
        /* In a trace with such records, calls without one had no target or nothing to flush. */
        counts[APPROXIMATION_ONE_SIDED] += compiler->trace->definitions->window_count == 0;
        break;
    case MPI_CLASS_IO:
        counts[APPROXIMATION_FILES]++;
        break;
    case MPI_CLASS_ICOLLECTIVE:
    case MPI_CLASS_INEIGHBOUR:
    case MPI_CLASS_COMM_ICREATE: /* the operation may be with the thread that completes it */
        counts[APPROXIMATION_NO_RECORD] += compiler->trace->definitions->threads == NULL;
        break;
    case MPI_CLASS_COLLECTIVE:
    case MPI_CLASS_NEIGHBOUR:
    case MPI_CLASS_COMM_CREATE:
    case MPI_CLASS_WINDOW:
    case MPI_CLASS_SYNCHRONISE:
        counts[APPROXIMATION_NO_RECORD]++;
        break;
    default:
        break;
    }
}

static void compile_call_post(struct compiler *compiler, const struct post *post)
{
    if (post->kind == POST_SEND || post->kind == POST_RECEIVE)
        compile_message(compiler, post);
    else if (post->kind == POST_COLLECTIVE &&
             compiler->stream->kind[post->row] == EVENT_NBC_REQUEST)
        compile_icollective(compiler, post->index);
}

/* Blocking messages and synchronisations are compiled with their posts. */
static void compile_call_wait(struct compiler *compiler, const struct wait *wait, uint64_t *rest)
{
    if (wait->request && wait->kind == WAIT_COLLECTIVE &&
        compiler->stream->collectives[wait->index].no_wait)
        return; /* complete after the run */
    if (wait->request)
        request_complete(compiler, wait->kind == WAIT_COLLECTIVE
                                       ? &compiler->collective_slot[wait->index]
                                       : &compiler->message_slot[wait->index]);
    else if (wait->kind == WAIT_COLLECTIVE)
        *rest = compile_collective(compiler, wait->index);
}

/* Tests, one-sided calls, and collective operations of this rank alone. */
static void compile_other_record(struct compiler *compiler, uint32_t row, uint64_t *rest)
{
    struct record record = record_at(compiler->stream, row);
    switch (compiler->stream->kind[row]) {
    case EVENT_REQUEST_TEST:
        if (compiler->walk.call.rounds >
            1) /* a loop waits for the requests that are complete after it */
            break;
        if (record.subject == RECORD_OF_COLLECTIVE)
            request_test(compiler, compiler->collective_slot[record.index]);
        else if (record.subject == RECORD_OF_MESSAGE)
            request_test(compiler, compiler->message_slot[record.index]);
        break;
    case EVENT_RMA_OP:
        compile_window_operation(compiler, record.index);
        break;
    case EVENT_RMA_SYNC:
        compile_window_sync(compiler, row);
        break;
    case EVENT_COLLECTIVE_END:
        *rest = compile_collective(compiler, record.index);
        break;
    case EVENT_NBC_REQUEST:
        compile_icollective(compiler, record.index);
        break;
    case EVENT_NBC_COMPLETE:
        request_complete(compiler, &compiler->collective_slot[record.index]);
        break;
    default:
        break;
    }
}

/* Compiles all records of the call, in order. Returns what a collective operation takes beyond its
 * reenactment. */
static uint64_t compile_records(struct compiler *compiler, enum mpi_class class)
{
    const struct call_walk *walk = &compiler->walk;
    size_t before = compiler->program->ops.count;
    uint64_t rest = 0;
    for (size_t i = 0; i < walk->posts.count; i++)
        compile_call_post(compiler, &walk->posts.items[i]);
    for (size_t i = 0; i < walk->others.count; i++)
        compile_other_record(compiler, walk->others.items[i], &rest);
    for (size_t i = 0; i < walk->waits.count; i++)
        compile_call_wait(compiler, &walk->waits.items[i], &rest);
    compile_completions(compiler, class);
    if (compiler->program->ops.count == before)
        count_silent(compiler, class);
    return rest;
}

/* Compiles the call at which `walk` is. Calls without anything to reenact are computation. */
static void compile_next_call(struct compiler *compiler)
{
    enum mpi_class class = mpi_call_infos[compiler->walk.call.mpi_call].class;
    struct call_rows rows = recorded_call_rows(&compiler->walk, &compiler->tracer);
    uint64_t rest = 0;
    compiler->window_call_row = 0;
    begin_timed_call(compiler, &rows);
    switch (class) {
    case MPI_CLASS_INIT: /* of spawned ranks, which meet those that have spawned them */
        if (compiler->walk.waits.count > 0)
            rest = compile_records(compiler, class);
        break;
    case MPI_CLASS_ABORT:
    case MPI_CLASS_COMM_FREE: /* MPICH releases a communicator without a message */
        break;
    case MPI_CLASS_FINALIZE:
        rest = compile_finalize(compiler);
        break;
    case MPI_CLASS_SENDRECV:
        compile_sendrecv(compiler);
        break;
    case MPI_CLASS_PROBE:
    case MPI_CLASS_IPROBE:
    case MPI_CLASS_MPROBE:
    case MPI_CLASS_IMPROBE:
        compile_probe(compiler);
        break;
    default:
        rest = compile_records(compiler, class);
    }
    end_timed_call(compiler, &rows, rest);
}

enum status program_compile(const struct compile_input *input, struct collective_calls *calls,
                            struct replay_program *program, uint64_t *attached, struct error *error)
{
    assert(input->trace->owned_count == 1 && program->ops.count == 0);
    const struct stream *stream = &input->trace->streams[0];
    struct compiler compiler = {.input = input,
                                .trace = input->trace,
                                .stream = stream,
                                .program = program,
                                .calls = calls,
                                .error = error};
    *attached = 0;
    if (!compiler_open(&compiler))
        return error_memory(error, "the program of a replay");
    compile_early_windows(&compiler);
    if (compiler.status == STATUS_OK && stream->count > 0) {
        uint64_t first = stream->time[0];
        program->start_offset =
            (uint64_t)((double)(first - input->trace->begin) * input->ticks_scale + 0.5);
        compiler.last_end = first;
        while (compiler.status == STATUS_OK && call_walk_next(&compiler.walk))
            compile_next_call(&compiler);
        compile_check(&compiler, !compiler.walk.out_of_memory);
        program->last_compute =
            (uint64_t)((double)(stream->time[stream->count - 1] - compiler.last_end) *
                           input->ticks_scale +
                       0.5);
    }
    *attached = compiler.attached;
    compiler_close(&compiler);
    return compiler.status;
}

static void place_transfer(struct transfer *transfer, const struct buffers *buffers)
{
    MPI_Aint lowest = 0;
    if (transfer->count > 0 && transfer->type != MPI_BYTE)
        datatype_span(transfer->type, (uint64_t)transfer->count, &lowest);
    transfer->buffer = buffers_address(buffers, transfer->buffer) - lowest;
}

void program_place_calls(struct collective_calls *calls, const struct buffers *buffers)
{
    for (size_t i = 0; i < calls->list.count; i++) {
        struct replayed_collective *call = calls->list.items[i];
        call->send = buffers_address(buffers, call->send) - call->send_lowest;
        call->recv = buffers_address(buffers, call->recv) - call->recv_lowest;
    }
    windows_place_buffers(calls->windows, buffers);
}

void program_place_buffers(struct replay_program *program, const struct buffers *buffers)
{
    for (size_t i = 0; i < program->early.count; i++)
        place_transfer(&program->early.items[i].transfer, buffers);
    for (size_t i = 0; i < program->ops.count; i++) {
        struct op *op = &program->ops.items[i];
        if (op->code == OP_SENDRECV || op->code == OP_SENDRECV_REPLACE) {
            struct sendrecv *both = (struct sendrecv *)op->sendrecv;
            place_transfer(&both->send, buffers);
            place_transfer(&both->recv, buffers);
        } else if (op->code <= OP_IMRECV) {
            place_transfer(&op->transfer, buffers);
        }
    }
}

void program_clear(struct replay_program *program)
{
    if (program->has_early_comm)
        MPI_Comm_free(&program->early_comm);
    free(program->early.items);
    free(program->ops.items);
    free(program->timed_calls.items);
    free(program->wildcards.items);
    arena_destroy(program->arena);
    memset(program, 0, sizeof *program);
}
