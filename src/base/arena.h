/* Memory for what is loaded once and freed whole. Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

/* Returns NULL when memory is out. */
struct arena *arena_create(void);
void arena_destroy(struct arena *arena); /* NULL is allowed */

/* Returns `size` zeroed bytes aligned for any type, owned by the arena; NULL when memory is out. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
void *arena_memdup(struct arena *arena, const void *data, size_t size);

/* Hands a block got from malloc over to the arena, which frees it with the rest. Returns the block,
 * or frees it and returns NULL when memory is out. NULL in gives NULL out. */
void *arena_adopt(struct arena *arena, void *block);

/* Bytes handed out so far, adopted blocks aside. */
size_t arena_used(const struct arena *arena);

#endif
