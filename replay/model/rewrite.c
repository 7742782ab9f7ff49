#include "replay/model/rewrite.h"

#include "trace/calls/records.h"

static uint64_t shifted(const struct stream *stream, uint32_t row, int64_t shift)
{
    return (uint64_t)((int64_t)stream->time[row] + shift);
}

/* Rows from .. to - 1, all with the same shift. */
static void shift_rows(const struct stream *stream, struct stream *view, uint32_t from, uint32_t to,
                       int64_t shift)
{
    for (uint32_t row = from; row < to; row++)
        view->time[row] = shifted(stream, row, shift);
}

/* The last row of a call before MPI is called: what it records until then has not waited. */
static uint32_t start_of(const struct stream *stream, struct call_span span)
{
    uint32_t row = span.enter;
    while (row + 1 < span.leave &&
           record_properties((enum event_kind)stream->kind[row + 1]) & RECORD_BEFORE)
        row++;
    return row;
}

/* Where a call has become shorter than what came before its start, that ends with the call. */
static void bound_rows(struct stream *view, uint32_t from, uint32_t to, uint64_t end)
{
    for (uint32_t row = to + 1; row-- > from && view->time[row] > end;)
        view->time[row] = end;
}

/* The rows of one call behind its start, up to and with its leave. */
static void stretch_rows(const struct stream *stream, struct stream *view, uint32_t start,
                         uint32_t leave, uint64_t end)
{
    uint64_t from = stream->time[start], length = stream->time[leave] - from;
    uint64_t begin = view->time[start];
    for (uint32_t row = start + 1; row < leave; row++)
        view->time[row] = length == 0 ? begin
                                      : begin + (uint64_t)((unsigned __int128)(end - begin) *
                                                           (stream->time[row] - from) / length);
    view->time[leave] = end;
}

static void write_stream(const struct stream *stream, struct stream *view,
                         const struct call_span *spans, const int64_t *ends, size_t count)
{
    uint32_t row = 0;
    int64_t shift = 0;
    for (size_t i = 0; i < count; i++) {
        struct call_span span = spans[i];
        uint32_t start = start_of(stream, span);
        if (span.enter < row) /* a record outside all regions, next to the call before */
            start = row;
        shift_rows(stream, view, row, start + 1, shift);
        shift = ends[i];
        uint64_t end = shifted(stream, span.leave, shift);
        bound_rows(view, row < start ? row : start, start, end);
        if (span.leave > start)
            stretch_rows(stream, view, start, span.leave, end);
        else
            view->time[span.leave] = end;
        row = span.leave + 1;
    }
    shift_rows(stream, view, row, stream->count, shift);
}

void view_write(const struct trace *trace, const struct part *part, const int64_t *ends,
                struct trace *view)
{
    const struct call_span *spans = part->spans.items;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        write_stream(&trace->streams[s], &view->streams[s], spans, ends, part->span_counts[s]);
        spans += part->span_counts[s];
        ends += part->span_counts[s];
    }
}
