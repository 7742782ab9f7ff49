#include "trace/match/match.h"

#include "base/log.h"
#include "base/progress.h"
#include "trace/match/match_private.h"

#include <stdio.h>

enum { QUOTED = 5 };

/* The error that quotes the first mismatches. Only process 0 has the list; all get its text. */
static enum status quote(const struct mismatches *mismatches, const struct trace *trace,
                         int64_t total, struct error *error)
{
    char text[sizeof error->text];
    int length = snprintf(text, sizeof text,
                          "%s: this trace is not consistent: %lld communication event%s no other "
                          "side",
                          trace->path, (long long)total, total == 1 ? " has" : "s have");
    for (size_t i = 0; i < mismatches->list.count && i < QUOTED; i++)
        if ((size_t)length < sizeof text)
            length += snprintf(text + length, sizeof text - (size_t)length, "\n  %s",
                               mismatches->list.items[i].text);
    if (total > QUOTED && (size_t)length < sizeof text)
        snprintf(text + length, sizeof text - (size_t)length, "\n  and %lld more",
                 (long long)(total - QUOTED));
    enum status status = STATUS_OK;
    if (trace->processes->rank == 0)
        status = error_set(error, STATUS_INPUT, "%s", text);
    return processes_agree(trace->processes, status, error);
}

/* Ends of messages, of the ranks of this process. */
static double count_message_ends(const struct trace *trace)
{
    double ends = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        ends += trace->streams[i].message_count;
    return ends;
}

enum status trace_match(struct trace *trace, struct error *error)
{
    assert(!trace->origin);
    struct mismatches mismatches = {0};
    struct dropped dropped = {0};
    int64_t total = 0;
    const bool paused = definitions_paused(trace->definitions);
    trace->matched = false;
    progress_begin("matching", "ends of messages", count_message_ends(trace));
    enum status status = match_messages(trace, &mismatches, &dropped, error);
    if (status == STATUS_OK)
        status = match_collectives(trace, &mismatches, &dropped, error);
    if (status == STATUS_OK)
        status = match_windows(trace, &mismatches, error);
    progress_end();
    if (status == STATUS_OK) {
        processes_sum(trace->processes, &dropped.unfinished, 1);
        processes_sum(trace->processes, &dropped.unpaired, 1);
        if (dropped.unfinished)
            log_warning(
                "%s: requests that never complete and are not waited for: %lld; they are dropped",
                trace->path, (long long)dropped.unfinished);
        if (dropped.unpaired)
            log_warning("%s: %s; messages and parts in collective operations whose other side %s "
                        "are left out: %lld",
                        trace->path,
                        paused ? "recording was paused by MPI_Pcontrol"
                               : "the program ended before MPI_Finalize",
                        paused ? "was not recorded" : "it did not get to",
                        (long long)dropped.unpaired);
        status = mismatches_gather(&mismatches, trace->processes, &total, error);
    }
    if (status == STATUS_OK && total)
        status = quote(&mismatches, trace, total, error);
    mismatches_clear(&mismatches);
    trace->matched = status == STATUS_OK;
    return status;
}
