/* Sections that are read by a table of their keys, and sets of numbers. */
#include "base/array.h"
#include "base/ini.h"
#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MOST = 32 };

/* --- tables of keys ------------------------------------------------------------------------- */

static enum status read_key(const struct ini_section *section, const struct ini_key *key,
                            void *value, struct error *error)
{
    enum status status;
    bool is = true;
    switch (key->type) {
    case INI_UNREAD:
        break;
    case INI_PATH:
        return ini_get_path(section, key->name, value, error);
    case INI_NOT:
        if (!ini_value(section, key->name))
            break;
        status = ini_get_bool(section, key->name, &is, error);
        *(bool *)value = !is;
        return status;
    case INI_STRING:
        return ini_get_string(section, key->name, value, error);
    case INI_BOOL:
        return ini_get_bool(section, key->name, value, error);
    case INI_CHOICE:
        return ini_get_choice(section, key->name, key->choices, value, error);
    case INI_INTEGER:
        return ini_get_integer(section, key->name, key->least, key->most, value, error);
    case INI_NUMBER:
        return ini_get_number(section, key->name, key->lowest, key->highest, value, error);
    case INI_DURATION:
        return ini_get_duration(section, key->name, value, error);
    case INI_BYTES:
        return ini_get_bytes(section, key->name, value, error);
    case INI_RANGES:
        return ranges_read(section, key->name, value, error);
    }
    return STATUS_OK;
}

enum status ini_read_some(const struct ini_section *section, const struct ini_key *keys,
                          void *values, struct error *error)
{
    enum status status = STATUS_OK;
    for (const struct ini_key *key = keys; key->name && status == STATUS_OK; key++)
        status = read_key(section, key, (char *)values + key->offset, error);
    for (const struct ini_key *key = keys; key->name && status == STATUS_OK; key++)
        if (key->required && !ini_value(section, key->name))
            status = section_error(error, section, NULL, "\"%s\" is missing", key->name);
    return status;
}

enum status ini_read(const struct ini_section *section, const struct ini_key *keys, void *values,
                     struct error *error)
{
    const char *names[KEYS_MOST + 1] = {NULL};
    for (size_t k = 0; keys[k].name; k++) {
        assert(k < KEYS_MOST);
        names[k] = keys[k].name;
    }
    enum status status = ini_check_keys(section, names, error);
    return status == STATUS_OK ? ini_read_some(section, keys, values, error) : status;
}

void ini_values_clear(const struct ini_key *keys, void *values)
{
    for (; keys->name; keys++)
        if (keys->type == INI_RANGES)
            ranges_clear((struct ranges *)((char *)values + keys->offset));
}

/* --- sets of numbers ------------------------------------------------------------------------ */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Reads ">64k" and the like; `*after` is the rest of the text. */
static bool read_relation(const char *text, struct range *range, const char **after)
{
    bool less = *text == '<', more = *text == '>', equal = (less || more) && text[1] == '=';
    uint64_t number;
    if ((!less && !more) || !ini_scan_bytes(skip_blanks(text + 1 + equal), &number, after))
        return false;
    if (!equal && number == (less ? 0 : UINT64_MAX))
        return false; /* no number satisfies it */
    range->lowest = less ? 0 : number + !equal;
    range->highest = more ? UINT64_MAX : number - !equal;
    return true;
}

static bool read_range(const char *text, struct range *range)
{
    const char *after;
    if (read_relation(text, range, &after))
        return *after == '\0';
    if (!ini_scan_bytes(text, &range->lowest, &after))
        return false;
    range->highest = range->lowest;
    after = skip_blanks(after);
    if (strncmp(after, "..", 2) == 0 &&
        !ini_scan_bytes(skip_blanks(after + 2), &range->highest, &after))
        return false;
    return *after == '\0' && range->lowest <= range->highest;
}

enum status ranges_read(const struct ini_section *section, const char *key, struct ranges *ranges,
                        struct error *error)
{
    const char *list = NULL;
    enum status status = ini_get_string(section, key, &list, error);
    return status == STATUS_OK ? ranges_parse(section, key, list, ranges, error) : status;
}

enum status ranges_parse(const struct ini_section *section, const char *key, const char *text,
                         struct ranges *ranges, struct error *error)
{
    const char *list = text;
    ARRAY(struct range) found = {0};
    bool no_memory = false;
    enum status status = STATUS_OK;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &no_memory))) {
        struct range range;
        if (!read_range(item, &range))
            status = section_error(error, section, key,
                                   "%s: \"%s\" is no set of numbers: expected for example 0, "
                                   "16..1024 or >64k, or several of them with commas",
                                   key, item);
        else
            no_memory = !array_push(&found, range);
        free(item);
        if (no_memory)
            break;
    }
    if (status == STATUS_OK && no_memory)
        status = error_memory(error, "the hypotheses");
    if (status != STATUS_OK) {
        free(found.items);
        return status;
    }
    ranges->items = found.items;
    ranges->count = found.count;
    return STATUS_OK;
}

void ranges_clear(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){0};
}

bool ranges_contain(const struct ranges *ranges, uint64_t number)
{
    for (size_t i = 0; i < ranges->count; i++)
        if (number >= ranges->items[i].lowest && number <= ranges->items[i].highest)
            return true;
    return ranges->count == 0;
}
