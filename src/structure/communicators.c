#include "structure/communicators.h"

#include "base/array.h"
#include "base/sort.h"
#include "trace/comm_uses.h"

#include <stdlib.h>

typedef ARRAY(struct comm_use) comm_use_list;

uint64_t *communicators_hash(const struct definitions *definitions)
{
    uint64_t *hashes = malloc((definitions->comm_count + (size_t)1) * sizeof *hashes);
    for (uint32_t i = 0; i < definitions->comm_count && hashes; i++)
        hashes[i] = comm_members_hash(definitions, i);
    return hashes;
}

/* The communicator of the message or operation that a row posts; INDEX_NONE: it posts none. */
static uint32_t comm_of_row(const struct stream *stream, uint32_t row)
{
    switch (stream->kind[row]) {
    case EVENT_SEND:
    case EVENT_ISEND:
    case EVENT_RECV:
    case EVENT_IRECV_REQUEST:
        return stream->messages[stream->arg[row]].comm;
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_REQUEST:
        return stream->collectives[stream->arg[row]].comm;
    default:
        return INDEX_NONE;
    }
}

/* Lists the communicators in the order in which the rank uses them first. */
static bool list_uses(const struct stream *stream, uint32_t from, uint32_t to,
                      const uint64_t *members, comm_use_list *uses)
{
    struct map known = {0};
    bool allocated = true;
    for (uint32_t row = from; row < to && allocated; row++) {
        const uint32_t comm = comm_of_row(stream, row);
        if (comm == INDEX_NONE)
            continue;
        const uint32_t *at = map_at(&known, comm, (uint32_t)known.count);
        allocated =
            at &&
            (*at < uses->count ||
             array_push(uses,
                        ((struct comm_use){.members = members[comm], .first = row, .comm = comm})));
        if (allocated)
            uses->items[*at].last = row;
    }
    map_clear(&known);
    return allocated;
}

ORDER_BY(by_first_use, struct comm_use, ASCENDING(first))

bool communicators_number(const struct stream *stream, uint32_t from, uint32_t to,
                          const uint64_t *members, struct map *numbers)
{
    comm_use_list uses = {0};
    struct map known = {0}; /* numbers by members and copy, in the order of the first use */
    bool allocated =
        list_uses(stream, from, to, members, &uses) && comm_uses_number(uses.items, uses.count);
    if (allocated && uses.count > 1)
        qsort(uses.items, uses.count, sizeof *uses.items, by_first_use);
    for (size_t i = 0; i < uses.count && allocated; i++) {
        const struct comm_use *use = &uses.items[i];
        const uint32_t *number =
            map_at(&known, map_mix(use->members + use->copy), (uint32_t)known.count);
        allocated = number && map_set(numbers, use->comm, *number);
    }
    map_clear(&known);
    free(uses.items);
    return allocated;
}
