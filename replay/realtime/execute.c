#include "replay/realtime/execute.h"

#include <stdlib.h>
#include <string.h>

/* Two readings of the clock in the waiting loop are some tens of nanoseconds apart. Interrupts of
 * the system take a few microseconds; what takes longer than this is another process. */
static const double GAP_S = 20e-6;

/* Losses from this length on are kept one by one. Calls longer than that are looked at, which takes
 * some tenths of a microsecond. */
static const double LONG_LOSS_S = 100e-6;

/* A step through memory takes less than this, even if all of it is far away. */
static const double STEP_S = 2e-6;

enum { NAP_MARGIN_NS = 10000 }; /* sleeping overshoots by less than this (RECIPES) */

enum status executor_open(struct executor *executor, const struct replay_program *program,
                          const struct clock *clock, bool naps, struct error *error)
{
    memset(executor, 0, sizeof *executor);
    executor->program = program;
    executor->clock = *clock;
    executor->naps = naps;
    executor->made = MPI_COMM_NULL;
    executor->gap = (uint64_t)(GAP_S * clock->ticks_per_second);
    executor->long_loss = (uint64_t)(LONG_LOSS_S * clock->ticks_per_second);
    executor->margin = (uint64_t)(STEP_S * clock->ticks_per_second);
    size_t slots = program->slot_count + 1, set = program->set_size + 1;
    size_t readings = 2 * program->timed_calls.count + 2;
    executor->slots = malloc(slots * sizeof *executor->slots);
    executor->handles = malloc(((size_t)program->handle_count + 1) * sizeof *executor->handles);
    executor->scratch = malloc(set * sizeof *executor->scratch);
    executor->indices = malloc(set * sizeof *executor->indices);
    executor->statuses = malloc(set * sizeof *executor->statuses);
    executor->readings = malloc(readings * sizeof *executor->readings);
    executor->losses = malloc(LOSSES_MAX * sizeof *executor->losses);
    if (!executor->slots || !executor->handles || !executor->scratch || !executor->statuses ||
        !executor->indices || !executor->readings || !executor->losses) {
        executor_close(executor);
        return error_memory(error, "the readings of a replay");
    }
    for (size_t i = 0; i < slots; i++)
        executor->slots[i] = MPI_REQUEST_NULL;
    for (size_t i = 0; i <= program->handle_count; i++)
        executor->handles[i] = MPI_MESSAGE_NULL;
    for (size_t i = 0; i < set; i++)
        executor->scratch[i] = MPI_REQUEST_NULL;
    memset(executor->statuses, 0, set * sizeof *executor->statuses);
    memset(executor->indices, 1, set * sizeof *executor->indices);
    memset(executor->readings, 1, readings * sizeof *executor->readings); /* touched */
    memset(executor->losses, 0, LOSSES_MAX * sizeof *executor->losses);
    return STATUS_OK;
}

void executor_close(struct executor *executor)
{
    free(executor->slots);
    free(executor->handles);
    free(executor->scratch);
    free(executor->indices);
    free(executor->statuses);
    free(executor->readings);
    free(executor->losses);
    memset(executor, 0, sizeof *executor);
}

static uint64_t processor_time_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void check_core(struct executor *executor)
{
    executor->checked_cpu = processor_time_ns();
    executor->checked_at = clock_now(&executor->clock);
}

static void note_loss(struct executor *executor, uint64_t begin, uint64_t end)
{
    if (executor->loss_count < LOSSES_MAX)
        executor->losses[executor->loss_count++] = (struct lost_time){begin, end};
}

/* The core was lost between two readings of the clock. What is lost while the replay's common begin
 * is waited for delays nobody. */
static void note_gap(struct executor *executor, uint64_t begin, uint64_t end)
{
    if (end <= executor->first)
        return;
    if (begin < executor->first)
        begin = executor->first;
    executor->lost += end - begin;
    executor->disturbances++;
    if (end - begin > executor->long_loss) {
        note_loss(executor, begin, end);
        check_core(executor);
    }
}

/* Was the core lost in a long call? Then its thread has used less of the processor than time has
 * passed since the last check: no loss in between was longer than `long_loss`. */
static void look_at_call(struct executor *executor, uint64_t begin, uint64_t end)
{
    uint64_t at = executor->checked_at, cpu = executor->checked_cpu;
    check_core(executor);
    double passed = (double)(executor->checked_at - at);
    double used = (double)(executor->checked_cpu - cpu) * 1e-9 * executor->clock.ticks_per_second;
    if (passed - used <= (double)executor->long_loss)
        return;
    executor->lost += (uint64_t)(passed - used);
    executor->disturbances++;
    note_loss(executor, begin, end);
}

static uint64_t sleep_until(struct executor *executor, uint64_t deadline)
{
    double ticks_per_ns = executor->clock.ticks_per_second * 1e-9;
    uint64_t now;
    while ((now = clock_now(&executor->clock)) < deadline) {
        uint64_t ns = (uint64_t)((double)(deadline - now) / ticks_per_ns);
        if (ns <= NAP_MARGIN_NS)
            continue;
        ns -= NAP_MARGIN_NS;
        struct timespec nap = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
        nanosleep(&nap, NULL);
    }
    return now;
}

uint64_t executor_wait_until(struct executor *executor, uint64_t deadline)
{
    if (executor->naps)
        return sleep_until(executor, deadline);
    uint64_t last = clock_now(&executor->clock), now = last;
    while (now < deadline) {
        now = clock_now(&executor->clock);
        if (now - last > executor->gap)
            note_gap(executor, last, now);
        last = now;
    }
    return now;
}

/* Walks through code and memory, and spins at the end for the sake of precision. */
static uint64_t walk_until(struct executor *executor, enum working_set_reach reach,
                           uint64_t deadline)
{
    uint64_t last = clock_now(&executor->clock), now = last;
    for (uint32_t step = 0; now + executor->margin < deadline; step++) {
        if (step % 2 == 0 && step < 2 * CODE_BLOCKS)
            working_set_execute(step / 2);
        else
            working_set_step(executor->working_set, reach);
        now = clock_now(&executor->clock);
        if (now - last > executor->gap)
            note_gap(executor, last, now);
        last = now;
    }
    return executor_wait_until(executor, deadline);
}

/* The spinning at the end is computation, too: the traffic for it is owed to the next interval. */
static uint64_t stream_until(struct executor *executor, uint64_t deadline)
{
    uint64_t last = clock_now(&executor->clock), now = last, passed = 0;
    while (now + executor->margin < deadline) {
        stream_fill_step(executor->stream, passed);
        now = clock_now(&executor->clock);
        passed = now - last;
        if (passed > executor->gap)
            note_gap(executor, last, now);
        last = now;
    }
    if (now < deadline)
        executor->stream->ahead -= (double)(deadline - now);
    return executor_wait_until(executor, deadline);
}

static uint64_t compute_until(struct executor *executor, enum working_set_reach reach,
                              uint64_t deadline)
{
    if (executor->stream)
        return stream_until(executor, deadline);
    return reach == REACH_NONE ? executor_wait_until(executor, deadline)
                               : walk_until(executor, reach, deadline);
}

/* A deadline counts from the end of the call before, so what the loop itself takes is part of the
 * computation. Who is late begins late, but the next deadline does not move: the delay is paid
 * back (METHODS 1). */
void executor_run(struct executor *executor, uint64_t start)
{
    const struct replay_program *program = executor->program;
    const struct op *op = program->ops.items, *end = op + program->ops.count;
    struct progress *progress = executor->progress;
    uint64_t *reading = executor->readings;
    executor->lost = 0;
    executor->disturbances = 0;
    executor->loss_count = 0;
    check_core(executor);
    uint64_t begun = 0;                           /* the call */
    uint64_t due = start + program->start_offset; /* when the call before should have ended */
    atomic_store_explicit(&progress->busy_until, due, memory_order_relaxed);
    executor->first = due;
    for (; op < end; op++) {
        if (op->flags & OP_BEGINS) {
            uint64_t deadline = due + op->compute;
            atomic_store_explicit(&progress->busy_until, deadline, memory_order_relaxed);
            atomic_store_explicit(&progress->op, (uint32_t)(op - program->ops.items),
                                  memory_order_relaxed);
            uint64_t now = compute_until(executor, op->reach, deadline);
            due = now - deadline; /* late by so much */
            *reading++ = begun = now;
        }
        operate(executor, op);
        if (op->flags & OP_ENDS) {
            uint64_t now = clock_now(&executor->clock);
            *reading++ = now;
            due = now - due;
            if (now - begun > executor->long_loss && !executor->naps)
                look_at_call(executor, begun, now);
            if (executor->made != MPI_COMM_NULL)
                MPI_Comm_free(&executor->made);
        }
    }
    uint64_t deadline = due + program->last_compute;
    atomic_store_explicit(&progress->busy_until, deadline, memory_order_relaxed);
    atomic_store_explicit(&progress->op, (uint32_t)program->ops.count, memory_order_relaxed);
    executor->last = executor_wait_until(executor, deadline);
}

void executor_take_out_delays(struct executor *executor)
{
    const struct replay_program *program = executor->program;
    const struct op *op = program->ops.items, *end = op + program->ops.count;
    uint64_t *reading = executor->readings;
    uint64_t at = executor->first, begun = at; /* `begun`: the call's reading as it was */
    for (; op < end; op++) {
        if (op->flags & OP_BEGINS) {
            begun = *reading;
            at += op->compute;
            *reading++ = at;
        }
        if (op->flags & OP_ENDS) {
            at += *reading - begun;
            *reading++ = at;
        }
    }
    executor->last = at + program->last_compute;
}

void executor_drain(struct executor *executor)
{
    MPI_Status status;
    for (uint32_t i = 0; i < executor->program->slot_count; i++)
        if (executor->slots[i] != MPI_REQUEST_NULL)
            operate_wait(executor, 1, &executor->slots[i], &status);
}
