#include "replay/costs/message_ends.h"

#include "trace/calls/semantics.h"
#include "trace/exchange.h"

#include <assert.h>
#include <string.h>

/* What an end sends to the other end, besides times. */
struct end_kind {
    uint64_t bytes;
    uint8_t mode;
};

static enum message_mode mode_of_send(const struct message *message)
{
    switch (message_send_mode(message)) {
    case SEND_SYNCHRONOUS:
        return MESSAGE_SYNCHRONOUS;
    case SEND_BUFFERED:
        return MESSAGE_FREE;
    default:
        return MESSAGE_STANDARD;
    }
}

static struct end_rows rows_of_end(const struct stream *stream, const struct message *message)
{
    struct end_rows rows = {.post = message_post_row(stream, message), .leave = INDEX_NONE};
    if (message->flags & MESSAGE_SEND) {
        rows.leave = message_leave_row(stream, message);
        rows.mode = (uint8_t)mode_of_send(message);
    }
    return rows;
}

static bool send_kind_of_end(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct message_ends *ends = data;
    struct end_kind *own = value;
    own->bytes = ends->trace->streams[s].messages[m].bytes;
    own->mode = ends->rows[s][m].mode;
    return true;
}

/* Both ends take the sender's bytes and mode. */
static void take_kind_of_end(void *data, uint32_t s, uint32_t m, const void *value)
{
    const struct message_ends *ends = data;
    const struct end_kind *other = value;
    const struct message *message = &ends->trace->streams[s].messages[m];
    struct end_rows *own = &ends->rows[s][m];
    bool sends = message->flags & MESSAGE_SEND;
    ends->ends[s][m].bytes = sends ? message->bytes : other->bytes;
    if (!sends)
        own->mode = other->mode;
    if (own->mode == MESSAGE_STANDARD && message->bytes != other->bytes)
        own->mode = MESSAGE_FREE;
}

static bool allocate_ends(struct message_ends *ends)
{
    const struct trace *trace = ends->trace;
    struct arena *arena = ends->arena = arena_create();
    if (!arena)
        return false;
    ends->ends = arena_alloc_array(arena, trace->owned_count, sizeof *ends->ends);
    ends->rows = arena_alloc_array(arena, trace->owned_count, sizeof *ends->rows);
    for (uint32_t s = 0; s < trace->owned_count && ends->ends && ends->rows; s++) {
        const struct stream *stream = &trace->streams[s];
        ends->ends[s] = arena_alloc_array(arena, stream->message_count, sizeof **ends->ends);
        ends->rows[s] = arena_alloc_array(arena, stream->message_count, sizeof **ends->rows);
        if (!ends->ends[s] || !ends->rows[s])
            return false;
        for (uint32_t m = 0; m < stream->message_count; m++)
            ends->rows[s][m] = rows_of_end(stream, &stream->messages[m]);
    }
    return ends->ends && ends->rows;
}

enum status message_ends_make(const struct trace *trace, struct message_ends *ends,
                              struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "the ends of messages",
                                                     .size = sizeof(struct end_kind),
                                                     .send = send_kind_of_end,
                                                     .receive = take_kind_of_end};
    assert(trace->matched);
    memset(ends, 0, sizeof *ends);
    ends->trace = trace;
    enum status status = partners_exchange(trace, allocate_ends(ends), &exchange, ends, error);
    if (status != STATUS_OK)
        message_ends_clear(ends);
    return status;
}

void message_ends_clear(struct message_ends *ends)
{
    arena_destroy(ends->arena);
    memset(ends, 0, sizeof *ends);
}

struct end_times {
    int64_t post, left;
};

struct ends_exchange {
    struct message_ends *ends;
    const struct trace *times;
};

static bool send_end_times(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct ends_exchange *exchange = data;
    const struct end_rows *rows = &exchange->ends->rows[s][m];
    const uint64_t *time = exchange->times->streams[s].time;
    struct end_times *own = value;
    own->post = (int64_t)time[rows->post];
    own->left = rows->leave == INDEX_NONE ? INT64_MAX : (int64_t)time[rows->leave];
    return true;
}

static void take_end_times(void *data, uint32_t s, uint32_t m, const void *value)
{
    const struct ends_exchange *exchange = data;
    const struct end_times *other = value;
    struct both_ends *own = &exchange->ends->ends[s][m];
    own->post = other->post;
    own->send_left = other->left;
}

/* A standard send that returned before its receive was posted did not wait for it. */
static void find_modes(const struct message_ends *ends, const struct trace *times, uint32_t s)
{
    const struct stream *stream = &ends->trace->streams[s];
    for (uint32_t m = 0; m < stream->message_count; m++) {
        struct both_ends *own = &ends->ends[s][m];
        const struct end_rows *rows = &ends->rows[s][m];
        if (!message_takes_part(&stream->messages[m]))
            continue;
        const uint64_t *time = times->streams[s].time;
        bool sends = stream->messages[m].flags & MESSAGE_SEND;
        int64_t receive_post = sends ? own->post : (int64_t)time[rows->post];
        if (sends)
            own->send_left = rows->leave == INDEX_NONE ? INT64_MAX : (int64_t)time[rows->leave];
        own->mode = rows->mode;
        if (rows->mode == MESSAGE_STANDARD && own->send_left < receive_post)
            own->mode = MESSAGE_FOUND_FREE;
    }
}

enum status message_ends_exchange(struct message_ends *ends, const struct trace *times,
                                  struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "the ends of messages",
                                                     .size = sizeof(struct end_times),
                                                     .send = send_end_times,
                                                     .receive = take_end_times};
    const struct trace *trace = ends->trace;
    struct ends_exchange data = {ends, times};
    assert(times == trace || times->origin == trace || times->origin == trace->origin);
    enum status status = partners_exchange(trace, true, &exchange, &data, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        find_modes(ends, times, s);
    return status;
}
