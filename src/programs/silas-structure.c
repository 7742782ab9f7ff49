/* silas-structure: finds what repeats in a trace, with any number of processes. */
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

static const char *format = "text", *output, *signal_wanted, *shortest, *levels, *cut, *together,
                  *timeline, *range, *samples, *held;
static bool rest;

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text (default) or json", &format, NULL},
    {'o', "output", "FILE", "write to FILE instead of standard output", &output, NULL},
    {'s', "signal", "NAME",
     "point-to-point, collective, computation, a region, or the end of a call path (a/b); with "
     "@COMMUNICATOR only calls on that one",
     &signal_wanted, NULL},
    {0, "shortest", "SECONDS", "shorter stretches and periods are of no use", &shortest, NULL},
    {0, "cut", "DIR", "write a representative period of each stretch into DIR", &cut, NULL},
    {0, "iterations", "K", "cut K iterations that follow each other (default: 1)", &together, NULL},
    {0, "timeline", "FILE", "write a time line with what repeats above it to FILE (HTML)",
     &timeline, NULL},
    {0, "samples", "N", "cut N parts of each stretch, spread over it (default: 1)", &samples, NULL},
    {0, "range", "RANGE", "cut TIME..TIME or REGION[#VISIT] instead, for example 1.5s..2.5s",
     &range, NULL},
    {0, "rest", NULL, "cut what does not repeat, too, so that the cuts cover the whole trace", NULL,
     &rest},
    {0, "events", "N", "of larger traces hold N events at a time (default: 6000000)", &held, NULL},
    {0, "levels", "N", "look for periods in periods down to level N (default: all)", &levels, NULL},
    {0},
};

static const char *choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? "text json" : NULL;
}

static const struct program program = {
    .name = "silas-structure",
    .summary = "Finds what repeats in a trace: iterations, and iterations inside of them.",
    .usage = "silas-structure [options] TRACE\nmpirun -np M silas-structure [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number.",
    .options = options,
    .least = 1,
    .most = 1,
    .choices = choices,
};

static struct structure_options wanted;
static long events_held = 6000000;

/* Reads a whole number from 1 to `most`. False if the text is none. */
static bool read_number(const char *text, long most, long *number)
{
    char *end;
    *number = strtol(text, &end, 10);
    return *text && !*end && *number >= 1 && *number <= most;
}

static int check(const struct program *used)
{
    long number;
    char *end;
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return options_usage_error(used, "there is no format %s; say text or json", format);
    if (shortest) {
        wanted.shortest_s = strtod(shortest, &end);
        if (*end || end == shortest || !(wanted.shortest_s > 0))
            return options_usage_error(used, "--shortest is a time in seconds above 0, not %s",
                                       shortest);
    }
    if (levels) {
        if (!read_number(levels, 100, &number))
            return options_usage_error(used, "--levels is a number from 1 to 100, not %s", levels);
        wanted.levels = (int)number;
    }
    if (held && !read_number(held, LONG_MAX, &events_held))
        return options_usage_error(used, "--events is a whole number above 0, not %s", held);
    wanted.together = wanted.samples = 1;
    if (samples && !cut)
        return options_usage_error(used, "--samples says how many parts to cut: give --cut, too");
    if (samples) {
        if (!read_number(samples, 1000, &number))
            return options_usage_error(used, "--samples is a number from 1 to 1000, not %s",
                                       samples);
        wanted.samples = (size_t)number;
    }
    if (range && (!cut || rest || together || samples))
        return options_usage_error(used, "--range says what to cut: give --cut, but neither "
                                         "--rest, --iterations nor --samples");
    if (rest && !cut)
        return options_usage_error(used, "--rest says what else to cut: give --cut, too");
    if (together && !cut)
        return options_usage_error(used, "--iterations says how many to cut: give --cut, too");
    if (together) {
        if (!read_number(together, 1000000, &number))
            return options_usage_error(used, "--iterations is a number from 1 to 1000000, not %s",
                                       together);
        wanted.together = (size_t)number;
    }
    wanted.signal = signal_wanted;
    return 0;
}

/* Collective. */
static enum status write_timeline(const struct trace *trace, const struct stretch *whole,
                                  struct error *error)
{
    const struct bands bands = {trace, whole, cut ? wanted.together : 0};
    const struct timeline_bands above = {&bands, bands_mark, bands_write};
    enum status status = trace_preflight(trace, error);
    return status == STATUS_OK ? timeline_output_of_recording(trace, &above, timeline, error)
                               : status;
}

/* Collective. The cuts get the parameters that the model finds in the whole trace, because the
 * fastest of a few messages is slower than that of many. */
static enum status write_cuts(struct trace *trace, const struct stretch *whole,
                              struct structure_cuts *cuts, struct error *error)
{
    const struct structure_cuts_options options_of_cuts = {cut, range, rest};
    struct recorded recorded;
    enum status status = recorded_make(trace, NULL, ENGINE_POLL_GAP_S, &recorded, error);
    if (status != STATUS_OK)
        return status;
    const struct machine machine = recorded.platform.machine;
    recorded_clear(&recorded);
    status = processes_agree(trace->processes, machine_keep(trace, &machine, error), error);
    if (status == STATUS_OK)
        status = structure_cuts_write(trace, whole, &options_of_cuts, cuts, error);
    return status;
}

/* Collective. */
static enum status write_result(const struct trace *trace, const struct stretch *whole,
                                const struct structure_cuts *cuts, struct error *error)
{
    struct structure_result result = {trace, whole, cuts};
    report_writer *writer =
        strcmp(format, "json") == 0 ? structure_write_json : structure_write_text;
    enum status status = STATUS_OK;
    if (trace->processes->rank == 0)
        status = report_file_write(output, writer, &result, error);
    return processes_agree(trace->processes, status, error);
}

/* Collective. Whether the trace is searched in slices: it has many events, and nothing needs all
 * of it. */
static enum status choose_slices(const char *path, struct processes *processes, bool *slices,
                                 struct error *error)
{
    struct trace_size size = {0};
    enum status status = processes->rank == 0 ? trace_peek(path, &size, error) : STATUS_OK;
    *slices = !cut && !timeline && !size.whole && size.events > (uint64_t)events_held;
    processes_broadcast(processes, slices, sizeof *slices);
    return processes_agree(processes, status, error);
}

static enum status run_slices(const char *path, struct processes *processes, struct error *error)
{
    struct trace_slices *slices = NULL;
    struct stretch *whole = NULL;
    const struct trace *trace;
    enum status status = trace_slices_open(path, processes, (uint64_t)events_held, &slices, error);
    if (status == STATUS_OK)
        status = structure_find_in_slices(slices, &wanted, &trace, &whole, error);
    if (status == STATUS_OK)
        status = write_result(trace, whole, NULL, error);
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
    if (status == STATUS_OK)
        status = structure_find(trace, &wanted, &whole, error);
    if (status == STATUS_OK && cut)
        status = write_cuts(trace, whole, &cuts, error);
    if (status == STATUS_OK && timeline)
        status = write_timeline(trace, whole, error);
    if (status == STATUS_OK)
        status = write_result(trace, whole, cut ? &cuts : NULL, error);
    structure_cuts_clear(&cuts);
    structure_destroy(whole);
    trace_destroy(trace);
    return status;
}

static enum status run(char **operands, struct processes *processes, struct error *error)
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
    return program_main_parallel(
        &(struct program_main){.program = &program, .check = check, .run = run}, argc, argv);
}
