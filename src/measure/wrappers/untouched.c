#include "measure/wrappers/untouched.h"

#include <sys/mman.h>
#include <unistd.h>

uintptr_t untouched_known[UNTOUCHED_SLOTS];

/* Checks the middle page, because the first may contain other data before the buffer. */
bool untouched_look(const void *memory, uint64_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    if (bytes < 2 * page || bytes > INT64_MAX)
        return false;
    const uintptr_t middle = ((uintptr_t)memory + bytes / 2) / page * page;
    return mincore((void *)middle, page, &resident) == 0 && !(resident & 1);
}
