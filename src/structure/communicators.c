#include "structure/communicators.h"

#include "base/array.h"

#include <stdlib.h>

/* A communicator, and the rows in which a rank uses it first and last. */
struct comm_use {
    uint32_t comm, first, last;
    uint64_t members; /* a hash */
};

typedef ARRAY(struct comm_use) comm_use_list;

/* Communicators with the same members, used one after the other: they have the same number. */
struct comm_slot {
    uint32_t last; /* row of the last use so far */
    uint32_t next; /* slot of other communicators with the same members; MAP_NONE: there is none */
};

typedef ARRAY(struct comm_slot) comm_slot_list;

static uint64_t hash_group(const struct definitions *definitions, uint32_t index, uint64_t hash)
{
    if (index >= definitions->group_count)
        return map_mix(hash);
    const struct group *group = &definitions->groups[index];
    for (uint32_t i = 0; i < group->count; i++)
        hash = map_mix(hash + group_rank(group, i) + 1);
    return map_mix(hash + group->count);
}

uint64_t *communicators_hash(const struct definitions *definitions)
{
    uint64_t *hashes = malloc((definitions->comm_count + (size_t)1) * sizeof *hashes);
    for (uint32_t i = 0; i < definitions->comm_count && hashes; i++) {
        const struct communicator *comm = &definitions->comms[i];
        hashes[i] = comm->self ? 0 : hash_group(definitions, comm->group, 1);
        if (comm->remote_group != INDEX_NONE)
            hashes[i] = hash_group(definitions, comm->remote_group, hashes[i]);
    }
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
        allocated = at && (*at < uses->count ||
                           array_push(uses, ((struct comm_use){comm, row, row, members[comm]})));
        if (allocated)
            uses->items[*at].last = row;
    }
    map_clear(&known);
    return allocated;
}

/* Gives a communicator the first slot that is free when it is used first, or a new one. `head` is
 * the first slot of its members, or the number of slots if they have none. */
static bool take_comm_slot(comm_slot_list *slots, const struct comm_use *use, uint32_t head,
                           uint32_t *taken)
{
    const uint32_t added = (uint32_t)slots->count;
    uint32_t before = MAP_NONE;
    *taken = head < added ? head : MAP_NONE;
    while (*taken != MAP_NONE && slots->items[*taken].last > use->first) {
        before = *taken;
        *taken = slots->items[*taken].next;
    }
    if (*taken == MAP_NONE) {
        if (!array_push(slots, ((struct comm_slot){.next = MAP_NONE})))
            return false;
        if (before != MAP_NONE)
            slots->items[before].next = added;
        *taken = added;
    }
    slots->items[*taken].last = use->last;
    return true;
}

bool communicators_number(const struct stream *stream, uint32_t from, uint32_t to,
                          const uint64_t *members, struct map *numbers)
{
    comm_use_list uses = {0};
    comm_slot_list slots = {0};
    struct map heads = {0}; /* first slot by members */
    bool allocated = list_uses(stream, from, to, members, &uses);
    for (size_t i = 0; i < uses.count && allocated; i++) {
        const struct comm_use *use = &uses.items[i];
        const uint32_t *head = map_at(&heads, use->members, (uint32_t)slots.count);
        uint32_t slot;
        allocated =
            head && take_comm_slot(&slots, use, *head, &slot) && map_set(numbers, use->comm, slot);
    }
    map_clear(&heads);
    free(slots.items);
    free(uses.items);
    return allocated;
}
