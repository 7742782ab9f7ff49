#include "replay/costs/call_groups.h"

#include "trace/calls/records.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_FACTOR = 4 }; /* between the classes of sizes */

/* Bytes of the message or operation that a record is about; 0 for other rows. */
static uint64_t event_bytes(const struct stream *stream, uint32_t row)
{
    unsigned properties = record_properties((enum event_kind)stream->kind[row]);
    if (!(properties & (RECORD_POSTS | RECORD_COMPLETES)) && stream->kind[row] != EVENT_RMA_OP)
        return 0;
    struct record record = record_at(stream, row);
    switch (record.subject) {
    case RECORD_OF_MESSAGE:
        return stream->messages[record.index].bytes;
    case RECORD_OF_COLLECTIVE: {
        const struct collective *collective = &stream->collectives[record.index];
        return collective->sent > collective->received ? collective->sent : collective->received;
    }
    case RECORD_OF_RMA_OP:
        return stream->rma_ops[record.index].sent + stream->rma_ops[record.index].received;
    default:
        return 0;
    }
}

size_t call_group(const struct stream *stream, uint32_t path, uint32_t enter, uint32_t leave)
{
    uint64_t largest = 0;
    size_t size = 0;
    for (uint32_t row = enter; row <= leave; row++) {
        uint64_t bytes = event_bytes(stream, row);
        largest = bytes > largest ? bytes : largest;
    }
    while (largest > 0 && size + 1 < CALL_SIZES) {
        largest /= SIZE_FACTOR;
        size++;
    }
    return (size_t)path * CALL_SIZES + size;
}

/* The known value nearest to class `size`; if two are equally near, that of the smaller size. */
static int64_t nearest_known(const int64_t *values, int size, int64_t unknown, int64_t otherwise)
{
    for (int distance = 0; distance < CALL_SIZES; distance++) {
        if (size - distance >= 0 && values[size - distance] != unknown)
            return values[size - distance];
        if (size + distance < CALL_SIZES && values[size + distance] != unknown)
            return values[size + distance];
    }
    return otherwise;
}

void call_groups_fill(int64_t *values, size_t path_count, int64_t unknown, int64_t otherwise)
{
    for (size_t path = 0; path < path_count; path++) {
        int64_t filled[CALL_SIZES], *own = values + path * CALL_SIZES;
        for (int size = 0; size < CALL_SIZES; size++)
            filled[size] = nearest_known(own, size, unknown, otherwise);
        for (int size = 0; size < CALL_SIZES; size++)
            own[size] = filled[size];
    }
}

/* False if out of memory. */
static bool list_call(struct call_list *list, const struct call_walk *walk)
{
    struct listed_call call = {.first_post = list->posts.count,
                               .first_wait = list->waits.count,
                               .enter = walk->call.enter,
                               .leave = walk->call.leave,
                               .probes = walk->call.probes};
    bool room = array_push(&list->calls, call);
    for (size_t i = 0; i < walk->posts.count && room; i++)
        room = array_push(&list->posts, walk->posts.items[i]);
    for (size_t i = 0; i < walk->waits.count && room; i++)
        room = array_push(&list->waits, walk->waits.items[i]);
    return room;
}

static bool list_stream(struct call_list *list, const struct trace *trace,
                        const struct stream *stream, double poll_gap_s)
{
    struct call_walk walk;
    size_t operations = (size_t)stream->message_count + stream->collective_count;
    bool room = array_reserve(&list->calls, operations) &&
                array_reserve(&list->posts, operations) && array_reserve(&list->waits, operations);
    call_walk_open(&walk, trace, stream, poll_gap_s);
    while (room && call_walk_next(&walk))
        room = list_call(list, &walk);
    room = room && !walk.out_of_memory;
    call_walk_close(&walk);
    return room;
}

enum status call_list_make(const struct trace *trace, double poll_gap_s, struct call_list *list,
                           struct error *error)
{
    memset(list, 0, sizeof *list);
    list->first = calloc((size_t)trace->owned_count + 1, sizeof *list->first);
    bool room = list->first != NULL;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        room = list_stream(list, trace, &trace->streams[s], poll_gap_s);
        list->first[s + 1] = list->calls.count;
    }
    struct listed_call end = {.first_post = list->posts.count, .first_wait = list->waits.count};
    list->count = list->calls.count;
    room = room && array_push(&list->calls, end);
    if (room)
        return STATUS_OK;
    call_list_clear(list);
    return error_memory(error, "the calls of a trace");
}

void call_list_clear(struct call_list *list)
{
    free(list->calls.items);
    free(list->posts.items);
    free(list->waits.items);
    free(list->first);
    memset(list, 0, sizeof *list);
}
