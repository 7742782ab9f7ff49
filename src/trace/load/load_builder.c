#include "trace/load/load_builder.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 * 1024 * 1024 };

/* Side tables of at least this size get huge pages: the unused part of the last is small then. */
enum { LARGE_TABLE = 16 * HUGE_PAGE };

/* --- errors --------------------------------------------------------------------------------- */

OTF2_CallbackCode builder_out_of_memory(struct builder *b)
{
    b->status = b->count == ROWS_LIMIT
                    ? error_set(b->error, STATUS_INPUT,
                                "%s: a location has more than four thousand million events, which "
                                "is too many",
                                b->source->path)
                    : error_memory(b->error, "the events of the trace");
    return OTF2_CALLBACK_INTERRUPT;
}

/* "PATH: rank 3, event 17 (MpiRecv) at 0.001 s in app/main: TEXT". */
OTF2_CallbackCode builder_fail(struct builder *b, enum event_kind kind, uint64_t time,
                               const char *text)
{
    char path[512] = "no region";
    const struct definitions *d = b->source->definitions;
    const struct calltree *tree = b->source->calltree;
    if (b->stack.count) {
        uint32_t at = b->stack.items[b->stack.count - 1].path;
        const char *region = "";
        uint32_t r = tree->paths.items[at].region;
        region = r & REGION_PROGRAM_BIT ? b->source->ids->string_texts[r & ~REGION_PROGRAM_BIT]
                                        : d->regions[r].name;
        snprintf(path, sizeof path, "%s", region);
        for (at = tree->paths.items[at].parent; at != CALLPATH_NONE;
             at = tree->paths.items[at].parent) {
            char longer[512];
            r = tree->paths.items[at].region;
            region = r & REGION_PROGRAM_BIT ? b->source->ids->string_texts[r & ~REGION_PROGRAM_BIT]
                                            : d->regions[r].name;
            if (snprintf(longer, sizeof longer, "%s/%s", region, path) >= (int)sizeof longer)
                break;
            memcpy(path, longer, sizeof path);
        }
    }
    double seconds = (double)(time - d->global_offset) / (double)d->ticks_per_second;
    char who[64];
    if (b->stream->rank != INDEX_NONE)
        snprintf(who, sizeof who, "rank %u", b->stream->rank);
    else
        snprintf(who, sizeof who, "location %llu",
                 (unsigned long long)d->locations[b->stream->location].id);
    b->status =
        error_set(b->error, STATUS_INPUT, "%s: %s, event %u (%s) at %.9f s in %s: %s",
                  b->source->path, who, b->count, event_kind_name(kind), seconds, path, text);
    return OTF2_CALLBACK_INTERRUPT;
}

/* --- appending ------------------------------------------------------------------------------ */

/* Grows a column. Columns of at least `huge` bytes get huge pages, because page faults are most of
 * the cost of the first access. */
static void *grow_column(void *column, size_t bytes, size_t huge)
{
    char *larger = realloc(column, bytes);
    if (larger && bytes >= huge) {
        uintptr_t first = ((uintptr_t)larger + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        madvise((void *)first, bytes - (first - (uintptr_t)larger), MADV_HUGEPAGE);
    }
    return larger;
}

/* Moving grown tables costs more than memory that is never accessed, so a long stream at once gets
 * enough for one record in three rows. */
bool builder_grow_table(struct builder *b, void **items, size_t *capacity, size_t count,
                        size_t size)
{
    if (count < *capacity)
        return true;
    size_t larger = count < 1024 ? 2048 : count + count / 2;
    if (count >= 1024 && larger < b->capacity / 3)
        larger = b->capacity / 3;
    void *grown = grow_column(*items, larger * size, LARGE_TABLE);
    if (!grown)
        return false;
    *items = grown;
    *capacity = larger;
    return true;
}

bool builder_resize(struct builder *b, uint32_t capacity)
{
    uint64_t *time = grow_column(b->time, capacity * sizeof *time, HUGE_PAGE);
    if (time)
        b->time = time;
    uint8_t *kind = grow_column(b->kind, capacity * sizeof *kind, HUGE_PAGE);
    if (kind)
        b->kind = kind;
    uint32_t *arg = grow_column(b->arg, capacity * sizeof *arg, HUGE_PAGE);
    if (arg)
        b->arg = arg;
    if (!time || !kind || !arg)
        return false;
    b->capacity = capacity;
    return true;
}

/* --- records whose other end another thread may have ------------------------------------- */

static bool note_begun(struct builder *b, bool probe, uint64_t id, uint32_t value)
{
    struct thread_end end = {id, value, probe};
    return value == MAP_NONE || array_push(&b->begun, end);
}

bool builder_begin(struct builder *b, bool probe, uint64_t id, uint32_t value)
{
    struct map *open = probe ? &b->probes : &b->requests;
    if (b->has_siblings && !note_begun(b, probe, id, map_get(open, id)))
        return false; /* of an open one with the same id, which would be lost */
    return map_set(open, id, value);
}

bool builder_end_elsewhere(struct builder *b, bool probe, uint64_t id, uint32_t value)
{
    struct thread_end end = {id, value, probe};
    return array_push(&b->ended, end);
}

bool builder_note_open(struct builder *b)
{
    for (int probe = 0; probe < 2; probe++) {
        const struct map *open = probe ? &b->probes : &b->requests;
        for (size_t i = 0; i < open->slots; i++)
            if (open->values[i] != MAP_NONE &&
                !note_begun(b, probe != 0, open->keys[i], open->values[i]))
                return false;
    }
    return true;
}

/* --- attributes of SILAS's tracer ----------------------------------------------------------- */

uint64_t builder_attribute64(const struct builder *b, const OTF2_AttributeList *list,
                             enum silas_attribute which, uint64_t absent)
{
    uint32_t id = b->source->ids->attributes.id[which];
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (id == INDEX_NONE ||
        OTF2_AttributeList_GetAttributeByID(list, id, &type, &value) != OTF2_SUCCESS ||
        type != OTF2_TYPE_UINT64)
        return absent;
    return value.uint64;
}

uint32_t builder_attribute(const struct builder *b, const OTF2_AttributeList *list,
                           enum silas_attribute which, uint32_t absent)
{
    uint32_t id = b->source->ids->attributes.id[which];
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (id == INDEX_NONE ||
        OTF2_AttributeList_GetAttributeByID(list, id, &type, &value) != OTF2_SUCCESS)
        return absent;
    switch (type) {
    case OTF2_TYPE_UINT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
        return value.uint16;
    case OTF2_TYPE_UINT32:
        return value.uint32;
    case OTF2_TYPE_GROUP:
        return value.groupRef;
    default:
        return absent;
    }
}

bool builder_has_attributes(const struct builder *b, const OTF2_AttributeList *list)
{
    return b->source->ids->attributes.any && OTF2_AttributeList_GetNumberOfElements(list) > 0;
}
