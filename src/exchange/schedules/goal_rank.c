#include "exchange/schedules/goal_rank.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void goal_rank_clear(struct goal_rank *rank)
{
    rank->operations.count = rank->dependences.count = rank->named.count = 0;
    free(rank->operations.items);
    free(rank->dependences.items);
    free(rank->named.items);
    map_clear(&rank->numbered);
    name_set_clear(&rank->names);
    *rank = (struct goal_rank){0};
}

/* The number of a label "l17"; 0: it is not one. Numbers of up to 18 digits. */
static uint64_t label_number(const char *label)
{
    size_t length = strlen(label);
    if (label[0] != 'l' || length < 2 || length > 19 || label[1] == '0')
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!isdigit((unsigned char)label[i]))
            return 0;
    return strtoull(label + 1, NULL, 10);
}

bool goal_rank_label(struct goal_rank *rank, const char *label, bool *known)
{
    assert(rank->operations.count > 0);
    uint32_t operation = (uint32_t)rank->operations.count - 1;
    uint64_t number = label_number(label);
    if (number > 0) {
        uint32_t *place = map_at(&rank->numbered, number, operation);
        *known = place && *place != operation;
        return place != NULL;
    }
    bool added;
    uint32_t name = name_set_text(&rank->names, label, &added);
    *known = name != MAP_NONE && !added;
    return name != MAP_NONE && (!added || array_push(&rank->named, operation));
}

uint32_t goal_rank_find(struct goal_rank *rank, const char *label)
{
    uint64_t number = label_number(label);
    if (number > 0)
        return map_get(&rank->numbered, number);
    struct name_set *names = &rank->names;
    uint32_t known = (uint32_t)names->items.count;
    uint32_t name = name_set_text(names, label, NULL);
    if (name == known && name != MAP_NONE) /* unknown; it keeps a number, which names nothing */
        (void)array_push(&rank->named, INDEX_NONE);
    return name < rank->named.count ? rank->named.items[name] : INDEX_NONE;
}
