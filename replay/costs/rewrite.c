#include "replay/costs/rewrite.h"

#include "trace/calls/records.h"

#include <assert.h>

static uint64_t shifted_time(const struct rewriter *rewriter, uint32_t row, int64_t shift)
{
    return (uint64_t)((int64_t)rewriter->stream->time[row] + shift);
}

/* Shifts the rows from the last one written up to, but without, `to`. */
static void shift_rows(const struct rewriter *rewriter, uint32_t to)
{
    for (uint32_t row = rewriter->row; row < to; row++)
        rewriter->view->time[row] = shifted_time(rewriter, row, rewriter->shift);
}

/* The last row of a call before MPI is called: records until then have not waited. */
static uint32_t call_start(const struct stream *stream, uint32_t enter, uint32_t leave)
{
    uint32_t row = enter;
    while (row + 1 < leave &&
           record_properties((enum event_kind)stream->kind[row + 1]) & RECORD_BEFORE)
        row++;
    return row;
}

/* If a call becomes shorter than the time before its start, the rows before the start get the time
 * of its end. */
static void bound_rows(struct stream *view, uint32_t from, uint32_t to, uint64_t end)
{
    for (uint32_t row = to + 1; row-- > from && view->time[row] > end;)
        view->time[row] = end;
}

uint64_t knots_interpolate(struct knot from, struct knot to, uint64_t recorded)
{
    if (recorded <= from.recorded)
        return from.predicted;
    if (recorded >= to.recorded)
        return to.predicted;
    return from.predicted + (uint64_t)((unsigned __int128)(to.predicted - from.predicted) *
                                       (recorded - from.recorded) / (to.recorded - from.recorded));
}

/* The first of the rows before `end` that were written after MPI had returned; `end` if there is
 * none, or if there are other calls before `end`: in a polling loop. */
static uint32_t first_record_after(const struct stream *stream, uint32_t first, uint32_t end)
{
    uint32_t after = end;
    while (after > first &&
           record_properties((enum event_kind)stream->kind[after - 1]) & RECORD_AFTER)
        after--;
    for (uint32_t row = first; row < after; row++)
        if (event_opens(stream->kind[row]))
            return end;
    return after;
}

void rewrite_rows(const struct stream *stream, struct stream *view, uint32_t first, uint32_t end,
                  struct knot from, struct knot to)
{
    uint32_t after = first_record_after(stream, first, end), row = first;
    struct knot returned = to;
    if (after < end && stream->time[after] < to.recorded) {
        const uint64_t rest = to.recorded - stream->time[after];
        returned.recorded = stream->time[after];
        if (to.predicted - from.predicted >= rest)
            returned.predicted = to.predicted - rest;
    }
    for (; row < after; row++)
        view->time[row] = knots_interpolate(from, returned, stream->time[row]);
    for (; row < end; row++)
        view->time[row] = knots_interpolate(returned, to, stream->time[row]);
}

struct rewriter rewrite_begin(const struct stream *stream, struct stream *view)
{
    assert(stream->count == view->count && stream->time != view->time);
    return (struct rewriter){.stream = stream, .view = view};
}

void rewrite_call(struct rewriter *rewriter, uint32_t enter, uint32_t leave, int64_t shift)
{
    assert(enter <= leave && leave < rewriter->stream->count && leave >= rewriter->row);
    uint32_t row = rewriter->row, start = call_start(rewriter->stream, enter, leave);
    if (enter < row) /* a record outside all regions, right after the call before */
        start = row;
    shift_rows(rewriter, start + 1);
    rewriter->shift = shift;
    uint64_t end = shifted_time(rewriter, leave, shift);
    bound_rows(rewriter->view, row < start ? row : start, start, end);
    const struct knot begin = {rewriter->stream->time[start], rewriter->view->time[start]};
    if (leave > start)
        rewrite_rows(rewriter->stream, rewriter->view, start + 1, leave, begin,
                     (struct knot){rewriter->stream->time[leave], end});
    rewriter->view->time[leave] = end;
    rewriter->row = leave + 1;
}

void rewrite_end(struct rewriter *rewriter)
{
    shift_rows(rewriter, rewriter->stream->count);
}
