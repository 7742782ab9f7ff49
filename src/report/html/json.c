#include "report/html/parts.h"

static int put_escaped(const char *text, size_t size, void *context)
{
    FILE *stream = context;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(stream, "\\u%04x", text[i]); /* they are in strings only */
        else
            putc(text[i], stream);
    return ferror(stream) ? -1 : 0;
}

bool html_json_write(const json_t *value, FILE *stream)
{
    return value && json_dump_callback(value, put_escaped, stream, JSON_COMPACT) == 0;
}
