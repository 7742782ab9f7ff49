#include "programs/replay_output.h"

#include "base/interrupt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 64 }; /* more than all formats have files */

/* The names of all files that a job may write; NULL at the end. */
static void list_names(const char **names)
{
    size_t count = 0;
    names[count++] = REPLAY_OUTPUT_TIMELINE;
    names[count++] = REPLAY_OUTPUT_TRACE;
    for (const struct report_format *const *format = report_format_list; *format; format++)
        for (int i = 0; i < 2 && (*format)->replay_files[i]; i++) {
            assert(count < NAMES_MAX);
            names[count++] = (*format)->replay_files[i];
        }
    names[count] = NULL;
}

enum status replay_output_open(const struct replay_config *config,
                               const struct processes *processes, struct replay_output *output,
                               struct error *error)
{
    const char *names[NAMES_MAX + 1];
    enum status status = STATUS_OK;
    memset(output, 0, sizeof *output);
    list_names(names);
    output->processes = processes;
    if (processes->rank == 0)
        status =
            output_open(config->output_directory, config->overwrite, names, &output->output, error);
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
    assert(output->processes);
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
