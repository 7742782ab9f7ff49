#include "replay/realtime/realtime_private.h"

#include "base/log.h"
#include "base/mpi/clock_offset.h"
#include "replay/realtime/realtime_errors.h"
#include "replay/realtime/trial_part.h"

#include <math.h>
#include <sys/prctl.h>

/* Returns when all ranks start, on this process's clock. Rank 0 chooses a moment in the near
 * future, and each rank converts it to its clock. The barrier ensures that no rank is late. */
static uint64_t agree_on_start(const struct realtime *state, const struct clock_offset *offset)
{
    static const double START_DELAY_S = 2e-3;
    const struct processes *processes = state->trace->processes;
    processes_barrier(processes);
    uint64_t start =
        clock_now(&state->clock) + (uint64_t)(START_DELAY_S * state->clock.ticks_per_second);
    double start_s = (double)start / state->clock.ticks_per_second;
    if (!state->placement.several_hosts) {
        processes_broadcast(processes, &start, sizeof start);
        return start;
    }
    processes_broadcast(processes, &start_s, sizeof start_s);
    return (uint64_t)((start_s - 1e-9 * (double)offset->offset) * state->clock.ticks_per_second);
}

/* Takes into account that this process's clock drifts against rank 0's during the run. */
static struct timeline make_timeline(const struct realtime *state, uint64_t start,
                                     const struct clock_offset *before,
                                     const struct clock_offset *after)
{
    double trace_rate = (double)state->trace->definitions->ticks_per_second;
    double drift =
        state->placement.several_hosts && after->time > before->time
            ? (double)(after->offset - before->offset) / (double)(after->time - before->time)
            : 0;
    return (struct timeline){
        .start = start,
        .ticks_scale = trace_rate / state->clock.ticks_per_second * (1 + drift),
        .trace_begin = state->trace->begin,
    };
}

/* The rate of the engine's clock is measured once. A run in which the system's clock differs from
 * it by more than this part has wrong times. */
static const double DRIFT = 1e-4;

enum { READINGS = 5 }; /* several, because the core may be lost during one */

/* This process's clock, for the comparison with rank 0's. */
static uint64_t nanoseconds(const void *data)
{
    const struct clock *clock = data;
    return (uint64_t)((double)clock_now(clock) / clock->ticks_per_second * 1e9);
}

static struct clock_offset measure_offset(const struct realtime *state)
{
    const struct processes *processes = state->trace->processes;
    return clock_offset_measure(processes, (uint64_t)processes->rank, nanoseconds, &state->clock);
}

/* Collective. Warns once for all runs. Short runs are too inaccurate for this check. */
static void check_clock(struct realtime *state, const struct clock_reading *begin)
{
    static const double SHORT_S = 0.05;
    struct clock_reading end = clock_read_both(&state->clock, READINGS);
    double passed = 1e-9 * (double)(end.ns - begin->ns);
    double measured = (double)(end.ticks - begin->ticks) / state->clock.ticks_per_second;
    int64_t ppm = passed > SHORT_S ? (int64_t)(1e6 * fabs(measured - passed) / passed) : 0;
    processes_max(state->trace->processes, &ppm, 1);
    if ((double)ppm <= 1e6 * DRIFT || state->drifted)
        return;
    state->drifted = true;
    log_warning("the rate of a rank's clock has changed by %lld ppm since the start, and all times "
                "are wrong by this fraction; possibly the time stamp counter of the processor does "
                "not run at a constant rate",
                (long long)ppm);
}

/* Collective. Seconds of the arithmetic in computations on the slowest rank; 0 if no rank
 * calculated long enough to tell. */
static double find_pace(const struct realtime *state)
{
    static const double LEAST_S = 100e-6, PER_SECOND = 1e15; /* as an integer in femtoseconds */
    const struct executor *executor = &state->executor;
    const double ticks_per_second = state->clock.ticks_per_second;
    int64_t pace = 0;
    if ((double)executor->pace_ticks >= LEAST_S * ticks_per_second)
        pace = (int64_t)(PER_SECOND * (double)executor->pace_ticks / ticks_per_second /
                         (double)executor->pace_steps);
    processes_max(state->trace->processes, &pace, 1);
    return (double)pace / PER_SECOND;
}

static void sum_up_run(const struct realtime *state, struct trace *view, struct engine_run *run)
{
    const struct wildcard_log *wildcards = &state->wildcard_log;
    int64_t sums[4] = {(int64_t)state->executor.lost, state->executor.disturbances,
                       (int64_t)wildcards->received, (int64_t)wildcards->reordered};
    for (uint32_t i = 0; i < state->thread_count; i++) {
        sums[0] += (int64_t)state->threads[i].executor.lost;
        sums[1] += state->threads[i].executor.disturbances;
    }
    processes_sum(state->trace->processes, sums, 4);
    trace_update_span(view);
    run->time_s = trace_seconds(view, (double)(view->end - view->begin));
    run->lost_s = (double)sums[0] / state->clock.ticks_per_second;
    run->disturbances = (uint32_t)sums[1];
    run->pace_s = find_pace(state);
    run->wildcards = (uint64_t)sums[2];
    run->reordered = (uint64_t)sums[3];
}

enum status realtime_run_once(struct realtime *state, struct timeline *timeline,
                              struct error *error)
{
    const struct processes *processes = state->trace->processes;
    struct clock_offset before = {0}, after = {0};
    if (state->placement.crowded)
        prctl(PR_SET_TIMERSLACK, 1); /* ns; sleeps overshoot by 50 us otherwise */
    /* before the watchdog starts: with many hosts this takes long, without any progress */
    if (state->placement.several_hosts)
        before = measure_offset(state);
    enum status own = watchdog_start(state->watchdog, error), threads = own;
    if (own == STATUS_OK)
        threads = threads_begin_run(state, error);
    enum status status = processes_agree(processes, threads, error);
    if (status != STATUS_OK) {
        threads_start(state, 0);
        threads_end_run(state);
        if (own == STATUS_OK)
            watchdog_stop(state->watchdog);
        return status;
    }
    wildcard_log_restart(&state->wildcard_log, &state->program);
    struct replaced_handlers replaced;
    errors_begin_run(state->handler, &state->first, &state->executor, &replaced);
    if (state->attached)
        MPI_Buffer_attach(state->attached, (int)state->attached_size);
    windows_begin_run(&state->windows);
    buffers_begin_run(&state->buffers);
    program_post_early(&state->executor);
    struct clock_reading begin = clock_read_both(&state->clock, READINGS);
    uint64_t start = agree_on_start(state, &before);
    threads_start(state, start);
    program_run(&state->executor, start);
    program_drain(&state->executor);
    threads_end_run(state);
    trial_part_complete(&state->executor, &state->trace->streams[0],
                        state->clock.ticks_per_second /
                            (double)state->trace->definitions->ticks_per_second);
    windows_end_run(&state->windows);
    check_clock(state, &begin);
    processes_barrier(processes);
    if (state->attached) {
        void *buffer;
        int size;
        MPI_Buffer_detach(&buffer, &size);
    }
    errors_end_run(&replaced);
    watchdog_stop(state->watchdog);
    if (state->placement.several_hosts)
        after = measure_offset(state);
    *timeline = make_timeline(state, start, &before, &after);
    return STATUS_OK;
}

/* Collective. Converts the clock readings to times of `view`. */
static enum status write_view_times(const struct realtime *state, const struct timeline *timeline,
                                    struct trace *view, struct error *error)
{
    struct trace *written = state->moved ? state->moved->view : view;
    timeline_write(&state->executor, timeline, &state->trace->streams[0], &written->streams[0]);
    for (uint32_t i = 0; i < state->thread_count; i++)
        timeline_write(&state->threads[i].executor, timeline, &state->trace->streams[i + 1],
                       &written->streams[i + 1]);
    return state->moved ? moved_return(state->moved, view, error) : STATUS_OK;
}

void realtime_note_losses(struct realtime *state, const struct timeline *timeline,
                          struct disturbances *own)
{
    for (size_t i = 0; i < state->executor.loss_count; i++) {
        struct lost_time *loss = &state->executor.losses[i];
        *loss = (struct lost_time){timeline_moment(timeline, loss->begin),
                                   timeline_moment(timeline, loss->end)};
    }
    own->losses = state->executor.losses;
    own->loss_count = state->executor.loss_count;
}

enum status realtime_run(void *opaque, struct trace *view, struct trace *undisturbed,
                         struct engine_run *run, struct error *error)
{
    struct realtime *state = opaque;
    struct timeline timeline;
    enum status status = realtime_run_once(state, &timeline, error);
    if (status == STATUS_OK)
        status = write_view_times(state, &timeline, view, error);
    if (status != STATUS_OK)
        return status;
    sum_up_run(state, view, run);
    realtime_note_losses(state, &timeline, &run->own);
    run->own.excess =
        (struct call_excess){state->tuning.shortfall.excess_before,
                             state->tuning.shortfall.excess_after, state->tuning.path_count};
    if (!undisturbed)
        return STATUS_OK;
    executor_take_out_delays(&state->executor);
    for (uint32_t i = 0; i < state->thread_count; i++)
        executor_take_out_delays(&state->threads[i].executor);
    return write_view_times(state, &timeline, undisturbed, error);
}
