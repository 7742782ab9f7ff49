#include "programs/predict_options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool option_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0 && *number >= least && *number <= most;
}

/* Splits "n=4096" at the `=`; false if it is not a name and a number. The caller frees the name,
 * which is NULL when memory is out. */
static bool split_setting(const char *text, char **name, double *value)
{
    const char *equal = strchr(text, '=');
    char *end;
    if (!equal || !(isalpha((unsigned char)*text) || *text == '_') || equal[1] == '\0')
        return false;
    for (const char *c = text; c < equal; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    *value = strtod(equal + 1, &end);
    if (*end || !isfinite(*value))
        return false;
    *name = strndup(text, (size_t)(equal - text));
    return true;
}

enum status settings_parse(const char *const *texts, struct setting *settings, uint32_t *count,
                           struct error *error)
{
    *count = 0;
    for (size_t i = 0; i < OPTION_REPEATS && texts[i]; i++) {
        char *name = NULL;
        if (!split_setting(texts[i], &name, &settings[i].value))
            return error_set(error, STATUS_USAGE,
                             "--set %s: a parameter and a number are expected, as in --set n=4096",
                             texts[i]);
        if (!name)
            return error_memory(error, "the parameters");
        settings[i].name = name;
        *count = (uint32_t)i + 1;
    }
    return STATUS_OK;
}

void settings_clear(struct setting *settings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free((char *)settings[i].name);
}
