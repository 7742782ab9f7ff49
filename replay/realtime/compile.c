#include "replay/realtime/compile_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool open_compiler(struct compiler *compiler)
{
    const struct stream *stream = compiler->stream;
    struct replay_program *program = compiler->program;
    double ticks_per_second = (double)compiler->trace->definitions->ticks_per_second;
    int *tag_limit, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_limit, &found);
    compiler->tag_limit = found ? *tag_limit : 32767;
    compiler->tracer = tracer_cost_of(compiler->trace, stream);
    compiler->poll_gap = (uint64_t)(compiler->input->poll_gap_s * ticks_per_second);
    program->arena = arena_create();
    size_t messages = stream->message_count + 1, collectives = stream->collective_count + 1;
    compiler->message_slot = malloc(messages * sizeof(uint32_t));
    compiler->collective_slot = malloc(collectives * sizeof(uint32_t));
    compiler->message_handle = malloc(messages * sizeof(uint32_t));
    size_t operations = stream->rma_op_count + 1, windows = compiler->calls->windows->count + 1;
    compiler->operation_slot = malloc(operations * sizeof(uint32_t));
    compiler->window_made = calloc(windows, sizeof *compiler->window_made);
    if (!program->arena || !compiler->message_slot || !compiler->collective_slot ||
        !compiler->message_handle || !compiler->operation_slot || !compiler->window_made)
        return false;
    memset(compiler->operation_slot, 0xff, operations * sizeof(uint32_t));
    memset(compiler->message_handle, 0xff, messages * sizeof(uint32_t));
    memset(compiler->message_slot, 0xff, messages * sizeof(uint32_t)); /* INDEX_NONE */
    memset(compiler->collective_slot, 0xff, collectives * sizeof(uint32_t));
    return true;
}

static void close_compiler(struct compiler *compiler)
{
    free(compiler->message_slot);
    free(compiler->collective_slot);
    free(compiler->message_handle);
    free(compiler->free_handles.items);
    free(compiler->operation_slot);
    free(compiler->window_made);
    map_clear(&compiler->operations);
    free(compiler->free_slots.items);
    free(compiler->unfinished.items);
    free(compiler->required.items);
    free(compiler->tested.items);
    free(compiler->slot_keys.items);
    map_clear(&compiler->buffer_uses);
}

/* An MPI region, or a polling loop of several. Returns the row that leaves it. */
static uint32_t compile_region(struct compiler *compiler, enum mpi_call call, uint32_t enter)
{
    uint32_t leave = region_leave(compiler->stream, enter);
    struct call_rows rows = call_rows_find(compiler->stream, enter, leave, &compiler->tracer);
    uint32_t loop_leave = compile_polling(compiler, call, rows);
    if (loop_leave > 0)
        return loop_leave;
    compile_call(compiler, call, rows);
    return leave;
}

/* A record that stands in no MPI region. */
static void compile_orphan(struct compiler *compiler, uint32_t row)
{
    struct call_rows rows = call_rows_around(compiler->stream, row);
    rows.enter = row - 1; /* compile_call looks between; from row 0 this wraps round and back */
    rows.leave = row + 1;
    compile_call(compiler, MPI_CALL_NONE, rows);
}

static void compile_stream(struct compiler *compiler)
{
    const struct stream *stream = compiler->stream;
    for (uint32_t row = 0; row < stream->count && compiler->status == STATUS_OK; row++) {
        enum event_kind kind = stream->kind[row];
        if (kind == EVENT_ENTER) {
            enum mpi_call call = region_call(compiler->trace, stream, row);
            if (mpi_class_communicates(mpi_call_infos[call].class))
                row = compile_region(compiler, call, row);
        } else if (event_ends_call(kind) || kind == EVENT_SEND || kind == EVENT_ISEND) {
            compile_orphan(compiler, row);
        }
    }
}

enum status program_compile(const struct compile_input *input, struct collective_calls *calls,
                            struct replay_program *program, uint64_t *attached, struct error *error)
{
    const struct stream *stream =
        trace_stream(input->trace, (uint32_t)input->trace->processes->rank);
    struct compiler compiler = {.input = input,
                                .trace = input->trace,
                                .stream = stream,
                                .program = program,
                                .calls = calls,
                                .error = error};
    if (!open_compiler(&compiler)) {
        compiler.status = error_memory(error, "the program of a replay");
    } else if (stream->count > 0) {
        uint64_t first = stream->time[0];
        program->start_offset =
            (uint64_t)((double)(first - input->trace->begin) * input->ticks_scale + 0.5);
        compiler.last_end = first;
        compile_stream(&compiler);
        program->last_compute =
            (uint64_t)((double)(stream->time[stream->count - 1] - compiler.last_end) *
                           input->ticks_scale +
                       0.5);
    }
    *attached = compiler.attached;
    close_compiler(&compiler);
    return compiler.status;
}

static void place_transfer(struct transfer *transfer, const struct buffers *buffers)
{
    transfer->buffer = buffers_address(buffers, transfer->buffer);
}

void program_place_buffers(struct replay_program *program, struct collective_calls *calls,
                           const struct buffers *buffers)
{
    for (size_t i = 0; i < calls->list.count; i++) {
        struct collective_call *call = calls->list.items[i];
        call->send = buffers_address(buffers, call->send);
        call->recv = buffers_address(buffers, call->recv);
    }
    windows_place_buffers(calls->windows, buffers);
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
    free(program->ops.items);
    free(program->timed_calls.items);
    free(program->wildcards.items);
    arena_destroy(program->arena);
    memset(program, 0, sizeof *program);
}
