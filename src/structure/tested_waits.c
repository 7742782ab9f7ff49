#include "structure/tested_waits.h"

#include "base/array.h"

#include <stdlib.h>

enum { ALWAYS_MADE = 1 }; /* for call paths: some visit completes nothing */

/* What a visit completes. */
enum completes { COMPLETES_NOTHING, COMPLETES_TESTED, COMPLETES_OTHERS };

/* The request that an event names, as in the argument of REQUEST_TEST. */
static uint32_t completed_request(const struct stream *stream, uint32_t row)
{
    switch (stream->kind[row]) {
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV:
        return stream->arg[row];
    case EVENT_NBC_COMPLETE:
        return COLLECTIVE_BIT | stream->arg[row];
    default:
        return INDEX_NONE;
    }
}

/* What the call entered at `enter` completes: only requests that are `tested`, or others. */
static enum completes what_completes(const struct stream *stream, uint32_t enter,
                                     const struct map *tested)
{
    enum completes completes = COMPLETES_NOTHING;
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        if (event_opens(stream->kind[row]) || event_closes(stream->kind[row]))
            break;
        const uint32_t request = completed_request(stream, row);
        if (request == INDEX_NONE)
            continue;
        if (map_get(tested, request) == MAP_NONE)
            return COMPLETES_OTHERS;
        completes = COMPLETES_TESTED;
    }
    return completes;
}

static bool path_is_wait(const struct trace *trace, uint32_t path)
{
    const enum mpi_class class = mpi_call_infos[callpath_call(trace, path)].class;
    return class == MPI_CLASS_WAIT || class == MPI_CLASS_WAITALL;
}

bool tested_waits_find(const struct trace *trace, const struct stream *stream, uint32_t from,
                       uint32_t to, struct map *waits)
{
    struct map tested = {0}, paths = {0};
    ARRAY(uint32_t) rows = {0};
    bool allocated = true;
    for (uint32_t row = from; row < to && allocated; row++) {
        const uint32_t arg = stream->arg[row];
        if (stream->kind[row] == EVENT_REQUEST_TEST && arg != INDEX_NONE)
            allocated = map_set(&tested, arg, 1);
        if (stream->kind[row] != EVENT_ENTER || !path_is_wait(trace, arg))
            continue;
        const enum completes completes = what_completes(stream, row, &tested);
        if (completes == COMPLETES_NOTHING)
            allocated = map_set(&paths, arg, ALWAYS_MADE);
        else if (completes == COMPLETES_TESTED)
            allocated = array_push(&rows, row);
    }
    for (size_t i = 0; i < rows.count && allocated; i++)
        if (map_get(&paths, stream->arg[rows.items[i]]) == MAP_NONE)
            allocated = map_set(waits, rows.items[i], 1);
    free(rows.items);
    map_clear(&tested);
    map_clear(&paths);
    return allocated;
}
