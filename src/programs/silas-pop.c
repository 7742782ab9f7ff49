/* silas-pop: POP's efficiencies of one or several recordings, with any number of processes. */
#include "results/efficiency/recording.h"
#include "job/clocks.h"
#include "programs/local_jobs.h"
#include "programs/option_values.h"
#include "programs/output_format.h"
#include "programs/pop_variation.h"
#include "programs/program_main.h"
#include "report/report_file.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 10, WINDOWS = 10, MOST_WINDOWS = 100000 };

static const char *format_name, *output, *scaling_name, *regions_text, *windows_text;
static bool iterations, correct_clocks, variation;
static enum scaling scaling = SCALING_NONE;
static uint64_t region_count = REGIONS, window_count = WINDOWS;
static int format; /* number in format_names */

static const char *const format_names[] = {"text", "html", "json", "csv", NULL};
static report_writer *const writers[] = {recordings_write_text, recordings_write_page,
                                         recordings_write_json, recordings_write_csv};

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text, html, json or csv; default: as FILE ends, or text",
     &format_name, NULL},
    {'o', "output", "FILE", "write to FILE instead of standard output", &output, NULL},
    {'s', "scaling", "KIND",
     "strong (default): the same problem on more ranks; weak: a problem that grows with the ranks",
     &scaling_name, NULL},
    {'r', "regions", "N",
     "text: show the N regions with the most time; default: 10, or none for several recordings",
     &regions_text, NULL},
    {'w', "windows", "N",
     "divide the time into N windows; default: 10, or none for several recordings", &windows_text,
     NULL},
    {'i', "iterations", NULL,
     "show each iteration of the main loop; takes about one second per million events", NULL,
     &iterations},
    {0, "variation", NULL,
     "show what differences between ranks, between iterations, and noise cost, by the model", NULL,
     &variation},
    {0, "correct-clocks", NULL, "move time stamps until no message arrives before it is sent", NULL,
     &correct_clocks},
    JOBS_OPTION,
    {0},
};

static const char *pop_choices(const char *option)
{
    if (option && strcmp(option, "format") == 0)
        return "text html json csv";
    return option && strcmp(option, "scaling") == 0 ? "strong weak" : NULL;
}

static const struct program program = {
    .name = "silas-pop",
    .summary = "Computes POP's efficiencies of one or several recordings, and how they scale.",
    .usage = "silas-pop [options] RECORDING ...\nmpirun -np M silas-pop [options] RECORDING ...",
    .details = "RECORDING is a trace (the anchor file of an OTF2 archive, or its directory), the "
               "output directory of silas-replay\nor silas-model (the changed program), or a JSON "
               "file that silas-analyze or silas-pop has written. M is any number "
               "of processes.",
    .options = options,
    .least = 1,
    .most = -1,
    .choices = pop_choices,
};

static int check_pop_options(const struct program *used)
{
    static const char *const kinds[] = {"strong", "weak", NULL};
    int weak = 0;
    const int code = output_format_choose(used, format_name, output, format_names, &format)
                         ?: option_choice(used, "--scaling", scaling_name, kinds, &weak)
                         ?: option_whole(used, "--regions", regions_text, 0, INT_MAX, &region_count)
                         ?: option_whole(used, "--windows", windows_text, 0, MOST_WINDOWS,
                                         &window_count)
                         ?: local_jobs_check(used);
    if (scaling_name)
        scaling = weak ? SCALING_WEAK : SCALING_STRONG;
    return code;
}

static enum status measure_trace(const char *path, struct processes *processes, struct arena *arena,
                                 struct pop_recording *recording, struct error *error)
{
    const struct pop_options wanted = {
        .regions = true, .iterations = iterations, .windows = (uint32_t)window_count};
    struct trace *trace = NULL;
    enum status status = trace_load(path, processes, &trace, error) ?: trace_match(trace, error);
    if (status == STATUS_OK && correct_clocks)
        status = clocks_correct(trace, error);
    status = status ?: pop_measure(trace, &wanted, arena, &recording->pop, error);
    if (status == STATUS_OK && variation)
        status = pop_variation_find(
            trace, processes->rank == 0 ? recording->pop->rows[0].factors.time_s : NAN, arena,
            &recording->variation, error);
    trace_destroy(trace);
    return status;
}

/* Collective. */
static enum status open_recording(const char *path, struct processes *processes,
                                  struct arena *arena, struct pop_recording *recording,
                                  struct error *error)
{
    char file[PATH_MAX];
    int64_t is_file = processes->rank == 0 && recording_is_file(path, file);
    *recording = (struct pop_recording){.path = path, .variation = {NAN, NAN, NAN, NULL, 0}};
    processes_max(processes, &is_file, 1);
    if (!is_file)
        return measure_trace(path, processes, arena, recording, error);
    enum status status = STATUS_OK;
    if (processes->rank == 0)
        status = recording_read(file, arena, &recording->pop, error);
    return processes_agree(processes, status, error);
}

static enum status run_pop(char **operands, struct processes *processes, struct error *error)
{
    struct pop_recordings recordings = {.regions = (size_t)region_count};
    while (operands[recordings.count])
        recordings.count++;
    recordings.parts = recordings.count == 1 || regions_text || windows_text || iterations;
    if (recordings.count > 1 && !regions_text)
        recordings.regions = 0;
    if (recordings.count > 1 && !windows_text)
        window_count = 0;
    recordings.windows = window_count > 0;
    struct arena *arena = arena_create();
    if (arena)
        recordings.items = arena_alloc_array(arena, recordings.count, sizeof *recordings.items);
    enum status status =
        processes_agree_memory(processes, recordings.items != NULL, "the recordings", error);
    for (size_t i = 0; i < recordings.count && status == STATUS_OK; i++)
        status = open_recording(operands[i], processes, arena, &recordings.items[i], error);
    if (status == STATUS_OK) {
        if (processes->rank == 0) {
            recordings_scale(&recordings, scaling);
            status = report_file_write(output, writers[format], &recordings, error);
        }
        status = processes_agree(processes, status, error);
    }
    arena_destroy(arena);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){
            .program = &program, .check = check_pop_options, .run = run_pop, .jobs = local_jobs},
        argc, argv);
}
