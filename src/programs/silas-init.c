/* silas-init: writes a commented configuration for a trace, to begin with. */
#include "advise/start.h"
#include "advise/trial.h"
#include "base/mpi/job_text.h"
#include "programs/program_main.h"

#include <string.h>
#include <unistd.h>

static const char *output = "what-if.ini", *machine;
static bool overwrite;

static const struct option_spec options[] = {
    {'o', "output", "FILE", "write to FILE, \"-\" is standard output; default: what-if.ini",
     &output, NULL},
    {'m', "machine", "FILE", "what messages cost between nodes and within one (silas-calibrate)",
     &machine, NULL},
    {0, "overwrite", NULL, "replace FILE", NULL, &overwrite},
    {0},
};

static const struct program program = {
    .name = "silas-init",
    .summary = "Writes a commented configuration for a trace, with hypotheses to begin with.",
    .usage = "silas-init [options] TRACE\nmpirun -np M silas-init [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number.",
    .options = options,
    .least = 1,
    .most = 1,
};

/* Process 0 has written nothing yet if the file is there. */
static enum status check_output(const struct processes *processes, struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0 && !overwrite && strcmp(output, "-") != 0 && access(output, F_OK) == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s exists; say another name with -o FILE, or --overwrite", output);
    return processes_agree(processes, status, error);
}

static enum status write_file(const struct processes *processes, const struct start *start,
                              struct error *error)
{
    struct job_text *text;
    enum status status = job_text_open(processes, output, &text, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0 && !start_write(start, job_text_stream(text)))
        status = error_memory(error, "the configuration");
    return job_text_close(text, status, error);
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct start *start = NULL;
    enum status status = check_output(processes, error);
    if (status == STATUS_OK)
        status = processes_agree(
            processes, trial_base_config("silas-init", operands[0], machine, &config, error),
            error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    if (status == STATUS_OK)
        status = start_find(session, &start, error);
    if (status == STATUS_OK)
        status = write_file(processes, start, error);
    start_destroy(start);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program, .run = run}, argc,
                                 argv);
}
