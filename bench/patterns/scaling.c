/* Time and memory of each phase of a replay on as many processes as the trace has ranks.
 *
 *     mpiexec -np N scaling TRACE
 *
 * Prints "PHASE SECONDS BYTES": the time of the slowest process, and the largest of the processes'
 * growth of the heap (malloc's count, including mapped blocks). Process 0, which gathers the
 * results, is not included; its value follows. `peak` is the largest resident size that a process
 * had. */
#include "base/log.h"
#include "bench/trace/heap.h"
#include "base/mpi/handles.h"
#include "patterns/search.h"
#include "replay/realtime/realtime.h"
#include "severity/severity.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/deadlock/preflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct phase {
    const struct processes *processes;
    double begin_s;
    int64_t begin_bytes;
};

static struct phase begin(const struct processes *processes)
{
    processes_barrier(processes);
    return (struct phase){processes, MPI_Wtime(), heap_bytes()};
}

/* Memory that the phase has left allocated. */
static void end(const struct phase *phase, const char *name)
{
    int64_t grown = heap_bytes() - phase->begin_bytes;
    int64_t first = phase->processes->rank == 0 ? grown : INT64_MIN;
    int64_t others = phase->processes->rank == 0 ? INT64_MIN : grown;
    int64_t us = (int64_t)(1e6 * (MPI_Wtime() - phase->begin_s));
    processes_max(phase->processes, &us, 1);
    processes_max(phase->processes, &first, 1);
    processes_max(phase->processes, &others, 1);
    if (phase->processes->rank == 0)
        printf("%s %.3f %lld %lld\n", name, 1e-6 * (double)us, (long long)others, (long long)first);
}

static enum status replay(struct trace *trace, struct error *error)
{
    const struct engine *engine = engine_find("realtime");
    const struct realtime_options options = {
        .timeout_s = 60, .oversubscribe = true, .untuned = true};
    const struct engine_setup setup = {.options = &options, .poll_gap_s = 20e-6};
    struct engine_facts facts;
    struct engine_run run;
    void *state;
    struct phase phase = begin(trace->processes);
    enum status status = engine->prepare(trace, &setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    end(&phase, "prepare");
    free(facts.approximations);
    phase = begin(trace->processes);
    struct trace *view = trace_view(trace, error);
    status = view ? engine->run(state, view, NULL, &run, error) : STATUS_ENVIRONMENT;
    end(&phase, "run");
    trace_destroy(view);
    engine->release(state);
    return status;
}

static enum status search(const struct trace *trace, struct error *error)
{
    struct severity *local = NULL, *whole = NULL;
    struct phase phase = begin(trace->processes);
    enum status status = pattern_search(trace, &local, error);
    end(&phase, "search");
    if (status != STATUS_OK)
        return status;
    phase = begin(trace->processes);
    status = severity_gather(&local, trace->processes, &whole, error);
    end(&phase, "gather");
    severity_destroy(local);
    severity_destroy(whole);
    return status;
}

static enum status take_phases(const char *path, struct processes *processes, struct trace **trace,
                               struct error *error)
{
    struct phase phase = begin(processes);
    enum status status = trace_load(path, processes, trace, error);
    if (status != STATUS_OK)
        return status;
    end(&phase, "load");
    phase = begin(processes);
    status = trace_match(*trace, error);
    end(&phase, "match");
    if (status != STATUS_OK)
        return status;
    phase = begin(processes);
    status = trace_preflight(*trace, error);
    end(&phase, "preflight");
    if (status == STATUS_OK)
        status = search(*trace, error);
    return status == STATUS_OK ? replay(*trace, error) : status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL;
    struct rusage usage;
    double before = 0;
    MPI_Init(&argc, &argv);
    if (argc != 2) {
        fprintf(stderr, "usage: mpiexec -np N %s TRACE\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, STATUS_USAGE);
    }
    before = MPI_Wtime();
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], processes.rank == 0);
    if (status == STATUS_OK)
        status = take_phases(argv[1], &processes, &trace, &error);
    if (status != STATUS_OK)
        log_error(&error);
    getrusage(RUSAGE_SELF, &usage);
    int64_t peak = usage.ru_maxrss * 1024;
    processes_max(&processes, &peak, 1);
    if (processes.rank == 0)
        printf("peak %.3f %lld 0\n", MPI_Wtime() - before, (long long)peak);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
