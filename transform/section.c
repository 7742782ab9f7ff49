#include "transform/section.h"

#include <stdarg.h>
#include <stdio.h>

void section_title(struct section_ref ref, char *text, size_t size)
{
    const struct ini_section *section = ref.section;
    snprintf(text, size, "%s%s%s", section->kind, *section->label ? " " : "", section->label);
}

void section_describe(struct section_ref ref, char *text, size_t size)
{
    char title[100];
    section_title(ref, title, sizeof title);
    size_t length = (size_t)snprintf(text, size, "%s", title);
    for (size_t e = 0; e < ref.section->entry_count && length < size; e++)
        length += (size_t)snprintf(text + length, size - length, "%s%s %s", e == 0 ? ": " : ", ",
                                   ref.section->entries[e].key, ref.section->entries[e].value);
}

enum status section_error(struct error *error, struct section_ref ref, const char *key,
                          const char *format, ...)
{
    char text[sizeof error->text], title[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    section_title(ref, title, sizeof title);
    int line = key ? ini_line_of(ref.section, key) : ref.section->line;
    return ini_error(error, ref.ini, line, "[%s]: %s", title, text);
}
