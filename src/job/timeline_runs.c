#include "job/timeline_runs.h"

#include "patterns/search.h"
#include "report/timeline/timeline.h"
#include "structure/bands.h"

#include <stdlib.h>

/* A run while its time line is made. All zero: nothing to free. */
struct shown_run {
    const struct trace *trace;
    struct timeline_call *calls;
    size_t *call_counts; /* [owned rank] */
    struct stretch *whole;
    struct bands bands;
    struct timeline_bands above;
};

/* The row that leaves the call; INDEX_NONE: `enter` enters no call, or the call is never left. */
static uint32_t find_leave_row(const struct stream *stream, uint32_t enter)
{
    if (!event_opens(stream->kind[enter]))
        return INDEX_NONE;
    for (uint32_t row = enter + 1; row < stream->count; row++)
        if (event_closes(stream->kind[row]) && stream->arg[row] == enter)
            return row;
    return INDEX_NONE;
}

enum status timeline_calls_find(const struct trace *trace, struct timeline_call **calls,
                                size_t **counts, struct error *error)
{
    struct metric_waits waits = {0};
    size_t count = 0;
    *calls = NULL;
    *counts = NULL;
    enum status status = pattern_search_waits(trace, &waits, error);
    if (status == STATUS_OK) {
        metric_waits_keep_longest(&waits);
        *calls = calloc(waits.all.count + 1, sizeof **calls);
        *counts = calloc(trace->owned_count + 1ul, sizeof **counts);
        status =
            processes_agree_memory(trace->processes, *calls && *counts, "the time line", error);
    }
    for (size_t i = 0; i < waits.all.count && status == STATUS_OK; i++) {
        const struct metric_wait *wait = &waits.all.items[i];
        const uint32_t leave = find_leave_row(trace_stream(trace, wait->rank), wait->enter_row);
        if (leave == INDEX_NONE)
            continue;
        (*calls)[count++] = (struct timeline_call){
            .enter = wait->enter_row,
            .leave = leave,
            .wait = wait->ticks,
            .other_rank = wait->culprit,
            .kind = (uint8_t)wait_state_of(wait->metric),
        };
        (*counts)[wait->rank - trace->first_rank]++;
    }
    free(waits.all.items);
    return status;
}

/* Collective. Finds repeated stretches; a trace without any has no bands. */
static enum status find_bands(struct shown_run *run, struct error *error)
{
    static const struct structure_options options = {.together = 1, .samples = 1};
    if (run->trace->end == run->trace->begin)
        return STATUS_OK;
    enum status status = structure_find(run->trace, &options, &run->whole, error);
    run->bands = (struct bands){run->trace, run->whole, 0};
    run->above = (struct timeline_bands){&run->bands, bands_mark, bands_write};
    return status;
}

static struct timeline_input make_input(const struct shown_run *run, const char *name,
                                        bool predicted)
{
    return (struct timeline_input){
        .trace = run->trace,
        .name = name,
        .predicted = predicted,
        .calls = run->calls,
        .call_counts = run->call_counts,
        .bands = run->whole ? &run->above : NULL,
    };
}

static void clear_run(struct shown_run *run)
{
    free(run->calls);
    free(run->call_counts);
    structure_destroy(run->whole);
}

enum status timeline_runs_make(const struct trace *before, const struct trace *after, char **json,
                               size_t *size, struct error *error)
{
    struct shown_run runs[2] = {{.trace = before ? before : after}, {.trace = after}};
    struct timeline_input inputs[2];
    const size_t count = before ? 2 : 1;
    enum status status = STATUS_OK;
    *json = NULL;
    *size = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = timeline_calls_find(runs[i].trace, &runs[i].calls, &runs[i].call_counts, error)
                     ?: find_bands(&runs[i], error);
        inputs[i] = make_input(&runs[i],
                               count == 1 ? ""
                               : i == 0   ? "before"
                                          : "after",
                               i == 1 && after->recording);
    }
    status = status ?: timeline_data_make(inputs, count, json, size, error);
    for (size_t i = 0; i < count; i++)
        clear_run(&runs[i]);
    return status;
}
