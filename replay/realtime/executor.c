#include "replay/realtime/executor.h"

#include "base/sort.h"
#include "replay/costs/rewrite.h"
#include "trace/calls/records.h"
#include "trace/threads.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Two readings of the clock in the waiting loop are some tens of nanoseconds apart. An interrupt of
 * the system takes a few microseconds. In a longer gap, another process had the core. */
static const double GAP_S = 20e-6;

/* Losses of at least this length are kept individually. Longer calls are checked for losses, which
 * takes some tenths of a microsecond. */
static const double LONG_LOSS_S = 100e-6;

/* A step through memory takes less than this, even if it misses all caches. */
static const double STEP_S = 2e-6;

enum { NAP_NS = 30000 };
enum { NAP_MARGIN_NS = 10000 }; /* sleeping overshoots by less than this */

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
    executor->early = malloc((program->early.count + 1) * sizeof *executor->early);
    executor->slots = malloc(slots * sizeof *executor->slots);
    executor->handles = malloc(((size_t)program->handle_count + 1) * sizeof *executor->handles);
    executor->scratch = malloc(set * sizeof *executor->scratch);
    executor->indices = malloc(set * sizeof *executor->indices);
    executor->statuses = malloc(set * sizeof *executor->statuses);
    executor->readings = malloc(readings * sizeof *executor->readings);
    executor->losses = malloc(LOSSES_MAX * sizeof *executor->losses);
    if (!executor->early || !executor->slots || !executor->handles || !executor->scratch ||
        !executor->statuses || !executor->indices || !executor->readings || !executor->losses) {
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
    free(executor->early);
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

void executor_note_gap(struct executor *executor, uint64_t begin, uint64_t end)
{
    assert(begin <= end);
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

/* If the core was lost in the call, the thread has used less processor time than has passed since
 * the last check. All other losses since then were shorter than `long_loss`. */
void executor_check_call(struct executor *executor, uint64_t begin, uint64_t end)
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

void executor_restart(struct executor *executor)
{
    executor->lost = 0;
    executor->disturbances = 0;
    executor->pace_ticks = executor->pace_steps = 0;
    executor->loss_count = 0;
    check_core(executor);
}

void executor_nap(void)
{
    struct timespec time = {0, NAP_NS};
    nanosleep(&time, NULL);
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
            executor_note_gap(executor, last, now);
        last = now;
    }
    return now;
}

void executor_take_out_delays(struct executor *executor)
{
    const struct replay_program *program = executor->program;
    const struct op *op = program->ops.items, *end = op + program->ops.count;
    uint64_t *reading = executor->readings;
    uint64_t at = executor->first, begun = at; /* `begun`: the original reading */
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

uint64_t timeline_moment(const struct timeline *timeline, uint64_t reading)
{
    uint64_t elapsed = reading > timeline->start ? reading - timeline->start : 0;
    return timeline->trace_begin + (uint64_t)((double)elapsed * timeline->ticks_scale + 0.5);
}

/* Fills the rows from `row` on between two knots: rows before `sure`, and rows before `limit` whose
 * time is before the second knot. Returns the next row. */
static uint32_t fill_between(const struct stream *recorded, struct stream *view, uint32_t row,
                             uint32_t sure, uint32_t limit, struct knot from, struct knot to)
{
    for (; row < sure || (row < limit && recorded->time[row] < to.recorded); row++)
        view->time[row] = knots_interpolate(from, to, recorded->time[row]);
    return row;
}

void timeline_write(const struct executor *executor, const struct timeline *timeline,
                    const struct stream *recorded, struct stream *view)
{
    assert(recorded->count == view->count);
    const struct replay_program *program = executor->program;
    if (recorded->count == 0)
        return;
    uint32_t row = 0;
    struct knot last = {recorded->time[0], timeline_moment(timeline, executor->first)};
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        const struct timed_call *timed = &program->timed_calls.items[i];
        struct knot begin = {recorded->time[timed->begin] + timed->lead,
                             timeline_moment(timeline, executor->readings[2 * i])};
        struct knot end = {recorded->time[timed->end] - timed->rest,
                           timeline_moment(timeline, executor->readings[2 * i + 1])};
        row = fill_between(recorded, view, row, timed->begin, timed->end, last, begin);
        if (row == timed->end && timed->begin == timed->end &&
            record_properties((enum event_kind)recorded->kind[row]) & RECORD_BEFORE)
            view->time[row++] = begin.predicted; /* a send outside all regions begins there */
        rewrite_rows(recorded, view, row, timed->end, begin, end);
        row = timed->end;
        last = end;
    }
    struct knot end = {recorded->time[recorded->count - 1],
                       timeline_moment(timeline, executor->last)};
    fill_between(recorded, view, row, recorded->count, recorded->count, last, end);
}

static const struct timed_call *timed_call_of(const struct replay_program *program, uint32_t op)
{
    const struct timed_call *calls = program->timed_calls.items;
    /* the last call that does not begin after the operation */
    return &calls[first_where(1, program->timed_calls.count, i, calls[i].op > op) - 1];
}

static int describe_operation(const struct op *op, char *text, size_t size)
{
    const struct transfer *t = op->code == OP_SENDRECV || op->code == OP_SENDRECV_REPLACE
                                   ? &op->sendrecv->recv
                                   : &op->transfer;
    switch ((enum op_code)op->code) {
    case OP_PROBE:
    case OP_POLL_PROBE:
    case OP_MPROBE:
    case OP_POLL_MPROBE:
        return snprintf(text, size,
                        "waiting for a message from rank %d of the communicator, tag "
                        "%d: ",
                        op->probe.peer, op->probe.tag);
    case OP_WINDOW:
        return snprintf(text, size, "%s: ", mpi_call_infos[op->rma->call].name);
    case OP_COMM_CREATE:
        return snprintf(text, size, "%s: ", mpi_call_infos[op->creation->call].name);
    case OP_COLLECTIVE:
        return snprintf(text, size, "%s: ", collective_op_name(op->collective->op));
    case OP_WAIT:
    case OP_WAITALL:
    case OP_WAITANY:
    case OP_WAITSOME:
    case OP_TEST:
    case OP_TESTALL:
    case OP_TESTANY:
    case OP_TESTSOME:
    case OP_POLL_TEST:
        return snprintf(text, size, "waiting for %u requests: ", op->set.required);
    case OP_MRECV:
    case OP_IMRECV:
        return snprintf(text, size, "receiving the message of a matched probe, tag %d: ", t->tag);
    case OP_ICOLLECTIVE:
    case OP_IPROBE:
    case OP_CODE_COUNT:
        return 0;
    default:
        return snprintf(text, size, "%s rank %d of the communicator, tag %d: ",
                        op->code == OP_RECV || t != &op->transfer ? "receiving from" : "sending to",
                        t->peer, t->tag);
    }
}

bool executor_is_sending(const struct executor *executor)
{
    const uint32_t index = atomic_load(&executor->progress->op);
    const struct replay_program *program = executor->program;
    return index < program->ops.count && program->ops.items[index].code == OP_SEND;
}

char *executor_describe(const struct trace *trace, const struct executor *executor, char *text,
                        size_t size)
{
    const struct replay_program *program = executor->program;
    uint32_t index = atomic_load(&executor->progress->op);
    if (index >= program->ops.count) {
        char name[RANK_NAME_SIZE];
        snprintf(text, size, "%s has nothing left to do",
                 rank_name(trace->definitions, trace->first_rank, name));
        return text;
    }
    const struct timed_call *timed = timed_call_of(program, index);
    int length = describe_operation(&program->ops.items[index], text, size);
    trace_describe_event(trace, &trace->streams[0], timed->begin, text + length,
                         size - (size_t)length);
    return text;
}
