/* How fast a trace is loaded, compared with a reader that does nothing with the events
 * (alternately, with the same number of processes), and how much memory the loaded trace takes.
 *
 *     mpiexec -np N load_trace speed ARCHIVE RUNS
 *     mpiexec -np N load_trace forms ARCHIVE SAME-WITH-FOLDED-LOOPS RUNS
 *     mpiexec -np N load_trace memory REGIONS-ONLY-ARCHIVE ARCHIVE-WITH-MESSAGES
 *
 * The memory is what malloc has handed out for the trace, including unused parts of arenas. The
 * memory per event of the first archive is subtracted for each row of the second; the rest belongs
 * to the messages.
 */
#include "base/mpi/handles.h"
#include "bench/trace/empty_reader.h"
#include "bench/trace/heap.h"
#include "trace/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loaded {
    double rows, message_ends, bytes; /* over all processes */
};

static void fail(const struct processes *processes, const char *text)
{
    fprintf(stderr, "load_trace: process %d: %s\n", processes->rank, text);
    MPI_Abort(processes_comm(processes), 1);
}

static struct trace *load(struct processes *processes, const char *path)
{
    struct trace *trace;
    struct error error;
    if (trace_load(path, processes, &trace, &error) != STATUS_OK)
        fail(processes, error.text);
    return trace;
}

/* Seconds from the common start to the end of the slowest process. */
static double time_of(struct processes *processes, const char *path, bool empty, double *events)
{
    uint64_t count = 0;
    double start, mine, slowest, sum;
    MPI_Barrier(processes_comm(processes));
    start = MPI_Wtime();
    if (empty) {
        if (!empty_read(path, processes->rank, processes->size, &count))
            fail(processes, "the OTF2 reader failed");
        mine = MPI_Wtime() - start;
    } else {
        struct trace *trace = load(processes, path);
        mine = MPI_Wtime() - start;
        count = trace_owned_events(trace);
        trace_destroy(trace);
    }
    sum = (double)count;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, processes_comm(processes));
    MPI_Allreduce(&sum, events, 1, MPI_DOUBLE, MPI_SUM, processes_comm(processes));
    return slowest;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_figure(const char *name, const char *unit, double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    double median = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    printf("%s: %.4g %s (%.4g .. %.4g, %d runs)\n", name, median, unit, values[0],
           values[count - 1], count);
}

static void measure_speed(struct processes *processes, const char *path, int runs)
{
    double *loading = calloc((size_t)runs, sizeof *loading);
    double *reading = calloc((size_t)runs, sizeof *reading);
    double *ratio = calloc((size_t)runs, sizeof *ratio);
    double loaded, read;
    if (!loading || !reading || !ratio)
        fail(processes, "out of memory");
    time_of(processes, path, true, &read); /* reads the files into the page cache */
    for (int run = 0; run < runs; run++) {
        double reading_s = time_of(processes, path, true, &read);
        double loading_s = time_of(processes, path, false, &loaded);
        reading[run] = 1e-6 * read / reading_s;
        loading[run] = 1e-6 * loaded / loading_s;
        ratio[run] = loading[run] / reading[run];
    }
    if (processes->rank == 0) {
        printf("load.events: %.0f events\n", loaded);
        print_figure("load.empty_reader", "million events/s", reading, runs);
        print_figure("load.speed", "million events/s", loading, runs);
        print_figure("load.ratio", "of the empty reader", ratio, runs);
    }
    free(loading);
    free(reading);
    free(ratio);
}

/* How fast two forms of one trace are loaded, alternately. */
static void measure_forms(struct processes *processes, const char *plain, const char *folded,
                          int runs)
{
    double *speeds[2] = {calloc((size_t)runs, sizeof(double)),
                         calloc((size_t)runs, sizeof(double))};
    double events;
    if (!speeds[0] || !speeds[1])
        fail(processes, "out of memory");
    for (int run = 0; run < 2 * runs; run++) {
        double seconds = time_of(processes, run % 2 ? folded : plain, false, &events);
        speeds[run % 2][run / 2] = 1e-6 * events / seconds;
    }
    if (processes->rank == 0) {
        print_figure("load.archive", "million events/s", speeds[0], runs);
        print_figure("load.folded_loops", "million events/s", speeds[1], runs);
    }
    free(speeds[0]);
    free(speeds[1]);
}

static struct loaded measure_memory(struct processes *processes, const char *path)
{
    double mine[3] = {0}, all[3];
    double before = heap_bytes();
    struct trace *trace = load(processes, path);
    mine[2] = heap_bytes() - before;
    mine[0] = (double)trace_owned_events(trace);
    for (uint32_t i = 0; i < trace->owned_count; i++)
        mine[1] += trace->streams[i].message_count;
    trace_destroy(trace);
    MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, processes_comm(processes));
    return (struct loaded){.rows = all[0], .message_ends = all[1], .bytes = all[2]};
}

static void print_memory(struct processes *processes, const char *regions, const char *messages)
{
    struct loaded plain = measure_memory(processes, regions);
    struct loaded mixed = measure_memory(processes, messages);
    double per_row = plain.bytes / plain.rows;
    double per_end = (mixed.bytes - per_row * mixed.rows) / mixed.message_ends;
    if (processes->rank == 0) {
        printf("load.memory_per_event: %.2f bytes per enter or leave\n", per_row);
        printf("load.memory_per_message_end: %.2f bytes beside its rows\n", per_end);
    }
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    MPI_Init(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return 3;
    int exit_code = 0;
    if (argc == 4 && strcmp(argv[1], "speed") == 0 && atoi(argv[3]) > 0) {
        measure_speed(&processes, argv[2], atoi(argv[3]));
    } else if (argc == 5 && strcmp(argv[1], "forms") == 0 && atoi(argv[4]) > 0) {
        measure_forms(&processes, argv[2], argv[3], atoi(argv[4]));
    } else if (argc == 4 && strcmp(argv[1], "memory") == 0) {
        print_memory(&processes, argv[2], argv[3]);
    } else {
        if (processes.rank == 0)
            fprintf(stderr, "Usage: load_trace speed ARCHIVE RUNS | forms ARCHIVE FOLDED RUNS | "
                            "memory REGIONS MESSAGES\n");
        exit_code = 2;
    }
    processes_close(&processes);
    MPI_Finalize();
    return exit_code;
}
