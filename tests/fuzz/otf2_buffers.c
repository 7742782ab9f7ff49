/* Memory for the large buffers of OTF2. The library takes one of 4 MiB for each file and chunks of
 * 256 KiB and more. AddressSanitizer maps, poisons and unmaps each of them, which takes two thirds
 * of an execution on a small archive. Here they come from places that are used again and again. A
 * buffer ends where a page without access begins, which finds reads and writes behind it, too, and
 * also those of the library, which is not instrumented.
 *
 * A buffer is empty at first, as one from the system is: what others have left there must not
 * decide what OTF2 reads behind the end of a file that is too short.
 *
 * OTF2 makes room for as many elements as a damaged record announces, before it reads them. Nobody
 * else can prevent that, so more than the largest chunk is refused, as a small system would.
 *
 * All other memory is AddressSanitizer's, because `malloc` and `free` are weak symbols there. */
#include "otf2_buffers.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PLACES = 256, PAGE = 4096, MOST = 16 << 20, STRIDE = MOST + PAGE };
/* The usual sizes. Archives of the fuzzer use at most CHUNK bytes of either. */
enum { FILE_BUFFER = 4 << 20, CHUNK = 256 << 10 };

static uintptr_t library_begin, library_end; /* the code of OTF2 */
static char *area;                           /* PLACES, STRIDE bytes apart */
static void (*check)(const volatile void *, size_t);
static int unused[PLACES], unused_count;

void *__interceptor_malloc(size_t size);
void __interceptor_free(void *block);

static int find_library(struct dl_phdr_info *object, size_t size, void *unused_data)
{
    (void)size, (void)unused_data;
    if (!strstr(object->dlpi_name, "libopen-trace-format2"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
            library_begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
            library_end = library_begin + object->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static char *place(int index)
{
    return area + (size_t)index * STRIDE;
}

void otf2_buffers_open(void (*checked)(const volatile void *, size_t))
{
    check = checked;
    area = mmap(NULL, (size_t)PLACES * STRIDE, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        area = NULL;
    for (int i = 0; area && i < PLACES; i++)
        if (mprotect(place(i), MOST, PROT_READ | PROT_WRITE) == 0)
            unused[unused_count++] = i;
    dl_iterate_phdr(find_library, NULL);
}

void *malloc(size_t size)
{
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    bool library = caller >= library_begin && caller < library_end;
    if (library && size > MOST)
        return NULL;
    if (!library || size < CHUNK || size % PAGE != 0 || unused_count == 0)
        return __interceptor_malloc(size);
    int index = unused[--unused_count];
    char *block = place(index) + MOST - size;
    if (size == FILE_BUFFER || size == CHUNK)
        memset(block, 0, CHUNK);
    else
        madvise(place(index), MOST, MADV_DONTNEED);
    check(block, size);
    return block;
}

void free(void *block)
{
    size_t offset = (uintptr_t)block - (uintptr_t)area;
    if (!area || offset >= (size_t)PLACES * STRIDE) {
        __interceptor_free(block);
        return;
    }
    int index = (int)(offset / STRIDE);
    size_t size = MOST - offset % STRIDE;
    if (size != FILE_BUFFER && size != CHUNK)
        madvise(place(index), MOST, MADV_DONTNEED);
    unused[unused_count++] = index;
}
