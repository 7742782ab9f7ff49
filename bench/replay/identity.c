/* Identity replays of a trace: how accurately the real-time engine reproduces it
 * (doc/methods.md, section 1).
 * mpiexec -np N bench/replay/identity-replay [-r REPEAT] [-u] TRACE (-u: nothing is fitted), with
 * the trace's number of ranks. */
#include "base/mpi/handles.h"
#include "replay/accuracy.h"
#include "replay/realtime/options.h"
#include "replay/repeat.h"
#include "base/log.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ascending(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return x < y ? -1 : x > y;
}

/* The middle of the magnitudes: errors of either sign count. */
static double median_magnitude(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return (fabs(values[(count - 1) / 2]) + fabs(values[count / 2])) / 2;
}

static void print(const char *name, const struct trace *trace, struct repeat_result *result)
{
    const struct repeat_runs *runs = &result->identity;
    const struct repeat_estimates *corrected = &result->estimates, *measured = &result->measured;
    const struct estimate *total = &corrected->total_error;
    const struct estimate *aggregate = &corrected->aggregate_error;
    printf("%s time recorded: %.6f s\n", name,
           trace_seconds(trace, (double)(trace->end - trace->begin)));
    printf("%s time replayed: %.6f s (%.6f .. %.6f)\n", name, corrected->identity_s.median,
           corrected->identity_s.low, corrected->identity_s.high);
    printf("%s total error: %+.3f %% (%+.3f .. %+.3f)\n", name, 100 * total->median,
           100 * total->low, 100 * total->high);
    printf("%s aggregate absolute error: %.3f %% (%.3f .. %.3f)\n", name, 100 * aggregate->median,
           100 * aggregate->low, 100 * aggregate->high);
    printf("%s total error magnitude: %.3f %%\n", name,
           100 * median_magnitude(runs->figures.total_errors, result->count));
    printf("%s total error as measured: %+.3f %% (%+.3f .. %+.3f)\n", name,
           100 * measured->total_error.median, 100 * measured->total_error.low,
           100 * measured->total_error.high);
    printf("%s aggregate absolute error as measured: %.3f %% (%.3f .. %.3f)\n", name,
           100 * measured->aggregate_error.median, 100 * measured->aggregate_error.low,
           100 * measured->aggregate_error.high);
    if (result->facts.fits)
        printf("%s fitted: %.3f %%\n", name, 100 * result->facts.fitted);
    printf("%s lost time: %.6f s\n", name, runs->lost_s);
    printf("%s disturbances: %u gaps\n", name, runs->disturbances);
}

/* With -v: exclusive times of each call path, recorded and replayed. */
static void print_paths(const struct trace *trace, const struct trace *replayed)
{
    size_t count = trace->calltree.paths.count;
    double *times = calloc(2 * count, sizeof *times);
    for (uint32_t i = 0; times && i < trace->owned_count; i++) {
        memset(times, 0, 2 * count * sizeof *times);
        accuracy_add_exclusive(&trace->streams[i], &trace->calltree, times);
        accuracy_add_exclusive(&replayed->streams[i], &trace->calltree, times + count);
        double length = (double)(trace->end - trace->begin);
        for (size_t path = 0; path < count; path++) {
            char text[256];
            callpath_format(&trace->calltree, trace->definitions, (uint32_t)path, text,
                            sizeof text);
            printf("# rank %u %-40s %9.4f %% -> %9.4f %% (%+.4f)\n", trace->streams[i].rank, text,
                   100 * times[path] / length, 100 * times[count + path] / length,
                   100 * (times[count + path] - times[path]) / length);
        }
    }
    free(times);
}

int main(int argc, char **argv)
{
    struct error error;
    struct processes processes;
    struct trace *trace = NULL;
    struct repeat_result result = {0};
    bool verbose = false, fits = true;
    size_t repeat = 7;
    const char *name = NULL;
    MPI_Init(&argc, &argv);
    for (int option; (option = getopt(argc, argv, "r:n:uv")) != -1;) {
        if (option == 'r')
            repeat = strtoul(optarg, NULL, 10);
        else if (option == 'n')
            name = optarg;
        else if (option == 'u')
            fits = false;
        else if (option == 'v')
            verbose = true;
    }
    if (optind + 1 != argc || repeat == 0) {
        fprintf(stderr, "usage: mpiexec -np N %s [-r REPEAT] [-n NAME] [-u] [-v] TRACE\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, STATUS_USAGE);
    }
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], processes.rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[optind], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    if (status == STATUS_OK) {
        const struct engine *engine = engine_find("realtime");
        struct realtime_options options = *(const struct realtime_options *)engine->default_options;
        options.untuned = !fits;
        struct repeat_input input = {
            .engine = engine,
            .setup = {.poll_gap_s = 20e-6, .options = &options},
            .original = trace,
            .count = repeat,
        };
        status = repeat_run(&input, &result, &error);
    }
    if (status != STATUS_OK) {
        log_error(&error);
    } else {
        if (verbose)
            print_paths(trace, result.identity.median);
        if (processes.rank == 0)
            print(name ? name : argv[optind], trace, &result);
    }
    repeat_result_clear(&result);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
