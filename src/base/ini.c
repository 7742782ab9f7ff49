/* Reads configuration files with inih. inih does not report section headers by themselves, gives
 * its handler no line numbers, cuts section names at 49 characters, and joins an indented line to
 * the value before. Therefore it reads through line_next(), which counts lines, removes
 * indentation, and adds a line "=" after every section header. The handler gets that line as an
 * entry without a name, which marks a new section. */
#include "base/ini.h"

#include "base/arena.h"
#include "base/array.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LINE = 4096,
    LONGEST_NAME = 48, /* inih cuts section headers at 49 characters */
    LARGEST_FILE = 1 << 24,
};

struct parse {
    struct ini *ini;
    struct error *error;
    enum status status;
    const char *text, *end;
    int line;  /* of the file: the last one that inih got */
    int marks; /* section marks handed out so far: inih counts them as lines */
    bool mark_next, mark_read;
    ARRAY(struct ini_section) sections;
    ARRAY(struct ini_entry) entries; /* of the last section */
};

enum status ini_error(struct error *error, const struct ini *ini, int line, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line > 0)
        return error_set(error, STATUS_INPUT, "%s:%d: %s", ini->path, line, text);
    return error_set(error, STATUS_INPUT, "%s: %s", ini->path, text);
}

/* --- lines ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A section header must be closed, and nothing but a comment may follow it. */
static enum status check_header(struct parse *parse, const char *line)
{
    const char *rest = strchr(line, ']');
    if (!rest)
        return ini_error(parse->error, parse->ini, parse->line,
                         "\"%s\": the section's name is not closed by \"]\"", line);
    rest++;
    rest += strspn(rest, " \t\r");
    if (*rest && *rest != ';' && *rest != '#')
        return ini_error(parse->error, parse->ini, parse->line, "unexpected text after \"]\": %s",
                         rest);
    return STATUS_OK;
}

/* Gives inih its next line (inih defines the signature). Ends the file at the first error. */
static char *line_next(char *buffer, int size, void *stream)
{
    struct parse *parse = stream;
    if (parse->status != STATUS_OK)
        return NULL;
    if (parse->mark_next) {
        parse->mark_next = false;
        parse->mark_read = true;
        parse->marks++;
        return strcpy(buffer, "=\n");
    }
    parse->mark_read = false;
    if (parse->text == parse->end)
        return NULL;
    parse->line++;
    const char *stop = memchr(parse->text, '\n', (size_t)(parse->end - parse->text));
    const char *next = stop ? stop + 1 : parse->end;
    const char *begin = parse->text, *last = stop ? stop : parse->end;
    parse->text = next;
    while (begin < last && is_blank(*begin))
        begin++;
    while (last > begin && is_blank(last[-1]))
        last--;
    size_t length = (size_t)(last - begin);
    if (length > LONGEST_LINE || length + 2 > (size_t)size) {
        parse->status = ini_error(parse->error, parse->ini, parse->line,
                                  "the line is longer than %d characters", LONGEST_LINE);
        return NULL;
    }
    memcpy(buffer, begin, length);
    buffer[length] = '\0';
    if (buffer[0] == '[') {
        parse->status = check_header(parse, buffer);
        if (parse->status != STATUS_OK)
            return NULL;
        parse->mark_next = true;
    }
    buffer[length] = '\n';
    buffer[length + 1] = '\0';
    return buffer;
}

/* --- sections and entries ------------------------------------------------------------------- */

/* Moves the collected entries to the last section. */
static void close_section(struct parse *parse)
{
    if (parse->sections.count == 0)
        return;
    struct ini_section *section = &parse->sections.items[parse->sections.count - 1];
    section->entries = parse->entries.items;
    section->entry_count = parse->entries.count;
    memset(&parse->entries, 0, sizeof parse->entries);
}

static enum status open_section(struct parse *parse, const char *name)
{
    name += strspn(name, " \t");
    size_t kind_length = strcspn(name, " \t");
    const char *label = name + kind_length + strspn(name + kind_length, " \t");
    size_t label_length = strlen(label);
    while (label_length > 0 && is_blank(label[label_length - 1]))
        label_length--;
    if (kind_length == 0)
        return ini_error(parse->error, parse->ini, parse->line, "the section has no name");
    if (strlen(name) > LONGEST_NAME)
        return ini_error(parse->error, parse->ini, parse->line,
                         "the section's name is longer than %d characters", LONGEST_NAME);

    struct ini_section section = {
        .ini = parse->ini,
        .kind = strndup(name, kind_length),
        .label = strndup(label, label_length),
        .line = parse->line,
    };
    if (!section.kind || !section.label)
        goto no_memory;
    for (size_t i = 0; i < parse->sections.count; i++) {
        const struct ini_section *other = &parse->sections.items[i];
        if (strcmp(other->kind, section.kind) == 0 && strcmp(other->label, section.label) == 0) {
            ini_error(parse->error, parse->ini, parse->line,
                      "section [%s%s%s] is already at line %d", other->kind,
                      *other->label ? " " : "", other->label, other->line);
            free(section.kind);
            free(section.label);
            return STATUS_INPUT;
        }
    }
    close_section(parse);
    if (!array_push(&parse->sections, section))
        goto no_memory;
    return STATUS_OK;

no_memory:
    free(section.kind);
    free(section.label);
    return error_memory(parse->error, "the configuration");
}

static enum status add_entry(struct parse *parse, const char *key, const char *value)
{
    if (parse->sections.count == 0)
        return ini_error(parse->error, parse->ini, parse->line,
                         "key \"%s\" stands before the first section", key);
    if (*key == '\0')
        return ini_error(parse->error, parse->ini, parse->line, "the key before \"=\" is missing");
    if (strlen(key) > LONGEST_NAME)
        return ini_error(parse->error, parse->ini, parse->line,
                         "the key is longer than %d characters", LONGEST_NAME);
    for (size_t i = 0; i < parse->entries.count; i++)
        if (strcmp(parse->entries.items[i].key, key) == 0)
            return ini_error(parse->error, parse->ini, parse->line,
                             "key \"%s\" is already given at line %d", key,
                             parse->entries.items[i].line);
    struct ini_entry entry = {.key = strdup(key), .value = strdup(value), .line = parse->line};
    if (!entry.key || !entry.value || !array_push(&parse->entries, entry)) {
        free(entry.key);
        free(entry.value);
        return error_memory(parse->error, "the configuration");
    }
    return STATUS_OK;
}

/* inih's handler; a result other than 0 continues. */
static int handle(void *user, const char *section, const char *key, const char *value)
{
    struct parse *parse = user;
    if (parse->status != STATUS_OK)
        return 0;
    parse->status =
        parse->mark_read ? open_section(parse, section) : add_entry(parse, key, value ? value : "");
    return parse->status == STATUS_OK;
}

/* --- files ---------------------------------------------------------------------------------- */

/* The directory part of `path`; "." if there is none. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static void entries_free(struct ini_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(entries[i].key);
        free(entries[i].value);
    }
    free(entries);
}

void ini_destroy(struct ini *ini)
{
    if (!ini)
        return;
    for (size_t s = 0; s < ini->section_count; s++) {
        entries_free(ini->sections[s].entries, ini->sections[s].entry_count);
        free(ini->sections[s].kind);
        free(ini->sections[s].label);
    }
    free(ini->sections);
    free(ini->path);
    free(ini->directory);
    arena_destroy(ini->paths);
    free(ini);
}

char *ini_resolve(const struct ini *ini, const char *path, size_t length)
{
    bool stays = path[0] == '/' || strcmp(ini->directory, ".") == 0;
    size_t size = strlen(ini->directory) + length + 2;
    char *resolved = arena_alloc(ini->paths, size);
    if (resolved)
        snprintf(resolved, size, "%s%s%.*s", stays ? "" : ini->directory, stays ? "" : "/",
                 (int)length, path);
    return resolved;
}

/* Runs inih over the text. `*syntax_line` is the line inih could not read, 0 if none. */
static void run_inih(struct parse *parse, int *syntax_line)
{
    ini_use_stack = false;
    ini_initial_alloc = ini_max_line = LONGEST_LINE + 3;
    ini_stop_on_first_error = true;
    int result = ini_parse_stream(line_next, parse, handle, parse);
    *syntax_line = 0;
    if (result < 0)
        parse->status = error_memory(parse->error, "the configuration");
    else if (result > 0 && parse->status == STATUS_OK)
        *syntax_line = result - parse->marks;
}

enum status ini_parse_text(const char *name, const char *text, size_t size, struct ini **ini,
                           struct error *error)
{
    struct ini *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_memory(error, "the configuration");
    struct parse parse = {.ini = fresh, .error = error, .text = text, .end = text + size};
    fresh->path = strdup(name);
    fresh->directory = directory_of(name);
    fresh->paths = arena_create();
    if (!fresh->path || !fresh->directory || !fresh->paths) {
        parse.status = error_memory(error, "the configuration");
    } else if (memchr(text, '\0', size)) {
        parse.status = ini_error(error, fresh, 0, "this is not a text file");
    } else {
        int syntax_line;
        if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
            parse.text += 3; /* a byte order mark */
        run_inih(&parse, &syntax_line);
        if (syntax_line > 0)
            parse.status = ini_error(error, fresh, syntax_line,
                                     "neither a section \"[name]\" nor \"key = value\"");
    }
    if (parse.sections.count > 0)
        close_section(&parse);
    else
        entries_free(parse.entries.items, parse.entries.count);
    fresh->sections = parse.sections.items;
    fresh->section_count = parse.sections.count;
    if (parse.status != STATUS_OK) {
        ini_destroy(fresh);
        return parse.status;
    }
    *ini = fresh;
    return STATUS_OK;
}

enum status ini_load(const char *path, struct ini **ini, struct error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(error, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    ARRAY(char) text = {0};
    enum status status = STATUS_OK;
    size_t got = 0;
    do {
        text.count += got;
        if (text.count > LARGEST_FILE) {
            status = error_set(error, STATUS_INPUT, "%s: too large for a configuration file", path);
            break;
        }
        if (!array_reserve(&text, 4096)) {
            status = error_memory(error, "the configuration");
            break;
        }
    } while ((got = fread(text.items + text.count, 1, 4096, file)) > 0);
    if (status == STATUS_OK && ferror(file))
        status = error_set(error, STATUS_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    if (status == STATUS_OK)
        status = ini_parse_text(path, text.items, text.count, ini, error);
    free(text.items);
    return status;
}
