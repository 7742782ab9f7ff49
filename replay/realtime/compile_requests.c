#include "replay/realtime/compiler.h"

#include <string.h>

uint32_t request_uses(const struct compiler *compiler, uint64_t key)
{
    uint32_t uses = map_get(&compiler->buffer_uses, key);
    return uses == MAP_NONE ? 0 : uses;
}

static bool take_slot(struct compiler *compiler, uint32_t *slot)
{
    if (compiler->free_slots.count > 0) {
        *slot = compiler->free_slots.items[--compiler->free_slots.count];
        return true;
    }
    *slot = compiler->program->slot_count++;
    return array_push(&compiler->slot_keys, 0);
}

bool request_open(struct compiler *compiler, uint32_t *owner, uint64_t key)
{
    uint32_t *uses = map_at(&compiler->buffer_uses, key, 0);
    uint32_t slot;
    if (!uses || !take_slot(compiler, &slot))
        return false;
    ++*uses;
    compiler->slot_keys.items[slot] = key;
    *owner = slot;
    return true;
}

bool request_complete(struct compiler *compiler, uint32_t *owner)
{
    uint32_t slot = *owner;
    *owner = INDEX_NONE;
    return slot == INDEX_NONE || array_push(&compiler->required, slot);
}

bool request_test(struct compiler *compiler, uint32_t owner)
{
    return owner == INDEX_NONE || array_push(&compiler->tested, owner);
}

static bool close_slot(struct compiler *compiler, uint32_t slot)
{
    uint32_t *uses = map_at(&compiler->buffer_uses, compiler->slot_keys.items[slot], 1);
    if (uses && *uses > 0)
        --*uses;
    return uses && array_push(&compiler->free_slots, slot);
}

static bool contains(const uint32_t *slots, size_t count, uint32_t slot)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i] == slot)
            return true;
    return false;
}

bool request_set_make(struct compiler *compiler, struct request_set *set)
{
    size_t required = compiler->required.count;
    uint32_t *slots = arena_alloc_array(compiler->program->arena,
                                        required + compiler->tested.count + 1, sizeof *slots);
    if (!slots)
        return false;
    memset(set, 0, sizeof *set);
    for (size_t i = 0; i < required; i++)
        slots[set->count++] = compiler->required.items[i];
    for (size_t i = 0; i < compiler->tested.count; i++)
        if (!contains(slots, set->count, compiler->tested.items[i]))
            slots[set->count++] = compiler->tested.items[i];
    for (size_t i = required; i-- > 0;) /* so that slots are reused in the same order */
        if (!close_slot(compiler, compiler->required.items[i]))
            return false;
    set->slots = slots;
    set->required = (uint32_t)required;
    if (set->count > compiler->program->set_size)
        compiler->program->set_size = set->count;
    compiler->required.count = 0;
    compiler->tested.count = 0;
    return true;
}
