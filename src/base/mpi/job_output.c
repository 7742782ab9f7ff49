#include "base/mpi/job_output.h"

#include "base/interrupt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum status job_output_open(const struct processes *processes, const char *path, bool overwrite,
                            const char *remedy, const char *const *own, struct job_output *output,
                            struct error *error)
{
    enum status status = STATUS_OK;
    memset(output, 0, sizeof *output);
    output->processes = processes;
    if (processes->rank == 0)
        status = output_open(path, overwrite, remedy, own, &output->output, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    if (output->output)
        snprintf(output->directory, PATH_MAX, "%s", output_directory(output->output));
    processes_broadcast(processes, output->directory, PATH_MAX);
    interrupt_remove(output->directory);
    return STATUS_OK;
}

enum status job_output_commit(struct job_output *output, struct error *error)
{
    assert(output->processes);
    enum status status = output_commit(output->output, error);
    output->output = NULL;
    status = processes_agree(output->processes, status, error);
    interrupt_remove(NULL);
    return status;
}

void job_output_discard(struct job_output *output)
{
    output_discard(output->output);
    output->output = NULL;
    interrupt_remove(NULL);
}
