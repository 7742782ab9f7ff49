/* check_noise TRACE: delays computation in a trace here and there, as the loss of a core does, lets
 * the model say what that brings, and has it taken out again. With any number of processes. Prints
 *
 *     disturbed by D ticks, then different by N ticks
 *
 * where D is the largest shift of an event by the delays, N what is left of it. */
#include "base/log.h"
#include "replay/model/calls.h"
#include "replay/noise.h"
#include "trace/load.h"
#include "trace/match.h"

#include <stdio.h>
#include <stdlib.h>

enum { DELAY = 150000, EVERY = 40 }; /* ticks; calls */

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

static enum status disturb_and_mend(const struct trace *trace, struct error *error)
{
    const struct engine *model = engine_find("model");
    struct engine_options options = {.poll_gap_s = 20e-6};
    struct engine_facts facts;
    struct engine_run run;
    void *state;
    struct trace *views[4];
    for (int i = 0; i < 4; i++)
        views[i] = trace_view(trace, error);
    struct trace *delayed = views[0], *disturbed = views[1], *undisturbed = views[2];
    compose(trace, trace, DELAY, delayed);
    delayed->recording = trace;
    delayed->begin = trace->begin;
    enum status status = model->prepare(delayed, &options, &state, &facts, error);
    if (status == STATUS_OK) {
        status = model->run(state, disturbed, NULL, &run, error);
        model->release(state);
        free(facts.approximations);
    }
    if (status == STATUS_OK) {
        compose(disturbed, trace, 0, undisturbed);
        status = noise_take_out(disturbed, undisturbed, &run, options.poll_gap_s, views[3], error);
    }
    if (status == STATUS_OK) {
        int64_t before = largest_difference(trace, disturbed);
        int64_t after = largest_difference(trace, views[3]);
        if (trace->processes->rank == 0)
            printf("disturbed by %lld ticks, then different by %lld ticks\n", (long long)before,
                   (long long)after);
    }
    for (int i = 0; i < 4; i++)
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
        status = trace_match(trace, NULL, &error);
    if (status == STATUS_OK)
        status = disturb_and_mend(trace, &error);
    if (status != STATUS_OK)
        log_error(&error);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
