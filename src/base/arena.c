#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 * 1024, ALIGNMENT = 16 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char data[];
};

struct adopted {
    struct adopted *next;
    void *block;
};

struct arena {
    struct chunk *chunks;
    struct adopted *adopted;
};

struct arena *arena_create(void)
{
    return calloc(1, sizeof(struct arena));
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    for (struct adopted *a = arena->adopted; a; a = a->next)
        free(a->block); /* the list's own nodes live in the chunks, freed below */
    for (struct chunk *next, *c = arena->chunks; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    assert(arena);
    if (size > SIZE_MAX - sizeof(struct chunk) - ALIGNMENT)
        return NULL;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        bool large = size > CHUNK_SIZE / 4; /* gets a separate chunk */
        size_t capacity = large ? size : CHUNK_SIZE;
        struct chunk *fresh = calloc(1, sizeof *fresh + capacity);
        if (!fresh)
            return NULL;
        fresh->size = capacity;
        if (chunk && large) { /* the current chunk stays the one that is filled */
            fresh->next = chunk->next;
            chunk->next = fresh;
        } else {
            fresh->next = chunk;
            arena->chunks = fresh;
        }
        chunk = fresh;
    }
    void *result = chunk->data + chunk->used;
    chunk->used += size;
    assert(chunk->used <= chunk->size);
    return result;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    assert(size > 0);
    if (count > SIZE_MAX / size)
        return NULL;
    return arena_alloc(arena, count * size);
}

void *arena_memdup(struct arena *arena, const void *data, size_t size)
{
    assert(data || size == 0);
    void *copy = arena_alloc(arena, size);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    assert(text);
    char *copy = arena_alloc(arena, length + 1); /* zeroed */
    return copy ? memcpy(copy, text, length) : NULL;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    assert(text);
    return arena_strndup(arena, text, strlen(text));
}

void *arena_adopt(struct arena *arena, void *block)
{
    assert(arena);
    if (!block)
        return NULL;
    struct adopted *node = arena_alloc(arena, sizeof *node);
    if (!node) {
        free(block);
        return NULL;
    }
    node->block = block;
    node->next = arena->adopted;
    arena->adopted = node;
    return block;
}
