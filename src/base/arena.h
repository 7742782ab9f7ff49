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

/* Asks the system to back the first 8 MiB of the C library's heap with huge pages: four page faults
 * instead of two thousand. Call it first in a program. A huge page is used when something in it is
 * written to. */
void memory_begin_huge(void);

/* Returns memory of freed blocks, which the C library keeps, to the system. Call it between stages
 * whose blocks have different sizes, so that the gaps do not add to the memory of the next stage,
 * and only where this lowers the peak: allocating the memory again costs page faults, about a
 * millisecond for 5 MB. */
void memory_trim(void);

/* Asks the system to back a block from malloc with huge pages. This changes only the speed: with
 * pages of 4 KiB nearly every access to a block that is read in thousands of places misses the TLB.
 * `filled`: the block has been written to, so its pages exist and are joined now if the system
 * can. */
void memory_advise_huge(void *block, size_t size, bool filled);

#endif
