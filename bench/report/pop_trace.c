/* POP's efficiencies of a trace that is loaded and matched, with regions and windows of time:
 *
 *     mpiexec -np N pop_trace NAME ARCHIVE RUNS WINDOWS
 *
 * Prints the events per second of all processes together, with and without T on an ideal network,
 * and with the iterations of the main loop. */
#include "base/mpi/handles.h"
#include "results/efficiency/measure.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const struct error *error)
{
    fprintf(stderr, "pop_trace: %s\n", error->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The rows of the last run, for the line that is printed. */
static double measure(const struct trace *trace, const struct pop_options *options, size_t *rows)
{
    struct arena *arena = arena_create();
    const struct pop *pop = NULL;
    struct error error;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (!arena || pop_measure(trace, options, arena, &pop, &error) != STATUS_OK)
        fail(&error);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;
    *rows = pop ? pop->row_count : 0;
    if (pop && !options->why_not_ideal && pop->why_not_ideal)
        fprintf(stderr, "pop_trace: T on an ideal network is not known: %s\n", pop->why_not_ideal);
    arena_destroy(arena);
    return seconds;
}

static void figure(const struct trace *trace, const char *name, const char *what, int runs,
                   const struct pop_options *options)
{
    double speeds[99] = {0};
    const double events = (double)trace_count_events(trace);
    size_t rows = 0;
    for (int run = 0; run < runs; run++)
        speeds[run] = events / measure(trace, options, &rows);
    qsort(speeds, (size_t)runs, sizeof *speeds, compare);
    if (trace->processes->rank == 0)
        printf("%s, %s: %.4g events/s (%.4g .. %.4g, %d runs; %.4g events, %zu rows)\n", name, what,
               speeds[runs / 2], speeds[0], speeds[runs - 1], runs, events, rows);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct trace *trace = NULL;
    struct error error;
    MPI_Init(&argc, &argv);
    const int runs = argc == 5 ? atoi(argv[3]) : 0, windows = argc == 5 ? atoi(argv[4]) : 0;
    if (runs < 1 || runs > 99 || windows < 1)
        return 2;
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK ||
        trace_load(argv[2], &processes, &trace, &error) != STATUS_OK ||
        trace_match(trace, &error) != STATUS_OK)
        fail(&error);
    struct pop_options options = {.regions = true, .windows = (uint32_t)windows};
    figure(trace, argv[1], "efficiencies", runs, &options);
    options.why_not_ideal = "left out";
    figure(trace, argv[1], "without T on an ideal network", runs, &options);
    options.iterations = true;
    figure(trace, argv[1], "without it, with iterations", 1, &options);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return 0;
}
