#include "programs/option_values.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger bounds are not worth mentioning in a message. */
static const uint64_t LARGE = 1000000000;

int option_whole(const struct program *program, const char *option, const char *text,
                 uint64_t least, uint64_t most, uint64_t *number)
{
    char bounds[80], *end = NULL;
    assert(least <= most);
    if (!text)
        return 0;
    errno = 0;
    const uint64_t value = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && value >= least &&
        value <= most) {
        *number = value;
        return 0;
    }
    snprintf(bounds, sizeof bounds, most < LARGE ? "to %llu" : "on", (unsigned long long)most);
    return options_usage_error(program, "%s %s: expected a whole number from %llu %s", option, text,
                               (unsigned long long)least, bounds);
}

int option_seconds(const struct program *program, const char *option, const char *text,
                   bool may_be_zero, double *seconds)
{
    assert(seconds);
    char *end = NULL;
    if (!text)
        return 0;
    const double value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(value) &&
        (value > 0 || (may_be_zero && value == 0))) {
        *seconds = value;
        return 0;
    }
    return options_usage_error(program, "%s %s: expected a time in seconds%s", option, text,
                               may_be_zero ? "" : " above 0");
}

int option_choice(const struct program *program, const char *option, const char *text,
                  const char *const *names, int *choice)
{
    assert(names[0] && choice);
    char list[200] = "";
    size_t used = 0;
    if (!text)
        return 0;
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *choice = i;
            return 0;
        }
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
        assert(used < sizeof list);
    }
    return options_usage_error(program, "%s %s: expected %s", option, text, list);
}
