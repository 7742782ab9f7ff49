/* silas-init: writes a first configuration for a trace, with comments and hypotheses. */
#include "advise/config_draft.h"
#include "advise/trial.h"
#include "base/mpi/job_text.h"
#include "programs/local_jobs.h"
#include "programs/program_main.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *output = "what-if.ini", *machine;
static bool overwrite;

static const struct option_spec options[] = {
    {'o', "output", "FILE", "write to FILE (\"-\": standard output); default: what-if.ini", &output,
     NULL},
    {'m', "machine", "FILE", "costs of messages between and within nodes (from silas-calibrate)",
     &machine, NULL},
    {0, "overwrite", NULL, "replace FILE", NULL, &overwrite},
    JOBS_OPTION,
    {0},
};

static const struct program program = {
    .name = "silas-init",
    .summary = "Writes a first configuration for a trace, with comments and hypotheses.",
    .usage = "silas-init [options] TRACE\nmpirun -np M silas-init [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number of "
               "processes.",
    .options = options,
    .least = 1,
    .most = 1,
};

/* Fails before any work is done if the file exists. */
static enum status check_not_there(const struct processes *processes, struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0 && !overwrite && strcmp(output, "-") != 0 && access(output, F_OK) == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s exists; name another file with -o, or replace it with --overwrite",
                           output);
    return processes_agree(processes, status, error);
}

static enum status write_draft(const struct processes *processes, const struct config_draft *draft,
                               struct error *error)
{
    struct job_text *text;
    enum status status = job_text_open(processes, output, &text, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0 && !config_draft_write(draft, job_text_stream(text)))
        status = error_memory(error, "the configuration");
    return job_text_close(text, status, error);
}

/* Says on standard output what the file contains. */
static void print_draft_summary(const struct config_draft *draft)
{
    const size_t count = config_draft_count(draft);
    double saving = 0;
    const char *best = config_draft_best(draft, &saving);
    printf("%s: %zu %s, commented out.\n", output, count, count == 1 ? "hypothesis" : "hypotheses");
    if (best)
        printf("The model predicts the largest saving, %.1f %% of T, if %s.\n", 100 * saving, best);
    else if (count == 0)
        puts("The model predicts that no hypothesis of this kind saves time.");
    printf("Next: remove the # of a hypothesis in %s, then run  silas model %s\n", output, output);
}

static enum status run_init(char **operands, struct processes *processes, struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct config_draft *draft = NULL;
    enum status status = check_not_there(processes, error);
    if (status == STATUS_OK)
        status = processes_agree(
            processes, trial_base_config("silas-init", operands[0], machine, &config, error),
            error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    status = status ?: config_draft_make(session, &draft, error)
                 ?: write_draft(processes, draft, error);
    if (status == STATUS_OK && processes->rank == 0 && strcmp(output, "-") != 0)
        print_draft_summary(draft);
    config_draft_destroy(draft);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = local_jobs_check,
                                                        .run = run_init,
                                                        .jobs = local_jobs_of_question},
                                 argc, argv);
}
