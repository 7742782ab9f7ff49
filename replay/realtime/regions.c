#include "replay/realtime/regions.h"

bool event_starts_call(enum event_kind kind)
{
    return kind == EVENT_SEND || kind == EVENT_ISEND || kind == EVENT_COLLECTIVE_BEGIN;
}

bool event_ends_call(enum event_kind kind)
{
    switch (kind) {
    case EVENT_RECV:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV_REQUEST:
    case EVENT_IRECV:
    case EVENT_REQUEST_TEST:
    case EVENT_REQUEST_CANCELLED:
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_REQUEST:
    case EVENT_NBC_COMPLETE:
        return true;
    default:
        return false;
    }
}

enum mpi_call region_call(const struct trace *trace, const struct stream *stream, uint32_t enter)
{
    uint32_t region = trace->calltree.paths.items[stream->arg[enter]].region;
    return trace->definitions->regions[region].mpi_call;
}

uint32_t region_leave(const struct stream *stream, uint32_t enter)
{
    for (uint32_t row = enter + 1; row < stream->count; row++)
        if ((stream->kind[row] == EVENT_LEAVE || stream->kind[row] == EVENT_PROGRAM_END) &&
            stream->arg[row] == enter)
            return row;
    return stream->count - 1;
}

/* Ticks between two rows without the buffer flushes among them. */
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

struct call_rows call_rows_find(const struct stream *stream, uint32_t enter, uint32_t leave,
                                uint64_t tracer_limit)
{
    struct call_rows rows = {.enter = enter, .leave = leave, .begin = enter, .end = leave};
    uint32_t row = enter + 1;
    for (; row < leave; row++) {
        if (event_starts_call(stream->kind[row]))
            rows.begin = row;
        else if (stream->kind[row] != EVENT_BUFFER_FLUSH)
            break;
    }
    if (gap(stream, enter, rows.begin) > tracer_limit)
        rows.begin = enter;
    for (; row < leave; row++)
        if (event_ends_call(stream->kind[row])) {
            rows.end = row;
            break;
        }
    if (gap(stream, rows.end, leave) > tracer_limit)
        rows.end = leave;
    return rows;
}

struct call_rows call_rows_around(const struct stream *stream, uint32_t row)
{
    struct call_rows rows = {.enter = row, .leave = row, .begin = row, .end = row};
    if (event_ends_call(stream->kind[row]) && row > 0 &&
        (stream->kind[row - 1] == EVENT_ENTER || event_starts_call(stream->kind[row - 1])))
        rows.begin = row - 1;
    if (event_starts_call(stream->kind[row]) && row + 1 < stream->count &&
        stream->kind[row + 1] == EVENT_LEAVE)
        rows.end = row + 1;
    return rows;
}
