/* Every format of the table; a new one is one line here. */
#include "sweep/output/formats.h"

#include <string.h>

const struct table_format *const table_format_list[] = {
    &text_table, &json_table, &csv_table, &html_table, NULL,
};

const struct table_format *table_format_find(const char *name)
{
    for (const struct table_format *const *format = table_format_list; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}
