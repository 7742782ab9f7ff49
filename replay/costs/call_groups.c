#include "replay/costs/call_groups.h"

/* Of the message or collective operation of an event; 0 if it has none. */
static uint64_t event_bytes(const struct stream *stream, uint32_t row)
{
    uint32_t arg = stream->arg[row];
    switch ((enum event_kind)stream->kind[row]) {
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_ISEND:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV_REQUEST:
    case EVENT_IRECV:
        return stream->messages[arg].bytes;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_REQUEST:
    case EVENT_NBC_COMPLETE: {
        const struct collective *collective = &stream->collectives[arg];
        return collective->sent > collective->received ? collective->sent : collective->received;
    }
    case EVENT_RMA_OP:
        return stream->rma_ops[arg].sent + stream->rma_ops[arg].received;
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

/* The known value nearest to class `size`; of two the smaller size's. */
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
