#include "replay/realtime/rewrite.h"

#include "trace/calls/records.h"

/* A moment on both time scales. */
struct knot {
    uint64_t recorded, predicted;
};

uint64_t timeline_moment(const struct timeline *timeline, uint64_t reading)
{
    uint64_t elapsed = reading > timeline->start ? reading - timeline->start : 0;
    return timeline->trace_begin + (uint64_t)((double)elapsed * timeline->ticks_scale + 0.5);
}

/* Interpolates a moment between two knots. */
static uint64_t between(struct knot from, struct knot to, uint64_t recorded)
{
    if (recorded <= from.recorded)
        return from.predicted;
    if (recorded >= to.recorded)
        return to.predicted;
    return from.predicted + (uint64_t)((unsigned __int128)(to.predicted - from.predicted) *
                                       (recorded - from.recorded) / (to.recorded - from.recorded));
}

/* Fills the rows from `row` on that lie between two knots: those before row `sure`, and those
 * before row `limit` that are earlier than the second knot. Returns the next row. */
static uint32_t fill(const struct stream *recorded, struct stream *view, uint32_t row,
                     uint32_t sure, uint32_t limit, struct knot from, struct knot to)
{
    for (; row < sure || (row < limit && recorded->time[row] < to.recorded); row++)
        view->time[row] = between(from, to, recorded->time[row]);
    return row;
}

void timeline_write(const struct executor *executor, const struct timeline *timeline,
                    const struct stream *recorded, struct stream *view)
{
    const struct replay_program *program = executor->program;
    if (recorded->count == 0)
        return;
    uint32_t row = 0;
    struct knot last = {recorded->time[0], timeline_moment(timeline, executor->first)};
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        const struct timed_call *timed = &program->timed_calls.items[i];
        struct knot begin = {recorded->time[timed->begin] + timed->lead,
                             timeline_moment(timeline, executor->readings[2 * i])};
        struct knot end = {recorded->time[timed->end] - timed->rest,
                           timeline_moment(timeline, executor->readings[2 * i + 1])};
        row = fill(recorded, view, row, timed->begin, timed->end, last, begin);
        if (row == timed->end && timed->begin == timed->end &&
            record_properties((enum event_kind)recorded->kind[row]) & RECORD_BEFORE)
            view->time[row++] = begin.predicted; /* a send outside all regions begins there */
        row = fill(recorded, view, row, timed->end, timed->end, begin, end);
        last = end;
    }
    struct knot end = {recorded->time[recorded->count - 1],
                       timeline_moment(timeline, executor->last)};
    fill(recorded, view, row, recorded->count, recorded->count, last, end);
}
