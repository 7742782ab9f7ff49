/* Open addressing with linear probing; removal moves later entries of the run back, so that no
 * tombstones pile up over millions of requests. */
#include "trace/load/open_requests.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static size_t home(const struct open_requests *requests, uint64_t id)
{
    return map_mix(id) & (requests->slot_count - 1);
}

static size_t find(const struct open_requests *requests, uint64_t id)
{
    size_t slot = home(requests, id);
    while (requests->slots[slot].value != REQUEST_UNKNOWN && requests->slots[slot].id != id)
        slot = (slot + 1) & (requests->slot_count - 1);
    return slot;
}

static bool grow(struct open_requests *requests)
{
    struct open_requests larger = {.slot_count =
                                       requests->slot_count ? 2 * requests->slot_count : 64};
    larger.slots = malloc(larger.slot_count * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    memset(larger.slots, 0xff, larger.slot_count * sizeof *larger.slots);
    for (size_t i = 0; i < requests->slot_count; i++)
        if (requests->slots[i].value != REQUEST_UNKNOWN)
            larger.slots[find(&larger, requests->slots[i].id)] = requests->slots[i];
    larger.open = requests->open;
    free(requests->slots);
    *requests = larger;
    return true;
}

bool open_requests_add(struct open_requests *requests, uint64_t id, uint32_t value)
{
    if (requests->open >= requests->slot_count / 2 && !grow(requests))
        return false;
    size_t slot = find(requests, id);
    requests->open += requests->slots[slot].value == REQUEST_UNKNOWN;
    requests->slots[slot].id = id;
    requests->slots[slot].value = value;
    return true;
}

uint32_t open_requests_get(const struct open_requests *requests, uint64_t id)
{
    return requests->slot_count ? requests->slots[find(requests, id)].value : REQUEST_UNKNOWN;
}

uint32_t open_requests_take(struct open_requests *requests, uint64_t id)
{
    if (!requests->slot_count)
        return REQUEST_UNKNOWN;
    size_t hole = find(requests, id), mask = requests->slot_count - 1;
    uint32_t value = requests->slots[hole].value;
    if (value == REQUEST_UNKNOWN)
        return REQUEST_UNKNOWN;
    for (size_t next = (hole + 1) & mask; requests->slots[next].value != REQUEST_UNKNOWN;
         next = (next + 1) & mask) {
        size_t wanted = home(requests, requests->slots[next].id);
        if (((next - wanted) & mask) >= ((next - hole) & mask)) {
            requests->slots[hole] = requests->slots[next];
            hole = next;
        }
    }
    requests->slots[hole].value = REQUEST_UNKNOWN;
    requests->open--;
    return value;
}

void open_requests_clear(struct open_requests *requests)
{
    free(requests->slots);
    memset(requests, 0, sizeof *requests);
}
