#include "replay/realtime/buffers.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Until the memory is allocated, places are small integers stored as pointers. */
enum { PLACE_COMMON_SEND = 1, PLACE_COMMON_RECV = 2, PLACE_FIRST = 3 };

/* Bytes of separate buffers: without a limit, and the part of the limit, as divisor. */
static const uint64_t OWN_SPACE = 512ull << 20;
enum { OWN_DIVISOR = 2 };

void buffers_open(struct buffers *buffers, uint64_t limit)
{
    memset(buffers, 0, sizeof *buffers);
    buffers->space = limit ? limit / OWN_DIVISOR : OWN_SPACE;
    buffers->common = BUFFER_ALIGNMENT; /* empty messages need an address, too */
}

void buffers_close(struct buffers *buffers)
{
    if (buffers->base)
        munmap(buffers->base, buffers->mapped);
    if (buffers->untouched_base)
        munmap(buffers->untouched_base, buffers->untouched);
    map_clear(&buffers->places);
    memset(buffers, 0, sizeof *buffers);
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
}

bool buffers_reserve(struct buffers *buffers, uint64_t key, enum buffer_use use, uint64_t bytes,
                     char **place)
{
    assert(!buffers->base);
    uint64_t size = round_up(bytes);
    uint32_t *known = map_at(&buffers->places, map_mix(key ^ buffers->salt) ^ size, 0);
    if (!known)
        return false;
    if (*known == 0) {
        if (size > 0 && size <= buffers->space - buffers->own) {
            *known = (uint32_t)(buffers->own / BUFFER_ALIGNMENT) + PLACE_FIRST;
            buffers->own += size;
        } else {
            *known = use == BUFFER_SEND ? PLACE_COMMON_SEND : PLACE_COMMON_RECV;
            if (size > buffers->common)
                buffers->common = size;
        }
    }
    *place = (char *)(uintptr_t)*known;
    return true;
}

/* Places of untouched memory have this bit. */
static const uintptr_t UNTOUCHED = (uintptr_t)1 << 40;

enum { UNTOUCHED_ALIGNMENT = 4096 }; /* with larger pages, places may share a page */

bool buffers_reserve_untouched(struct buffers *buffers, uint64_t key, uint64_t bytes, char **place)
{
    assert(!buffers->base);
    uint64_t size = (bytes + UNTOUCHED_ALIGNMENT - 1) / UNTOUCHED_ALIGNMENT * UNTOUCHED_ALIGNMENT;
    if (size == 0 || size > buffers->space - buffers->own)
        return buffers_reserve(buffers, key, BUFFER_RECV, bytes, place);
    *place = (char *)(UNTOUCHED | (uintptr_t)(buffers->untouched / BUFFER_ALIGNMENT));
    buffers->untouched += size;
    buffers->space -= size;
    return true;
}

void buffers_begin_run(const struct buffers *buffers)
{
    if (buffers->untouched_base)
        madvise(buffers->untouched_base, buffers->untouched, MADV_DONTNEED);
}

enum status buffers_allocate(struct buffers *buffers, uint64_t limit, struct error *error)
{
    assert(!buffers->base);
    uint64_t size = buffers->own + 2 * buffers->common;
    if (limit > 0 && size + buffers->untouched > limit)
        return error_set(error, STATUS_ENVIRONMENT,
                         "a rank's message buffers need %llu bytes, more than buffer_limit = %llu",
                         (unsigned long long)(size + buffers->untouched),
                         (unsigned long long)limit);
    /* At once, because a page fault for each page takes several times as long. */
    void *base =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (base == MAP_FAILED)
        return error_set(error, STATUS_ENVIRONMENT,
                         "not enough memory for a rank's message buffers of %llu bytes",
                         (unsigned long long)size);
    memset(base, 1, size); /* touches every page before the clock starts */
    buffers->base = base;
    buffers->mapped = size;
    if (buffers->untouched == 0)
        return STATUS_OK;
    base =
        mmap(NULL, buffers->untouched, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return error_set(error, STATUS_ENVIRONMENT,
                         "not enough memory for a rank's message buffers of %llu bytes",
                         (unsigned long long)buffers->untouched);
    buffers->untouched_base = base;
    return STATUS_OK;
}

char *buffers_address(const struct buffers *buffers, const char *place)
{
    assert(buffers->base);
    uintptr_t number = (uintptr_t)place;
    if (number & UNTOUCHED)
        return buffers->untouched_base + (number - UNTOUCHED) * BUFFER_ALIGNMENT;
    if (number >= PLACE_FIRST)
        return buffers->base + (number - PLACE_FIRST) * BUFFER_ALIGNMENT;
    return buffers->base + buffers->own + (number == PLACE_COMMON_RECV ? buffers->common : 0);
}

/* Whole chunks of 2^30 elements, then the rest. */
static MPI_Datatype make_type(MPI_Datatype element, int size, uint64_t elements)
{
    enum { CHUNK = 1 << 30 };
    MPI_Datatype chunk, type;
    MPI_Type_contiguous(CHUNK, element, &chunk);
    int lengths[2] = {(int)(elements / CHUNK), (int)(elements % CHUNK)};
    MPI_Aint places[2] = {0, (MPI_Aint)(elements - elements % CHUNK) * size};
    MPI_Datatype types[2] = {chunk, element};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&chunk);
    return type;
}

bool datatype_for(struct datatypes *datatypes, MPI_Datatype element, uint64_t bytes,
                  MPI_Datatype *type, int *count)
{
    int size;
    MPI_Type_size(element, &size);
    uint64_t elements = bytes / (uint64_t)size;
    if (elements <= INT_MAX) {
        *type = element;
        *count = (int)elements;
        return true;
    }
    *count = 1;
    for (size_t i = 0; i < datatypes->list.count; i++)
        if (datatypes->list.items[i].element == element &&
            datatypes->list.items[i].bytes == bytes) {
            *type = datatypes->list.items[i].type;
            return true;
        }
    struct sized_type made = {element, bytes, make_type(element, size, elements)};
    *type = made.type;
    return array_push(&datatypes->list, made);
}

void datatypes_clear(struct datatypes *datatypes)
{
    for (size_t i = 0; i < datatypes->list.count; i++)
        MPI_Type_free(&datatypes->list.items[i].type);
    free(datatypes->list.items);
    memset(datatypes, 0, sizeof *datatypes);
}
