#include "trace/calls/regions.h"

#include "base/sort.h"
#include "base/otf2_attributes.h"
#include "trace/calls/records.h"

#include <stdlib.h>

/* The upper limit of a wrapper's own work between a time stamp and a record, page faults included.
 */
static const double LIMIT_S = 100e-6;

enum { SAMPLES_MAX = 20000 }; /* for a median */

static bool is_record_before_call(const struct stream *stream, uint32_t row)
{
    return record_properties((enum event_kind)stream->kind[row]) & RECORD_BEFORE;
}

static bool is_after(const struct stream *stream, uint32_t row)
{
    return record_properties((enum event_kind)stream->kind[row]) & RECORD_AFTER;
}

/* True for the record of a new request with the time stamp of the Enter: it was written before the
 * call. */
static bool begins_with(const struct stream *stream, uint32_t enter, uint32_t row)
{
    unsigned properties = record_properties((enum event_kind)stream->kind[row]);
    return properties & RECORD_POSTS && !(properties & RECORD_COMPLETES) &&
           stream->time[row] == stream->time[enter];
}

uint32_t region_leave(const struct stream *stream, uint32_t enter)
{
    assert(enter < stream->count && event_opens(stream->kind[enter]));
    for (uint32_t row = enter + 1; row < stream->count; row++)
        if (event_closes(stream->kind[row]) && stream->arg[row] == enter)
            return row;
    return stream->count - 1;
}

/* Ticks between two rows, not counting buffer flushes between them. */
static uint64_t gap(const struct stream *stream, uint32_t from, uint32_t to)
{
    uint64_t ticks = stream->time[to] - stream->time[from];
    for (uint32_t row = from; row < to; row++)
        if (stream->kind[row] == EVENT_BUFFER_FLUSH) {
            uint64_t end = stream->flushes[stream->arg[row]];
            uint64_t flushed = end > stream->time[row] ? end - stream->time[row] : 0;
            ticks -= flushed < ticks ? flushed : ticks;
        }
    return ticks;
}

/* The median of the gaps from Enter to the first record, or from the last record to Leave. */
static uint64_t median_gap(const struct stream *stream, bool enters, uint64_t limit)
{
    uint64_t *gaps = malloc(SAMPLES_MAX * sizeof *gaps), median = 0;
    size_t count = 0;
    for (uint32_t row = 1; gaps && row < stream->count && count < SAMPLES_MAX; row++) {
        bool wanted =
            enters ? stream->kind[row - 1] == EVENT_ENTER && is_record_before_call(stream, row)
                   : is_after(stream, row - 1) && stream->kind[row] == EVENT_LEAVE;
        uint64_t ticks = stream->time[row] - stream->time[row - 1];
        if (wanted && ticks > 0 && ticks <= limit)
            gaps[count++] = ticks;
    }
    if (count > 0) {
        qsort(gaps, count, sizeof *gaps, order_uint64);
        median = gaps[count / 2];
    }
    free(gaps);
    return median;
}

struct tracer_cost tracer_cost_of(const struct trace *trace, const struct stream *stream)
{
    struct tracer_cost cost = {
        .limit = (uint64_t)(LIMIT_S * (double)trace->definitions->ticks_per_second)};
    const char *known = definitions_property(trace->definitions, SILAS_PROPERTY_EVENT_COST);
    if (known) { /* measured by the tracer of SILAS, which takes one time stamp where others take
                    two */
        /* The time between the stamps around a call contains one reading of the clock, in the
         * recording as in a replay. Only the time for storing the record is extra. */
        const char *clock = definitions_property(trace->definitions, SILAS_PROPERTY_CLOCK_COST);
        double ns = strtod(known, NULL) - (clock ? strtod(clock, NULL) : 0);
        double ticks = (ns > 0 ? ns : 0) * 1e-9 * (double)trace->definitions->ticks_per_second;
        cost.record = cost.enter = ticks < (double)cost.limit ? (uint64_t)(ticks + 0.5) : 0;
        return cost;
    }
    cost.record = median_gap(stream, false, cost.limit);
    cost.enter = median_gap(stream, true, cost.limit);
    if (cost.enter == 0)
        cost.enter = cost.record;
    if (cost.record > cost.enter) /* some records include other work than writing */
        cost.record = cost.enter;
    return cost;
}

/* Ticks from the time stamp of the call's first row until the tracer has written its record. */
static uint64_t lead_of(const struct stream *stream, struct call_rows rows,
                        const struct tracer_cost *cost)
{
    if (rows.begin == rows.enter)
        return cost->enter;
    if (stream->time[rows.begin] == stream->time[rows.enter]) /* both have one time stamp */
        return cost->enter + cost->record;
    return cost->record;
}

struct call_rows call_rows_find(const struct stream *stream, uint32_t enter, uint32_t leave,
                                const struct tracer_cost *cost)
{
    assert(enter <= leave && leave < stream->count);
    struct call_rows rows = {.enter = enter, .leave = leave, .begin = enter, .end = leave};
    uint32_t row = enter + 1;
    for (; row < leave; row++) {
        if (is_record_before_call(stream, row) || begins_with(stream, enter, row))
            rows.begin = row;
        else if (stream->kind[row] != EVENT_BUFFER_FLUSH)
            break;
    }
    if (gap(stream, enter, rows.begin) > cost->limit)
        rows.begin = enter;
    for (; row < leave; row++)
        if (is_after(stream, row)) {
            rows.end = row;
            break;
        }
    if (gap(stream, rows.end, leave) > cost->limit)
        rows.end = leave;
    rows.lead = lead_of(stream, rows, cost);
    return rows;
}

struct call_rows call_rows_around(const struct stream *stream, uint32_t row)
{
    assert(row < stream->count);
    struct call_rows rows = {.enter = row, .leave = row, .begin = row, .end = row};
    if (is_after(stream, row) && row > 0 &&
        (stream->kind[row - 1] == EVENT_ENTER || is_record_before_call(stream, row - 1)))
        rows.begin = row - 1;
    if (is_record_before_call(stream, row) && row + 1 < stream->count &&
        stream->kind[row + 1] == EVENT_LEAVE)
        rows.end = row + 1;
    return rows;
}
