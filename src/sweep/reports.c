#include "sweep/reports.h"

#include "job/replay_files.h"
#include "job/replay_output.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status run_report_write(struct replay_session *session, struct replay_config *config,
                             const char *folder, const char *name, struct run_result *result,
                             struct error *error)
{
    assert(session && config && *name);
    const struct processes *processes = session->processes;
    char path[PATH_MAX];
    struct job_output output = {0};
    enum status status = STATUS_OK;
    if ((size_t)snprintf(path, sizeof path, "%s/%s/report", folder, name) >= sizeof path)
        status = error_set(error, STATUS_INPUT, "%s: the path is too long", folder);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    config->output_directory = path;
    config->overwrite = true;
    status = replay_output_open(config, processes, &output, error)
                 ?: replay_files_report(&session, 1, NULL, false, &output, error);
    job_output_discard(&output);
    config->output_directory = NULL;
    if (status != STATUS_OK)
        return status;
    snprintf(path, sizeof path, "runs/%s/report/report.json", name);
    free(result->report);
    result->report = strdup(path);
    return processes_agree_memory(processes, result->report != NULL, "a report", error);
}

enum status run_report_compute(const struct replay_session *base, const struct sweep_run *run,
                               const char *folder, struct run_result *result, struct error *error)
{
    assert(base && run->ini && *folder);
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    enum status status = replay_config_of_copy(run->ini, base->config->engine, &config, error);
    status = processes_agree(base->processes, status, error)
                 ?: replay_session_open_beside(base, config, &session, error)
                 ?: replay_session_run(session, error)
                 ?: run_report_write(session, config, folder, run->name, result, error);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}
