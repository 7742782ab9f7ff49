#include "job/replay_files.h"

#include "base/output.h"
#include "job/replay_output.h"
#include "job/report_details.h"
#include "job/report_variation.h"
#include "job/replay_summary.h"
#include "job/timeline_output.h"
#include "trace/save/save.h"

#include <assert.h>
#include <limits.h>

/* Collective. Writes the report in all its formats into `directory`. */
static enum status write_formats(const struct report *report, const struct replay_session *shown,
                                 const char *directory, struct error *error)
{
    enum status status = STATUS_OK;
    const struct report_format **format = shown->config->formats;
    for (; shown->processes->rank == 0 && status == STATUS_OK && *format; format++)
        status = report_write_replay(report, *format, directory, error);
    return processes_agree(shown->processes, status, error);
}

/* Collective. Writes the files into `directory`, which exists. */
static enum status write_replay_files(const struct report *report,
                                      const struct replay_session *shown, const char *directory,
                                      struct error *error)
{
    char path[PATH_MAX];
    enum status status = write_formats(report, shown, directory, error)
                             ?: output_path(directory, REPLAY_OUTPUT_TRACE, path, error);
    status = processes_agree(shown->processes, status, error);
    if (status == STATUS_OK && shown->config->write_trace)
        status = trace_save(replay_session_after(shown), path, error);
    if (status == STATUS_OK && shown->config->write_timeline)
        status = timeline_output_of_session(shown, directory, error);
    return status;
}

/* Collective. Finds the details that the formats need, and those of a printed report. */
static enum status find_replay_details(const struct replay_session *shown, bool prints,
                                       struct found_details *found, struct error *error)
{
    unsigned wants = prints ? report_format_find("text")->wants : 0;
    for (const struct report_format **format = shown->config->formats; *format; format++)
        wants |= (*format)->wants;
    return report_details_find(replay_session_before(shown), replay_session_after(shown), wants,
                               found, error)
               ?: report_details_add_live(shown->original, shown->changed, shown->config, wants,
                                          found, error);
}

enum status replay_files_report(struct replay_session *const *sessions, size_t count,
                                const struct replay_projection *projection, bool prints,
                                struct job_output *output, struct error *error)
{
    assert(count >= 1 && output->directory[0]);
    const struct processes *processes = sessions[0]->processes;
    const struct replay_config *config = sessions[0]->config;
    struct replay_report report = {0};
    struct found_details found = {.timelines = NULL};
    const struct report whole = {.replay = &report, .details = &found.details};
    struct arena *arena = arena_create();
    enum status status = processes_agree_memory(processes, arena, "the report", error)
                             ?: replay_summarize(sessions, count, arena, &report, error);
    if (status == STATUS_OK && projection)
        replay_projection_fill(projection, &report);
    status = status ?: report_variation_find(sessions[report.shown], arena, &report, error);
    report.output_directory = config->output_directory;
    report.predicted_trace = config->write_trace ? REPLAY_OUTPUT_TRACE "/traces.otf2" : NULL;
    status = status ?: find_replay_details(sessions[report.shown], prints, &found, error)
                 ?: write_replay_files(&whole, sessions[report.shown], output->directory, error)
                 ?: job_output_commit(output, error);
    if (prints && processes->rank == 0 && status == STATUS_OK)
        status = report_write(&whole, report_format_find("text"), NULL, error);
    report_details_clear(&found);
    replay_summary_clear(&report);
    arena_destroy(arena);
    return processes_agree(processes, status, error);
}
