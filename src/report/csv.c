#include "report/csv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void csv_text(const char *text, FILE *stream)
{
    assert(stream);
    if (!text)
        return;
    if (!text[strcspn(text, ",\"\r\n")] && text[0] != ' ') {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void csv_number(double value, FILE *stream)
{
    if (isfinite(value))
        fprintf(stream, "%.12g", value);
}

void csv_next(FILE *stream)
{
    fputc(',', stream);
}

void csv_end(FILE *stream)
{
    fputs("\r\n", stream);
}
