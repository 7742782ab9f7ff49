/* Memory that is allocated piece by piece and freed as a whole. Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Returns NULL if out of memory. */
struct arena *arena_create(void);
void arena_destroy(struct arena *arena); /* NULL is allowed */

/* Returns `size` zeroed bytes, aligned for any type and owned by the arena; NULL if out of
 * memory. `size` may be 0; that block must not be written to. */
void *arena_alloc(struct arena *arena, size_t size);
/* The same for `count` items of `size` > 0 bytes; NULL also if the product is too large. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);
/* Copies that the arena owns; NULL if out of memory. `text` has at least `length` characters,
 * `data` may be NULL if `size` is 0. */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
void *arena_memdup(struct arena *arena, const void *data, size_t size);

/* Hands a block from malloc over to the arena, which frees it with the rest. Returns the block, or
 * frees it and returns NULL if out of memory. Returns NULL for NULL. */
void *arena_adopt(struct arena *arena, void *block);

#endif
