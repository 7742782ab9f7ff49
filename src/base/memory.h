/* How the C library keeps memory, and which pages the system uses for it. This changes only the
 * speed. The first access to a page costs a page fault. On some virtual machines, programs spent
 * more time on page faults than on their work. A huge page costs one fault for 512 usual pages, and
 * fewer misses of the TLB later. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Prepares for large traces. Call it first in a program, or before its largest stage. From now on,
 * blocks of less than 32 MiB come from the heap, the first GiB of which will consist of huge pages.
 * Memory of it is used when something is written to it, 2 MiB at a time; the heap keeps it when its
 * blocks are freed. If the process may not have that much address space (ulimit -v or -d,
 * overcommit_memory of Linux), only the first 8 MiB consist of huge pages. */
void memory_begin(void);

/* A process that allocates the same arrays many times calls this first, unless it calls
 * memory_begin: the C library keeps up to 256 MiB of freed memory. */
void memory_keep_freed(void);

/* Returns memory of freed blocks, which the C library keeps, to the system; not while the heap is
 * still in the part that memory_begin has prepared. Call it between stages whose blocks have
 * different sizes, so that the gaps do not add to the memory of the next stage, and only where this
 * lowers the peak: memory that is allocated again costs page faults. */
void memory_trim(void);

/* Asks the system for huge pages for a block from malloc. `filled`: the block has been written to,
 * so its pages exist and are joined now if the system can. */
void memory_advise_huge(void *block, size_t size, bool filled);

#endif
