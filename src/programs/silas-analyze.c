/* silas-analyze: the pattern search alone, with any number of processes. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mpi/processes.h"
#include "patterns/explain.h"
#include "patterns/search.h"
#include "programs/clocks.h"
#include "programs/severity_output.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <string.h>

static const char *format_name, *output_path;
static bool correct_clocks, explain;

static const struct option_spec options[] = {
    SEVERITY_OUTPUT_OPTIONS(&format_name, &output_path),
    {0, "correct-clocks", NULL, "move time stamps until no message arrives before it is sent", NULL,
     &correct_clocks},
    {0, "explain", NULL, "also say where the longest waits come from, and how to test it", NULL,
     &explain},
    {0},
};

static const struct program program = {
    .name = "silas-analyze",
    .summary = "Searches a trace for wait states.",
    .usage = "silas-analyze [options] TRACE\nmpirun -np M silas-analyze [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number.",
    .options = options,
    .least = 1,
    .most = 1,
};

static enum status analyze(const char *path, const struct severity_format *format,
                           struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    struct severity *local = NULL, *whole = NULL;
    struct explanations explanations;
    enum status status = trace_load(path, processes, &trace, error);
    if (status == STATUS_OK)
        status = trace_match(trace, NULL, error);
    if (status == STATUS_OK && correct_clocks)
        status = clocks_correct(trace, error);
    if (status == STATUS_OK)
        status = explain ? pattern_search_explain(trace, &explanations, &local, error)
                         : pattern_search(trace, &local, error);
    if (status == STATUS_OK)
        status = severity_gather(local, processes, &whole, error);
    if (status == STATUS_OK) {
        clocks_warn(trace->path, whole);
        if (processes->rank == 0)
            status = severity_write(whole, format, output_path, error);
        if (processes->rank == 0 && status == STATUS_OK && explain) {
            if (!output_path)
                puts("");
            explanations_write(&explanations, trace, stdout);
        }
        status = processes_agree(processes, status, error);
    }
    severity_destroy(whole);
    severity_destroy(local);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, exit_code;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    log_open(program.name, rank == 0);
    interrupt_install();
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    int operand = options_parse(&program, argc, argv, &exit_code);
    if (operand < 0)
        goto finalize;
    const struct severity_format *format =
        severity_output_format(&program, format_name, output_path, &exit_code);
    if (!format)
        goto finalize;
    if (explain && !output_path && strcmp(format->name, "text") != 0) {
        exit_code = options_usage_error(&program, "--explain prints text: say -o FILE for the %s",
                                        format->name);
        goto finalize;
    }
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    if (status == STATUS_OK) {
        status = analyze(argv[operand], format, &processes, &error);
        processes_close(&processes);
    }
    exit_code = status == STATUS_OK ? 0 : log_error(&error);

finalize:
    MPI_Finalize();
    return exit_code;
}
