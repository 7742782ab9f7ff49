#include "transform/section.h"

#include "base/array.h"
#include "base/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void section_title(const struct ini_section *section, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", section->kind, *section->label ? " " : "", section->label);
}

void section_describe(const struct ini_section *section, char *text, size_t size)
{
    char title[100];
    section_title(section, title, sizeof title);
    size_t length = (size_t)snprintf(text, size, "%s", title);
    for (size_t e = 0; e < section->entry_count && length < size; e++)
        length += (size_t)snprintf(text + length, size - length, "%s%s %s", e == 0 ? ": " : ", ",
                                   section->entries[e].key, section->entries[e].value);
}

enum status section_error(struct error *error, const struct ini_section *section, const char *key,
                          const char *format, ...)
{
    char text[sizeof error->text], title[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    section_title(section, title, sizeof title);
    int line = key ? ini_line_of(section, key) : section->line;
    return ini_error(error, section->ini, line, "[%s]: %s", title, text);
}

/* --- sets of numbers ------------------------------------------------------------------------ */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Reads ">64k" and the like; `*after` is the rest of the text. */
static bool read_relation(const char *text, struct range *range, const char **after)
{
    bool less = *text == '<', more = *text == '>', equal = (less || more) && text[1] == '=';
    uint64_t number;
    if ((!less && !more) || !ini_scan_bytes(skip_blanks(text + 1 + equal), &number, after))
        return false;
    if (!equal && number == (less ? 0 : UINT64_MAX))
        return false; /* no number satisfies it */
    range->lowest = less ? 0 : number + !equal;
    range->highest = more ? UINT64_MAX : number - !equal;
    return true;
}

static bool read_range(const char *text, struct range *range)
{
    const char *after;
    if (read_relation(text, range, &after))
        return *after == '\0';
    if (!ini_scan_bytes(text, &range->lowest, &after))
        return false;
    range->highest = range->lowest;
    after = skip_blanks(after);
    if (strncmp(after, "..", 2) == 0 &&
        !ini_scan_bytes(skip_blanks(after + 2), &range->highest, &after))
        return false;
    return *after == '\0' && range->lowest <= range->highest;
}

enum status ranges_read(const struct ini_section *section, const char *key, struct ranges *ranges,
                        struct error *error)
{
    const char *list = NULL;
    enum status status = ini_get_string(section, key, &list, error);
    return status == STATUS_OK ? ranges_parse(section, key, list, ranges, error) : status;
}

enum status ranges_parse(const struct ini_section *section, const char *key, const char *text,
                         struct ranges *ranges, struct error *error)
{
    const char *list = text;
    ARRAY(struct range) found = {0};
    bool no_memory = false;
    enum status status = STATUS_OK;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &no_memory))) {
        struct range range;
        if (!read_range(item, &range))
            status = section_error(error, section, key,
                                   "%s: \"%s\" is no set of numbers: expected for example 0, "
                                   "16..1024 or >64k, or several of them with commas",
                                   key, item);
        else
            no_memory = !array_push(&found, range);
        free(item);
        if (no_memory)
            break;
    }
    if (status == STATUS_OK && no_memory)
        status = error_memory(error, "the hypotheses");
    if (status != STATUS_OK) {
        free(found.items);
        return status;
    }
    ranges->items = found.items;
    ranges->count = found.count;
    return STATUS_OK;
}

void ranges_clear(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){0};
}

bool ranges_contain(const struct ranges *ranges, uint64_t number)
{
    for (size_t i = 0; i < ranges->count; i++)
        if (number >= ranges->items[i].lowest && number <= ranges->items[i].highest)
            return true;
    return ranges->count == 0;
}
