/* Large blocks that are walked through in thousands of places at once: with pages of 4 KiB nearly
 * every access misses the processor's table of addresses. */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Asks the system for huge pages under a block got from malloc: a hint, which changes nothing but
 * speed. `filled`: the block has been written to, so its pages are there already and are joined
 * now, if the system can do that. */
void huge_pages_advise(void *block, size_t size, bool filled);

#endif
