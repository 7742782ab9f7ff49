#include "transform/compensate.h"

#include "base/otf2_attributes.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

struct shortening {
    const struct trace *trace;
    const struct callpath_marks *marks;
    struct event_costs costs;
    int64_t taken; /* ticks that were removed so far */
};

/* Reads the cost of an event in ticks from the archive; `missing` if it has none. */
static enum status read_cost(const struct trace *trace, const char *name, double missing,
                             double *ticks, struct error *error)
{
    const char *text = definitions_property(trace->definitions, name);
    char *end = NULL;
    double ns = text ? strtod(text, &end) : 0;
    *ticks = text ? ns * 1e-9 * (double)trace->definitions->ticks_per_second : missing;
    if (text && (end == text || *end || !isfinite(ns) || ns < 0 || ns > 1e6))
        return error_set(error, STATUS_INPUT,
                         "%s: property %s is \"%s\": expected nanoseconds, 0 to 1000000",
                         trace->path, name, text);
    return STATUS_OK;
}

/* Older archives have no cost of functions: then the cost of an event is used. */
enum status event_costs_read(const struct trace *trace, struct event_costs *costs, bool *stated,
                             struct error *error)
{
    enum status status = read_cost(trace, SILAS_PROPERTY_EVENT_COST, 0, &costs->event, error);
    *stated = definitions_property(trace->definitions, SILAS_PROPERTY_EVENT_COST) != NULL;
    return status
               ?: read_cost(trace, SILAS_PROPERTY_FUNCTION_COST, costs->event, &costs->function,
                            error);
}

/* True for the enter or leave of a function or of a manually instrumented region. */
static bool of_function(const struct trace *trace, const struct stream *stream, uint32_t row)
{
    enum { USER = 1, COMPILER = 2 }; /* OTF2_Paradigm */
    uint8_t kind = stream->kind[row];
    if (kind != EVENT_ENTER && kind != EVENT_LEAVE)
        return false;
    uint32_t enter = kind == EVENT_ENTER ? row : stream->arg[row];
    uint32_t region = trace->calltree.paths.items[stream->arg[enter]].region;
    uint8_t paradigm = trace->definitions->regions[region].paradigm;
    return paradigm == USER || paradigm == COMPILER;
}

double event_cost_before(const struct trace *trace, const struct stream *stream, uint32_t row,
                         const struct event_costs *costs)
{
    if (row == 0 || stream->time[row] == stream->time[row - 1])
        return 0;
    return of_function(trace, stream, row) ? costs->function : costs->event;
}

/* Ticks of a flush between the row and the previous one. */
static double flush_before(const struct stream *stream, uint32_t row)
{
    uint64_t gap = stream->time[row] - stream->time[row - 1];
    if (stream->kind[row - 1] != EVENT_BUFFER_FLUSH)
        return 0;
    uint64_t end = stream->flushes[stream->arg[row - 1]];
    uint64_t flushed = end > stream->time[row - 1] ? end - stream->time[row - 1] : 0;
    return (double)(flushed < gap ? flushed : gap);
}

static enum status write_shorter(void *data, const struct stream *stream, uint64_t *times,
                                 struct error *error)
{
    (void)error;
    struct shortening *shortening = data;
    uint32_t path = CALLPATH_NONE;
    uint64_t taken = 0;
    double owed = 0; /* ticks not yet removed */
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && marks_computes(shortening->marks, path, 0)) {
            uint64_t gap = stream->time[row] - stream->time[row - 1];
            owed += event_cost_before(shortening->trace, stream, row, &shortening->costs) +
                    flush_before(stream, row);
            taken += gap - take_owed(gap, &owed);
        }
        times[row] = stream->time[row] - taken;
        path = callpath_after(shortening->marks->calltree, stream, row, path);
    }
    if (stream >= shortening->trace->streams &&
        stream < shortening->trace->streams + shortening->trace->owned_count)
        shortening->taken += (int64_t)taken;
    return STATUS_OK;
}

enum status trace_compensate(struct trace *trace, struct compensation *result, struct error *error)
{
    static const struct ini_section everywhere;
    struct callpath_marks marks = {0};
    struct shortening shortening = {.trace = trace, .marks = &marks};
    bool stated;
    enum status status = event_costs_read(trace, &shortening.costs, &stated, error);
    if (status == STATUS_OK && !stated)
        status = error_set(error, STATUS_INPUT,
                           "%s: compensate = yes needs an archive with the cost of its tracer's "
                           "events (property %s), such as one of silas-trace",
                           trace->path, SILAS_PROPERTY_EVENT_COST);
    result->event_cost_s = trace_seconds(trace, shortening.costs.event);
    result->function_cost_s = trace_seconds(trace, shortening.costs.function);
    if (status == STATUS_OK)
        status = callpath_marks_create(&everywhere, trace, &marks, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_threads(trace, &trace->streams[s], write_shorter, &shortening, error);
    callpath_marks_clear(&marks);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &shortening.taken, 1);
    result->mean_s = trace_seconds(trace, (double)shortening.taken) / (double)trace->rank_count;
    trace_update_span(trace);
    return STATUS_OK;
}
