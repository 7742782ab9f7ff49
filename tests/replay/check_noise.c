/* check_noise [-x] TRACE: delays some computation of a trace, as a lost core does,
 * computes the effect by the model, and corrects it again. With any number of processes.
 * Prints
 *
 *     disturbed by D ticks, then different by N ticks
 *
 * where D is the largest shift of an event by the delays, N the largest shift that is left. With -x
 * the trace is first made so long that its ticks fill 40 bits, delays are as long as half of it,
 * and cores are said to be lost for most of the time, as in a replay that hardly got them: prints
 *
 *     disturbed from T to D ticks, corrected to C ticks
 *
 * with the length of the three.
 *
 * The correction is prepared once and used for two replays. Its result for the second one must be
 * what another one says that is prepared for it alone, and in which each process leads itself. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "replay/correction/correction.h"
#include "replay/engine.h"
#include "trace/calls/walk.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DELAY = 150000, EVERY = 40, LITTLE = 1000 }; /* ticks; calls; ticks */

static bool extreme;

static int64_t largest_difference(const struct trace *a, const struct trace *b)
{
    int64_t largest = 0;
    for (uint32_t s = 0; s < a->owned_count; s++)
        for (uint32_t row = 0; row < a->streams[s].count; row++) {
            int64_t difference =
                llabs((int64_t)(a->streams[s].time[row] - b->streams[s].time[row]));
            largest = difference > largest ? difference : largest;
        }
    processes_max(a->processes, &largest, 1);
    return largest;
}

/* Time columns of `view`: inside calls distances are as in `calls`, in between as in `computation`;
 * `delay` more in front of every EVERYth call of a rank, another one on each. */
static void compose(const struct trace *calls, const struct trace *computation, uint64_t delay,
                    struct trace *view)
{
    for (uint32_t s = 0; s < view->owned_count; s++) {
        const uint64_t *called = calls->streams[s].time, *computed = computation->streams[s].time;
        uint64_t *time = view->streams[s].time;
        uint32_t row = 1, count = view->streams[s].count, rank = view->streams[s].rank;
        struct call_walk walk;
        call_walk_open(&walk, computation, &computation->streams[s], 20e-6);
        time[0] = computed[0];
        for (uint32_t n = 0; call_walk_next(&walk); n++) {
            for (; row <= walk.call.enter; row++)
                time[row] = time[row - 1] + computed[row] - computed[row - 1];
            if (n % EVERY == rank % EVERY && walk.call.enter > 0)
                time[walk.call.enter] += delay * (1 + rank % 3);
            for (; row <= walk.call.leave; row++)
                time[row] = time[row - 1] + called[row] - called[row - 1];
        }
        call_walk_close(&walk);
        for (; row < count; row++)
            time[row] = time[row - 1] + computed[row] - computed[row - 1];
    }
    trace_update_span(view);
}

/* The same trace of 2^40 ticks and more. */
static void lengthen(struct trace *trace)
{
    uint64_t factor = ((uint64_t)1 << 40) / (trace->end - trace->begin) + 1;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t row = 0; row < trace->streams[s].count; row++)
            trace->streams[s].time[row] *= factor;
    trace->definitions->ticks_per_second *= factor;
    trace_update_span(trace);
}

enum { LOSSES = 50 };

/* Each loss is longer than the distance to the next; then there is a while without any. */
static void lose_cores(const struct trace *view, struct lost_time *losses, struct engine_run *run)
{
    uint64_t step = (view->end - view->begin) / LOSSES;
    for (size_t i = 0; i < LOSSES; i++) {
        uint64_t begin = view->begin + i * step;
        losses[i] = (struct lost_time){begin, begin + step * (i % 10 == 9 ? 1 : 4) / 2};
    }
    run->own.losses = losses;
    run->own.loss_count = LOSSES;
}

static bool ascends(const struct trace *view, uint64_t begin)
{
    int64_t wrong = 0;
    for (uint32_t s = 0; s < view->owned_count; s++) {
        uint64_t last = begin;
        for (uint32_t row = 0; row < view->streams[s].count; last = view->streams[s].time[row++])
            wrong += view->streams[s].time[row] < last || view->streams[s].time[row] > view->end;
    }
    processes_sum(view->processes, &wrong, 1);
    return wrong == 0;
}

static void report(const struct trace *trace, const struct trace *disturbed,
                   const struct trace *corrected)
{
    int64_t before = largest_difference(trace, disturbed);
    int64_t after = largest_difference(trace, corrected);
    bool sound = ascends(corrected, disturbed->begin);
    if (trace->processes->rank != 0)
        return;
    if (!sound)
        printf("times do not ascend: ");
    if (extreme)
        printf("disturbed from %lld to %lld ticks, corrected to %lld ticks\n",
               (long long)(trace->end - trace->begin),
               (long long)(disturbed->end - disturbed->begin),
               (long long)(corrected->end - corrected->begin));
    else
        printf("disturbed by %lld ticks, then different by %lld ticks\n", (long long)before,
               (long long)after);
}

/* Collective. */
static enum status correct(const struct trace *trace, const struct trace *disturbed,
                           const struct trace *undisturbed, const struct disturbances *own,
                           struct trace *corrected, struct trace *again, struct error *error)
{
    static const struct disturbances none;
    struct correction *prepared = NULL, *fresh = NULL;
    enum status status = correction_make(trace, 20e-6, 0, &prepared, error);
    if (status == STATUS_OK)
        status = correction_apply(prepared, trace, trace, &none, corrected, error);
    if (status == STATUS_OK && !extreme && largest_difference(trace, corrected) > LITTLE)
        status = error_set(error, STATUS_INPUT, "the trace itself is corrected by %lld ticks",
                           (long long)largest_difference(trace, corrected));
    if (status == STATUS_OK)
        status = correction_apply(prepared, disturbed, undisturbed, own, corrected, error);
    if (status == STATUS_OK)
        status = correction_make(trace, 20e-6, 1, &fresh, error);
    if (status == STATUS_OK)
        status = correction_apply(fresh, disturbed, undisturbed, own, again, error);
    if (status == STATUS_OK && largest_difference(corrected, again) > 0)
        status = error_set(error, STATUS_INPUT,
                           "a correction prepared before and a fresh one "
                           "differ");
    correction_destroy(prepared);
    correction_destroy(fresh);
    return status;
}

static enum status disturb_and_mend(const struct trace *trace, struct error *error)
{
    const struct engine *model = engine_find("model");
    const struct engine_setup setup = {.poll_gap_s = 20e-6};
    struct engine_facts facts;
    struct engine_run run;
    void *state;
    struct trace *views[5];
    for (int i = 0; i < 5; i++)
        views[i] = trace_view(trace, error);
    struct trace *delayed = views[0], *disturbed = views[1], *undisturbed = views[2];
    struct lost_time losses[LOSSES];
    compose(trace, trace, extreme ? (trace->end - trace->begin) / 2 : DELAY, delayed);
    delayed->recording = trace;
    delayed->begin = trace->begin;
    enum status status = model->prepare(delayed, &setup, &state, &facts, error);
    if (status == STATUS_OK) {
        status = model->run(state, disturbed, NULL, &run, error);
        model->release(state);
        free(facts.approximations);
    }
    if (status == STATUS_OK) {
        compose(disturbed, trace, 0, undisturbed);
        if (extreme)
            lose_cores(disturbed, losses, &run);
        status = correct(trace, disturbed, undisturbed, &run.own, views[3], views[4], error);
    }
    if (status == STATUS_OK)
        report(trace, disturbed, views[3]);
    for (int i = 0; i < 5; i++)
        trace_destroy(views[i]);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL;
    MPI_Init(&argc, &argv);
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], processes.rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[argc - 1], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    extreme = argc > 2 && strcmp(argv[1], "-x") == 0;
    if (status == STATUS_OK && extreme)
        lengthen(trace);
    if (status == STATUS_OK)
        status = disturb_and_mend(trace, &error);
    if (status != STATUS_OK)
        log_error(&error);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
