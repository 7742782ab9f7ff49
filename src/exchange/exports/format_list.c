/* The formats of silas-export. A new one: copy format_template.c. */
#include "exchange/exports/format.h"

#include <stdio.h>
#include <string.h>

extern const struct export_format export_goal, export_simgrid, export_perfetto, export_csv,
    export_folded;

const struct export_format *const export_format_list[] = {
    &export_goal, &export_simgrid, &export_perfetto, &export_csv, &export_folded, NULL};

const struct export_format *export_format_find(const char *name)
{
    for (const struct export_format *const *format = export_format_list; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}

const char *export_format_names(char *text)
{
    size_t length = 0;
    for (const struct export_format *const *format = export_format_list; *format; format++) {
        const char *before = format == export_format_list ? "" : format[1] ? ", " : " or ";
        length += (size_t)snprintf(text + length, EXPORT_FORMAT_NAMES - length, "%s%s", before,
                                   (*format)->name);
    }
    return text;
}
