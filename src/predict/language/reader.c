#include "predict/language/reader.h"

#include "base/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reader_refuse(struct script_reader *reader, struct script_position place, const char *format,
                   ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->status = error_set(reader->error, STATUS_INPUT, "%s:%u:%u: %s", reader->path,
                               place.line, place.column, text);
    longjmp(reader->failed, 1);
}

void reader_no_memory(struct script_reader *reader)
{
    reader->status = error_memory(reader->error, "the model script");
    longjmp(reader->failed, 1);
}

void *reader_alloc(struct script_reader *reader, size_t count, size_t size)
{
    void *block = arena_alloc_array(reader->arena, count, size);
    if (!block)
        reader_no_memory(reader);
    return block;
}

char *reader_strndup(struct script_reader *reader, const char *text, size_t length)
{
    char *copy = arena_strndup(reader->arena, text, length);
    if (!copy)
        reader_no_memory(reader);
    return copy;
}

void reader_reserve_(struct script_reader *reader, void **items, uint32_t count, uint32_t *capacity,
                     size_t size)
{
    if (count < *capacity)
        return;
    uint32_t larger = *capacity ? 2 * *capacity : 8;
    void *grown = reader_alloc(reader, larger, size);
    if (count > 0)
        memcpy(grown, *items, count * size);
    *items = grown;
    *capacity = larger;
}

const char *reader_nearest(struct script_reader *reader, const char *wanted,
                           const struct candidates *candidates)
{
    int nearest = nearest_name(wanted, candidates->names.items, candidates->names.count);
    if (nearest < 0)
        return "";
    const char *name = candidates->names.items[nearest];
    size_t size = strlen(name) + sizeof "; did you mean \"\"?";
    char *text = reader_alloc(reader, size, 1);
    snprintf(text, size, "; did you mean \"%s\"?", name);
    return text;
}
