/* export_template TRACE FILE: writes a trace by exchange/exports/format_template.c. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "exchange/exports/format.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

extern const struct export_format export_template;

int main(int argc, char **argv)
{
    struct processes processes;
    struct trace *trace = NULL;
    struct error error;
    MPI_Init(&argc, &argv);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, STATUS_USAGE);
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open("export_template", processes.rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[1], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = export_template.write(trace, &(struct export_options){.path = argv[2]}, &error);
    if (status != STATUS_OK)
        log_error(&error);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
