#include "job/replay_output.h"

#include "base/descriptors.h"

/* Lists the names of all files that a replay may write; NULL ends the list. `names` has room for
 * two files of each format and three more. */
static void list_output_names(const char **names)
{
    size_t count = 0;
    names[count++] = REPLAY_OUTPUT_TIMELINE;
    names[count++] = REPLAY_OUTPUT_TRACE;
    for (const struct report_format *const *format = report_format_list(); *format; format++)
        for (int i = 0; i < 2 && (*format)->replay_files[i]; i++)
            names[count++] = (*format)->replay_files[i];
    names[count] = NULL;
}

enum status replay_output_open(const struct replay_config *config,
                               const struct processes *processes, struct job_output *output,
                               struct error *error)
{
    const char *names[2 * descriptors_count(report_format_list()) + 3];
    list_output_names(names);
    return job_output_open(processes, config->output_directory, config->overwrite,
                           ", or set \"overwrite = yes\" in [output]", names, output, error);
}
