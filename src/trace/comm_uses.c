#include "trace/comm_uses.h"

#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>

static uint64_t hash_group(const struct definitions *definitions, uint32_t index, uint64_t hash)
{
    if (index >= definitions->group_count)
        return map_mix(hash);
    const struct group *group = &definitions->groups[index];
    for (uint32_t i = 0; i < group->count; i++)
        hash = map_mix(hash + group_rank(group, i) + 1);
    return map_mix(hash + group->count);
}

uint64_t comm_members_hash(const struct definitions *definitions, uint32_t comm)
{
    const struct communicator *of = &definitions->comms[comm];
    const uint64_t hash = of->self ? 0 : hash_group(definitions, of->group, 1);
    return of->remote_group == INDEX_NONE ? hash : hash_group(definitions, of->remote_group, hash);
}

ORDER_BY(by_members_and_use, struct comm_use,
         ASCENDING(members) ?: ASCENDING(first) ?: ASCENDING(comm))

bool comm_uses_number(struct comm_use *uses, size_t count)
{
    int64_t *last = malloc((count + 1) * sizeof *last); /* of each copy */
    uint32_t copies = 0;
    if (!last)
        return false;
    if (count > 1)
        qsort(uses, count, sizeof *uses, by_members_and_use);
    for (size_t i = 0; i < count; i++) {
        uint32_t copy = 0;
        if (i == 0 || uses[i].members != uses[i - 1].members)
            copies = 0;
        while (copy < copies && last[copy] >= uses[i].first)
            copy++;
        copies += copy == copies;
        last[copy] = uses[i].last;
        uses[i].copy = copy;
    }
    free(last);
    return true;
}
