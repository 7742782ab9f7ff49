/* The getters: one conversion each, and the same wording for all unexpected values. */
#include "base/ini.h"

#include "base/names.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ini_section *ini_find_section(const struct ini *ini, const char *kind)
{
    for (size_t s = 0; s < ini->section_count; s++)
        if (strcmp(ini->sections[s].kind, kind) == 0)
            return &ini->sections[s];
    return NULL;
}

static const struct ini_entry *find_entry(const struct ini_section *section, const char *key)
{
    for (size_t e = 0; e < section->entry_count; e++)
        if (strcmp(section->entries[e].key, key) == 0)
            return &section->entries[e];
    return NULL;
}

const char *ini_value(const struct ini_section *section, const char *key)
{
    const struct ini_entry *entry = find_entry(section, key);
    return entry ? entry->value : NULL;
}

int ini_line_of(const struct ini_section *section, const char *key)
{
    const struct ini_entry *entry = find_entry(section, key);
    return entry ? entry->line : section->line;
}

static enum status bad_value(struct error *error, const struct ini_section *section,
                             const struct ini_entry *entry, const char *expected)
{
    if (*entry->value == '\0')
        return ini_error(error, section->ini, entry->line, "key \"%s\" has no value: expected %s",
                         entry->key, expected);
    return ini_error(error, section->ini, entry->line, "%s = \"%s\": expected %s", entry->key,
                     entry->value, expected);
}

enum status ini_get_string(const struct ini_section *section, const char *key, const char **value,
                           struct error *error)
{
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    if (*entry->value == '\0')
        return ini_error(error, section->ini, entry->line, "key \"%s\" has no value", key);
    *value = entry->value;
    return STATUS_OK;
}

enum status ini_get_path(const struct ini_section *section, const char *key, const char **value,
                         struct error *error)
{
    const char *path = NULL;
    enum status status = ini_get_string(section, key, &path, error);
    if (status != STATUS_OK || !path)
        return status;
    *value = ini_resolve(section->ini, path, strlen(path));
    return *value ? STATUS_OK : error_memory(error, "the configuration");
}

enum status ini_get_bool(const struct ini_section *section, const char *key, bool *value,
                         struct error *error)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(entry->value, words[i]) == 0) {
            *value = i % 2;
            return STATUS_OK;
        }
    return bad_value(error, section, entry, "yes or no");
}

enum status ini_get_integer(const struct ini_section *section, const char *key, int64_t lowest,
                            int64_t highest, int64_t *value, struct error *error)
{
    assert(lowest <= highest);
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    char *end, expected[100];
    errno = 0;
    long long number = strtoll(entry->value, &end, 10);
    if (end != entry->value && *end == '\0' && errno == 0 && number >= lowest &&
        number <= highest) {
        *value = number;
        return STATUS_OK;
    }
    if (highest == INT64_MAX)
        snprintf(expected, sizeof expected, "a whole number, %" PRId64 " or more", lowest);
    else
        snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, lowest,
                 highest);
    return bad_value(error, section, entry, expected);
}

enum status ini_get_number(const struct ini_section *section, const char *key, double lowest,
                           double highest, double *value, struct error *error)
{
    assert(lowest <= highest);
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    char *end, expected[100];
    double number = strtod(entry->value, &end);
    if (end != entry->value && *end == '\0' && number >= lowest && number <= highest) {
        *value = number;
        return STATUS_OK;
    }
    snprintf(expected, sizeof expected, "a number from %g to %g", lowest, highest);
    return bad_value(error, section, entry, expected);
}

/* "a, b or c" */
static void list_choices(const char *const *choices, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; choices[i] && length < size; i++) {
        const char *joint = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", joint, choices[i]);
    }
}

static size_t count_names(const char *const *names)
{
    size_t count = 0;
    while (names[count])
        count++;
    return count;
}

enum status ini_get_choice(const struct ini_section *section, const char *key,
                           const char *const *choices, int *value, struct error *error)
{
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], entry->value) == 0) {
            *value = i;
            return STATUS_OK;
        }
    char list[400], expected[600];
    list_choices(choices, list, sizeof list);
    int near = *entry->value ? nearest_name(entry->value, choices, count_names(choices)) : -1;
    if (near >= 0)
        snprintf(expected, sizeof expected, "%s; did you mean \"%s\"?", list, choices[near]);
    else
        snprintf(expected, sizeof expected, "%s", list);
    return bad_value(error, section, entry, expected);
}

enum status ini_get_duration(const struct ini_section *section, const char *key, double *seconds,
                             struct error *error)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    char *end;
    double number = strtod(entry->value, &end);
    if (end != entry->value && number >= 0 && number <= 1e9) {
        end += strspn(end, " \t");
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(end, units[i].unit) == 0) {
                *seconds = number * units[i].seconds;
                return STATUS_OK;
            }
    }
    return bad_value(error, section, entry, "a duration such as 20us (units: ns, us, ms, s)");
}

enum status ini_get_bytes(const struct ini_section *section, const char *key, uint64_t *bytes,
                          struct error *error)
{
    const struct ini_entry *entry = find_entry(section, key);
    if (!entry)
        return STATUS_OK;
    const char *end;
    if (ini_scan_bytes(entry->value, bytes, &end) && *end == '\0')
        return STATUS_OK;
    return bad_value(error, section, entry,
                     "a number of bytes such as 4096 or 64k (units: k, M, G)");
}

bool ini_scan_bytes(const char *text, uint64_t *bytes, const char **end)
{
    static const char units[] = "kKmMgG";
    if (*text < '0' || *text > '9')
        return false;
    char *stop;
    errno = 0;
    unsigned long long number = strtoull(text, &stop, 10);
    if (errno != 0)
        return false;
    const char *unit = *stop ? strchr(units, *stop) : NULL;
    if (unit) {
        int shift = 10 * (1 + (int)(unit - units) / 2);
        if (number > UINT64_MAX >> shift)
            return false;
        number <<= shift;
        stop++;
    }
    *bytes = number;
    *end = stop;
    return true;
}

enum status ini_check_keys(const struct ini_section *section, const char *const *known,
                           struct error *error)
{
    for (size_t e = 0; e < section->entry_count; e++) {
        const struct ini_entry *entry = &section->entries[e];
        size_t k = 0;
        while (known[k] && strcmp(entry->key, known[k]) != 0)
            k++;
        if (known[k])
            continue;
        int near = nearest_name(entry->key, known, count_names(known));
        char list[600];
        list_choices(known, list, sizeof list);
        if (near >= 0)
            return ini_error(error, section->ini, entry->line,
                             "unknown key \"%s\"; did you mean \"%s\"?", entry->key, known[near]);
        return ini_error(error, section->ini, entry->line,
                         "unknown key \"%s\" in section [%s%s%s]: use %s", entry->key,
                         section->kind, *section->label ? " " : "", section->label, list);
    }
    return STATUS_OK;
}
