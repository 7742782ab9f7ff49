/* silas-analyze: searches a trace for wait states, with any number of processes. */
#include "base/log.h"
#include "patterns/explain.h"
#include "patterns/search.h"
#include "job/clocks.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"
#include "reduction/folded.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <string.h>

static bool correct_clocks, explain;

/* Warns if the search found clock violations. `whole` has the severities of all ranks; NULL on
 * processes other than 0. */
static void warn_of_clocks(const char *path, const struct severity *whole)
{
    double violations = whole ? severity_total(whole, METRIC_CLOCK_VIOLATIONS) : 0;
    if (violations > 0)
        log_warning(
            "%s: %.0f times a message arrives before it is sent or a collective ends before "
            "it can: the clocks of the ranks disagree, and waits are too long or too short; "
            "see --correct-clocks",
            path, violations);
}

static enum status analyze(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    struct severity *local = NULL, *whole = NULL;
    struct explanations explanations;
    enum status status = trace_load(operands[0], processes, &trace, error);
    if (status == STATUS_OK)
        status = trace_match(trace, error);
    if (status == STATUS_OK && correct_clocks)
        status = clocks_correct(trace, error);
    if (status == STATUS_OK)
        status = pattern_search_for(trace, pattern_list(), explain ? &explanations : NULL, &local,
                                    error);
    if (status == STATUS_OK)
        status = severity_gather(local, processes, &whole, error);
    if (status == STATUS_OK) {
        folded_say(trace);
        warn_of_clocks(trace->path, whole);
        if (processes->rank == 0)
            status = severity_output_write(&(struct report){.run = whole}, error);
        if (processes->rank == 0 && status == STATUS_OK && explain) {
            if (!severity_output.path)
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

static int check(const struct program *program)
{
    int exit_code = severity_output_check(program);
    if (exit_code == 0 && explain && !severity_output.path &&
        strcmp(severity_output.format->name, "text") != 0)
        exit_code = options_usage_error(program, "--explain prints text: say -o FILE for the %s",
                                        severity_output.format->name);
    return exit_code;
}

int main(int argc, char **argv)
{
    const struct option_spec options[] = {
        SEVERITY_OUTPUT_OPTIONS,
        {0, "correct-clocks", NULL, "move time stamps until no message arrives before it is sent",
         NULL, &correct_clocks},
        {0, "explain", NULL, "also say where the longest waits come from, and how to test it", NULL,
         &explain},
        PLUGIN_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-analyze",
        .summary = "Searches a trace for wait states.",
        .usage = "silas-analyze [options] TRACE\nmpirun -np M silas-analyze [options] TRACE",
        .details =
            "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number.",
        .options = options,
        .least = 1,
        .most = 1,
        PLUGIN_PROGRAM,
    };
    return program_main_parallel(&(struct program_main){&program, check, analyze}, argc, argv);
}
