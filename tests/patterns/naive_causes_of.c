/* naive_causes_of TRACE: prints what naive_causes.h finds as TSV, as silas-analyze does. */
#include "naive_causes.h"

#include "base/mpi/handles.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>

static void print(void *context, const char *metric, uint32_t path, uint32_t rank, double ticks)
{
    const struct trace *trace = context;
    char text[512];
    callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
    printf("%s\t%s\t%u.0\t%.17g\n", metric, text, rank, trace_seconds(trace, ticks));
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL;
    MPI_Init(&argc, &argv);
    if (argc != 2 || processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return 2;
    if (trace_load(argv[1], &processes, &trace, &error) != STATUS_OK ||
        trace_match(trace, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    naive_causes_find(trace, print, trace);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return 0;
}
