#include "replay/realtime/compile.h"

#include <stdlib.h>
#include <string.h>

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
    if (!compiler_open(&compiler)) {
        compiler.status = error_memory(error, "the program of a replay");
    } else if (stream->count > 0) {
        uint64_t first = stream->time[0];
        program->start_offset =
            (uint64_t)((double)(first - input->trace->begin) * input->ticks_scale + 0.5);
        compiler.last_end = first;
        while (compiler.status == STATUS_OK && call_walk_next(&compiler.walk))
            compile_call(&compiler);
        if (compiler.walk.no_memory)
            compile_out_of_memory(&compiler);
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
