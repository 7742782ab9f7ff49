/* Several ranks in one process: threads of the traced program that communicate at once
 * (trace/threads.h). A separate thread runs the program of each rank, with MPI_THREAD_MULTIPLE. The
 * thread that prepares the replay runs the first rank of the process, its master thread. No two
 * threads use the same MPI communicator at once: parts of communicators, and pairs of threads, have
 * separate ones (communicators.c). Calls on a window that several threads use keep their recorded
 * order (windows.h). No other calls need an order between threads except that of the program. */
#include "replay/realtime/compiler.h"
#include "replay/realtime/realtime_errors.h"
#include "replay/realtime/realtime_private.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum status threads_check(const struct trace *trace, const struct realtime_options *options,
                          struct error *error)
{
    int level = MPI_THREAD_SINGLE;
    if (!trace->definitions->threads)
        return STATUS_OK;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return error_set(error, STATUS_ENVIRONMENT,
                         "%s: several threads of a rank communicate at the same time, but MPI was "
                         "started without MPI_THREAD_MULTIPLE, or does not support it: set "
                         "SILAS_MPI_THREADS=1 in the environment of all processes",
                         trace->path);
    if (options->free_wildcards)
        return error_set(
            error, STATUS_INPUT,
            "%s: several threads of a rank communicate at the same time: use wildcards = recorded",
            trace->path);
    if (options->stream)
        return error_set(
            error, STATUS_INPUT,
            "%s: several threads of a rank communicate at the same time: use fill = spin",
            trace->path);
    const uint32_t *place = trace->environment ? trace->environment->place : NULL;
    for (uint32_t rank = 0; place && rank < trace->rank_count; rank++)
        if (place[rank] != rank)
            return error_set(error, STATUS_INPUT,
                             "%s: several threads of a rank communicate at the same time, so a "
                             "replay cannot move ranks to other places: use silas-model",
                             trace->path);
    return STATUS_OK;
}

bool threads_open(struct realtime *state)
{
    assert(state->trace->owned_count > 0);
    state->thread_count = state->trace->owned_count - 1;
    state->threads = calloc((size_t)state->thread_count + 1, sizeof *state->threads);
    for (uint32_t i = 0; state->threads && i < state->thread_count; i++) {
        struct rank_thread *thread = &state->threads[i];
        thread->state = state;
        thread->number = i + 1;
        thread->trace = trace_of_rank(state->trace, i + 1);
        thread->start = &state->start;
    }
    return state->threads != NULL;
}

void threads_close(struct realtime *state)
{
    for (uint32_t i = 0; state->threads && i < state->thread_count; i++) {
        executor_close(&state->threads[i].executor);
        program_clear(&state->threads[i].program);
    }
    free(state->threads);
    state->threads = NULL;
}

/* The thread starts as long after the last call that its master has ended before as in the
 * recording. */
static void link_thread(struct realtime *state, struct rank_thread *thread, double ticks_scale)
{
    const struct stream *master = &state->trace->streams[0], *own = &thread->trace.streams[0];
    const struct replay_program *program = &state->program;
    const uint64_t *masters = stream_recorded_times(state->trace, master);
    const uint64_t *times = stream_recorded_times(state->trace, own);
    size_t ended = 0;
    while (own->count > 0 && ended < program->timed_calls.count &&
           masters[program->timed_calls.items[ended].end] <= times[0])
        ended++;
    if (ended == 0)
        return;
    const struct timed_call *call = &program->timed_calls.items[ended - 1];
    uint32_t op = call->op;
    while (op < program->ops.count && !(program->ops.items[op].flags & OP_ENDS))
        op++;
    thread->executor.follows = &state->executor;
    thread->executor.follow_call = ended - 1;
    thread->executor.follow_op = op + 1;
    const uint64_t end = masters[call->end] - call->rest;
    thread->executor.follow_ticks =
        times[0] > end ? (uint64_t)((double)(times[0] - end) * ticks_scale) : 0;
}

void threads_link(struct realtime *state, double ticks_scale)
{
    for (uint32_t i = 0; i < state->thread_count; i++)
        link_thread(state, &state->threads[i], ticks_scale);
}

static void *run_rank_thread(void *argument)
{
    struct rank_thread *thread = argument;
    const struct realtime *state = thread->state;
    uint64_t start;
    placement_bind_thread(&state->placement, (int)thread->number);
    if (state->placement.crowded)
        prctl(PR_SET_TIMERSLACK, 1); /* as in run.c */
    errors_enter_thread(&thread->trace, &thread->executor);
    program_post_early(&thread->executor);
    while ((start = atomic_load_explicit(thread->start, memory_order_acquire)) == 0)
        executor_nap();
    if (start != UINT64_MAX) {
        program_run(&thread->executor, start);
        program_drain(&thread->executor);
    }
    return NULL;
}

enum status threads_begin_run(struct realtime *state, struct error *error)
{
    atomic_store(&state->start, 0);
    for (uint32_t i = 0; i < state->thread_count; i++) {
        struct rank_thread *thread = &state->threads[i];
        thread->runs = pthread_create(&thread->thread, NULL, run_rank_thread, thread) == 0;
        if (!thread->runs)
            return error_set(error, STATUS_ENVIRONMENT, "the system allows no further thread");
    }
    return STATUS_OK;
}

void threads_start(struct realtime *state, uint64_t start)
{
    assert(start != UINT64_MAX);
    atomic_store_explicit(&state->start, start > 0 ? start : UINT64_MAX, memory_order_release);
}

void threads_end_run(struct realtime *state)
{
    for (uint32_t i = 0; i < state->thread_count; i++) {
        if (state->threads[i].runs)
            pthread_join(state->threads[i].thread, NULL);
        state->threads[i].runs = false;
    }
}
