/* check_replay [-t TIMEOUT] TRACE: replays a trace twice and prints every MPI call that the second
 * run makes, "RANK MPI_Call arguments", then checks the predicted times. The calls are caught on
 * their way: this program defines MPI_Send and so on itself (the tool's own communication goes by
 * PMPI names). Exit code 4: the predicted times are not those of a run. */
#include "base/log.h"
#include "replay/engine.h"
#include "tests/replay/caught_calls.h"
#include "trace/load.h"
#include "trace/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_BAD_TIMES = 4 };

/* As many rows as before, in order of time, none before the recorded start of the rank. */
static bool times_are_sound(const struct trace *recorded, const struct trace *predicted)
{
    const struct stream *old = &recorded->streams[0], *new = &predicted->streams[0];
    bool sound = old->count == new->count &&new->time[0] >= old->time[0];
    for (uint32_t row = 1; row < new->count &&sound; row++) {
        sound = new->time[row] >= new->time[row - 1];
        if (!sound)
            fprintf(stderr, "rank %u: row %u is before the row in front of it\n", new->rank, row);
    }
    return sound;
}

/* Page faults of a second run: the watchdog's thread takes about ten. */
static bool touched_before(const struct rusage *before, const struct rusage *after)
{
    long faults = after->ru_minflt - before->ru_minflt;
    if (faults < 64)
        return true;
    fprintf(stderr, "%ld page faults in a run\n", faults);
    return false;
}

static enum status replay_twice(struct trace *trace, double timeout_s, bool *sound,
                                struct error *error)
{
    const struct engine *engine = engine_find("realtime");
    struct engine_options options = {
        .timeout_s = timeout_s, .poll_gap_s = 20e-6, .oversubscribe = true};
    struct engine_facts facts;
    void *state;
    enum status status = engine->prepare(trace, &options, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    struct trace *view = trace_view(trace, error);
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        struct engine_run run;
        struct rusage before, after;
        caught_calls_catch(i == 1);
        getrusage(RUSAGE_SELF, &before);
        status = view ? engine->run(state, view, &run, error) : STATUS_ENVIRONMENT;
        getrusage(RUSAGE_SELF, &after);
        caught_calls_catch(false);
        if (status == STATUS_OK)
            *sound = *sound && times_are_sound(trace, view) && run.time_s > 0 &&
                     (i == 0 || touched_before(&before, &after));
    }
    if (trace->processes->rank == 0)
        fprintf(stderr, "%strustworthy, %d communicators\n%s", facts.trustworthy ? "" : "not ",
                caught_calls_communicators(), facts.approximations);
    free(facts.approximations);
    trace_destroy(view);
    engine->release(state);
    return status;
}

/* One rank after the other. */
static void print_calls(const struct processes *processes)
{
    for (int rank = 0; rank < processes->size; rank++) {
        if (rank == processes->rank) {
            caught_calls_print(rank);
            fflush(stdout);
            usleep(20000); /* the launcher merges the outputs in order of arrival */
        }
        processes_barrier(processes);
    }
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL;
    double timeout_s = 30;
    bool sound = true;
    MPI_Init(&argc, &argv);
    for (int option; (option = getopt(argc, argv, "t:")) != -1;)
        if (option == 't')
            timeout_s = atof(optarg);
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], processes.rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[optind], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, NULL, &error);
    if (status == STATUS_OK)
        status = replay_twice(trace, timeout_s, &sound, &error);
    if (status == STATUS_OK)
        print_calls(&processes);
    else
        log_error(&error);
    int64_t bad = !sound;
    processes_max(&processes, &bad, 1);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return status != STATUS_OK ? (int)status : bad ? EXIT_BAD_TIMES : 0;
}
