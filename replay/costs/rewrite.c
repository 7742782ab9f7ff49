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

/* Scales the times of a call after its start, its leave included. */
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
    if (leave > start)
        stretch_rows(rewriter->stream, rewriter->view, start, leave, end);
    else
        rewriter->view->time[leave] = end;
    rewriter->row = leave + 1;
}

void rewrite_end(struct rewriter *rewriter)
{
    shift_rows(rewriter, rewriter->stream->count);
}
