#include "structure/tested_waits.h"

enum { OTHER_VISITS = TESTED_WAIT + 1 };

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

/* Whether the call entered at `enter` completes requests, and all of them are `tested`. */
static bool completes_only_tested(const struct stream *stream, uint32_t enter,
                                  const struct map *tested)
{
    bool completes = false;
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        if (event_opens(stream->kind[row]) || event_closes(stream->kind[row]))
            break;
        const uint32_t request = completed_request(stream, row);
        if (request == INDEX_NONE)
            continue;
        if (map_get(tested, request) == MAP_NONE)
            return false;
        completes = true;
    }
    return completes;
}

bool tested_waits_find(const struct trace *trace, const struct stream *stream, uint32_t from,
                       uint32_t to, struct map *paths)
{
    struct map tested = {0};
    bool allocated = true;
    for (uint32_t row = from; row < to && allocated; row++) {
        const uint32_t arg = stream->arg[row];
        if (stream->kind[row] == EVENT_REQUEST_TEST && arg != INDEX_NONE)
            allocated = map_set(&tested, arg, 1);
        if (stream->kind[row] != EVENT_ENTER)
            continue;
        const enum mpi_class class = mpi_call_infos[callpath_call(trace, arg)].class;
        if (class != MPI_CLASS_WAIT && class != MPI_CLASS_WAITALL)
            continue;
        uint32_t *visits = map_at(paths, arg, TESTED_WAIT);
        allocated = visits != NULL;
        if (visits && !completes_only_tested(stream, row, &tested))
            *visits = OTHER_VISITS;
    }
    map_clear(&tested);
    return allocated;
}
