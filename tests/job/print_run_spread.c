/* Prints by how much T of real runs differs according to a recording, and a part of it:
 * print_run_spread TRACE. */
#include "base/mpi/handles.h"
#include "job/run_spread.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct processes processes;
    struct trace *trace = NULL;
    struct error error;
    struct run_spread spread;
    MPI_Init(&argc, &argv);
    if (argc != 2)
        return 2;
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error)
                             ?: trace_load(argv[1], &processes, &trace, &error)
                             ?: trace_match(trace, &error)
                             ?: run_spread_find(trace, &spread, &error);
    if (status == STATUS_OK && processes.rank == 0)
        printf("%.4f %.4f\n", spread.run, spread.part);
    if (status != STATUS_OK)
        fprintf(stderr, "%s\n", error.text);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return status;
}
