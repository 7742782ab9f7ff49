#include "programs/predict_options.h"

#include "base/names.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Splits "n=4096" at the `=`. False if it is not a name and a number. The caller frees the name,
 * which is NULL when out of memory. */
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

static enum status parse_setting(const char *text, struct parameter_setting *setting,
                                 struct error *error)
{
    char *name = NULL;
    if (!split_setting(text, &name, &setting->value))
        return error_set(error, STATUS_USAGE,
                         "--set %s: expected a parameter and a number, as in --set n=4096", text);
    setting->name = name;
    return name ? STATUS_OK : error_memory(error, "the parameters");
}

enum status settings_parse(const char *const *texts, struct parameter_setting *settings,
                           uint32_t *count, struct error *error)
{
    uint32_t parsed = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && parsed < OPTION_REPEATS && texts[parsed]) {
        status = parse_setting(texts[parsed], &settings[parsed], error);
        parsed += status == STATUS_OK;
    }
    if (status != STATUS_OK) {
        settings_clear(settings, parsed);
        parsed = 0;
    }
    *count = parsed;
    return status;
}

void settings_clear(struct parameter_setting *settings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free((char *)settings[i].name);
}

static enum status add_range_parameter(struct script_recording *recording, const char *text,
                                       struct error *error)
{
    char *name = NULL;
    double value;
    if (!split_setting(text, &name, &value))
        return error_set(error, STATUS_USAGE,
                         "--from: \"%s\" after %s: expected a parameter and a number, as in n=64",
                         text, recording->path);
    const char **names =
        realloc(recording->names, (recording->count + 1u) * sizeof *recording->names);
    if (names)
        recording->names = names;
    double *values =
        realloc(recording->values, (recording->count + 1u) * sizeof *recording->values);
    if (values)
        recording->values = values;
    if (!name || !names || !values) {
        free(name);
        return error_memory(error, "the recordings");
    }
    recording->names[recording->count] = name;
    recording->values[recording->count++] = value;
    return STATUS_OK;
}

/* Begins a recording with "PATH" or "PATH:n=64". */
static enum status add_recording(struct recording_list *recordings, const char *text,
                                 struct error *error)
{
    struct script_recording *grown =
        realloc(recordings->items, (recordings->count + 1u) * sizeof *recordings->items);
    const char *colon = strrchr(text, ':');
    if (!grown)
        return error_memory(error, "the recordings");
    recordings->items = grown;
    struct script_recording *recording = &recordings->items[recordings->count++];
    *recording = (struct script_recording){0};
    recording->path = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
    if (!recording->path)
        return error_memory(error, "the recordings");
    return colon ? add_range_parameter(recording, colon + 1, error) : STATUS_OK;
}

enum status recordings_parse(const char *list, struct recording_list *recordings,
                             struct error *error)
{
    assert(recordings->count == 0);
    bool no_memory = false;
    enum status status = STATUS_OK;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &no_memory)) != NULL) {
        char *name = NULL;
        double value;
        bool continues =
            recordings->count > 0 && !strchr(item, ':') && split_setting(item, &name, &value);
        free(name);
        status = continues
                     ? add_range_parameter(&recordings->items[recordings->count - 1], item, error)
                     : add_recording(recordings, item, error);
        free(item);
    }
    if (status == STATUS_OK && no_memory)
        status = error_memory(error, "the recordings");
    if (status == STATUS_OK && recordings->count == 0)
        status = error_set(error, STATUS_USAGE, "--from names no recording");
    if (status != STATUS_OK)
        recordings_clear(recordings);
    return status;
}

void recordings_clear(struct recording_list *recordings)
{
    for (uint32_t i = 0; i < recordings->count; i++) {
        struct script_recording *recording = &recordings->items[i];
        for (uint32_t p = 0; p < recording->count; p++)
            free((char *)recording->names[p]);
        free(recording->names);
        free(recording->values);
        free((char *)recording->path);
    }
    free(recordings->items);
    *recordings = (struct recording_list){0};
}
