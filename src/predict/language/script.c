#include "predict/script.h"

#include "base/files.h"
#include "predict/language/resolver.h"
#include "predict/language/parser.h"
#include "predict/language/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_SCRIPT = 1 << 28 };

/* Refuses bytes that are not text, so that the scanner need not. */
static void check_text(struct script_reader *reader, const char *text, size_t size)
{
    struct script_position place = {1, 1};
    for (size_t i = 0, length; i < size; i += length) {
        length = word_character(text + i, size - i);
        if (length == 0)
            reader_refuse(reader, place, "this is not a text: byte 0x%02X", (unsigned char)text[i]);
        place.column++;
        if (text[i] == '\n')
            place = (struct script_position){place.line + 1, 1};
    }
}

/* "stencil" of "models/stencil.silas". */
static const char *name_of_file(struct script_reader *reader, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return reader_strndup(reader, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static void read_text(struct resolver *resolver, struct bytes *text)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of byte order, which some editors write */
    struct script_reader *reader = resolver->reader;
    size_t size = text->size, skipped = 0;
    if (!bytes_put(text, "\0", 2)) /* as flex wants it */
        reader_no_memory(reader);
    if (size >= 3 && memcmp(text->data, mark, 3) == 0)
        skipped = 3;
    check_text(reader, text->data + skipped, size - skipped);
    struct syntax *tree = parser_parse(reader, text->data + skipped, size - skipped);
    if (!tree->first)
        reader_refuse(reader, tree->place, "the script is empty; it needs a \"part main\"");
    declarations_resolve(resolver, tree);
    if (!resolver->script->name)
        resolver->script->name = name_of_file(reader, reader->path);
}

/* An error comes back to here from anywhere in the reading. */
static enum status read_guarded(struct resolver *resolver, struct bytes *text)
{
    if (setjmp(resolver->reader->failed) == 0)
        read_text(resolver, text);
    name_set_clear(&resolver->declared);
    name_set_clear(&resolver->regions);
    name_set_clear(&resolver->requests);
    return resolver->reader->status;
}

enum status script_read(const char *path, struct model_script **result, struct error *error)
{
    *result = NULL;
    struct arena *arena = arena_create();
    struct model_script *script = arena ? arena_alloc(arena, sizeof *script) : NULL;
    char *copy = script ? arena_strdup(arena, path) : NULL;
    if (!copy) {
        arena_destroy(arena);
        return error_memory(error, "the model script");
    }
    *script = (struct model_script){.arena = arena, .path = copy};
    struct script_reader reader = {.arena = arena, .path = copy, .error = error};
    struct resolver resolver = {.reader = &reader, .script = script};
    struct bytes text = {0};
    enum status status = files_read(path, LARGEST_SCRIPT, &text, error);
    if (status == STATUS_OK)
        status = read_guarded(&resolver, &text);
    bytes_clear(&text);
    if (status == STATUS_OK)
        *result = script;
    else
        arena_destroy(arena);
    return status;
}

bool script_is_reserved(const char *word)
{
    return parser_has_keyword(word) || names_function(word);
}

void script_destroy(struct model_script *script)
{
    if (script)
        arena_destroy(script->arena);
}

enum status script_error(const struct model_script *script, struct script_position place,
                         struct error *error, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(error, STATUS_INPUT, "%s:%u:%u: %s", script->path, place.line, place.column,
                     text);
}
