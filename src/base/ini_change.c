/* Configurations that are changed after they were read: copied, set key by key as on a command
 * line, and written as text. */
#include "base/arena.h"
#include "base/ini.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy_ini_section(struct arena *arena, const struct ini *ini,
                             const struct ini_section *section, struct ini_section *copy)
{
    *copy = (struct ini_section){
        .ini = ini,
        .kind = arena_strdup(arena, section->kind),
        .label = arena_strdup(arena, section->label),
        .line = section->line,
        .entries = arena_alloc_array(arena, section->entry_count + 1, sizeof *copy->entries),
        .entry_count = section->entry_count,
    };
    bool allocated = copy->kind && copy->label && copy->entries;
    for (size_t e = 0; allocated && e < section->entry_count; e++) {
        const struct ini_entry *entry = &section->entries[e];
        copy->entries[e] = (struct ini_entry){arena_strdup(arena, entry->key),
                                              arena_strdup(arena, entry->value), entry->line};
        allocated = copy->entries[e].key && copy->entries[e].value;
    }
    return allocated;
}

enum status ini_copy(const struct ini *ini, struct ini **copy, struct error *error)
{
    struct arena *arena = arena_create();
    struct ini *fresh = arena ? arena_alloc(arena, sizeof *fresh) : NULL;
    bool allocated = fresh != NULL;
    if (allocated) {
        *fresh = (struct ini){
            .path = arena_strdup(arena, ini->path),
            .directory = arena_strdup(arena, ini->directory),
            .sections = arena_alloc_array(arena, ini->section_count + 1, sizeof *fresh->sections),
            .section_count = ini->section_count,
            .group = ini->group,
            .origins = arena_alloc_array(arena, ini->origin_count + 1, sizeof *fresh->origins),
            .origin_count = ini->origin_count,
            .arena = arena,
        };
        allocated = fresh->path && fresh->directory && fresh->sections && fresh->origins;
    }
    for (size_t i = 0; allocated && i < ini->origin_count; i++)
        allocated = (fresh->origins[i] = arena_strdup(arena, ini->origins[i])) != NULL;
    for (size_t s = 0; allocated && s < ini->section_count; s++)
        allocated = copy_ini_section(arena, fresh, &ini->sections[s], &fresh->sections[s]);
    if (!allocated) {
        arena_destroy(arena);
        return error_memory(error, "the configuration");
    }
    *copy = fresh;
    return STATUS_OK;
}

/* One way to split the text. */
struct ini_setting {
    const char *kind, *label, *key, *value;
    size_t kind_length, label_length, key_length, value_length;
};

/* A name of a kind or key: as in the file, but without the characters that end one there. */
static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '-')
        length++;
    return length;
}

/* The length of `text` up to `end` without the blanks before that. */
static size_t trimmed_length(const char *text, const char *end)
{
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (size_t)(end - text);
}

/* Splits the text if its value begins after `equals`. False if section and key would not be valid
 * names. */
static bool read_setting(const char *text, const char *equals, struct ini_setting *setting)
{
    const char *dot = equals;
    while (dot > text && *dot != '.')
        dot--;
    text = ini_skip_blanks(text);
    if (*dot != '.' || dot <= text)
        return false;
    setting->kind = text;
    setting->kind_length = word_length(text);
    setting->label = ini_skip_blanks(text + setting->kind_length);
    bool parted = setting->label > text + setting->kind_length || setting->label == dot;
    setting->label_length = setting->label < dot ? trimmed_length(setting->label, dot) : 0;
    setting->key = ini_skip_blanks(dot + 1);
    setting->key_length = word_length(setting->key);
    setting->value = ini_skip_blanks(equals + 1);
    setting->value_length = trimmed_length(setting->value, setting->value + strlen(setting->value));
    return setting->kind_length > 0 && parted &&
           !memchr(setting->label, ']', setting->label_length) && setting->key_length > 0 &&
           ini_skip_blanks(setting->key + setting->key_length) == equals;
}

static bool equals_part(const char *text, const char *part, size_t length)
{
    return strlen(text) == length && strncmp(text, part, length) == 0;
}

/* The sections that a setting means, by their full name, else the kind alone. Returns their number;
 * `*section` is the last. */
static size_t count_sections(const struct ini *ini, const struct ini_setting *setting,
                             struct ini_section **section)
{
    size_t named = 0, of_kind = 0;
    struct ini_section *last = NULL;
    for (size_t s = 0; s < ini->section_count; s++) {
        struct ini_section *candidate = &ini->sections[s];
        if (!equals_part(candidate->kind, setting->kind, setting->kind_length))
            continue;
        if (equals_part(candidate->label, setting->label, setting->label_length)) {
            named++;
            *section = candidate;
        }
        of_kind++;
        last = candidate;
    }
    if (named > 0 || setting->label_length > 0)
        return named;
    *section = last;
    return of_kind;
}

static enum status malformed(const char *set, const char *problem, struct error *error)
{
    return error_set(error, STATUS_USAGE,
                     "--set \"%.200s\": %s; expected SECTION.KEY=VALUE, such as replay.repeat=3 or "
                     "\"scale kernel.factor=0.5\"",
                     set, problem);
}

/* Chooses among the ways to split the text (the value may contain "="): the one whose section
 * exists, else the first. */
static enum status choose_setting(const struct ini *ini, const char *set,
                                  struct ini_setting *setting, struct ini_section **section,
                                  struct error *error)
{
    size_t possible = 0, existing = 0;
    for (const char *at = strchr(set, '='); at; at = strchr(at + 1, '=')) {
        struct ini_setting reading;
        struct ini_section *found = NULL;
        if (!read_setting(set, at, &reading))
            continue;
        size_t sections = count_sections(ini, &reading, &found);
        existing += sections;
        if (possible++ == 0 || sections > 0) {
            *setting = reading;
            *section = found;
        }
    }
    if (possible == 0)
        return malformed(set,
                         strchr(set, '=') ? "section and key before the \"=\" are missing"
                                          : "\"=\" is missing",
                         error);
    if (existing > 1)
        return error_set(
            error, STATUS_USAGE,
            "--set \"%.200s\": %zu sections of %s may be meant; name one with its label, "
            "as it is written between the brackets, or give it another label",
            set, existing, ini->path);
    return STATUS_OK;
}

static bool is_one_line(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i]) && text[i] != '\t')
            return false;
    return true;
}

/* Adds a section before all groups. NULL if out of memory. */
static struct ini_section *insert_section(struct ini *ini, const char *kind, size_t kind_length,
                                          const char *label, size_t label_length, int line)
{
    size_t place = 0;
    while (place < ini->section_count &&
           !(ini->group && strcmp(ini->sections[place].kind, ini->group) == 0))
        place++;
    struct ini_section *sections =
        arena_alloc_array(ini->arena, ini->section_count + 1, sizeof *sections);
    struct ini_section fresh = {
        .ini = ini,
        .kind = arena_strndup(ini->arena, kind, kind_length),
        .label = arena_strndup(ini->arena, label, label_length),
        .line = line,
    };
    if (!sections || !fresh.kind || !fresh.label)
        return NULL;
    for (size_t s = 0; s < ini->section_count; s++)
        sections[s < place ? s : s + 1] = ini->sections[s];
    sections[place] = fresh;
    ini->sections = sections;
    ini->section_count++;
    return &sections[place];
}

/* False if out of memory. */
static bool append_entry(struct ini *ini, struct ini_section *section,
                         const struct ini_entry *entry)
{
    struct ini_entry *entries =
        arena_alloc_array(ini->arena, section->entry_count + 1, sizeof *entries);
    if (!entries)
        return false;
    for (size_t e = 0; e < section->entry_count; e++)
        entries[e] = section->entries[e];
    entries[section->entry_count++] = *entry;
    section->entries = entries;
    return true;
}

static bool set_entry(struct ini *ini, struct ini_section *section,
                      const struct ini_setting *setting)
{
    struct ini_entry fresh = {
        .key = arena_strndup(ini->arena, setting->key, setting->key_length),
        .value = arena_strndup(ini->arena, setting->value, setting->value_length),
        .line = INI_SET,
    };
    if (!fresh.key || !fresh.value)
        return false;
    for (size_t e = 0; e < section->entry_count; e++)
        if (strcmp(section->entries[e].key, fresh.key) == 0) {
            section->entries[e] = fresh;
            return true;
        }
    return append_entry(ini, section, &fresh);
}

enum status ini_set(struct ini *ini, const char *set, struct error *error)
{
    struct ini_setting setting = {0};
    struct ini_section *section = NULL;
    enum status status = choose_setting(ini, set, &setting, &section, error);
    if (status != STATUS_OK)
        return status;
    if (!is_one_line(set, strlen(set)))
        return malformed(set, "it is more than one line of text", error);
    if (setting.key_length > INI_LONGEST_KEY)
        return malformed(set, "the key is longer than 48 characters", error);
    if (!section)
        section = insert_section(ini, setting.kind, setting.kind_length, setting.label,
                                 setting.label_length, INI_SET);
    if (!section || !set_entry(ini, section, &setting))
        return error_memory(error, "the configuration");
    return STATUS_OK;
}

/* Notes an option that adds a section; `*line` stands for it. False if out of memory. */
static bool add_origin(struct ini *ini, const char *origin, int *line)
{
    char **origins = arena_alloc_array(ini->arena, ini->origin_count + 1, sizeof *origins);
    char *copy = arena_strdup(ini->arena, origin);
    if (!origins || !copy)
        return false;
    for (size_t i = 0; i < ini->origin_count; i++)
        origins[i] = ini->origins[i];
    origins[ini->origin_count++] = copy;
    ini->origins = origins;
    *line = INI_SET - (int)ini->origin_count;
    return true;
}

enum status ini_add_section(struct ini *ini, const char *kind, const char *label,
                            const char *origin, struct ini_section **section, struct error *error)
{
    int line = 0;
    assert(*kind);
    if (origin && !add_origin(ini, origin, &line))
        return error_memory(error, "the configuration");
    for (size_t s = 0; s < ini->section_count; s++)
        if (strcmp(ini->sections[s].kind, kind) == 0 && strcmp(ini->sections[s].label, label) == 0)
            return ini_error(error, ini, line, "section [%s%s%s] exists already", kind,
                             *label ? " " : "", label);
    *section = insert_section(ini, kind, strlen(kind), label, strlen(label), line);
    return *section ? STATUS_OK : error_memory(error, "the configuration");
}

enum status ini_add_entry(struct ini *ini, struct ini_section *section, const char *key,
                          size_t key_length, const char *value, size_t value_length,
                          struct error *error)
{
    assert(section->ini == ini && key_length > 0);
    if (key_length > INI_LONGEST_KEY)
        return ini_error(error, ini, section->line, "a key is longer than %d characters",
                         INI_LONGEST_KEY);
    if (!is_one_line(value, value_length))
        return ini_error(error, ini, section->line, "the value of %.*s is more than a line of text",
                         (int)key_length, key);
    const struct ini_entry entry = {.key = arena_strndup(ini->arena, key, key_length),
                                    .value = arena_strndup(ini->arena, value, value_length),
                                    .line = section->line};
    if (entry.key && ini_value(section, entry.key))
        return ini_error(error, ini, section->line, "%s is given twice", entry.key);
    return entry.key && entry.value && append_entry(ini, section, &entry)
               ? STATUS_OK
               : error_memory(error, "the configuration");
}

/* A semicolon at the start or after a blank would begin a comment: a backslash precedes it, or one
 * more if there are some (unescape in ini.c). */
static void put_value(const char *value, FILE *stream)
{
    bool blank = true;
    for (; *value; value++) {
        size_t slashes = blank ? strspn(value, "\\") : 0;
        if (blank && value[slashes] == ';')
            fputc('\\', stream);
        fputc(*value, stream);
        blank = *value == ' ' || *value == '\t';
    }
}

static void put_section(const struct ini_section *section, FILE *stream)
{
    fprintf(stream, "[%s%s%s]\n", section->kind, *section->label ? " " : "", section->label);
    for (size_t e = 0; e < section->entry_count; e++) {
        fprintf(stream, "%s = ", section->entries[e].key);
        put_value(section->entries[e].value, stream);
        fputc('\n', stream);
    }
}

char *ini_text(const struct ini *ini)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t s = 0; s < ini->section_count; s++) {
        if (s > 0)
            fputc('\n', stream);
        put_section(&ini->sections[s], stream);
    }
    bool failed = ferror(stream);
    if (fclose(stream) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}
