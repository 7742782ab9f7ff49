#include "report/page_parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void html_text(const char *text, FILE *stream)
{
    for (; text && *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '\'':
            fputs("&#39;", stream);
            break;
        default:
            fputc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, stream);
        }
}

void html_reference(const char *path, FILE *stream)
{
    for (; path && *path; path++)
        if (isalnum((unsigned char)*path) || strchr("-._/", *path))
            fputc(*path, stream);
        else
            fprintf(stream, "%%%02X", (unsigned char)*path);
}

double html_place(const struct html_axis *axis, double value)
{
    double low = axis->low, high = axis->high;
    if (axis->logarithmic) {
        low = log(low);
        high = log(high);
        value = log(value);
    }
    const double part = high > low ? (value - low) / (high - low) : 0.5;
    return axis->from + fmin(fmax(part, 0), 1) * (axis->to - axis->from);
}

size_t html_ticks(const struct html_axis *axis, size_t most, double *ticks)
{
    const double range = axis->high - axis->low;
    if (!(range > 0) || most < 2) {
        ticks[0] = axis->low;
        return 1;
    }
    double step = pow(10, floor(log10(range / (double)most)));
    static const double factors[] = {1, 2, 5, 10};
    size_t f = 0;
    while (f < 3 && range / (step * factors[f]) > (double)most - 1)
        f++;
    step *= factors[f];
    size_t count = 0;
    for (double i = ceil(axis->low / step - 1e-9);
         i * step <= axis->high + 1e-9 * range && count < most; i++)
        ticks[count++] = i == 0 ? 0 : i * step;
    return count;
}
