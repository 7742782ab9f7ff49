#include "trace/match/match.h"

#include "base/log.h"
#include "base/progress.h"
#include "trace/match/match_private.h"

#include <stdio.h>

enum { QUOTED = 5 };

/* Writes the first mismatches, one per line. */
static void quote_first(const struct mismatches *mismatches, int64_t total, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < mismatches->list.count && i < QUOTED && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "\n  %s",
                                   mismatches->list.items[i].text);
    if (total > QUOTED && length < size)
        snprintf(text + length, size - length, "\n  and %lld more", (long long)(total - QUOTED));
}

/* The error that quotes the first mismatches. Only process 0 has the list; all get its text. */
static enum status refuse(const struct mismatches *mismatches, const struct trace *trace,
                          int64_t total, struct error *error)
{
    char first[sizeof error->text], text[sizeof first + 512];
    quote_first(mismatches, total, first, sizeof first);
    snprintf(text, sizeof text,
             "%s: this trace is not consistent: %lld communication event%s no other side%s",
             trace->path, (long long)total, total == 1 ? " has" : "s have", first);
    enum status status = STATUS_OK;
    if (trace->processes->rank == 0)
        status = error_set(error, STATUS_INPUT, "%s", text);
    return processes_agree(trace->processes, status, error);
}

/* Warns that the mismatches of a recording have been left out. */
static void warn_of_mismatches(const struct mismatches *mismatches, const struct trace *trace,
                               int64_t total)
{
    char first[1536];
    quote_first(mismatches, total, first, sizeof first);
    log_warning("%s: %lld communication event%s no other side, or ranks disagree about %s; what "
                "cannot be matched is left out%s",
                trace->path, (long long)total, total == 1 ? " has" : "s have",
                total == 1 ? "it" : "them", first);
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
        status = mismatches_gather(&mismatches, trace->processes, &total, error);
    if (status == STATUS_OK && total && !trace->definitions->built && !trace->recording) {
        warn_of_mismatches(&mismatches, trace, total);
        mismatches_clear(&mismatches);
        total = 0;
    }
    if (status == STATUS_OK)
        status = match_file_calls(trace, error);
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
        processes_sum(trace->processes, &dropped.after_disagreement, 1);
        if (dropped.after_disagreement)
            log_warning("%s: parts in collective operations that are left out because ranks "
                        "disagree about these or earlier operations on the communicator: %lld",
                        trace->path, (long long)dropped.after_disagreement);
        if (dropped.unpaired)
            log_warning("%s: %s; messages and parts in collective operations whose other side %s "
                        "are left out: %lld",
                        trace->path,
                        paused ? "recording was paused by MPI_Pcontrol"
                               : "the program ended before MPI_Finalize",
                        paused ? "was not recorded" : "it did not get to",
                        (long long)dropped.unpaired);
        if (total == 0)
            status = mismatches_gather(&mismatches, trace->processes, &total, error);
    }
    if (status == STATUS_OK && total)
        status = refuse(&mismatches, trace, total, error);
    mismatches_clear(&mismatches);
    trace->matched = status == STATUS_OK;
    return status;
}
