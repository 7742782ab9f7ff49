/* Where to start a new format of silas-export: copy this file, say what the format is and who
 * reads it, and
 *   1. add it to exchange/exports/format_list.c and to src/exchange/exports/local.mk,
 *   2. describe it in doc/exports.md.
 * This one is compiled and tested, but not in the list. It writes a line "rank events" for each
 * rank, in one file. Formats that consist of messages, computation and waits fill in a sink
 * (exchange/schedules/schedule.h), as goal.c does. */
#include "base/mpi/job_text.h"
#include "exchange/exports/format.h"

extern const struct export_format export_template;

static enum status write_counts(const struct trace *trace, const struct export_options *options,
                                struct error *error)
{
    struct job_text *text;
    enum status status = job_text_open(trace->processes, options->path, &text, error);
    if (status != STATUS_OK)
        return status;
    FILE *stream = job_text_stream(text);
    for (uint32_t s = 0; s < trace->owned_count; s++)
        fprintf(stream, "%u %u\n", trace->streams[s].rank, trace->streams[s].count);
    return job_text_close(text, STATUS_OK, error);
}

const struct export_format export_template = {
    .name = "template",
    .description = "the number of events of each rank",
    .write = write_counts,
};
