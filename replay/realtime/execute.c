/* The hot loop: a program runs against the clock. */
#include "replay/realtime/operate.h"

/* After the code blocks, one step in four calculates; the others access memory. */
enum { STEPS_PER_ARITHMETIC = 4 };

/* Executes code, accesses memory and calculates. Spins at the end, to reach the deadline precisely.
 */
static uint64_t walk_until(struct executor *executor, enum working_set_reach reach,
                           uint64_t deadline)
{
    uint64_t last = clock_now(&executor->clock), now = last;
    for (uint32_t step = 0; now + executor->margin < deadline; step++) {
        const bool calculates = step >= 2 * CODE_BLOCKS && step % STEPS_PER_ARITHMETIC == 0;
        if (calculates)
            working_set_calculate(executor->working_set);
        else if (step % 2 == 0 && step < 2 * CODE_BLOCKS)
            working_set_execute(step / 2);
        else
            working_set_step(executor->working_set, reach);
        now = clock_now(&executor->clock);
        if (now - last > executor->gap) {
            executor_note_gap(executor, last, now);
        } else if (calculates) {
            executor->pace_ticks += now - last;
            executor->pace_steps++;
        }
        last = now;
    }
    return executor_wait_until(executor, deadline);
}

/* The memory traffic of the time in which it spins at the end is added to the next interval. */
static uint64_t stream_until(struct executor *executor, uint64_t deadline)
{
    uint64_t last = clock_now(&executor->clock), now = last, passed = 0;
    while (now + executor->margin < deadline) {
        stream_fill_step(executor->stream, passed);
        now = clock_now(&executor->clock);
        passed = now - last;
        if (passed > executor->gap)
            executor_note_gap(executor, last, now);
        last = now;
    }
    if (now < deadline)
        executor->stream->surplus -= (double)(deadline - now);
    return executor_wait_until(executor, deadline);
}

static uint64_t fill_until(struct executor *executor, enum working_set_reach reach,
                           uint64_t deadline)
{
    if (executor->stream)
        return stream_until(executor, deadline);
    return reach == REACH_NONE ? executor_wait_until(executor, deadline)
                               : walk_until(executor, reach, deadline);
}

/* Returns the time of the program's first event; a thread waits for its master's call before. */
static uint64_t first_due(struct executor *executor, uint64_t start)
{
    const struct executor *maker = executor->follows;
    uint64_t now = start;
    if (!maker)
        return start + executor->program->start_offset;
    executor->first = UINT64_MAX; /* no loss of the core before counts */
    while (atomic_load_explicit(&maker->progress->op, memory_order_acquire) < executor->follow_op)
        now = executor_wait_until(executor, now + executor->gap);
    return maker->readings[2 * executor->follow_call + 1] + executor->follow_ticks;
}

/* A deadline counts from the planned end of the call before, so the overhead of the loop is part of
 * the computation. A rank that is late begins its call late, but the next deadline does not move:
 * the next computation is shorter (doc/methods.md, section 1). */
void program_run(struct executor *executor, uint64_t start)
{
    const struct replay_program *program = executor->program;
    const struct op *op = program->ops.items, *end = op + program->ops.count;
    struct progress *progress = executor->progress;
    uint64_t *reading = executor->readings;
    executor_restart(executor);
    uint64_t begun = 0;                        /* of the call */
    uint64_t due = first_due(executor, start); /* the planned end of the call before */
    atomic_store_explicit(&progress->busy_until, due, memory_order_relaxed);
    executor->first = due;
    const struct op *skipped = executor->skip.end_op > 0 ? op + executor->skip.first_op : end;
    for (;; op++) {
        bool jumps = op == skipped;
        if (jumps) {
            if (op == end)
                break;
            op = program->ops.items + executor->skip.end_op;
            reading = executor->readings + 2 * executor->skip.end_call;
            skipped = end;
        }
        if (op->flags & OP_BEGINS) {
            uint64_t deadline = due + (jumps ? executor->skip.compute : op->compute);
            atomic_store_explicit(&progress->busy_until, deadline, memory_order_relaxed);
            atomic_store_explicit(&progress->op, (uint32_t)(op - program->ops.items),
                                  memory_order_release);
            uint64_t now = fill_until(executor, op->reach, deadline);
            due = now - deadline; /* how late the rank is */
            *reading++ = begun = now;
        }
        operate(executor, op);
        if (op->flags & OP_ENDS) {
            uint64_t now = clock_now(&executor->clock);
            *reading++ = now;
            due = now - due;
            if (now - begun > executor->long_loss && !executor->naps)
                executor_check_call(executor, begun, now);
            if (executor->made != MPI_COMM_NULL)
                MPI_Comm_free(&executor->made);
        }
    }
    uint64_t deadline = due + program->last_compute;
    atomic_store_explicit(&progress->busy_until, deadline, memory_order_relaxed);
    atomic_store_explicit(&progress->op, (uint32_t)program->ops.count, memory_order_release);
    executor->last = executor_wait_until(executor, deadline);
}

void program_post_early(struct executor *executor)
{
    for (size_t i = 0; i < executor->program->early.count; i++) {
        const struct early_end *end = &executor->program->early.items[i];
        const struct transfer *t = &end->transfer;
        if (end->sends)
            MPI_Isend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, &executor->early[i]);
        else
            MPI_Irecv(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, &executor->early[i]);
    }
}

/* A run that leaves out a part of the program leaves these ends without their partners. */
static void drain_early(struct executor *executor)
{
    for (size_t i = 0; i < executor->program->early.count; i++) {
        const struct early_end *end = &executor->program->early.items[i];
        const struct transfer *t = &end->transfer;
        int done = 0;
        MPI_Test(&executor->early[i], &done, MPI_STATUS_IGNORE);
        if (!done && end->sends)
            MPI_Recv(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, MPI_STATUS_IGNORE);
        else if (!done)
            MPI_Send(t->buffer, t->count, t->type, t->peer, t->tag, t->comm);
        if (!done)
            MPI_Wait(&executor->early[i], MPI_STATUS_IGNORE);
    }
}

void program_drain(struct executor *executor)
{
    MPI_Status status;
    for (uint32_t i = 0; i < executor->program->slot_count; i++)
        if (executor->slots[i] != MPI_REQUEST_NULL)
            operate_wait(executor, 1, &executor->slots[i], &status);
    drain_early(executor);
}
