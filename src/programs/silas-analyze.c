/* silas-analyze: searches a trace for wait states, with any number of processes. */
#include "advise/format.h"
#include "advise/trial.h"
#include "base/log.h"
#include "patterns/explain.h"
#include "patterns/search.h"
#include "job/clocks.h"
#include "job/report_details.h"
#include "programs/local_jobs.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"
#include "reduce/assumptions.h"
#include "reduce/folded.h"
#include "report/report_file.h"
#include "threads/posix.h"
#include "trace/deadlock/preflight.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool correct_clocks, explain;
static const char *config_path; /* of --write-config */

static const char model_config[] = "[trace]\npath = .\n\n[replay]\nengine = model\n";

/* Collective. Warns if the search found clock violations. `local` has the severities of the owned
 * ranks. */
static void warn_of_clocks(const struct trace *trace, const struct severity *local)
{
    int64_t violations = (int64_t)severity_total(local, METRIC_CLOCK_VIOLATIONS);
    processes_sum(trace->processes, &violations, 1);
    if (violations > 0 && trace->processes->rank == 0)
        log_warning(
            "%s: %" PRId64
            " times a message arrives before it is sent, or a rank leaves a collective "
            "operation before all data were sent: the clocks of the ranks disagree, and waits are "
            "too long or too short; see --correct-clocks",
            trace->path, violations);
}

/* Collective. Predicts what the tests of the explanations save; the savings stay unknown if the
 * model cannot predict the trace, for example because it has a deadlock. A session that is opened
 * takes the trace over; then `*owned` is NULL. */
static enum status predict_test_savings(struct trace *trace, struct trace **owned,
                                        struct explanations *explanations,
                                        struct replay_session **session,
                                        struct replay_config **config, struct error *error)
{
    char *texts[EXPLAINED_WAITS];
    struct hypothesis_trial trials[EXPLAINED_WAITS];
    size_t count = 0, next = 0;
    bool allocated = true, has_test[EXPLAINED_WAITS] = {false};
    double time_s;
    processes_broadcast(trace->processes, explanations, sizeof *explanations);
    for (uint32_t i = 0; i < explanations->count; i++)
        if ((has_test[i] = explanation_test(explanations, i, trace, &texts[count]))) {
            allocated = allocated && texts[count];
            trials[count].sections = texts[count];
            count++;
        }
    enum status status = allocated ? replay_config_of_text("silas-analyze", model_config,
                                                           engine_find("model"), config, error)
                                   : error_memory(error, "the explanations");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK && count > 0) {
        status =
            trace_preflight(trace, error) ?: assumptions_check_request(trace, "--explain", error);
        if (status == STATUS_OK) {
            *owned = NULL; /* the session destroys it, also if it cannot be opened */
            status = replay_session_open_on(*config, trace, trace->path, trace->processes, session,
                                            error)
                         ?: trials_compute(*session, trials, count, &time_s, error);
            for (uint32_t i = 0; i < explanations->count && status == STATUS_OK; i++)
                if (has_test[i])
                    explanations->items[i].saving = trials[next++].saving;
        } else if (status == STATUS_INPUT) {
            status = STATUS_OK;
        }
    }
    while (count > 0)
        free(texts[--count]);
    return status;
}

/* The explanations whose tests --write-config writes. */
struct explanation_tests {
    const struct explanations *explanations;
    const struct trace *trace;
};

static bool write_analysis_config(const void *what, FILE *stream)
{
    const struct explanation_tests *tests = what;
    explanations_write_config(tests->explanations, tests->trace, stream);
    return !ferror(stream);
}

static enum status analyze(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    struct severity *local = NULL;
    struct explanations explanations = {.count = 0};
    struct found_details found = {.timelines = NULL};
    struct replay_session *session = NULL;
    struct replay_config *config = NULL;
    enum status status = trace_load(operands[0], processes, &trace, error);
    struct trace *owned = trace; /* here, until a session has it */
    status = status ?: trace_match(trace, error);
    if (status == STATUS_OK && correct_clocks)
        status = clocks_correct(trace, error);
    if (status == STATUS_OK)
        status = pattern_search_for(trace, pattern_list(), explain ? &explanations : NULL, &local,
                                    error);
    if (status == STATUS_OK)
        status = report_details_find(NULL, trace, severity_output.format->wants, &found, error)
                     ?: report_details_add_live(trace, NULL, NULL, severity_output.format->wants,
                                                &found, error);
    if (status == STATUS_OK && explain)
        status = predict_test_savings(trace, &owned, &explanations, &session, &config, error);
    if (status == STATUS_OK) {
        folded_say(trace);
        warn_of_clocks(trace, local);
        posix_threads_check(trace);
        status = severity_output_write_together(&local, processes, &found.details, error);
        if (processes->rank == 0 && status == STATUS_OK && config_path)
            status = report_file_write(config_path, write_analysis_config,
                                       &(struct explanation_tests){&explanations, trace}, error);
        if (processes->rank == 0 && status == STATUS_OK && explain) {
            if (!severity_output.path)
                puts("");
            explanations_write(&explanations, trace, config_path, stdout);
            fputs(ADVICE_FIGURES, stdout);
        }
        status = processes_agree(processes, status, error);
    }
    report_details_clear(&found);
    severity_destroy(local);
    replay_session_close(session);
    trace_destroy(owned);
    replay_config_destroy(config);
    return status;
}

static int check_analyze_options(const struct program *program)
{
    int exit_code = severity_output_check(program) ?: local_jobs_check(program);
    if (exit_code == 0 && config_path && !explain)
        exit_code = options_usage_error(program, "--write-config is for --explain");
    if (exit_code == 0 && explain && !severity_output.path &&
        strcmp(severity_output.format->name, "text") != 0)
        exit_code = options_usage_error(program, "--explain prints text: use -o FILE for the %s",
                                        severity_output.format->name);
    return exit_code;
}

int main(int argc, char **argv)
{
    const struct option_spec options[] = {
        SEVERITY_OUTPUT_OPTIONS,
        {0, "correct-clocks", NULL, "move time stamps until no message arrives before it is sent",
         NULL, &correct_clocks},
        {0, "explain", NULL, "also print the causes of the longest waits, and how to test them",
         NULL, &explain},
        {0, "write-config", "FILE",
         "with --explain: write a configuration that tests the causes to FILE", &config_path, NULL},
        JOBS_OPTION,
        PLUGIN_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-analyze",
        .summary = "Searches a trace for wait states.",
        .usage = "silas-analyze [options] TRACE\nmpirun -np M silas-analyze [options] TRACE",
        .details =
            "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number of "
            "processes.",
        .options = options,
        .least = 1,
        .most = 1,
        .choices = severity_output_choices,
        PLUGIN_PROGRAM,
    };
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_analyze_options,
                                                        .run = analyze,
                                                        .jobs = local_jobs},
                                 argc, argv);
}
