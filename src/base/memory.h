/* How the system provides large blocks of memory. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns memory of freed blocks, which the C library keeps, to the system. Call it between stages
 * whose blocks have different sizes, so that the gaps do not add to the memory of the next stage.
 * Allocating it again costs page faults: about a millisecond for 5 MB. */
void memory_give_back(void);

/* Asks the system to back a block from malloc with huge pages. This changes only the speed: with
 * pages of 4 KiB nearly every access to a block that is read in thousands of places misses the TLB.
 * `filled`: the block has been written to, so its pages exist and are joined now if the system
 * can. */
void memory_advise_huge(void *block, size_t size, bool filled);

#endif
