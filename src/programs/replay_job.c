#include "programs/replay_job.h"

#include "base/log.h"
#include "base/plural.h"
#include "base/units.h"
#include "job/replay_files.h"
#include "job/replay_output.h"
#include "job/replay_projection.h"
#include "trace/load/load.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The configuration as the command line names it. */
static const char *config_operand(const struct replay_config *config)
{
    return ini_is_standard_input(config->ini) ? "-" : config->ini->path;
}

static enum status check_process_number(const struct replay_config *config, uint32_t ranks,
                                        const struct processes *processes, struct error *error)
{
    const char *config_path = config_operand(config), *trace_path = config->trace_paths[0];
    if ((uint32_t)processes->size == ranks || config->engine->any_processes)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE,
                     "%s has %u rank%s, but %d process%s started: run "
                     "mpirun -np %u silas-replay %s",
                     trace_path, ranks, plural(ranks), processes->size,
                     processes->size == 1 ? " was" : "es were", ranks, config_path);
}

/* On process 0: fails if the traces differ in their number of ranks, or if the number of processes
 * is not that of the ranks. */
static enum status check_traces(const struct replay_config *config, bool check_only,
                                const struct processes *processes, struct error *error)
{
    uint32_t first = 0;
    for (size_t i = 0; i < config->trace_count; i++) {
        struct trace_size size;
        enum status status = trace_peek(config->trace_paths[i], &size, error);
        if (status != STATUS_OK)
            return status;
        if (i == 0)
            first = size.rank_count;
        if (size.rank_count != first)
            return error_set(error, STATUS_INPUT,
                             "%s has %u rank%s, %s has %u: they are not recordings of the same run",
                             config->trace_paths[0], first, plural(first), config->trace_paths[i],
                             size.rank_count);
    }
    if (check_only)
        return STATUS_OK;
    return check_process_number(config, first, processes, error);
}

/* Collective. Prints what --check has found in an open session. */
static void print_check(const struct replay_session *session)
{
    const struct trace *trace = session->original;
    int64_t events = trace_count_events(trace);
    int64_t changed_events = session->changed ? trace_count_events(session->changed) : 0;
    if (session->processes->rank > 0)
        return;
    double seconds = trace_seconds(trace, (double)(trace->end - trace->begin));
    printf("%s: %u rank%s, %lld events, %s: consistent\n", trace->path, trace->rank_count,
           plural(trace->rank_count), (long long)events, time_text_alone(seconds, 4).text);
    for (size_t i = 0; i < session->config->hypothesis_count; i++) {
        char line[512] = "";
        hypothesis_describe(&session->config->hypotheses[i], &session->outcomes[i], line,
                            sizeof line);
        printf("  %s\n", line);
    }
    if (session->changed)
        printf("  changed: %lld events, consistent\n", (long long)changed_events);
    if (session->config->engine->any_processes)
        printf("  predict it: silas-model %s\n", config_operand(session->config));
    else
        printf("  replay it: mpirun -np %u silas-replay %s\n", trace->rank_count,
               config_operand(session->config));
}

static enum status run_sessions(const struct replay_config *config, bool check_only,
                                struct processes *processes, struct error *error)
{
    struct replay_session *sessions[config->trace_count];
    struct job_output output = {0};
    enum status status = STATUS_OK;
    memset(sessions, 0, sizeof sessions);
    if (!check_only)
        status = replay_output_open(config, processes, &output, error);
    for (size_t i = 0; i < config->trace_count && status == STATUS_OK; i++) {
        status =
            replay_session_open(config, config->trace_paths[i], processes, &sessions[i], error);
        if (status == STATUS_OK && check_only)
            print_check(sessions[i]);
        else if (status == STATUS_OK)
            status = replay_session_run(sessions[i], error);
    }
    if (!check_only && status == STATUS_OK)
        status = replay_files_report(sessions, config->trace_count, NULL, true, &output, error);
    job_output_discard(&output);
    for (size_t i = 0; i < config->trace_count; i++)
        replay_session_close(sessions[i]);
    return status;
}

/* Collective. Replays cuts, and extends the results to the whole trace. */
static enum status run_projection(const struct replay_config *config, bool check_only,
                                  struct processes *processes, struct error *error)
{
    struct replay_projection *projection = NULL;
    struct job_output output = {0};
    enum status status = STATUS_OK;
    if (!check_only)
        status = replay_output_open(config, processes, &output, error);
    status = status ?: replay_projection_open(config, processes, &projection, error);
    for (size_t i = 0; status == STATUS_OK && check_only && replay_projection_cut(projection, i);
         i++)
        print_check(replay_projection_cut(projection, i));
    if (status == STATUS_OK && !check_only)
        status = replay_projection_run(projection, error);
    if (status == STATUS_OK && !check_only) {
        struct replay_session *shown = replay_projection_shown(projection);
        status = replay_files_report(&shown, 1, projection, true, &output, error);
    }
    job_output_discard(&output);
    replay_projection_close(projection);
    return status;
}

enum status replay_job_run(char **operands, const struct engine *engine,
                           const struct replay_job *job, struct processes *processes,
                           struct error *error)
{
    assert(operands[0] && processes);
    const char *cuts = operands[1] ? operands[0] : NULL;
    const char *config_path = operands[cuts ? 1 : 0];
    if (cuts && !job->project)
        return error_set(
            error, STATUS_USAGE,
            "%s and %s: only --project takes two operands (quote a value that contains blanks)",
            cuts, config_path);
    struct replay_config *config = NULL;
    struct arena *arena = arena_create();
    enum status status =
        processes_agree_memory(processes, arena != NULL, "the job", error)
            ?: replay_config_load(config_path, &job->question, engine, processes, &config, error);
    if (status == STATUS_OK && job->project)
        status = replay_projection_list(config, cuts, arena, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = check_traces(config, job->check_only, processes, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && job->project)
        status = run_projection(config, job->check_only, processes, error);
    else if (status == STATUS_OK)
        status = run_sessions(config, job->check_only, processes, error);
    replay_config_destroy(config);
    arena_destroy(arena);
    return status;
}
