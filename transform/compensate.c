#include "transform/compensate.h"

#include "base/otf2_attributes.h"
#include "transform/callpath_marks.h"
#include "transform/rewrite_times.h"

#include <math.h>
#include <stdlib.h>

/* The cost of an event in seconds. */
static enum status read_cost(const struct trace *trace, double *seconds, struct error *error)
{
    const char *text = definitions_property(trace->definitions, SILAS_PROPERTY_EVENT_COST);
    char *end = NULL;
    double ns = text ? strtod(text, &end) : 0;
    if (!text)
        return error_set(error, STATUS_INPUT,
                         "%s: compensate = yes needs an archive that says what its tracer's events "
                         "cost (property %s), as those of silas-trace do",
                         trace->path, SILAS_PROPERTY_EVENT_COST);
    if (end == text || *end || !isfinite(ns) || ns < 0 || ns > 1e6)
        return error_set(error, STATUS_INPUT,
                         "%s: property %s is \"%s\": expected nanoseconds, 0 to 1000000",
                         trace->path, SILAS_PROPERTY_EVENT_COST, text);
    *seconds = ns * 1e-9;
    return STATUS_OK;
}

/* Ticks that the tracer has taken between the row and the one before. Records with one stamp are
 * written at one reading of the clock. */
static double cost_before(const struct stream *stream, uint32_t row, double event_ticks)
{
    uint64_t gap = stream->time[row] - stream->time[row - 1];
    if (gap == 0)
        return 0;
    if (stream->kind[row - 1] != EVENT_BUFFER_FLUSH)
        return event_ticks;
    uint64_t end = stream->flushes[stream->arg[row - 1]];
    uint64_t flushed = end > stream->time[row - 1] ? end - stream->time[row - 1] : 0;
    return event_ticks + (double)(flushed < gap ? flushed : gap);
}

/* Fills in the new times; returns the ticks taken out. */
static uint64_t shorten(const struct callpath_marks *marks, const struct stream *stream,
                        double event_ticks, uint64_t *times)
{
    uint32_t path = CALLPATH_NONE;
    uint64_t taken = 0;
    double owed = 0; /* not yet taken out */
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && marks_computes(marks, path, 0)) {
            uint64_t gap = stream->time[row] - stream->time[row - 1];
            owed += cost_before(stream, row, event_ticks);
            uint64_t whole = owed < (double)gap ? (uint64_t)owed : gap;
            owed -= (double)whole;
            taken += whole;
        }
        times[row] = stream->time[row] - taken;
        path = callpath_after(marks->calltree, stream, row, path);
    }
    return taken;
}

enum status trace_compensate(struct trace *trace, struct compensation *result, struct error *error)
{
    static const struct ini_section everywhere;
    struct callpath_marks marks = {0};
    int64_t taken = 0;
    enum status status = read_cost(trace, &result->event_cost_s, error);
    if (status == STATUS_OK)
        status = callpath_marks_create((struct section_ref){.section = &everywhere}, trace, &marks,
                                       error);
    double event_ticks = result->event_cost_s * (double)trace->definitions->ticks_per_second;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct stream *stream = &trace->streams[s];
        uint64_t *times = malloc((stream->count + 1) * sizeof *times);
        if (!times) {
            status = error_memory(error, "new event times");
            break;
        }
        taken += (int64_t)shorten(&marks, stream, event_ticks, times);
        rewrite_times(trace, stream, times);
        free(times);
    }
    callpath_marks_clear(&marks);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &taken, 1);
    result->mean_s = trace_seconds(trace, (double)taken) / (double)trace->rank_count;
    trace_update_span(trace);
    return STATUS_OK;
}
