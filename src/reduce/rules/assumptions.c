#include "reduce/rules/assumptions.h"

#include "base/arena.h"
#include "base/names.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS_MOST = 32, KEYS_MOST = 32 };

static const char waits[] = "waits", computation[] = "computation";

/* Which keys of a section an assumption has. */
enum extent { EXTENT_REGIONS, EXTENT_RANKS, EXTENT_ALL };

static enum extent assumed_extent(const char *kind)
{
    if (strcmp(kind, "scale") == 0 || strcmp(kind, "balance") == 0)
        return EXTENT_REGIONS;
    return strcmp(kind, "cpu") == 0 ? EXTENT_RANKS : EXTENT_ALL;
}

bool assumption_is_exact(const char *kind)
{
    return assumed_extent(kind) == EXTENT_ALL;
}

/* True for keys that say what changes, not by how much. */
static bool key_chooses(const char *kind, const char *key)
{
    static const char *const keys[][2] = {{"region", "callpath"}, {"rank", "node"}};
    enum extent extent = assumed_extent(kind);
    return extent == EXTENT_ALL || strcmp(key, keys[extent][0]) == 0 ||
           strcmp(key, keys[extent][1]) == 0;
}

static bool kind_is_known(const struct assumption_kinds *kinds, const char *name)
{
    bool known = strcmp(name, waits) == 0 || (kinds->files && strcmp(name, computation) == 0);
    for (size_t i = 0; !known && kinds->name(i); i++)
        known = strcmp(name, kinds->name(i)) == 0;
    return known;
}

static enum status kind_unknown(const struct assumption_kinds *kinds, const char *where,
                                const char *name, bool may_be_file, struct error *error)
{
    const char *names[KINDS_MOST] = {waits, computation};
    const size_t own = kinds->files ? 2 : 1;
    size_t count = own;
    char list[600];
    size_t used =
        (size_t)snprintf(list, sizeof list, kinds->files ? "%s, %s" : "%s", waits, computation);
    for (; count < KINDS_MOST && used < sizeof list && kinds->name(count - own); count++) {
        names[count] = kinds->name(count - own);
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s", names[count]);
    }
    int near = nearest_name(name, names, count);
    return error_set(error, STATUS_INPUT, "%s: \"%s\" is %s%s%s%s%s", where, name,
                     may_be_file ? "neither a kind of assumption nor a file"
                                 : "not a kind of assumption that can be used here",
                     near >= 0 ? "; did you mean \"" : ": use ", near >= 0 ? names[near] : list,
                     near >= 0 ? "\"?" : "", near >= 0 ? "" : kinds->advice);
}

static bool equal_without_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

/* True if all choosing keys of `a` have the same value in `b`. */
static bool choice_is_within(const struct ini_section *a, const struct ini_section *b)
{
    for (size_t e = 0; e < a->entry_count; e++) {
        const char *other = ini_value(b, a->entries[e].key);
        if (key_chooses(a->kind, a->entries[e].key) &&
            (!other || !equal_without_blanks(a->entries[e].value, other)))
            return false;
    }
    return true;
}

static bool assumption_covers(const struct assumption *assumption,
                              const struct ini_section *section)
{
    const struct ini_section *own = assumption->section;
    enum extent extent = assumed_extent(section->kind);
    if (assumption->waits || assumption->computation || extent != assumed_extent(own->kind) ||
        (extent == EXTENT_ALL && strcmp(own->kind, section->kind) != 0))
        return false;
    if (extent == EXTENT_RANKS && own->entry_count == 0)
        return true;
    return choice_is_within(own, section) && choice_is_within(section, own);
}

bool assumptions_cover(const struct assumptions *assumptions, const struct ini_section *section)
{
    for (size_t i = 0; i < assumptions->items.count; i++)
        if (assumption_covers(&assumptions->items.items[i], section))
            return true;
    return false;
}

double assumptions_least_wait(const struct assumptions *assumptions)
{
    double least = INFINITY;
    for (size_t i = 0; i < assumptions->items.count; i++)
        if (assumptions->items.items[i].waits)
            least = fmin(least, assumptions->items.items[i].least_wait_s);
    return least;
}

static enum status read_least_wait(const struct ini_section *section, double *least_wait_s,
                                   struct error *error)
{
    struct assumed_waits {
        double at_least;
    } values = {0};
    static const struct ini_key keys[] = {INI_KEY(assumed_waits, at_least, DURATION), INI_KEYS_END};
    enum status status = ini_read(section, keys, &values, error);
    *least_wait_s = values.at_least;
    return status;
}

/* Removes the keys that do not choose; their values stay in the arena. */
static void keep_choosing_keys(struct ini_section *section)
{
    size_t kept = 0;
    for (size_t e = 0; e < section->entry_count; e++)
        if (key_chooses(section->kind, section->entries[e].key))
            section->entries[kept++] = section->entries[e];
    section->entry_count = kept;
}

/* Adds the section, which the arena owns. */
static enum status add_assumption(struct assumptions *assumptions,
                                  const struct assumption_kinds *kinds, struct ini_section *section,
                                  struct error *error)
{
    struct assumption item = {.section = section,
                              .waits = strcmp(section->kind, waits) == 0,
                              .computation = strcmp(section->kind, computation) == 0};
    enum status status;
    bool covered;
    if (item.waits) {
        status = read_least_wait(section, &item.least_wait_s, error);
        covered = assumptions_least_wait(assumptions) <= item.least_wait_s;
    } else if (item.computation) {
        status = read_least_wait(section, &item.least_wait_s, error);
        covered = false;
    } else {
        status = kinds->check(section, error);
        keep_choosing_keys(section);
        covered = assumptions_cover(assumptions, section);
    }
    if (status == STATUS_OK && !covered && !array_push(&assumptions->items, item))
        status = error_memory(error, "the assumptions");
    return status;
}

/* A text while it is read. */
struct assumption_reader {
    struct assumptions *assumptions;
    const struct assumption_kinds *kinds;
    struct ini *ini; /* stands for the text in messages */
    const char *at;
};

/* The next word up to one of `ends`, in the arena; NULL if out of memory. */
static char *read_word(struct assumption_reader *reader, const char *ends)
{
    size_t length = strcspn(reader->at, ends);
    char *word = arena_strndup(reader->assumptions->arena, reader->at, length);
    reader->at += length;
    return word;
}

/* A value that begins with '"'. Sets `*closed` to false if it does not end. */
static char *read_quoted(struct assumption_reader *reader, bool *closed)
{
    char *value = arena_strdup(reader->assumptions->arena, reader->at), *to = value;
    const char *from = reader->at + 1;
    while (value && *from && *from != '"') {
        from += *from == '\\' && from[1];
        *to++ = *from++;
    }
    if (value)
        *to = '\0';
    *closed = *from == '"';
    reader->at = from + *closed;
    return value;
}

/* Reads "key=value". */
static enum status read_entry(struct assumption_reader *reader, struct ini_entry *entry,
                              struct error *error)
{
    bool closed = true;
    entry->key = read_word(reader, " \t;=");
    entry->line = 0;
    if (entry->key && *reader->at != '=')
        return ini_error(error, reader->ini, 0,
                         "expected key=value instead of \"%s\"; put values with blanks between "
                         "double quotes",
                         entry->key);
    reader->at += *reader->at == '=';
    entry->value = *reader->at == '"' ? read_quoted(reader, &closed) : read_word(reader, " \t;");
    if (!entry->key || !entry->value)
        return error_memory(error, "the assumptions");
    if (!closed)
        return ini_error(error, reader->ini, 0, "the value of \"%s\" is not closed by \"",
                         entry->key);
    return STATUS_OK;
}

/* Reads one assumption, "kind key=value ...", and adds it. */
static enum status read_assumption(struct assumption_reader *reader, struct error *error)
{
    struct arena *arena = reader->assumptions->arena;
    struct ini_section *section = arena_alloc(arena, sizeof *section);
    struct ini_entry *entries = arena_alloc_array(arena, KEYS_MOST, sizeof *entries);
    char *kind = read_word(reader, " \t;");
    if (!section || !entries || !kind)
        return error_memory(error, "the assumptions");
    if (!kind_is_known(reader->kinds, kind))
        return kind_unknown(reader->kinds, reader->ini->path, kind, false, error);
    *section = (struct ini_section){
        .ini = reader->ini, .kind = kind, .label = kind + strlen(kind), .entries = entries};
    for (;;) {
        reader->at += strspn(reader->at, " \t");
        if (*reader->at == '\0' || *reader->at == ';')
            return add_assumption(reader->assumptions, reader->kinds, section, error);
        if (section->entry_count == KEYS_MOST)
            return ini_error(error, reader->ini, 0, "more than %d keys", KEYS_MOST);
        struct ini_entry *entry = &entries[section->entry_count];
        enum status status = read_entry(reader, entry, error);
        if (status != STATUS_OK)
            return status;
        if (ini_value(section, entry->key))
            return ini_error(error, reader->ini, 0, "key \"%s\" is given twice", entry->key);
        section->entry_count++;
    }
}

/* Makes what stands for a text or a file in messages and for relative paths; NULL if out of memory.
 */
static struct ini *stand_in(struct assumptions *assumptions, const char *name,
                            const char *directory)
{
    if (!assumptions->arena && !(assumptions->arena = arena_create()))
        return NULL;
    struct ini *ini = arena_alloc(assumptions->arena, sizeof *ini);
    if (ini)
        *ini = (struct ini){.path = arena_strdup(assumptions->arena, name),
                            .directory = arena_strdup(assumptions->arena, directory),
                            .arena = assumptions->arena};
    return ini && ini->path && ini->directory ? ini : NULL;
}

enum status assumptions_read(struct assumptions *assumptions, const struct assumption_kinds *kinds,
                             const char *name, const char *text, struct error *error)
{
    assert(name != NULL && text != NULL);
    struct assumption_reader reader = {assumptions, kinds, stand_in(assumptions, name, "."), text};
    enum status status = reader.ini ? STATUS_OK : error_memory(error, "the assumptions");
    while (status == STATUS_OK) {
        reader.at += strspn(reader.at, " \t;");
        if (*reader.at == '\0')
            break;
        status = read_assumption(&reader, error);
    }
    return status;
}

/* Copies a section of a file into the arena; NULL if out of memory. */
static struct ini_section *copy_assumed_section(struct assumptions *assumptions,
                                                const struct ini *ini,
                                                const struct ini_section *from)
{
    struct arena *arena = assumptions->arena;
    struct ini_section *section = arena_memdup(arena, from, sizeof *from);
    if (!section)
        return NULL;
    section->ini = ini;
    section->kind = arena_strdup(arena, from->kind);
    section->label = arena_strdup(arena, from->label);
    section->entries = arena_alloc_array(arena, from->entry_count + 1, sizeof *section->entries);
    bool copied = section->kind && section->label && section->entries;
    for (size_t e = 0; e < from->entry_count && copied; e++) {
        section->entries[e] =
            (struct ini_entry){arena_strdup(arena, from->entries[e].key),
                               arena_strdup(arena, from->entries[e].value), from->entries[e].line};
        copied = section->entries[e].key && section->entries[e].value;
    }
    return copied ? section : NULL;
}

/* Adds the hypotheses of a configuration. Its other sections are for other tools. */
static enum status read_configuration(struct assumptions *assumptions,
                                      const struct assumption_kinds *kinds, const char *path,
                                      struct error *error)
{
    struct ini *file;
    enum status status = ini_load(path, &file, error);
    if (status != STATUS_OK)
        return status;
    struct ini *own = stand_in(assumptions, file->path, file->directory);
    size_t count = 0;
    if (!own)
        status = error_memory(error, "the assumptions");
    for (size_t i = 0; i < file->section_count && status == STATUS_OK; i++) {
        if (!kind_is_known(kinds, file->sections[i].kind))
            continue;
        struct ini_section *section = copy_assumed_section(assumptions, own, &file->sections[i]);
        status = section ? add_assumption(assumptions, kinds, section, error)
                         : error_memory(error, "the assumptions");
        count++;
    }
    if (status == STATUS_OK && count == 0)
        status = error_set(error, STATUS_INPUT,
                           "--assume %s: the configuration has no hypothesis to assume", path);
    ini_destroy(file);
    return status;
}

enum status assumptions_add(struct assumptions *assumptions, const struct assumption_kinds *kinds,
                            const char *text, struct error *error)
{
    char name[200], kind[100];
    assert(text != NULL);
    text += strspn(text, " \t;");
    snprintf(name, sizeof name, "--assume \"%s\"", text);
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(text, " \t;"), text);
    if (!*kind)
        return error_set(error, STATUS_INPUT,
                         "--assume: an assumption such as \"scale region=foo\"%s is missing",
                         kinds->files ? " or a configuration" : "");
    if (!kinds->files || kind_is_known(kinds, kind))
        return assumptions_read(assumptions, kinds, name, text, error);
    if (access(text, F_OK) == 0)
        return read_configuration(assumptions, kinds, text, error);
    return kind_unknown(kinds, name, kind, true, error);
}

void assumptions_clear(struct assumptions *assumptions)
{
    free(assumptions->items.items);
    arena_destroy(assumptions->arena);
    *assumptions = (struct assumptions){0};
}

static void write_quoted_value(FILE *text, const char *value)
{
    bool quoted = *value == '\0' || strpbrk(value, " \t;\"\\");
    if (quoted)
        putc('"', text);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            putc('\\', text);
        putc(*value, text);
    }
    if (quoted)
        putc('"', text);
}

void assumption_write(FILE *text, const struct ini_section *section)
{
    fputs(section->kind, text);
    for (size_t e = 0; e < section->entry_count; e++)
        if (key_chooses(section->kind, section->entries[e].key)) {
            fprintf(text, " %s=", section->entries[e].key);
            write_quoted_value(text, section->entries[e].value);
        }
}

char *assumptions_text(const struct assumptions *assumptions)
{
    char *result = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&result, &size);
    if (!text)
        return NULL;
    for (size_t i = 0; i < assumptions->items.count; i++) {
        const struct assumption *item = &assumptions->items.items[i];
        if (i > 0)
            fputs("; ", text);
        if (item->waits)
            fprintf(text, "%s at_least=%.15g", waits, item->least_wait_s);
        else
            assumption_write(text, item->section);
    }
    if (fclose(text) == 0)
        return result;
    free(result);
    return NULL;
}
