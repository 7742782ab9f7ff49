#include "replay/costs/call_groups.h"

#include "trace/calls/records.h"

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
        largest /= 4;
        size++;
    }
    return (size_t)path * CALL_SIZES + size;
}

/* The known value nearest to class `size`; if two are equally near, that of the smaller size. */
static int64_t nearest(const int64_t *values, int size, int64_t unknown, int64_t otherwise)
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
            filled[size] = nearest(own, size, unknown, otherwise);
        for (int size = 0; size < CALL_SIZES; size++)
            own[size] = filled[size];
    }
}
