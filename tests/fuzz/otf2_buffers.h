/* Memory for the large buffers of OTF2, in programs with AddressSanitizer and one thread that uses
 * OTF2. It replaces `malloc` and `free` of the whole program. */
#ifndef TESTS_FUZZ_OTF2_BUFFERS_H
#define TESTS_FUZZ_OTF2_BUFFERS_H

#include <stddef.h>

/* From now on the buffers come from here. `check` is called with each, as a hook of the
 * sanitizer's allocator is with everything else, and OTF2 gets none of more than 16 MiB. Without
 * OTF2 as a shared library, or without memory, all stays as it was. */
void otf2_buffers_open(void (*check)(const volatile void *, size_t));

#endif
