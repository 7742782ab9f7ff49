/* silas-export: writes traces in formats of other tools, with any number of processes. */
#include "base/descriptors.h"
#include "base/files.h"
#include "exchange/exports/format.h"
#include "job/clocks.h"
#include "programs/local_jobs.h"
#include "programs/option_values.h"
#include "programs/program_main.h"
#include "reduce/folded.h"
#include "trace/deadlock/preflight.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *format_name, *output, *collectives, *file_size;
static uint64_t megabytes;
static const char *const collective_choices[] = {"operations", "messages", NULL};
static int messages; /* number in collective_choices */
static bool overwrite, together, correct_clocks;
static const struct export_format *format;

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "one of the formats below", &format_name, NULL},
    {'o', "output", "FILE", "write to FILE; \"-\" is standard output; simgrid also writes FILE.d",
     &output, NULL},
    {0, "collectives", "HOW",
     "operations (default), or messages: the messages that implement them; GOAL has only messages",
     &collectives, NULL},
    {0, "overwrite", NULL, "replace a directory FILE.d that silas-export has written", NULL,
     &overwrite},
    {0, "correct-clocks", NULL, "move time stamps until no message arrives before it is sent", NULL,
     &correct_clocks},
    {0, "together", NULL, "folded: sum over all ranks", NULL, &together},
    {0, "file-size", "MB",
     "perfetto: files of whole ranks, FILE-1, ..., none larger than this (2000)", &file_size, NULL},
    JOBS_OPTION,
    {0},
};

static void print_formats(void)
{
    puts("\nFormats:");
    for (const struct export_format *const *f = export_format_list; *f; f++)
        printf("  %-9s %s\n", (*f)->name, (*f)->description);
}

static const char *export_choices(const char *option)
{
    if (option && strcmp(option, "collectives") == 0)
        return "operations messages";
    return option && strcmp(option, "format") == 0 ? descriptors_names(export_format_list) : NULL;
}

static const struct program program = {
    .name = "silas-export",
    .summary = "Writes a trace for other tools: viewers, tables, simulators.",
    .usage = "silas-export --format FORMAT -o FILE [options] TRACE\n"
             "silas-export --format perfetto -o FILE [options] BEFORE AFTER\n"
             "mpirun -np M silas-export ...",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number of "
               "processes.",
    .options = options,
    .least = 1,
    .most = 2,
    .print_more = print_formats,
    .choices = export_choices,
};

static int check_export_options(const struct program *used)
{
    const char *names = descriptors_choice(export_format_list);
    if (!format_name)
        return options_usage_error(used, "--format is missing: expected %s", names);
    format = descriptors_find(export_format_list, format_name);
    if (!format)
        return options_usage_error(used, "--format %s: expected %s", format_name, names);
    if (!output || !*output)
        return options_usage_error(used, "-o FILE is missing");
    if (format->several_files && strcmp(output, "-") == 0)
        return options_usage_error(used, "the format %s has several files: use -o FILE",
                                   format->name);
    if (format->binary && strcmp(output, "-") == 0 && files_is_terminal(STDOUT_FILENO))
        return options_usage_error(used, "the format %s is binary: use -o FILE", format->name);
    if (together && !format->sums)
        return options_usage_error(used, "--together is for folded, not for %s", format->name);
    if (file_size && (!format->compares || strcmp(output, "-") == 0))
        return options_usage_error(used, "--file-size is for perfetto and -o FILE");
    return option_whole(used, "--file-size", file_size, 1, 1000000, &megabytes)
               ?: option_choice(used, "--collectives", collectives, collective_choices, &messages)
               ?: local_jobs_check(used);
}

static enum status load_for_export(const char *path, struct processes *processes,
                                   struct trace **trace, struct error *error)
{
    enum status status = trace_load(path, processes, trace, error) ?: trace_match(*trace, error);
    if (status == STATUS_OK && correct_clocks)
        status = clocks_correct(*trace, error);
    if (status == STATUS_OK)
        folded_say(*trace);
    if (status == STATUS_OK && format->runs)
        status = trace_preflight(*trace, error);
    return status;
}

static enum status run_export(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL, *beside = NULL;
    struct export_options how = {
        .path = output,
        .messages = messages,
        .overwrite = overwrite,
        .together = together,
        .largest = megabytes * 1000000,
        .labels = {operands[0], operands[1]},
    };
    if (operands[1] && !format->compares)
        return error_set(error, STATUS_USAGE, "%s takes one trace, not two", format->name);
    enum status status = load_for_export(operands[0], processes, &trace, error);
    if (status == STATUS_OK && operands[1])
        status = load_for_export(operands[1], processes, &beside, error);
    how.beside = beside;
    if (status == STATUS_OK)
        status = format->write(trace, &how, error);
    trace_destroy(beside);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_export_options,
                                                        .run = run_export,
                                                        .jobs = local_jobs},
                                 argc, argv);
}
