#include "trace/load/load_builder.h"

#include "base/memory.h"
#include "base/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HUGE_PAGE = 2 * 1024 * 1024 };

/* Tables of at least this size get huge pages: the unused part of the last page is small then. */
enum { LARGE_TABLE = 16 * HUGE_PAGE };

OTF2_CallbackCode stream_builder_out_of_memory(struct stream_builder *b)
{
    b->status = b->count == ROWS_LIMIT
                    ? error_set(b->error, STATUS_INPUT,
                                "%s: a location has more than four thousand million events, which "
                                "is too many",
                                b->source->path)
                    : error_memory(b->error, "the events of the trace");
    return OTF2_CALLBACK_INTERRUPT;
}

static const char *open_region_name(const void *event_source, uint32_t *path)
{
    const struct event_source *source = event_source;
    if (*path == CALLPATH_NONE)
        return NULL;
    const struct callpath *at = &source->calltree->paths.items[*path];
    *path = at->parent;
    return at->region & REGION_PROGRAM_BIT
               ? source->ids->string_texts[at->region & ~REGION_PROGRAM_BIT]
               : source->definitions->regions[at->region].name;
}

/* Writes "rank 3, event 17 (MpiRecv) at 0.001 s in app/main". */
static void describe_place(const struct stream_builder *b, enum event_kind kind, uint64_t time,
                           char *place, size_t size)
{
    const struct definitions *d = b->source->definitions;
    char path[512] = "no region", who[64];
    if (b->stack.count)
        path_join(open_region_name, b->source, b->stack.items[b->stack.count - 1].path, "", path,
                  sizeof path);
    if (b->stream->rank != INDEX_NONE)
        snprintf(who, sizeof who, "rank %u", b->stream->rank);
    else
        snprintf(who, sizeof who, "location %llu",
                 (unsigned long long)d->locations[b->stream->location].id);
    snprintf(place, size, "%s, event %u (%s) at %.9f s in %s", who, b->count, event_kind_name(kind),
             (double)(time - d->global_offset) / (double)d->ticks_per_second, path);
}

OTF2_CallbackCode stream_builder_fail(struct stream_builder *b, enum event_kind kind, uint64_t time,
                                      const char *format, ...)
{
    char text[256], place[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    describe_place(b, kind, time, place, sizeof place);
    b->status = error_set(b->error, STATUS_INPUT, "%s: %s: %s", b->source->path, place, text);
    return OTF2_CALLBACK_INTERRUPT;
}

void stream_builder_irregular(struct stream_builder *b, enum irregular_kind irregular,
                              enum event_kind kind, uint64_t time)
{
    struct irregular_records *records = &b->source->irregular[irregular];
    if (records->count++ > 0)
        return;
    records->location = b->stream->location;
    describe_place(b, kind, time, records->first, sizeof records->first);
}

OTF2_CallbackCode stream_builder_too_large(struct stream_builder *b, enum event_kind kind,
                                           uint64_t time, uint64_t bytes)
{
    return stream_builder_fail(
        b, kind, time, "the record states %" PRIu64 " bytes, more than a process can have", bytes);
}

OTF2_CallbackCode stream_builder_bad_comm(struct stream_builder *b, enum event_kind kind,
                                          uint64_t time, OTF2_CommRef id, uint32_t comm,
                                          const char *who, uint32_t rank)
{
    if (comm == INDEX_NONE)
        return stream_builder_fail(b, kind, time, "communicator %u is not defined in this archive",
                                   id);
    const struct definitions *d = b->source->definitions;
    return stream_builder_fail(b, kind, time, "the %s is rank %u of %s, which has %u", who, rank,
                               comm_name(d, comm), comm_size(d, comm, b->stream->rank, true));
}

/* Grows a column. Columns of at least `huge` bytes get huge pages, because most of the cost of the
 * first access is page faults. */
static void *grow_column(void *column, size_t bytes, size_t huge)
{
    void *larger = realloc(column, bytes);
    if (larger && bytes >= huge)
        memory_advise_huge(larger, bytes, false);
    return larger;
}

/* Moving a table that has grown costs more than memory that is never accessed, so the table of a
 * long stream begins with one record for three rows, but with no more than a machine can promise:
 * a reader that does not know the length of a stream makes room for the longest one. */
enum { RECORDS_AHEAD = 1 << 24 };

bool stream_builder_grow_table(struct stream_builder *b, void **items, size_t *capacity,
                               size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t larger = count < 1024 ? 2048 : count + count / 2;
    const size_t ahead = b->capacity / 3 < RECORDS_AHEAD ? b->capacity / 3 : RECORDS_AHEAD;
    if (count >= 1024 && larger < ahead)
        larger = ahead;
    void *grown = grow_column(*items, larger * size, LARGE_TABLE);
    if (!grown)
        return false;
    *items = grown;
    *capacity = larger;
    return true;
}

bool stream_builder_resize(struct stream_builder *b, uint32_t capacity)
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

static bool note_begun(struct stream_builder *b, bool probe, uint64_t id, uint32_t value)
{
    struct thread_end end = {id, value, probe};
    return value == MAP_NONE || array_push(&b->begun, end);
}

bool stream_builder_begin(struct stream_builder *b, bool probe, uint64_t id, uint32_t value)
{
    struct map *open = probe ? &b->probes : &b->requests;
    if (b->has_siblings && !note_begun(b, probe, id, map_get(open, id)))
        return false; /* an open request has the same id and would be lost */
    return map_set(open, id, value);
}

bool stream_builder_end_elsewhere(struct stream_builder *b, bool probe, uint64_t id, uint32_t value)
{
    struct thread_end end = {id, value, probe};
    return array_push(&b->ended, end);
}

bool stream_builder_note_open(struct stream_builder *b)
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

uint64_t stream_builder_attribute(const struct stream_builder *b, const OTF2_AttributeList *list,
                                  enum silas_attribute which, uint64_t absent)
{
    uint32_t id = b->source->ids->attributes.id[which];
    OTF2_Type type;
    OTF2_AttributeValue value;
    /* The test makes no message of an error, which takes ten times as long. */
    if (id == INDEX_NONE || !OTF2_AttributeList_TestAttributeByID(list, id) ||
        OTF2_AttributeList_GetAttributeByID(list, id, &type, &value) != OTF2_SUCCESS)
        return absent;
    switch (type) {
    case OTF2_TYPE_UINT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
        return value.uint16;
    case OTF2_TYPE_UINT32:
        return value.uint32;
    case OTF2_TYPE_UINT64:
        return value.uint64;
    case OTF2_TYPE_GROUP:
        return value.groupRef;
    case OTF2_TYPE_COMM:
        return value.commRef;
    default:
        return absent;
    }
}

uint16_t stream_builder_type_size(const struct stream_builder *b, const OTF2_AttributeList *list,
                                  uint16_t absent)
{
    uint64_t size = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_TYPE_SIZE, absent);
    return size <= UINT16_MAX ? (uint16_t)size : 0;
}

uint32_t stream_builder_group(const struct stream_builder *b, const OTF2_AttributeList *list,
                              enum silas_attribute which)
{
    uint64_t id = stream_builder_attribute(b, list, which, INDEX_NONE);
    return id == INDEX_NONE ? INDEX_NONE : id_map_get(&b->source->ids->groups, id);
}

uint32_t stream_builder_types(const struct stream_builder *b, const OTF2_AttributeList *list)
{
    return stream_builder_group(b, list, SILAS_ATTRIBUTE_TYPES) + 1;
}

bool stream_builder_has_attributes(const struct stream_builder *b, const OTF2_AttributeList *list)
{
    return list && b->source->ids->attributes.any &&
           OTF2_AttributeList_GetNumberOfElements(list) > 0;
}
