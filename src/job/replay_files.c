#include "job/replay_files.h"

#include "base/output.h"
#include "job/replay_output.h"
#include "job/timeline_output.h"
#include "trace/save/save.h"

#include <limits.h>

enum status replay_files_write(const struct replay_report *report,
                               const struct replay_session *shown, const char *directory,
                               struct error *error)
{
    const struct report_format **format = shown->config->formats;
    enum status status = STATUS_OK;
    char path[PATH_MAX];
    for (; shown->processes->rank == 0 && status == STATUS_OK && *format; format++)
        status = report_write_replay(report, *format, directory, error);
    if (status == STATUS_OK)
        status = output_path(directory, REPLAY_OUTPUT_TRACE, path, error);
    status = processes_agree(shown->processes, status, error);
    if (status == STATUS_OK && shown->config->write_trace)
        status = trace_save(replay_session_after(shown), path, error);
    if (status == STATUS_OK && shown->config->write_timeline)
        status = timeline_output_of_session(shown, directory, error);
    return status;
}
