#include "base/units.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *unit;
    double scale;
    int decimals_to_ns; /* more are below the resolution of any clock */
} units[] = {{"s", 1, 9}, {"ms", 1e3, 6}, {"us", 1e6, 3}, {"ns", 1e9, 0}};
enum { UNIT_LAST = sizeof units / sizeof *units - 1 };

struct time_format time_format_for(double largest_s, int digits)
{
    double largest = fabs(largest_s);
    assert(digits > 0);
    int unit = 0;
    if (largest == 0)
        return (struct time_format){"s", 1, 0};
    while (unit < UNIT_LAST && largest * units[unit].scale < 1)
        unit++;
    int before_point = 1;
    for (double value = largest * units[unit].scale; value >= 10; value /= 10)
        before_point++;
    int decimals = digits > before_point ? digits - before_point : 0;
    if (decimals > units[unit].decimals_to_ns)
        decimals = units[unit].decimals_to_ns;
    return (struct time_format){units[unit].unit, units[unit].scale, decimals};
}

struct time_text time_text(const struct time_format *format, double seconds)
{
    struct time_text result;
    double value = seconds * format->scale;
    if (fabs(value) < 0.5 * pow(10, -format->decimals))
        value = 0; /* no "-0.0" */
    snprintf(result.text, sizeof result.text, "%.*f", format->decimals, value);
    return result;
}

struct time_text time_text_alone(double seconds, int digits)
{
    struct time_format format = time_format_for(seconds, digits);
    struct time_text result = time_text(&format, seconds);
    size_t length = strlen(result.text);
    snprintf(result.text + length, sizeof result.text - length, " %s", format.unit);
    return result;
}

struct byte_text byte_text_alone(double bytes, int digits)
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    enum { LAST = sizeof names / sizeof *names - 1 };
    struct byte_text result;
    double value = bytes;
    int unit = 0, before_point = 1;
    for (; fabs(value) >= 1000 && unit < LAST; unit++)
        value /= 1000;
    for (double part = fabs(value); part >= 10; part /= 10)
        before_point++;
    const int decimals = unit > 0 && digits > before_point ? digits - before_point : 0;
    snprintf(result.text, sizeof result.text, "%.*f %s", decimals, value, names[unit]);
    return result;
}
