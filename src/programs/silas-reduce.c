/* silas-reduce: writes a smaller trace with the same predictions, with any number of processes. */
#include "base/log.h"
#include "trace/folded/loops.h"
#include "patterns/search.h"
#include "programs/local_jobs.h"
#include "programs/output_format.h"
#include "programs/program_main.h"
#include "programs/reduce_output.h"
#include "reduce/folded.h"
#include "reduce/reduce.h"
#include "reduce/resolve.h"
#include "reduce/rounding.h"
#include "replay/engine.h"
#include "report/report_file.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/save/save.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without --assume, predictions may remove waits of at least this part of T. */
static const double LEAST_WAIT_PART = 1e-3;

static const char *format_name, *directory;
static int format; /* number in format_names */
static const char *const format_names[] = {"text", "json", NULL};
static report_writer *const writers[] = {reduce_write_text, reduce_write_json};
static const char *error_text;
static double error_of_t; /* of --error; 0: exact */
static bool loops, expand, profile_only, terms;
static const char *assumed[OPTION_REPEATS];

static const struct option_spec options[] = {
    {'o', "output", "DIR", "directory for the reduced archive; must not exist", &directory, NULL},
    {'a', "assume", "TEXT ...",
     "the hypotheses of later predictions: \"scale region=foo\", \"waits at_least=1ms\", "
     "\"computation at_least=1ms\", ... or a "
     "configuration; may be repeated (default: waits of at least 0.1 % of T)",
     assumed, NULL},
    {0, "profile-only", NULL,
     "of folded calls, keep visits, time and bytes, but not wait states; takes half the time", NULL,
     &profile_only},
    {0, "terms", NULL, "fold only what silas-trace --reduce folds, which is less", NULL, &terms},
    {0, "loops", NULL, "store repeated events once, with all their durations; nothing is lost",
     NULL, &loops},
    {0, "error", "PERCENT",
     "with --loops: round durations; predictions change by less than PERCENT of T", &error_text,
     NULL},
    {0, "expand", NULL, "write TRACE, which has folded loops, as a plain OTF2 archive", NULL,
     &expand},
    {'f', "format", "FORMAT", "format of the summary: text (default) or json", &format_name, NULL},
    JOBS_OPTION,
    {0},
};

static const char *reduce_choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? "text json" : NULL;
}

static const struct program program = {
    .name = "silas-reduce",
    .summary = "Writes a smaller trace, for which the model predicts the same.",
    .usage =
        "silas-reduce [options] TRACE -o DIR\nmpirun -np M silas-reduce [options] TRACE -o DIR",
    .details = "TRACE is the anchor file of an OTF2 archive, its directory, or a trace with folded "
               "loops. M is any number of processes.",
    .options = options,
    .least = 1,
    .most = 1,
    .choices = reduce_choices,
};

static int check_reduce_options(const struct program *used)
{
    if (loops + expand + (assumed[0] != NULL) > 1)
        return options_usage_error(
            used, "--assume, --loops and --expand exclude each other; run silas-reduce "
                  "again on the output of the first");
    if (error_text) {
        char *end;
        error_of_t = strtod(error_text, &end) / 100;
        if (end == error_text || (*end && strcmp(end, "%") != 0) ||
            !(error_of_t > 0 && error_of_t < 1))
            return options_usage_error(
                used, "--error %s: expected a percentage above 0, such as 0.1%%", error_text);
        if (!loops)
            return options_usage_error(used, "--error needs --loops, whose durations it rounds");
    }
    if (!directory)
        return options_usage_error(used, "-o DIR is missing");
    return output_format_choose(used, format_name, NULL, format_names, &format)
               ?: local_jobs_check(used);
}

/* The size of a file, or of all files in a directory; 0 if there is none. */
static int64_t file_bytes(const char *path)
{
    struct stat info;
    int64_t bytes = 0;
    if (stat(path, &info) != 0)
        return 0;
    DIR *folder = S_ISDIR(info.st_mode) ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        char file[PATH_MAX];
        int length = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (length < PATH_MAX && stat(file, &info) == 0 && S_ISREG(info.st_mode))
            bytes += info.st_size;
    }
    if (folder)
        closedir(folder);
    return folder ? bytes : info.st_size;
}

/* The size of an archive: anchor file, definitions, and the folder of events. */
static int64_t archive_bytes(const char *anchor)
{
    char path[PATH_MAX];
    const char *dot = strrchr(anchor, '.');
    int stem = (int)(dot ? dot - anchor : (long)strlen(anchor));
    int64_t bytes = file_bytes(anchor);
    if (snprintf(path, sizeof path, "%.*s.def", stem, anchor) < PATH_MAX)
        bytes += file_bytes(path);
    if (snprintf(path, sizeof path, "%.*s", stem, anchor) < PATH_MAX)
        bytes += file_bytes(path);
    return bytes;
}

/* Reads --assume, or makes its default. */
static enum status read_reduce_options(const struct trace *trace, struct assumptions *assumptions,
                                       struct error *error)
{
    char text[64];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < OPTION_REPEATS && assumed[i] && status == STATUS_OK; i++)
        status = assumptions_add(assumptions, &assumable_hypotheses, assumed[i], error);
    if (assumed[0])
        return status
                   ?: assumptions_expand(assumptions, trace, error)
                   ?: assumptions_check_further(trace, assumptions, error);
    snprintf(text, sizeof text, "waits at_least=%.9g",
             LEAST_WAIT_PART * trace_seconds(trace, (double)(trace->end - trace->begin)));
    status = assumptions_add(assumptions, &assumable_hypotheses, text, error);
    return status ?: assumptions_check_further(trace, assumptions, error);
}

extern const struct pattern volume_pattern, one_sided_volume_pattern, folded_pattern;

/* Collective. Stores the profile and the wait states of the whole trace in the reduced one. */
static enum status keep_profile(const struct trace *trace, struct trace *reduced,
                                struct error *error)
{
    bool again = definitions_property(trace->definitions, SILAS_PROPERTY_FOLDED) != NULL;
    const struct pattern *const volumes[] = {&volume_pattern, &one_sided_volume_pattern,
                                             again ? &folded_pattern : NULL, NULL};
    const struct pattern *const *patterns = profile_only ? volumes : pattern_list();
    struct severity *full = NULL, *left = NULL;
    enum status status = pattern_search_for(trace, patterns, NULL, &full, error)
                             ?: pattern_search_for(reduced, patterns, NULL, &left, error)
                             ?: folded_set(reduced, full, left, error);
    severity_destroy(full);
    severity_destroy(left);
    return processes_agree(trace->processes, status, error);
}

static enum status set_reduce_properties(struct trace *reduced, const struct reduce_result *result,
                                         struct error *error)
{
    const char *earlier = definitions_property(reduced->definitions, SILAS_PROPERTY_REDUCED);
    int64_t events = result->events_before, bytes = result->bytes_before;
    char text[128];
    if (earlier) /* the sizes of the first recording */
        sscanf(earlier, "%" SCNd64 " %*d %" SCNd64, &events, &bytes);
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, events,
             result->events_after, bytes, result->bytes_after);
    enum status status =
        property_set(reduced, SILAS_PROPERTY_REDUCED, text, error)
            ?: property_set(reduced, SILAS_PROPERTY_ASSUMED, result->assumptions, error);
    return processes_agree(reduced->processes, status, error);
}

/* Collective. */
static enum status reduce_recording(const struct trace *trace,
                                    const struct assumptions *assumptions, struct trace **reduced,
                                    struct reduction_counts *counts, struct error *error)
{
    struct resolved resolved;
    struct machine machine;
    enum status status = assumptions_resolve(assumptions, trace, &resolved, error);
    resolved.input.terms = terms;
    if (status == STATUS_OK && resolved.everything)
        log_warning("%s: an assumption changes the costs or waits of all calls, so no call folds",
                    trace->path);
    status = status ?: reduction_make(trace, &resolved.input, reduced, &machine, counts, error)
                 ?: processes_agree(trace->processes, machine_keep(*reduced, &machine, error),
                                    error)
                 ?: keep_profile(trace, *reduced, error);
    resolved_clear(&resolved);
    return status;
}

static enum status print_reduction(const struct reduce_result *result, struct error *error)
{
    return report_file_write(NULL, writers[format], result, error);
}

/* Collective. Finds how far time stamps may move. It loads the trace separately, because the search
 * matches the trace, which is written as it was recorded. */
static enum status find_bound(const char *path, struct processes *processes,
                              struct rounding_bound *bound, struct error *error)
{
    struct trace *trace = NULL;
    enum status status =
        trace_load(path, processes, &trace, error)
            ?: trace_match(trace, error)
            ?: rounding_find(trace, error_of_t, bound, error);
    trace_destroy(trace);
    return status;
}

/* Stores in the archive how times were rounded, and the parameters for which the bound holds. */
static enum status store_bound(struct trace *trace, const struct rounding_bound *bound,
                               struct error *error)
{
    char text[64];
    snprintf(text, sizeof text, "%.6g %.6g", bound->error,
             trace_seconds(trace, (double)bound->quantum));
    enum status status = property_set(trace, SILAS_PROPERTY_ROUNDED, text, error)
                             ?: machine_keep(trace, &bound->machine, error);
    return processes_agree(trace->processes, status, error);
}

/* Collective. Writes the trace as it was loaded: with folded loops, or plain. */
static enum status rewrite_archive(char **operands, struct processes *processes,
                                   struct error *error)
{
    struct trace *trace = NULL;
    struct rounding_bound bound = {.quantum = 0};
    struct loops_outcome outcome = {0};
    enum status status = STATUS_OK;
    if (error_of_t > 0)
        status = find_bound(operands[0], processes, &bound, error);
    log_open(program.name, error_of_t == 0 && processes->rank == 0); /* warnings once only */
    status = status ?: trace_load(operands[0], processes, &trace, error);
    log_open(program.name, processes->rank == 0);
    if (status == STATUS_OK && bound.quantum > 0)
        status = store_bound(trace, &bound, error);
    const struct loops_options rounded = {.quantum = bound.quantum};
    if (status == STATUS_OK)
        status = loops ? loops_write(trace, directory, &rounded, &outcome, error)
                       : trace_save(trace, directory, error);
    if (status == STATUS_OK) {
        char written[PATH_MAX];
        struct reduce_result result = {.path = operands[0],
                                       .directory = directory,
                                       .assumptions = "",
                                       .loops = loops ? &outcome : NULL,
                                       .error_of_t = error_of_t,
                                       .tick_s = trace_seconds(trace, 1),
                                       .quantum = bound.quantum,
                                       .bytes_before = archive_bytes(trace->path)};
        result.events_before = result.events_after = trace_count_events(trace);
        if (snprintf(written, sizeof written, "%s/%s", directory,
                     loops ? LOOPS_FILE_NAME : "traces.otf2") < PATH_MAX)
            result.bytes_after = archive_bytes(written);
        if (processes->rank == 0)
            status = print_reduction(&result, error);
    }
    status = processes_agree(processes, status, error);
    trace_destroy(trace);
    return status;
}

/* Collective. Writes the reduced archive, and prints its size. */
static enum status write_reduced_archive(const struct trace *trace, struct trace *reduced,
                                         const struct reduction_counts *counts,
                                         const char *assumptions, struct error *error)
{
    const struct processes *processes = trace->processes;
    char anchor[PATH_MAX] = "";
    struct reduce_result result = {
        .path = trace->path,
        .directory = directory,
        .assumptions = assumptions,
        .events_before = counts->events,
        .events_after = counts->events_left,
        .messages_before = counts->messages,
        .messages_after = counts->messages_left,
        .operations_before = counts->operations,
        .operations_after = counts->operations_left,
        .bytes_before = processes->rank == 0 ? archive_bytes(trace->path) : 0,
    };
    processes_sum(processes, &result.bytes_before, 1);
    enum status status =
        set_reduce_properties(reduced, &result, error) ?: trace_save(reduced, directory, error);
    if (status == STATUS_OK && processes->rank == 0) {
        if (snprintf(anchor, sizeof anchor, "%s/traces.otf2", directory) < PATH_MAX)
            result.bytes_after = archive_bytes(anchor);
        status = print_reduction(&result, error);
    }
    return processes_agree(processes, status, error);
}

/* Collective. */
static enum status check_new_directory(const struct processes *processes, struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0 && access(directory, F_OK) == 0)
        status = error_set(error, STATUS_INPUT, "%s exists; remove it, or choose another directory",
                           directory);
    return processes_agree(processes, status, error);
}

static enum status run_reduce(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL, *reduced = NULL;
    struct assumptions assumptions = {.arena = NULL};
    struct reduction_counts counts;
    char *text = NULL;
    enum status status = check_new_directory(processes, error);
    if (status != STATUS_OK || loops || expand)
        return status ?: rewrite_archive(operands, processes, error);
    status = trace_load(operands[0], processes, &trace, error) ?: trace_match(trace, error);
    if (status == STATUS_OK) {
        status = processes_agree(processes, read_reduce_options(trace, &assumptions, error), error);
        text = assumptions_text(&assumptions);
    }
    status = status ?: processes_agree_memory(processes, text != NULL, "the assumptions", error)
                 ?: reduce_recording(trace, &assumptions, &reduced, &counts, error)
                 ?: write_reduced_archive(trace, reduced, &counts, text, error);
    free(text);
    assumptions_clear(&assumptions);
    trace_destroy(reduced);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_reduce_options,
                                                        .run = run_reduce,
                                                        .jobs = local_jobs},
                                 argc, argv);
}
