/* silas-reduce: writes a smaller trace that answers the same, with any number of processes. */
#include "base/log.h"
#include "trace/folded/loops.h"
#include "patterns/search.h"
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
#include "trace/threads.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_WAIT_T 1e-3 /* without --assume: waits of this part of the run time may change */

static const char *format = "text", *directory;
static const char *error_text;
static double error_of_t; /* of --error; 0: exact */
static bool loops, expand, profile_only, terms;
static const char *assumed[OPTION_REPEATS];

static const struct option_spec options[] = {
    {'o', "output", "DIR", "where the reduced archive is written; must not exist", &directory,
     NULL},
    {'a', "assume", "TEXT ...",
     "what predictions will assume: \"scale region=foo\", \"waits at_least=1ms\", ... or a "
     "configuration; may be repeated (default: waits of 0.1 % of the run time and more)",
     assumed, NULL},
    {0, "profile-only", NULL,
     "keep visits, time and bytes of what folds, but not its wait states: takes half the time",
     NULL, &profile_only},
    {0, "terms", NULL, "decide as silas-trace --reduce does: less folds", NULL, &terms},
    {0, "loops", NULL, "store what repeats once and all durations beside it; nothing is left out",
     NULL, &loops},
    {0, "error", "PERCENT", "with --loops: round durations; predictions change by less than that",
     &error_text, NULL},
    {0, "expand", NULL, "write TRACE (with folded loops) as a plain OTF2 archive", NULL, &expand},
    {'f', "format", "FORMAT", "of the summary: text (default) or json", &format, NULL},
    {0},
};

static const char *choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? "text json" : NULL;
}

static const struct program program = {
    .name = "silas-reduce",
    .summary = "Writes a smaller trace, from which the model predicts the same.",
    .usage =
        "silas-reduce [options] TRACE -o DIR\nmpirun -np M silas-reduce [options] TRACE -o DIR",
    .details = "TRACE is the anchor file of an OTF2 archive, its directory, or a trace with folded "
               "loops. M is any number.",
    .options = options,
    .least = 1,
    .most = 1,
    .choices = choices,
};

static int check(const struct program *used)
{
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return options_usage_error(used, "there is no format %s; say text or json", format);
    if (loops + expand + (assumed[0] != NULL) > 1)
        return options_usage_error(used, "--assume, --loops and --expand exclude each other; give "
                                         "the output of one to the next");
    if (error_text) {
        char *end;
        error_of_t = strtod(error_text, &end) / 100;
        if (end == error_text || (*end && strcmp(end, "%") != 0) ||
            !(error_of_t > 0 && error_of_t < 1))
            return options_usage_error(used, "--error is a percentage above 0, as 0.1%%, not %s",
                                       error_text);
        if (!loops)
            return options_usage_error(used, "--error rounds the durations of --loops: say both");
    }
    return directory ? 0 : options_usage_error(used, "say where to write: -o DIR");
}

/* The size of a file, or of all files in a directory; 0 if there is none. */
static int64_t bytes_of(const char *path)
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
    int64_t bytes = bytes_of(anchor);
    if (snprintf(path, sizeof path, "%.*s.def", stem, anchor) < PATH_MAX)
        bytes += bytes_of(path);
    if (snprintf(path, sizeof path, "%.*s", stem, anchor) < PATH_MAX)
        bytes += bytes_of(path);
    return bytes;
}

/* What --assume says, or the default. */
static enum status read_assumptions(const struct trace *trace, struct assumptions *assumptions,
                                    struct error *error)
{
    char text[64];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < OPTION_REPEATS && assumed[i] && status == STATUS_OK; i++)
        status = assumptions_add(assumptions, &assumable_hypotheses, assumed[i], error);
    if (assumed[0])
        return status == STATUS_OK ? assumptions_check_further(trace, assumptions, error) : status;
    snprintf(text, sizeof text, "waits at_least=%.9g",
             LEAST_WAIT_T * trace_seconds(trace, (double)(trace->end - trace->begin)));
    status = assumptions_add(assumptions, &assumable_hypotheses, text, error);
    return status == STATUS_OK ? assumptions_check_further(trace, assumptions, error) : status;
}

extern const struct pattern volume_pattern, one_sided_volume_pattern, folded_pattern;

/* Collective. Lets the reduced trace keep the profile and the wait states of the whole. */
static enum status keep_profile(const struct trace *trace, struct trace *reduced,
                                struct error *error)
{
    bool again = definitions_property(trace->definitions, SILAS_PROPERTY_FOLDED) != NULL;
    const struct pattern *const volumes[] = {&volume_pattern, &one_sided_volume_pattern,
                                             again ? &folded_pattern : NULL, NULL};
    const struct pattern *const *patterns = profile_only ? volumes : pattern_list();
    struct severity *full = NULL, *left = NULL;
    enum status status = pattern_search_for(trace, patterns, NULL, &full, error);
    if (status == STATUS_OK)
        status = pattern_search_for(reduced, patterns, NULL, &left, error);
    if (status == STATUS_OK)
        status = folded_set(reduced, full, left, error);
    severity_destroy(full);
    severity_destroy(left);
    return processes_agree(trace->processes, status, error);
}

static enum status set_properties(struct trace *reduced, const struct reduce_result *result,
                                  struct error *error)
{
    const char *earlier = definitions_property(reduced->definitions, SILAS_PROPERTY_REDUCED);
    int64_t events = result->events_before, bytes = result->bytes_before;
    char text[128];
    if (earlier) /* of the whole recording */
        sscanf(earlier, "%" SCNd64 " %*d %" SCNd64, &events, &bytes);
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, events,
             result->events_after, bytes, result->bytes_after);
    enum status status = property_set(reduced, SILAS_PROPERTY_REDUCED, text, error);
    if (status == STATUS_OK)
        status = property_set(reduced, SILAS_PROPERTY_ASSUMED, result->assumptions, error);
    return processes_agree(reduced->processes, status, error);
}

/* Collective. */
static enum status reduce(const struct trace *trace, const struct assumptions *assumptions,
                          struct trace **reduced, struct reduction_counts *counts,
                          struct error *error)
{
    struct resolved resolved;
    struct machine machine;
    enum status status = assumptions_resolve(assumptions, trace, &resolved, error);
    resolved.input.poll_gap_s = ENGINE_POLL_GAP_S;
    resolved.input.terms = terms;
    if (status == STATUS_OK && resolved.everything)
        log_warning("%s: an assumption changes what all calls cost or wait for, so no call folds",
                    trace->path);
    if (status == STATUS_OK)
        status = reduction_make(trace, &resolved.input, reduced, &machine, counts, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes, machine_keep(*reduced, &machine, error), error);
    if (status == STATUS_OK)
        status = keep_profile(trace, *reduced, error);
    resolved_clear(&resolved);
    return status;
}

static enum status write_result(const struct reduce_result *result, struct error *error)
{
    bool is_json = strcmp(format, "json") == 0;
    return report_file_write(NULL, is_json ? reduce_write_json : reduce_write_text, result, error);
}

/* Collective. How far time stamps may move; the trace is loaded for itself, as it must be matched
 * for that, and is written as it was recorded. */
static enum status find_bound(const char *path, struct processes *processes,
                              struct rounding_bound *bound, struct error *error)
{
    struct trace *trace = NULL;
    enum status status = trace_load(path, processes, &trace, error);
    if (status == STATUS_OK)
        status = threads_refuse(trace->definitions, trace->path, "silas-reduce", error);
    if (status == STATUS_OK)
        status = trace_match(trace, error);
    if (status == STATUS_OK)
        status = rounding_find(trace, error_of_t, bound, error);
    trace_destroy(trace);
    return status;
}

/* Says in the archive what was rounded, and keeps the parameters that the bound holds for. */
static enum status say_bound(struct trace *trace, const struct rounding_bound *bound,
                             struct error *error)
{
    char text[64];
    snprintf(text, sizeof text, "%.6g %.6g", bound->error,
             trace_seconds(trace, (double)bound->quantum));
    enum status status = property_set(trace, SILAS_PROPERTY_ROUNDED, text, error);
    if (status == STATUS_OK)
        status = machine_keep(trace, &bound->machine, error);
    return processes_agree(trace->processes, status, error);
}

/* Collective. Writes the trace as it was loaded: with folded loops, or plain. */
static enum status rewrite(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    struct rounding_bound bound = {.quantum = 0};
    struct loops_outcome outcome = {0};
    enum status status = STATUS_OK;
    if (error_of_t > 0)
        status = find_bound(operands[0], processes, &bound, error);
    log_open(program.name, error_of_t == 0 && processes->rank == 0); /* warnings once only */
    if (status == STATUS_OK)
        status = trace_load(operands[0], processes, &trace, error);
    if (status == STATUS_OK)
        status = threads_refuse(trace->definitions, trace->path, "silas-reduce", error);
    log_open(program.name, processes->rank == 0);
    if (status == STATUS_OK && bound.quantum > 0)
        status = say_bound(trace, &bound, error);
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
            status = write_result(&result, error);
    }
    status = processes_agree(processes, status, error);
    trace_destroy(trace);
    return status;
}

/* Collective. Writes the reduced archive, and says what is left. */
static enum status write_reduced(const struct trace *trace, struct trace *reduced,
                                 const struct reduction_counts *counts, const char *assumptions,
                                 struct error *error)
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
    enum status status = set_properties(reduced, &result, error);
    if (status == STATUS_OK)
        status = trace_save(reduced, directory, error);
    if (status == STATUS_OK && processes->rank == 0) {
        if (snprintf(anchor, sizeof anchor, "%s/traces.otf2", directory) < PATH_MAX)
            result.bytes_after = archive_bytes(anchor);
        status = write_result(&result, error);
    }
    return processes_agree(processes, status, error);
}

/* Collective. */
static enum status check_output(const struct processes *processes, struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0 && access(directory, F_OK) == 0)
        status = error_set(error, STATUS_INPUT, "%s exists; remove it, or choose another directory",
                           directory);
    return processes_agree(processes, status, error);
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL, *reduced = NULL;
    struct assumptions assumptions = {.arena = NULL};
    struct reduction_counts counts;
    char *text = NULL;
    enum status status = check_output(processes, error);
    if (status != STATUS_OK || loops || expand)
        return status == STATUS_OK ? rewrite(operands, processes, error) : status;
    status = trace_load(operands[0], processes, &trace, error);
    if (status == STATUS_OK)
        status = threads_refuse(trace->definitions, trace->path, "silas-reduce", error);
    if (status == STATUS_OK)
        status = trace_match(trace, error);
    if (status == STATUS_OK) {
        status = processes_agree(processes, read_assumptions(trace, &assumptions, error), error);
        text = assumptions_text(&assumptions);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, text != NULL, "the assumptions", error);
    if (status == STATUS_OK)
        status = reduce(trace, &assumptions, &reduced, &counts, error);
    if (status == STATUS_OK)
        status = write_reduced(trace, reduced, &counts, text, error);
    free(text);
    assumptions_clear(&assumptions);
    trace_destroy(reduced);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){.program = &program, .check = check, .run = run}, argc, argv);
}
