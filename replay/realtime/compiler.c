#include "replay/realtime/compiler.h"

#include <stdlib.h>
#include <string.h>

bool compiler_open(struct compiler *compiler)
{
    const struct stream *stream = compiler->stream;
    struct replay_program *program = compiler->program;
    int *tag_limit, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_limit, &found);
    compiler->tag_limit = found ? *tag_limit : 32767;
    compiler->tracer = tracer_cost_of(compiler->trace, stream);
    call_walk_open(&compiler->walk, compiler->trace, stream, compiler->input->poll_gap_s);
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

void compiler_close(struct compiler *compiler)
{
    call_walk_close(&compiler->walk);
    free(compiler->message_slot);
    free(compiler->collective_slot);
    free(compiler->message_handle);
    free(compiler->free_handles.items);
    free(compiler->operation_slot);
    free(compiler->window_made);
    map_clear(&compiler->operations);
    free(compiler->free_slots.items);
    free(compiler->required.items);
    free(compiler->tested.items);
    free(compiler->slot_keys.items);
    map_clear(&compiler->buffer_uses);
}

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

void begin_timed_call(struct compiler *compiler, const struct call_rows *rows)
{
    struct timed_call timed = {.begin = rows->begin,
                               .op = (uint32_t)compiler->program->ops.count,
                               .path = compiler->walk.call.mpi_call == MPI_CALL_NONE
                                           ? CALLPATH_NONE
                                           : compiler->stream->arg[compiler->walk.call.enter],
                               .lead = rows->lead};
    if (!array_push(&compiler->program->timed_calls, timed))
        compile_out_of_memory(compiler);
}

void add_op(struct compiler *compiler, const struct op *op)
{
    if (!array_push(&compiler->program->ops, *op))
        compile_out_of_memory(compiler);
}

void end_timed_call(struct compiler *compiler, const struct call_rows *rows, uint64_t rest)
{
    struct replay_program *program = compiler->program;
    if (compiler->status != STATUS_OK)
        return;
    struct timed_call *timed = &program->timed_calls.items[program->timed_calls.count - 1];
    if (timed->op == program->ops.count) { /* nothing to reenact: the region stays computation */
        program->timed_calls.count--;
        return;
    }
    uint64_t begin_time = compiler->stream->time[timed->begin];
    uint64_t end_time = compiler->stream->time[rows->end];
    uint64_t length = end_time > begin_time ? end_time - begin_time : 0;
    timed->end = rows->end;
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
