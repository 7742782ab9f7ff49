/* silas-traffic: what the ranks of a trace send to each other, with any number of processes. */
#include "job/clocks.h"
#include "programs/local_jobs.h"
#include "programs/option_values.h"
#include "programs/output_format.h"
#include "programs/program_main.h"
#include "report/report_file.h"
#include "results/traffic/traffic.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <string.h>

enum { TEXT_WINDOWS = 10, WINDOWS = 200, MOST_WINDOWS = 100000 };

static const char *format_name, *output, *windows_text;
static bool correct_clocks;
static uint64_t window_count;
static int format; /* number in format_names */

static const char *const format_names[] = {"text", "html", "json", "csv", NULL};
static report_writer *const writers[] = {traffic_write_text, traffic_write_page, traffic_write_json,
                                         traffic_write_csv};

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text, html, json or csv; default: as FILE ends, or text",
     &format_name, NULL},
    {'o', "output", "FILE", "write to FILE instead of standard output", &output, NULL},
    {'w', "windows", "N", "divide the time into N windows; default: 10, or 200 in pages and JSON",
     &windows_text, NULL},
    {0, "correct-clocks", NULL, "move time stamps until no message arrives before it is sent", NULL,
     &correct_clocks},
    JOBS_OPTION,
    {0},
};

static const char *traffic_choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? "text html json csv" : NULL;
}

static const struct program program = {
    .name = "silas-traffic",
    .summary = "Shows what the ranks of a trace send to each other: a communication matrix, the "
               "sizes of messages,\nand messages in flight over time.",
    .usage = "silas-traffic [options] TRACE\nmpirun -np M silas-traffic [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory: a recording or a "
               "prediction. M is any number of processes.",
    .options = options,
    .least = 1,
    .most = 1,
    .choices = traffic_choices,
};

static int check_traffic_options(const struct program *used)
{
    const int code = output_format_choose(used, format_name, output, format_names, &format);
    window_count = writers[format] == traffic_write_text ? TEXT_WINDOWS : WINDOWS;
    return code ?: option_whole(used, "--windows", windows_text, 1, MOST_WINDOWS, &window_count)
                ?: local_jobs_check(used);
}

static enum status run_traffic(char **operands, struct processes *processes, struct error *error)
{
    const struct traffic *traffic = NULL;
    struct trace *trace = NULL;
    struct arena *arena = arena_create();
    enum status status = processes_agree_memory(processes, arena != NULL, "the traffic", error)
                             ?: trace_load(operands[0], processes, &trace, error)
                             ?: trace_match(trace, error);
    if (status == STATUS_OK && correct_clocks)
        status = clocks_correct(trace, error);
    status = status ?: traffic_measure(trace, (uint32_t)window_count, arena, &traffic, error);
    if (status == STATUS_OK) {
        if (processes->rank == 0)
            status = report_file_write(output, writers[format], traffic, error);
        status = processes_agree(processes, status, error);
    }
    trace_destroy(trace);
    arena_destroy(arena);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_traffic_options,
                                                        .run = run_traffic,
                                                        .jobs = local_jobs},
                                 argc, argv);
}
