#include "programs/replay_output.h"

#include "base/interrupt.h"
#include "programs/replay_files.h"

#include <stdio.h>
#include <string.h>

enum status replay_output_open(const struct replay_config *config,
                               const struct processes *processes, struct replay_output *output,
                               struct error *error)
{
    enum status status = STATUS_OK;
    memset(output, 0, sizeof *output);
    output->processes = processes;
    if (processes->rank == 0)
        status = output_open(config->output_directory, config->overwrite, replay_file_names,
                             &output->output, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    if (output->output)
        snprintf(output->directory, PATH_MAX, "%s", output_directory(output->output));
    processes_broadcast(processes, output->directory, PATH_MAX);
    interrupt_remove(output->directory);
    return STATUS_OK;
}

enum status replay_output_commit(struct replay_output *output, struct error *error)
{
    enum status status = output_commit(output->output, error);
    output->output = NULL;
    status = processes_agree(output->processes, status, error);
    interrupt_remove(NULL);
    return status;
}

void replay_output_discard(struct replay_output *output)
{
    output_discard(output->output);
    output->output = NULL;
    interrupt_remove(NULL);
}
