#include "replay/realtime/compiler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_LIMIT_LEAST = 32767 }; /* any MPI allows this (MPI 4.1, section 9.1.2) */

const uint64_t *stream_recorded_times(const struct trace *trace, const struct stream *stream)
{
    const struct trace *recording = trace->recording;
    const struct stream *before = recording ? trace_stream(recording, stream->rank) : NULL;
    return before && before->count == stream->count ? before->time : stream->time;
}

bool compiler_open(struct compiler *compiler)
{
    const struct stream *stream = compiler->stream;
    struct replay_program *program = compiler->program;
    int *tag_limit, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_limit, &found);
    compiler->tag_limit = found ? *tag_limit : TAG_LIMIT_LEAST;
    compiler->tracer = tracer_cost_of(compiler->trace, stream);
    call_walk_open(&compiler->walk, compiler->trace, stream, compiler->input->poll_gap_s);
    size_t messages = stream->message_count, collectives = stream->collective_count;
    size_t operations = stream->rma_op_count;
    program->arena = arena_create();
    uint32_t *block = malloc((2 * messages + collectives + operations + 1) * sizeof *block);
    compiler->message_slot = block;
    if (!program->arena || !block) {
        compiler_close(compiler);
        return false;
    }
    memset(block, 0xff, (2 * messages + collectives + operations) * sizeof *block); /* INDEX_NONE */
    compiler->message_handle = block + messages;
    compiler->collective_slot = compiler->message_handle + messages;
    compiler->operation_slot = compiler->collective_slot + collectives;
    return true;
}

void compiler_close(struct compiler *compiler)
{
    call_walk_close(&compiler->walk);
    free(compiler->message_slot); /* with all slots of calls */
    free(compiler->free_handles.items);
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

bool compile_check(struct compiler *compiler, bool allocated)
{
    if (!allocated && compiler->status == STATUS_OK)
        compiler->status = error_memory(compiler->error, "the program of a replay");
    return allocated;
}

static uint64_t engine_ticks(const struct compiler *compiler, uint64_t ticks)
{
    return (uint64_t)((double)ticks * compiler->input->ticks_scale + 0.5); /* rounded */
}

void begin_timed_call(struct compiler *compiler, const struct call_rows *rows)
{
    struct timed_call timed = {.begin = rows->begin,
                               .op = (uint32_t)compiler->program->ops.count,
                               .path = compiler->walk.call.mpi_call == MPI_CALL_NONE
                                           ? CALLPATH_NONE
                                           : compiler->stream->arg[compiler->walk.call.enter],
                               .lead = rows->lead};
    compile_check(compiler, array_push(&compiler->program->timed_calls, timed));
}

void add_op(struct compiler *compiler, const struct op *op)
{
    compile_check(compiler, array_push(&compiler->program->ops, *op));
}

void end_timed_call(struct compiler *compiler, const struct call_rows *rows, uint64_t rest)
{
    assert(compiler->program->timed_calls.count > 0 || compiler->status != STATUS_OK);
    struct replay_program *program = compiler->program;
    if (compiler->status != STATUS_OK)
        return;
    struct timed_call *timed = &program->timed_calls.items[program->timed_calls.count - 1];
    if (timed->op == program->ops.count) { /* nothing to reenact: the region is computation */
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

uint32_t request_uses(const struct compiler *compiler, uint64_t key)
{
    uint32_t uses = map_get(&compiler->buffer_uses, key);
    return uses == MAP_NONE ? 0 : uses;
}

static bool take_slot(struct compiler *compiler, uint32_t *slot)
{
    if (compiler->free_slots.count > 0) {
        *slot = compiler->free_slots.items[--compiler->free_slots.count];
        return true;
    }
    *slot = compiler->program->slot_count++;
    return array_push(&compiler->slot_keys, 0);
}

uint32_t request_open(struct compiler *compiler, uint32_t *owner, uint64_t key)
{
    uint32_t *uses = map_at(&compiler->buffer_uses, key, 0);
    if (compile_check(compiler, uses && take_slot(compiler, owner))) {
        ++*uses;
        compiler->slot_keys.items[*owner] = key;
    }
    return *owner;
}

void request_complete(struct compiler *compiler, uint32_t *owner)
{
    uint32_t slot = *owner;
    *owner = INDEX_NONE;
    compile_check(compiler, slot == INDEX_NONE || array_push(&compiler->required, slot));
}

void request_test(struct compiler *compiler, uint32_t owner)
{
    compile_check(compiler, owner == INDEX_NONE || array_push(&compiler->tested, owner));
}

static void close_slot(struct compiler *compiler, uint32_t slot)
{
    uint32_t *uses = map_at(&compiler->buffer_uses, compiler->slot_keys.items[slot], 1);
    if (uses && *uses > 0)
        --*uses;
    compile_check(compiler, uses && array_push(&compiler->free_slots, slot));
}

static bool has_slot(const uint32_t *slots, size_t count, uint32_t slot)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i] == slot)
            return true;
    return false;
}

void request_set_make(struct compiler *compiler, struct request_set *set)
{
    size_t required = compiler->required.count;
    uint32_t *slots = arena_alloc_array(compiler->program->arena,
                                        required + compiler->tested.count + 1, sizeof *slots);
    if (!compile_check(compiler, slots))
        return;
    *set = (struct request_set){.slots = slots, .required = (uint32_t)required};
    for (size_t i = 0; i < required; i++)
        slots[set->count++] = compiler->required.items[i];
    for (size_t i = 0; i < compiler->tested.count; i++)
        if (!has_slot(slots, set->count, compiler->tested.items[i]))
            slots[set->count++] = compiler->tested.items[i];
    for (size_t i = required; i-- > 0;) /* so that slots are reused in the same order */
        close_slot(compiler, compiler->required.items[i]);
    if (set->count > compiler->program->set_size)
        compiler->program->set_size = set->count;
    compiler->required.count = 0;
    compiler->tested.count = 0;
}
