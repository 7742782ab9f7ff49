#include "replay/realtime/rewrite.h"

/* A moment in both times. */
struct knot {
    uint64_t recorded, predicted;
};

static uint64_t predicted_time(const struct timeline *timeline, uint64_t reading)
{
    uint64_t elapsed = reading > timeline->start ? reading - timeline->start : 0;
    return timeline->trace_begin + (uint64_t)((double)elapsed * timeline->ticks_scale + 0.5);
}

/* A moment between two knots, in proportion. */
static uint64_t between(struct knot from, struct knot to, uint64_t recorded)
{
    if (recorded <= from.recorded)
        return from.predicted;
    if (recorded >= to.recorded)
        return to.predicted;
    return from.predicted + (uint64_t)((unsigned __int128)(to.predicted - from.predicted) *
                                       (recorded - from.recorded) / (to.recorded - from.recorded));
}

/* Rows first .. end - 1 lie between two knots. */
static void fill(const struct stream *recorded, struct stream *view, uint32_t first, uint32_t end,
                 struct knot from, struct knot to)
{
    for (uint32_t row = first; row < end; row++)
        view->time[row] = between(from, to, recorded->time[row]);
}

void timeline_write(const struct executor *executor, const struct timeline *timeline,
                    const struct stream *recorded, struct stream *view)
{
    const struct program *program = executor->program;
    if (recorded->count == 0)
        return;
    uint32_t row = 0;
    struct knot last = {recorded->time[0], predicted_time(timeline, executor->first)};
    for (size_t i = 0; i < program->windows.count; i++) {
        const struct window *window = &program->windows.items[i];
        struct knot begin = {recorded->time[window->begin],
                             predicted_time(timeline, executor->readings[2 * i])};
        struct knot end = {recorded->time[window->end] - window->rest,
                           predicted_time(timeline, executor->readings[2 * i + 1])};
        fill(recorded, view, row, window->begin, last, begin);
        row = row > window->begin ? row : window->begin;
        fill(recorded, view, row, window->end, begin, end);
        row = row > window->end ? row : window->end;
        if (row == window->begin && window->rest == 0 && row < recorded->count)
            view->time[row++] = end.predicted; /* a call of one row: it has happened by then */
        last = end;
    }
    struct knot end = {recorded->time[recorded->count - 1],
                       predicted_time(timeline, executor->last)};
    fill(recorded, view, row, recorded->count, last, end);
}
