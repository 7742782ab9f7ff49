/* How large blocks of memory stand in the system. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Gives the memory that the C library keeps of freed blocks back to the system. To be called
 * between stages whose blocks have different sizes, so that those of the next stage do not come on
 * top of the gaps. Memory that is taken again afterwards costs page faults: about a millisecond for
 * 5 MB. */
void memory_give_back(void);

/* Asks the system for huge pages under a block from malloc. This is a hint, which changes only the
 * speed: a block that is read in thousands of places at once misses the processor's table of
 * addresses at nearly every access with pages of 4 KiB. `filled`: the block has been written to, so
 * its pages exist already and are joined now, if the system can do that. */
void memory_advise_huge(void *block, size_t size, bool filled);

#endif
