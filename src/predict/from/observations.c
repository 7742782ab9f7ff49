#include "predict/from/observations.h"

#include <assert.h>
#include <stdlib.h>

void observations_clear(struct observations *observations)
{
    free(observations->list.items);
    map_clear(&observations->index);
    *observations = (struct observations){0};
}

static uint64_t place_key(const struct observation *observation)
{
    uint64_t key = map_mix((uint64_t)observation->recording << 32 | observation->rank);
    for (int i = 0; i < FIT_LOOPS; i++)
        key = map_mix(key ^ ((uint64_t)(uint32_t)observation->indices[i] + 1));
    return key;
}

struct observation *observations_at(struct observations *observations,
                                    const struct observation *like)
{
    uint32_t count = (uint32_t)observations->list.count;
    uint32_t *at = map_at(&observations->index, place_key(like), count);
    if (!at || (*at == count && !array_push(&observations->list, *like)))
        return NULL;
    return &observations->list.items[*at];
}

struct observation observation_of(const struct item_value *visit, const struct loop_dependence *on)
{
    assert(on->count <= FIT_LOOPS);
    struct observation observation = {
        .recording = visit->recording, .rank = visit->rank, .value = visit->value, .weight = 1};
    for (uint32_t i = 0; i < on->count; i++)
        observation.indices[i] = visit->indices[on->places[i]];
    return observation;
}

bool observations_group(struct observations *observations, const struct value_column *column,
                        const struct loop_dependence *on, uint32_t *group_of)
{
    assert(observations->list.count == 0);
    for (size_t i = 0; i < column->list.count; i++) {
        struct observation empty = observation_of(&column->list.items[i], on);
        empty.value = empty.weight = 0;
        struct observation *group = observations_at(observations, &empty);
        if (!group)
            return false;
        group->value += column->list.items[i].value;
        group->weight++;
        if (group_of)
            group_of[i] = (uint32_t)(group - observations->list.items);
    }
    for (size_t g = 0; g < observations->list.count; g++)
        observations->list.items[g].value /= observations->list.items[g].weight;
    return true;
}
