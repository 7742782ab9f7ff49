#include "report/timeline/timeline_private.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1, FIELDS = sizeof(struct timeline_place) / sizeof(int64_t) };

/* The partner's end of the message for which a call waited; -1 if it was no message. A receive
 * is preferred, since a call that also sends (MPI_Sendrecv) hardly ever waits for its send. */
static int64_t find_partner(const struct stream *stream, const struct timeline_wait *wait)
{
    int64_t received = UNKNOWN, sent = UNKNOWN;
    for (uint32_t row = wait->enter; row <= wait->leave && row < stream->count; row++) {
        enum event_kind kind = stream->kind[row];
        bool completes = kind == EVENT_RECV || kind == EVENT_IRECV || kind == EVENT_MATCHED ||
                         kind == EVENT_SEND || kind == EVENT_ISEND_COMPLETE;
        if (!completes || stream->arg[row] == INDEX_NONE)
            continue;
        const struct message *message = &stream->messages[stream->arg[row]];
        if (message->partner_rank != wait->other_rank || message->partner == INDEX_NONE)
            continue;
        *(message->flags & MESSAGE_SEND ? &sent : &received) = message->partner;
    }
    return received != UNKNOWN ? received : sent;
}

static void place_wait(const struct trace *trace, const struct stream *stream,
                       const struct timeline_wait *wait, struct timeline_place *place)
{
    place->enter = timeline_time(trace, stream, wait->enter);
    place->leave = timeline_time(trace, stream, wait->leave);
    place->until = place->enter + wait->wait;
    if (place->until > place->leave)
        place->until = place->leave;
    place->from =
        wait->number == 1 ? timeline_time(trace, stream, stream->count - 1) : place->leave;
    place->callpath = stream_callpath_at(stream, wait->enter);
    place->partner = find_partner(stream, wait);
}

/* The row that posted a message end. A blocking receive is recorded at the end of the call, so the
 * enter of the call is returned. */
static uint32_t post_row(const struct stream *stream, const struct message *message)
{
    bool late = !(message->flags & (MESSAGE_SEND | MESSAGE_NONBLOCKING));
    uint32_t enter = late ? stream_enter_at(stream, message->post) : INDEX_NONE;
    return enter != INDEX_NONE ? enter : message->post;
}

/* The last row at or before a time. */
static uint32_t row_at(const struct trace *trace, const struct stream *stream, int64_t time)
{
    return first_where(1, stream->count, row, timeline_time(trace, stream, row) > time) - 1;
}

/* Finds what the wait waited for: a message, or the arrival of the other rank. */
static void place_cause(const struct trace *trace, const struct stream *stream,
                        struct timeline_place *place)
{
    place->departure = place->until;
    place->other_callpath = CALLPATH_NONE;
    if (stream->count == 0)
        return;
    uint32_t row = row_at(trace, stream, place->until);
    if (place->partner != UNKNOWN && place->partner < stream->message_count) {
        row = post_row(stream, &stream->messages[place->partner]);
        if (timeline_time(trace, stream, row) < place->until)
            place->departure = timeline_time(trace, stream, row);
    }
    place->other_callpath = stream_callpath_at(stream, row);
}

enum status timeline_path_place(const struct timeline_input *timeline,
                                struct timeline_place **result, struct error *error)
{
    const struct trace *trace = timeline->trace;
    size_t count = timeline->path_count;
    struct timeline_place *places = malloc((count + 1) * sizeof *places);
    *result = places;
    enum status status = processes_agree_memory(trace->processes, places, "the domino path", error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const struct timeline_wait *wait = &timeline->path[i];
        const struct stream *stream = trace_stream(trace, wait->rank);
        memset(&places[i], 0xff, sizeof places[i]); /* UNKNOWN */
        if (stream)
            place_wait(trace, stream, wait, &places[i]);
    }
    processes_max(trace->processes, &places->enter, count * FIELDS);
    for (size_t i = 0; i < count; i++) {
        const struct stream *stream = trace_stream(trace, timeline->path[i].other_rank);
        if (stream)
            place_cause(trace, stream, &places[i]);
    }
    processes_max(trace->processes, &places->enter, count * FIELDS);
    for (size_t i = 1; i < count; i++)
        if (timeline->path[i].number == timeline->path[i - 1].number + 1)
            places[i].from = places[i - 1].departure;
    return STATUS_OK;
}
