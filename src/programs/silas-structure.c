/* silas-structure: finds what repeats in a trace, with any number of processes. */
#include "programs/local_jobs.h"
#include "programs/option_values.h"
#include "programs/output_format.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/structure_output.h"
#include "job/timeline_output.h"
#include "reduce/folded.h"
#include "replay/engine.h"
#include "replay/costs/recorded.h"
#include "report/report_file.h"
#include "structure/bands.h"
#include "structure/in_slices.h"
#include "trace/deadlock/preflight.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/threads.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *format_name, *output, *signal_wanted, *shortest, *levels, *cut, *together,
    *timeline, *range, *samples, *held;
static bool rest;

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text, html or json; default: as FILE ends, or text", &format_name,
     NULL},
    {'o', "output", "FILE", "write to FILE instead of standard output", &output, NULL},
    {'s', "signal", "NAME",
     "search in the times of: point-to-point, collective, computation, a region, or the end of a\n"
     "call path (a/b); with @COMMUNICATOR, only of calls on that communicator; or search in\n"
     "counter:PAPI_TOT_INS, a counter of the archive, or in a signal of a plug-in",
     &signal_wanted, NULL},
    {0, "shortest", "SECONDS", "ignore stretches and periods that are shorter", &shortest, NULL},
    {0, "cut", "DIR", "write a representative period of each stretch into DIR", &cut, NULL},
    {0, "iterations", "K", "cut K successive iterations (default: 1)", &together, NULL},
    {0, "timeline", "FILE", "write a time line with the repeated stretches to FILE (HTML)",
     &timeline, NULL},
    {0, "samples", "N", "cut N parts of each stretch, evenly spread (default: 1)", &samples, NULL},
    {0, "range", "RANGE", "cut TIME..TIME or REGION[#VISIT] instead, for example 1.5s..2.5s",
     &range, NULL},
    {0, "rest", NULL, "also cut what does not repeat, so that the cuts cover the whole trace", NULL,
     &rest},
    {0, "events", "N", "read larger traces in slices of N events (default: 6000000)", &held, NULL},
    {0, "levels", "N", "search for periods within periods down to level N (default: all)", &levels,
     NULL},
    JOBS_OPTION,
    PLUGIN_OPTION,
    {0},
};

static const char *structure_choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? "text html json" : NULL;
}

static const struct program program = {
    .name = "silas-structure",
    .summary = "Finds what repeats in a trace: iterations, and iterations within iterations.",
    .usage = "silas-structure [options] TRACE\nmpirun -np M silas-structure [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number of "
               "processes.",
    .options = options,
    PLUGIN_PROGRAM,
    .least = 1,
    .most = 1,
    .choices = structure_choices,
};

static struct structure_options wanted;
static uint64_t events_held = 6000000;
static int format; /* number in format_names */

static const char *const format_names[] = {"text", "html", "json", NULL};
static report_writer *const writers[] = {structure_write_text, structure_write_page,
                                         structure_write_json};

/* Checks options that need --cut, and those that --range excludes. */
static int check_cut_options(const struct program *used)
{
    if (range && (!cut || rest || together || samples))
        return options_usage_error(
            used, "--range needs --cut, and excludes --rest, --iterations and --samples");
    if (!cut && (samples || rest || together))
        return options_usage_error(used, "%s needs --cut DIR",
                                   samples ? "--samples"
                                   : rest  ? "--rest"
                                           : "--iterations");
    return 0;
}

static int check_structure_options(const struct program *used)
{
    uint64_t most_levels = 0, iterations = 1, parts = 1;
    const int code = output_format_choose(used, format_name, output, format_names, &format)
                         ?: option_seconds(used, "--shortest", shortest, false, &wanted.shortest_s)
                         ?: option_whole(used, "--levels", levels, 1, 100, &most_levels)
                         ?: option_whole(used, "--events", held, 1, INT64_MAX, &events_held)
                         ?: check_cut_options(used)
                         ?: option_whole(used, "--samples", samples, 1, 1000, &parts)
                         ?: option_whole(used, "--iterations", together, 1, 1000000, &iterations)
                         ?: local_jobs_check(used);
    wanted.levels = (int)most_levels;
    wanted.samples = (size_t)parts;
    wanted.together = (size_t)iterations;
    wanted.cuts = cut != NULL;
    wanted.signal = signal_wanted;
    return code;
}

/* Collective. */
static enum status write_band_timeline(const struct trace *trace, const struct stretch *whole,
                                       struct error *error)
{
    const struct bands bands = {trace, whole, cut ? wanted.together : 0};
    const struct timeline_bands above = {&bands, bands_mark, bands_write};
    enum status status = trace_preflight(trace, error);
    return status ?: timeline_output_of_recording(trace, &above, timeline, error);
}

/* Collective. Writes the cuts, with the network parameters that the model finds in the whole trace:
 * the fastest of a few messages would be slower than the fastest of all. */
static enum status make_cuts(struct trace *trace, const struct stretch *whole,
                             struct structure_cuts *cuts, struct error *error)
{
    const struct structure_cuts_options options_of_cuts = {cut, range, rest};
    struct recorded recorded;
    enum status status = recorded_make(trace, NULL, 0, &recorded, error);
    if (status != STATUS_OK)
        return status;
    const struct machine machine = recorded.platform.machine;
    recorded_clear(&recorded);
    status = processes_agree(trace->processes, machine_keep(trace, &machine, error), error)
                 ?: structure_cuts_write(trace, whole, &options_of_cuts, cuts, error);
    return status;
}

/* Collective. */
static enum status write_stretches(const struct trace *trace, const struct stretch *whole,
                                   const struct structure_cuts *cuts, struct error *error)
{
    struct structure_result result = {trace, whole, cuts};
    enum status status = STATUS_OK;
    if (trace->processes->rank == 0)
        status = report_file_write(output, writers[format], &result, error);
    return processes_agree(trace->processes, status, error);
}

/* Collective. Decides to search the trace in slices if it has many events and no output needs the
 * whole trace at once. */
static enum status choose_slices(const char *path, struct processes *processes, bool *slices,
                                 struct error *error)
{
    struct trace_size size = {0};
    enum status status = processes->rank == 0 ? trace_peek(path, &size, error) : STATUS_OK;
    *slices = !cut && !timeline && !signal_is_counter(signal_wanted) && !size.whole &&
              size.events > events_held;
    processes_broadcast(processes, slices, sizeof *slices);
    return processes_agree(processes, status, error);
}

static enum status run_slices(const char *path, struct processes *processes, struct error *error)
{
    struct trace_slices *slices = NULL;
    struct stretch *whole = NULL;
    const struct trace *trace;
    enum status status = trace_slices_open(path, processes, events_held, &slices, error)
                             ?: structure_find_in_slices(slices, &wanted, &trace, &whole, error)
                             ?: write_stretches(trace, whole, NULL, error);
    structure_destroy(whole);
    trace_slices_close(slices);
    return status;
}

static enum status run_whole(const char *path, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    struct stretch *whole = NULL;
    struct structure_cuts cuts = {0};
    enum status status = trace_load(path, processes, &trace, error);
    if (status == STATUS_OK && cut)
        status = threads_refuse(trace->definitions, trace->path, "silas-structure --cut", error);
    if (status == STATUS_OK && (cut || timeline))
        status = trace_match(trace, error);
    status = status ?: structure_find(trace, &wanted, &whole, error);
    if (status == STATUS_OK && cut)
        status = make_cuts(trace, whole, &cuts, error);
    if (status == STATUS_OK && timeline)
        status = write_band_timeline(trace, whole, error);
    status = status ?: write_stretches(trace, whole, cut ? &cuts : NULL, error);
    structure_cuts_clear(&cuts);
    structure_destroy(whole);
    trace_destroy(trace);
    return status;
}

static enum status run_structure(char **operands, struct processes *processes, struct error *error)
{
    bool slices;
    enum status status = choose_slices(operands[0], processes, &slices, error);
    if (status != STATUS_OK)
        return status;
    return slices ? run_slices(operands[0], processes, error)
                  : run_whole(operands[0], processes, error);
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_structure_options,
                                                        .run = run_structure,
                                                        .jobs = local_jobs},
                                 argc, argv);
}
