/* The whole of an analysis, from opening the archive to the written report, with all metrics:
 *
 *     mpiexec -np N analyze_trace NAME ARCHIVE RUNS
 *
 * Prints the events per second of all processes together, and the peak of their memory per event:
 * the growth of the resident set from before a first run, which is not timed, to its highest point
 * in it. The part of it that belongs to files (library code that runs for the first time) is
 * printed next to it. Pages that processes share count once: with several processes the resident
 * set is read every millisecond. */
#include "base/mpi/handles.h"
#include "patterns/search.h"
#include "report/format.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void fail(const struct error *error)
{
    fprintf(stderr, "analyze_trace: %s\n", error->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A value of /proc/self/status in bytes; 0 if the system does not provide it. */
static double status_bytes(const char *field)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    double bytes = 0;
    size_t length = strlen(field);
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, field, length) == 0)
            bytes = strtod(line + length, NULL) * 1024;
    if (status)
        fclose(status);
    return bytes;
}

/* Peak of the resident set, bytes. Linux counts pages separately for each core, so getrusage may
 * lack half a megabyte that has not been added up yet. */
static double peak_bytes(void)
{
    double bytes = status_bytes("VmHWM:");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return bytes > 0 ? bytes : (double)usage.ru_maxrss * 1024;
}

/* The resident set, bytes; each of n processes that share pages counts 1/n of them. */
static double resident_bytes(int sharers)
{
    return status_bytes("VmRSS:") - status_bytes("RssShmem:") * (1 - 1.0 / sharers);
}

/* Watches the resident set of one of several processes. */
struct watch {
    pthread_t thread;
    int sharers; /* processes that share what is shared */
    double most; /* bytes */
    atomic_bool ends;
};

static void *watch(void *data)
{
    struct watch *w = data;
    while (!atomic_load(&w->ends)) {
        const double bytes = resident_bytes(w->sharers);
        w->most = bytes > w->most ? bytes : w->most;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return NULL;
}

/* Pages of files in the resident set, bytes; 0 if the system does not provide it. */
static double file_bytes(void)
{
    return status_bytes("RssFile:");
}

static double analyze(struct processes *processes, const char *path)
{
    struct trace *trace = NULL;
    struct severity *local = NULL;
    struct error error;
    enum status status = trace_load(path, processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = pattern_search(trace, &local, &error);
    if (status == STATUS_OK)
        status = report_write_together(&local, processes, NULL, report_format_find("tsv"),
                                       "/dev/null", &error);
    if (status != STATUS_OK)
        fail(&error);
    double events = (double)trace_owned_events(trace);
    for (uint32_t c = 0; c < trace->carried_count; c++)
        events += trace->carried[c].count;
    severity_destroy(local);
    trace_destroy(trace);
    return events;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* An analysis while the resident set is watched. Returns the events of all processes; the memory
 * that they take at most, and the part of it that is code, in bytes. */
static double watched_analysis(struct processes *processes, const char *path, double *memory,
                               double *code)
{
    struct watch watched = {.sharers = processes->size};
    const bool watches = processes->size > 1;
    const double files = file_bytes(),
                 before = watches ? resident_bytes(processes->size) : peak_bytes();
    if (watches && pthread_create(&watched.thread, NULL, watch, &watched) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    double sums[3] = {analyze(processes, path)};
    if (watches) {
        atomic_store(&watched.ends, true);
        pthread_join(watched.thread, NULL);
    }
    sums[1] = (watches ? watched.most : peak_bytes()) - before;
    sums[2] = file_bytes() - files;
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *memory = sums[1];
    *code = sums[2];
    return sums[0];
}

/* Seconds that an analysis takes. */
static double timed_analysis(struct processes *processes, const char *path)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    analyze(processes, path);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    double speeds[99], memory, code;
    MPI_Init(&argc, &argv);
    int runs = argc == 4 ? atoi(argv[3]) : 0;
    if (runs < 1 || runs > 99)
        return 2;
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        fail(&error);
    const double events = watched_analysis(&processes, argv[2], &memory, &code);
    for (int run = 0; run < runs; run++)
        speeds[run] = events / timed_analysis(&processes, argv[2]);
    qsort(speeds, (size_t)runs, sizeof *speeds, compare);
    if (processes.rank == 0) {
        printf("%s: %.4g events/s (%.4g .. %.4g, %d runs)\n", argv[1], speeds[runs / 2], speeds[0],
               speeds[runs - 1], runs);
        printf("%s, peak memory: %.3g bytes/event, of which code of libraries %.3g\n", argv[1],
               memory / events, code / events);
    }
    processes_close(&processes);
    MPI_Finalize();
    return 0;
}
