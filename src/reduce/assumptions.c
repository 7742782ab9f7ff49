#include "reduce/assumptions.h"

#include "base/arena.h"
#include "base/names.h"
#include "transform/callpath_marks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS_MOST = 32 };

static const char waits[] = "waits";

/* How much of a section an assumption says. */
enum extent { EXTENT_REGIONS, EXTENT_RANKS, EXTENT_ALL };

static enum extent extent_of(const char *kind)
{
    if (strcmp(kind, "scale") == 0 || strcmp(kind, "balance") == 0)
        return EXTENT_REGIONS;
    return strcmp(kind, "cpu") == 0 ? EXTENT_RANKS : EXTENT_ALL;
}

/* True for keys that say what changes, not by how much. */
static bool key_chooses(const char *kind, const char *key)
{
    static const char *const keys[][2] = {{"region", "callpath"}, {"rank", "node"}};
    enum extent extent = extent_of(kind);
    return extent == EXTENT_ALL || strcmp(key, keys[extent][0]) == 0 ||
           strcmp(key, keys[extent][1]) == 0;
}

/* The kind of that name, NULL for `waits`. False if there is none. */
static bool kind_find(const char *name, size_t length, const struct hypothesis_kind **kind)
{
    *kind = NULL;
    for (const struct hypothesis_kind *const *known = hypothesis_list(); *known; known++)
        if (strlen((*known)->name) == length && strncmp((*known)->name, name, length) == 0)
            *kind = *known;
    return *kind || (length == strlen(waits) && strncmp(waits, name, length) == 0);
}

/* Fails because there is no such kind. `what` says what else the name is not. */
static enum status kind_unknown(const char *where, const char *name, const char *what,
                                struct error *error)
{
    const char *names[KEYS_MOST] = {waits};
    size_t count = 1;
    char list[600];
    size_t used = (size_t)snprintf(list, sizeof list, "%s", waits);
    const struct hypothesis_kind *const *known = hypothesis_list();
    for (; known[count - 1] && count < KEYS_MOST && used < sizeof list; count++) {
        names[count] = known[count - 1]->name;
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s", names[count]);
    }
    int near = nearest_name(name, names, count);
    return error_set(error, STATUS_INPUT, "%s: \"%s\" is no kind of assumption%s%s%s%s", where,
                     name, what, near >= 0 ? "; did you mean \"" : ": use ",
                     near >= 0 ? names[near] : list, near >= 0 ? "\"?" : "");
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
static bool is_within(const struct ini_section *a, const struct ini_section *b)
{
    for (size_t e = 0; e < a->entry_count; e++) {
        const char *other = ini_value(b, a->entries[e].key);
        if (key_chooses(a->kind, a->entries[e].key) &&
            (!other || !equal_without_blanks(a->entries[e].value, other)))
            return false;
    }
    return true;
}

static bool covers(const struct assumption *assumption, const struct ini_section *section)
{
    const struct ini_section *own = assumption->section;
    enum extent extent = extent_of(section->kind);
    if (!assumption->kind || extent != extent_of(own->kind) ||
        (extent == EXTENT_ALL && strcmp(own->kind, section->kind) != 0))
        return false;
    if (extent == EXTENT_RANKS && own->entry_count == 0)
        return true;
    return is_within(own, section) && is_within(section, own);
}

bool assumptions_cover(const struct assumptions *assumptions, const struct ini_section *section)
{
    for (size_t i = 0; i < assumptions->items.count; i++)
        if (covers(&assumptions->items.items[i], section))
            return true;
    return false;
}

double assumptions_least_wait(const struct assumptions *assumptions)
{
    double least = INFINITY;
    for (size_t i = 0; i < assumptions->items.count; i++)
        if (!assumptions->items.items[i].kind)
            least = fmin(least, assumptions->items.items[i].least_wait_s);
    return least;
}

enum status assumptions_least_wait_of(const struct trace *trace, double *least_wait_s,
                                      struct error *error)
{
    struct assumptions assumptions;
    bool reduced;
    enum status status = assumptions_of(trace, &assumptions, &reduced, error);
    *least_wait_s = reduced ? assumptions_least_wait(&assumptions) : 0;
    assumptions_clear(&assumptions);
    return status;
}

/* Checks names and values of the keys; an amount that is required need not be there. */
static enum status check_keys(const struct hypothesis_kind *kind, const struct ini_section *section,
                              struct error *error)
{
    struct hypothesis hypothesis;
    const char *names[KEYS_MOST + 1] = {NULL};
    enum status status;
    if (extent_of(kind->name) == EXTENT_ALL) {
        status = hypothesis_read(kind, section, &hypothesis, error);
        hypothesis_clear(&hypothesis);
        return status;
    }
    void *state = calloc(1, kind->state_size);
    if (!state)
        return error_memory(error, "the assumptions");
    for (size_t k = 0; kind->keys[k].name; k++)
        names[k] = kind->keys[k].name;
    status = ini_check_keys(section, names, error);
    for (const struct ini_key *key = kind->keys; key->name && status == STATUS_OK; key++)
        status = ini_get(section, key, (char *)state + key->offset, error);
    if (status == STATUS_OK && kind->needs_where && !callpath_marks_wanted(section))
        status = section_error(error, section, NULL, "\"region\" or \"callpath\" is missing");
    ini_values_clear(kind->keys, state);
    free(state);
    return status;
}

static enum status check_waits(const struct ini_section *section, double *least_wait_s,
                               struct error *error)
{
    struct waits {
        double at_least;
    } values = {0};
    static const struct ini_key keys[] = {INI_KEY(waits, at_least, DURATION), INI_KEYS_END};
    enum status status = ini_read(section, keys, &values, error);
    *least_wait_s = values.at_least;
    return status;
}

/* Removes keys that do not choose; their values stay in the arena. */
static void keep_choosing(struct ini_section *section)
{
    size_t kept = 0;
    for (size_t e = 0; e < section->entry_count; e++)
        if (key_chooses(section->kind, section->entries[e].key))
            section->entries[kept++] = section->entries[e];
    section->entry_count = kept;
}

/* Adds the section, which the arena owns. */
static enum status add_section(struct assumptions *assumptions, struct ini_section *section,
                               struct error *error)
{
    struct assumption item = {.section = section};
    enum status status;
    bool known = kind_find(section->kind, strlen(section->kind), &item.kind);
    if (!known)
        return kind_unknown(section->ini->path, section->kind, "", error);
    if (item.kind) {
        status = check_keys(item.kind, section, error);
        keep_choosing(section);
        known = assumptions_cover(assumptions, section);
    } else {
        status = check_waits(section, &item.least_wait_s, error);
        known = assumptions_least_wait(assumptions) <= item.least_wait_s;
    }
    if (status == STATUS_OK && !known && !array_push(&assumptions->items, item))
        status = error_memory(error, "the assumptions");
    return status;
}

/* A text while it is read. */
struct reader {
    struct assumptions *assumptions;
    struct ini *ini; /* stands for the text in messages */
    const char *at;
};

/* The next word up to one of `ends`; the arena owns it. NULL when memory is out. */
static char *next_word(struct reader *reader, const char *ends)
{
    size_t length = strcspn(reader->at, ends);
    char *word = arena_strndup(reader->assumptions->arena, reader->at, length);
    reader->at += length;
    return word;
}

/* A value that begins with '"'. Sets `*closed` to false if it does not end. */
static char *next_quoted(struct reader *reader, bool *closed)
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
static enum status read_entry(struct reader *reader, struct ini_entry *entry, struct error *error)
{
    bool closed = true;
    entry->key = next_word(reader, " \t;=");
    entry->line = 0;
    if (entry->key && *reader->at != '=')
        return ini_error(error, reader->ini, 0,
                         "expected key=value instead of \"%s\"; values with blanks stand between "
                         "double quotes",
                         entry->key);
    reader->at += *reader->at == '=';
    entry->value = *reader->at == '"' ? next_quoted(reader, &closed) : next_word(reader, " \t;");
    if (!entry->key || !entry->value)
        return error_memory(error, "the assumptions");
    if (!closed)
        return ini_error(error, reader->ini, 0, "the value of \"%s\" is not closed by \"",
                         entry->key);
    return STATUS_OK;
}

/* Reads one assumption, "kind key=value ...", and adds it. */
static enum status read_section(struct reader *reader, struct error *error)
{
    struct arena *arena = reader->assumptions->arena;
    struct ini_section *section = arena_alloc(arena, sizeof *section);
    struct ini_entry *entries = arena_alloc_array(arena, KEYS_MOST, sizeof *entries);
    char *kind = next_word(reader, " \t;");
    if (!section || !entries || !kind)
        return error_memory(error, "the assumptions");
    *section = (struct ini_section){
        .ini = reader->ini, .kind = kind, .label = kind + strlen(kind), .entries = entries};
    for (;;) {
        reader->at += strspn(reader->at, " \t");
        if (*reader->at == '\0' || *reader->at == ';')
            return add_section(reader->assumptions, section, error);
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

/* The stand-in for a file in messages and for relative paths. NULL when memory is out. */
static struct ini *stand_in(struct assumptions *assumptions, const char *name,
                            const char *directory)
{
    struct ini *ini = arena_alloc(assumptions->arena, sizeof *ini);
    if (ini)
        *ini = (struct ini){.path = arena_strdup(assumptions->arena, name),
                            .directory = arena_strdup(assumptions->arena, directory),
                            .arena = assumptions->arena};
    return ini && ini->path && ini->directory ? ini : NULL;
}

/* `name` is what messages call the text. */
static enum status read_text(struct assumptions *assumptions, const char *name, const char *text,
                             struct error *error)
{
    struct reader reader = {assumptions, stand_in(assumptions, name, "."), text};
    enum status status = reader.ini ? STATUS_OK : error_memory(error, "the assumptions");
    while (status == STATUS_OK) {
        reader.at += strspn(reader.at, " \t;");
        if (*reader.at == '\0')
            break;
        status = read_section(&reader, error);
    }
    return status;
}

/* A section of a file as one of the arena. NULL when memory is out. */
static struct ini_section *copy_section(struct assumptions *assumptions, const struct ini *ini,
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
    bool room = section->kind && section->label && section->entries;
    for (size_t e = 0; e < from->entry_count && room; e++) {
        section->entries[e] =
            (struct ini_entry){arena_strdup(arena, from->entries[e].key),
                               arena_strdup(arena, from->entries[e].value), from->entries[e].line};
        room = section->entries[e].key && section->entries[e].value;
    }
    return room ? section : NULL;
}

/* Adds the hypotheses of a configuration. Other sections belong to other tools. */
static enum status read_file(struct assumptions *assumptions, const char *path, struct error *error)
{
    struct ini *file;
    enum status status = ini_load(path, &file, error);
    if (status != STATUS_OK)
        return status;
    struct ini *own = stand_in(assumptions, file->path, file->directory);
    const struct hypothesis_kind *kind;
    size_t count = 0;
    if (!own)
        status = error_memory(error, "the assumptions");
    for (size_t i = 0; i < file->section_count && status == STATUS_OK; i++) {
        const struct ini_section *from = &file->sections[i];
        if (!kind_find(from->kind, strlen(from->kind), &kind))
            continue;
        struct ini_section *section = copy_section(assumptions, own, from);
        status = section ? add_section(assumptions, section, error)
                         : error_memory(error, "the assumptions");
        count++;
    }
    if (status == STATUS_OK && count == 0)
        status = error_set(error, STATUS_INPUT,
                           "--assume %s: the configuration has no hypothesis to assume", path);
    ini_destroy(file);
    return status;
}

static enum status make_arena(struct assumptions *assumptions, struct error *error)
{
    if (!assumptions->arena)
        assumptions->arena = arena_create();
    return assumptions->arena ? STATUS_OK : error_memory(error, "the assumptions");
}

enum status assumptions_add(struct assumptions *assumptions, const char *text, struct error *error)
{
    const struct hypothesis_kind *kind;
    char name[200];
    enum status status = make_arena(assumptions, error);
    if (status != STATUS_OK)
        return status;
    text += strspn(text, " \t;");
    size_t length = strcspn(text, " \t;");
    if (length == 0)
        return error_set(error, STATUS_INPUT,
                         "--assume: an assumption such as \"scale "
                         "region=foo\" or a configuration is missing");
    snprintf(name, sizeof name, "--assume \"%s\"", text);
    if (kind_find(text, length, &kind))
        return read_text(assumptions, name, text, error);
    if (access(text, F_OK) == 0)
        return read_file(assumptions, text, error);
    char kind_name[100];
    snprintf(kind_name, sizeof kind_name, "%.*s", (int)length, text);
    return kind_unknown(name, kind_name, " and no file", error);
}

enum status assumptions_of(const struct trace *trace, struct assumptions *assumptions,
                           bool *reduced, struct error *error)
{
    const char *text = definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED);
    char name[500];
    *assumptions = (struct assumptions){0};
    *reduced = text != NULL;
    if (!text)
        return STATUS_OK;
    snprintf(name, sizeof name, "%s: property %s", trace->path ? trace->path : "the trace",
             SILAS_PROPERTY_ASSUMED);
    enum status status = make_arena(assumptions, error);
    return status == STATUS_OK ? read_text(assumptions, name, text, error) : status;
}

void assumptions_clear(struct assumptions *assumptions)
{
    free(assumptions->items.items);
    arena_destroy(assumptions->arena);
    *assumptions = (struct assumptions){0};
}

static void write_value(FILE *text, const char *value)
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

static void write_section(FILE *text, const struct ini_section *section)
{
    fputs(section->kind, text);
    for (size_t e = 0; e < section->entry_count; e++)
        if (key_chooses(section->kind, section->entries[e].key)) {
            fprintf(text, " %s=", section->entries[e].key);
            write_value(text, section->entries[e].value);
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
        if (item->kind)
            write_section(text, item->section);
        else
            fprintf(text, "%s at_least=%.15g", waits, item->least_wait_s);
    }
    if (fclose(text) == 0)
        return result;
    free(result);
    return NULL;
}

/* Fails with the sentence for the user. `what` was not assumed; `advice` is what to do beside using
 * the whole archive. */
static enum status refuse(const struct trace *trace, const char *what, const char *advice,
                          struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s was reduced for the assumptions \"%s\", and %s is none of them: use the "
                     "whole archive%s",
                     trace->path ? trace->path : "the trace",
                     definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED), what,
                     advice);
}

static enum status refuse_hypothesis(const struct trace *trace, const struct ini_section *section,
                                     struct error *error)
{
    char title[110], name[100], *advice = NULL, quote = '"';
    size_t size = 0;
    for (size_t e = 0; e < section->entry_count; e++)
        if (strpbrk(section->entries[e].value, " \t;\"\\"))
            quote = '\''; /* the text has double quotes inside */
    FILE *text = open_memstream(&advice, &size);
    section_title(section, name, sizeof name);
    snprintf(title, sizeof title, "[%s]", name);
    if (text) {
        fprintf(text, ", or reduce it again with --assume %c", quote);
        write_section(text, section);
        putc(quote, text);
    }
    if (!text || fclose(text) != 0) {
        free(advice);
        return error_memory(error, "the assumptions");
    }
    enum status status = refuse(trace, title, advice, error);
    free(advice);
    return status;
}

enum status assumptions_check(const struct trace *trace, const struct hypothesis *hypotheses,
                              size_t count, struct error *error)
{
    struct assumptions assumptions;
    bool reduced;
    enum status status = assumptions_of(trace, &assumptions, &reduced, error);
    for (size_t i = 0; i < count && reduced && status == STATUS_OK; i++)
        if (!assumptions_cover(&assumptions, hypotheses[i].section))
            status = refuse_hypothesis(trace, hypotheses[i].section, error);
    assumptions_clear(&assumptions);
    return status;
}

enum status assumptions_check_further(const struct trace *trace, const struct assumptions *further,
                                      struct error *error)
{
    struct assumptions assumptions;
    bool reduced;
    enum status status = assumptions_of(trace, &assumptions, &reduced, error);
    for (size_t i = 0; i < further->items.count && reduced && status == STATUS_OK; i++) {
        const struct assumption *item = &further->items.items[i];
        if (!item->kind)
            status =
                assumptions_check_waits(trace, "to let waits change", item->least_wait_s, error);
        else if (!assumptions_cover(&assumptions, item->section))
            status = refuse_hypothesis(trace, item->section, error);
    }
    assumptions_clear(&assumptions);
    return status;
}

enum status assumptions_check_request(const struct trace *trace, const char *request,
                                      struct error *error)
{
    bool reduced = definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED) != NULL;
    return reduced ? refuse(trace, request, "", error) : STATUS_OK;
}

enum status assumptions_check_waits(const struct trace *trace, const char *request,
                                    double least_wait_s, struct error *error)
{
    double least;
    char advice[160];
    enum status status = assumptions_least_wait_of(trace, &least, error);
    if (status != STATUS_OK || least_wait_s >= least || (least_wait_s < 0 && isfinite(least)))
        return status;
    snprintf(advice, sizeof advice, ", or reduce it again with --assume \"%s at_least=%.15g\"",
             waits, fmax(least_wait_s, 0));
    return refuse(trace, request, advice, error);
}
