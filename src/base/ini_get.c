/* Values of keys: one conversion for each type, the same wording for all unexpected values, and
 * sections that are read by a table of their keys. */
#include "base/array.h"
#include "base/ini.h"
#include "base/names.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEYS_MOST = 32, EXPECTED_SIZE = 600 };

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

static bool read_bool(const char *text, bool *value, char *expected)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    strcpy(expected, "yes or no");
    return false;
}

static bool read_integer(const struct ini_key *key, const char *text, int64_t *value,
                         char *expected)
{
    char *end;
    assert(key->least <= key->most);
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && number >= key->least && number <= key->most) {
        *value = number;
        return true;
    }
    if (key->most == INT64_MAX)
        snprintf(expected, EXPECTED_SIZE, "a whole number, %" PRId64 " or more", key->least);
    else
        snprintf(expected, EXPECTED_SIZE, "a whole number from %" PRId64 " to %" PRId64, key->least,
                 key->most);
    return false;
}

static bool read_real(const struct ini_key *key, const char *text, double *value, char *expected)
{
    char *end;
    assert(key->lowest <= key->highest);
    double number = strtod(text, &end);
    if (end != text && *end == '\0' && number >= key->lowest && number <= key->highest) {
        *value = number;
        return true;
    }
    snprintf(expected, EXPECTED_SIZE, "a number from %g to %g", key->lowest, key->highest);
    return false;
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

static bool read_choice(const char *const *choices, const char *text, int *value, char *expected)
{
    char list[400];
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0) {
            *value = i;
            return true;
        }
    list_choices(choices, list, sizeof list);
    int near = *text ? nearest_name(text, choices, count_names(choices)) : -1;
    snprintf(expected, EXPECTED_SIZE, near >= 0 ? "%s; did you mean \"%s\"?" : "%s", list,
             near >= 0 ? choices[near] : "");
    return false;
}

/* Operations and messages take less than this many seconds on any machine, so the unit of a larger
 * number was forgotten. */
static const double COST_WITHOUT_UNIT_S = 0.01;

/* `largest`: of a number without unit, which is in seconds. */
static bool read_duration(const char *text, double largest, double *seconds, char *expected)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1},      {"s", 1},  {"ms", 1e-3}, {"us", 1e-6},
                 {"ns", 1e-9}, {"m", 60}, {"h", 3600}};
    char *end;
    double number = strtod(text, &end);
    bool valid = end != text && number >= 0 && number <= 1e9;
    end += strspn(end, " \t");
    for (size_t i = 0; valid && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && (*end || number <= largest)) {
            *seconds = number * units[i].seconds;
            return true;
        }
    strcpy(expected, "a duration such as 20us (units: ns, us, ms, s, m, h)");
    return false;
}

static bool read_rate(const char *text, double *bytes_per_s, char *expected)
{
    static const char prefixes[] = "kMGT";
    char *end;
    double number = strtod(text, &end);
    const bool valid = end != text && number > 0 && number <= 1e18;
    end += strspn(end, " \t");
    const char *prefix = *end ? strchr(prefixes, *end) : NULL;
    for (const char *p = prefixes; prefix && p <= prefix; p++)
        number *= 1000;
    end += prefix != NULL;
    if (valid && (strcmp(end, "B/s") == 0 || strcmp(end, "bit/s") == 0)) {
        *bytes_per_s = *end == 'B' ? number : number / 8;
        return true;
    }
    strcpy(expected, "a rate such as 10GB/s (units: B/s, kB/s, MB/s, GB/s, TB/s, also Gbit/s)");
    return false;
}

/* Reads a number of bytes at the start of `text`; `*end` is the rest. False if there is none. */
static bool scan_bytes(const char *text, uint64_t *bytes, const char **end)
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

static bool read_byte_count(const char *text, uint64_t *bytes, char *expected)
{
    const char *end;
    if (scan_bytes(text, bytes, &end) && *end == '\0')
        return true;
    strcpy(expected, "a number of bytes such as 4096 or 64k (units: k, M, G)");
    return false;
}

static bool read_typed(const struct ini_key *key, const char *text, void *value, char *expected)
{
    bool set = false;
    switch (key->type) {
    case INI_BOOL:
        return read_bool(text, value, expected);
    case INI_NOT:
        if (!read_bool(text, &set, expected))
            return false;
        *(bool *)value = !set;
        return true;
    case INI_CHOICE:
        return read_choice(key->choices, text, value, expected);
    case INI_INTEGER:
        return read_integer(key, text, value, expected);
    case INI_NUMBER:
        return read_real(key, text, value, expected);
    case INI_DURATION:
    case INI_COST:
        return read_duration(text, key->type == INI_COST ? COST_WITHOUT_UNIT_S : 1e9, value,
                             expected);
    case INI_BYTES:
        return read_byte_count(text, value, expected);
    case INI_RATE:
        return read_rate(text, value, expected);
    default:
        *(const char **)value = text;
        return *text != '\0';
    }
}

enum status ini_get(const struct ini_section *section, const struct ini_key *key, void *value,
                    struct error *error)
{
    const struct ini_entry *entry = find_entry(section, key->name);
    char expected[EXPECTED_SIZE] = "";
    if (!entry || key->type == INI_UNREAD)
        return STATUS_OK;
    if (key->type == INI_RANGES)
        return ranges_read(section, key->name, value, error);
    if (read_typed(key, entry->value, value, expected)) {
        const char **path = value;
        if (key->type == INI_PATH && !(*path = ini_resolve(section->ini, *path, strlen(*path))))
            return error_memory(error, "the configuration");
        return STATUS_OK;
    }
    const char *joint = *expected ? ": expected " : "";
    if (*entry->value == '\0')
        return ini_error(error, section->ini, entry->line, "key \"%s\" has no value%s%s", key->name,
                         joint, expected);
    return ini_error(error, section->ini, entry->line, "%s = \"%s\"%s%s", key->name, entry->value,
                     joint, expected);
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
        char list[600], title[100];
        list_choices(known, list, sizeof list);
        section_title(section, title, sizeof title);
        if (near >= 0)
            return ini_error(error, section->ini, entry->line,
                             "unknown key \"%s\"; did you mean \"%s\"?", entry->key, known[near]);
        return ini_error(error, section->ini, entry->line,
                         "unknown key \"%s\" in section [%s]: use %s", entry->key, title, list);
    }
    return STATUS_OK;
}

enum status ini_read_some(const struct ini_section *section, const struct ini_key *keys,
                          void *values, struct error *error)
{
    enum status status = STATUS_OK;
    for (const struct ini_key *key = keys; key->name && status == STATUS_OK; key++)
        status = ini_get(section, key, (char *)values + key->offset, error);
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

/* Reads ">64k" and the like; `*after` is the rest of the text. */
static bool read_relation(const char *text, struct number_range *range, const char **after)
{
    bool less = *text == '<', more = *text == '>', equal = (less || more) && text[1] == '=';
    uint64_t number;
    if ((!less && !more) || !scan_bytes(ini_skip_blanks(text + 1 + equal), &number, after))
        return false;
    if (!equal && number == (less ? 0 : UINT64_MAX))
        return false; /* no number satisfies it */
    range->lowest = less ? 0 : number + !equal;
    range->highest = more ? UINT64_MAX : number - !equal;
    return true;
}

static bool read_range(const char *text, struct number_range *range)
{
    const char *after;
    if (read_relation(text, range, &after))
        return *after == '\0';
    if (!scan_bytes(text, &range->lowest, &after))
        return false;
    range->highest = range->lowest;
    after = ini_skip_blanks(after);
    if (strncmp(after, "..", 2) == 0 &&
        !scan_bytes(ini_skip_blanks(after + 2), &range->highest, &after))
        return false;
    return *after == '\0' && range->lowest <= range->highest;
}

enum status ranges_read(const struct ini_section *section, const char *key, struct ranges *ranges,
                        struct error *error)
{
    const char *list = NULL;
    const struct ini_key text = {.name = key, .type = INI_STRING};
    enum status status = ini_get(section, &text, &list, error);
    return status == STATUS_OK ? ranges_parse(section, key, list, ranges, error) : status;
}

enum status ranges_parse(const struct ini_section *section, const char *key, const char *text,
                         struct ranges *ranges, struct error *error)
{
    const char *list = text;
    ARRAY(struct number_range) found = {0};
    bool out_of_memory = false;
    enum status status = STATUS_OK;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &out_of_memory))) {
        struct number_range range;
        if (!read_range(item, &range))
            status = section_error(error, section, key,
                                   "%s: \"%s\" is not a set of numbers: expected for example 0, "
                                   "16..1024 or >64k, or several of these separated by commas",
                                   key, item);
        else
            out_of_memory = !array_push(&found, range);
        free(item);
        if (out_of_memory)
            break;
    }
    if (status == STATUS_OK && out_of_memory)
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

enum status ini_get_limit(const struct ini_section *section, const char *key, uint64_t *bytes,
                          struct error *error)
{
    const char *text = ini_value(section, key);
    if (!text || strcmp(text, "never") != 0)
        return ini_get(section, &(struct ini_key){.name = key, .type = INI_BYTES}, bytes, error);
    *bytes = UINT64_MAX;
    return STATUS_OK;
}
