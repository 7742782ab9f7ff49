/* Reads configuration files with inih. inih does not report section headers by themselves, gives
 * its handler no line numbers, cuts section names at 49 characters, and joins an indented line to
 * the value before. Therefore it reads through line_next(), which counts lines, removes
 * indentation, and adds a line "=" after every section header. The handler gets that line as an
 * entry without a name, which marks a new section. */
#include "base/ini.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/files.h"
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 24 };

struct parse {
    struct ini *ini;
    struct error *error;
    enum status status;
    const char *text, *end;
    int line;  /* of the file: the last one that inih got */
    int marks; /* section marks handed out so far: inih counts them as lines */
    bool mark_next, mark_read;
    char *section; /* the name in the last section header, in the arena */
    ARRAY(struct ini_section) sections;
    size_t ungrouped, group; /* sections before the first group; the section of the last group */
    ARRAY(struct ini_entry) entries; /* of the last section */
};

/* Fails at the current line. */
#define SYNTAX_ERROR(parse, ...) ini_error((parse)->error, (parse)->ini, (parse)->line, __VA_ARGS__)

enum status ini_error(struct error *error, const struct ini *ini, int line, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line > 0)
        return error_set(error, STATUS_INPUT, "%s:%d: %s", ini->path, line, text);
    if (line < INI_SET) {
        assert((size_t)(INI_SET - line) <= ini->origin_count);
        return error_set(error, STATUS_INPUT, "%s: %s", ini->origins[INI_SET - line - 1], text);
    }
    return error_set(error, STATUS_INPUT, "%s%s: %s", ini->path, line == INI_SET ? ", --set" : "",
                     text);
}

enum status section_error(struct error *error, const struct ini_section *section, const char *key,
                          const char *format, ...)
{
    char text[sizeof error->text], title[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    section_title(section, title, sizeof title);
    int line = key ? ini_line_of(section, key) : section->line;
    return ini_error(error, section->ini, line, "[%s]: %s", title, text);
}

void section_title(const struct ini_section *section, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", section->kind, *section->label ? " " : "", section->label);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes the name from a section header, which must be closed; nothing but a comment may follow it.
 */
static enum status take_header(struct parse *parse, const char *line)
{
    const char *rest = strchr(line, ']');
    if (!rest)
        return SYNTAX_ERROR(parse, "\"%s\": the section's name is not closed by \"]\"", line);
    rest++;
    rest += strspn(rest, " \t\r");
    if (*rest && *rest != ';' && *rest != '#')
        return SYNTAX_ERROR(parse, "unexpected text after \"]\": %s", rest);
    parse->section = arena_strndup(parse->ini->arena, line + 1, strcspn(line + 1, "]"));
    return parse->section ? STATUS_OK : error_memory(parse->error, "the configuration");
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
    assert(length + 2 <= (size_t)size);
    (void)size;
    memcpy(buffer, begin, length);
    buffer[length] = '\0';
    if (buffer[0] == '[') {
        parse->status = take_header(parse, buffer);
        if (parse->status != STATUS_OK)
            return NULL;
        parse->mark_next = true;
    }
    buffer[length] = '\n';
    buffer[length + 1] = '\0';
    return buffer;
}

/* Gives the last section the collected entries. False if out of memory. */
static bool close_section(struct parse *parse)
{
    if (parse->sections.count == 0)
        return true;
    struct ini_section *section = &parse->sections.items[parse->sections.count - 1];
    section->entry_count = parse->entries.count;
    section->entries = arena_memdup(parse->ini->arena, parse->entries.items,
                                    parse->entries.count * sizeof *section->entries);
    parse->entries.count = 0;
    return section->entries != NULL;
}

static enum status open_section(struct parse *parse, const char *name)
{
    struct arena *arena = parse->ini->arena;
    const char *group = parse->ini->group;
    name += strspn(name, " \t");
    size_t kind_length = strcspn(name, " \t");
    const char *label = name + kind_length + strspn(name + kind_length, " \t");
    size_t label_length = strlen(label);
    while (label_length > 0 && is_blank(label[label_length - 1]))
        label_length--;
    if (kind_length == 0)
        return SYNTAX_ERROR(parse, "the section has no name");
    struct ini_section section = {.ini = parse->ini,
                                  .kind = arena_strndup(arena, name, kind_length),
                                  .label = arena_strndup(arena, label, label_length),
                                  .line = parse->line};
    if (!section.kind || !section.label || !close_section(parse))
        return error_memory(parse->error, "the configuration");
    if (group && strcmp(section.kind, group) == 0)
        parse->group = parse->sections.count;
    else if (parse->group == 0)
        parse->ungrouped = parse->sections.count + 1;
    for (size_t i = 0; i < parse->sections.count; i++) {
        const struct ini_section *other = &parse->sections.items[i];
        if (i >= parse->ungrouped && i < parse->group && strcmp(other->kind, group) != 0)
            continue; /* in another group */
        if (strcmp(other->kind, section.kind) == 0 && strcmp(other->label, section.label) == 0)
            return SYNTAX_ERROR(parse, "section [%s%s%s] is already at line %d", other->kind,
                                *other->label ? " " : "", other->label, other->line);
    }
    return array_push(&parse->sections, section) ? STATUS_OK
                                                 : error_memory(parse->error, "the configuration");
}

/* Where a comment could begin, at the start or after a blank, "\\;" is a semicolon: removes one of
 * the backslashes before it. */
static void unescape(char *value)
{
    char *to = value;
    bool blank = true;
    for (const char *from = value; *from; blank = is_blank(*from++)) {
        size_t slashes = blank ? strspn(from, "\\") : 0;
        if (slashes > 0 && from[slashes] == ';')
            from++;
        *to++ = *from;
    }
    *to = '\0';
}

static enum status add_entry(struct parse *parse, const char *key, const char *value)
{
    struct arena *arena = parse->ini->arena;
    if (parse->sections.count == 0)
        return SYNTAX_ERROR(parse, "key \"%s\" stands before the first section", key);
    if (*key == '\0')
        return SYNTAX_ERROR(parse, "the key before \"=\" is missing");
    if (strlen(key) > INI_LONGEST_KEY)
        return SYNTAX_ERROR(parse, "the key is longer than %d characters", INI_LONGEST_KEY);
    for (size_t i = 0; i < parse->entries.count; i++)
        if (strcmp(parse->entries.items[i].key, key) == 0)
            return SYNTAX_ERROR(parse, "key \"%s\" is already given at line %d", key,
                                parse->entries.items[i].line);
    struct ini_entry entry = {arena_strdup(arena, key), arena_strdup(arena, value), parse->line};
    if (entry.value)
        unescape(entry.value);
    if (!entry.key || !entry.value || !array_push(&parse->entries, entry))
        return error_memory(parse->error, "the configuration");
    return STATUS_OK;
}

/* inih's handler; a result other than 0 continues. */
static int handle(void *user, const char *section, const char *key, const char *value)
{
    struct parse *parse = user;
    (void)section; /* cut by inih */
    if (parse->status != STATUS_OK)
        return 0;
    parse->status = parse->mark_read ? open_section(parse, parse->section)
                                     : add_entry(parse, key, value ? value : "");
    return parse->status == STATUS_OK;
}

/* The directory part of `path`; "." if there is none. */
static char *directory_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return arena_strdup(arena, ".");
    return arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

void ini_destroy(struct ini *ini)
{
    if (ini)
        arena_destroy(ini->arena);
}

char *ini_resolve(const struct ini *ini, const char *path, size_t length)
{
    bool stays = path[0] == '/' || strcmp(ini->directory, ".") == 0;
    size_t size = strlen(ini->directory) + length + 2;
    char *resolved = arena_alloc(ini->arena, size);
    if (resolved)
        snprintf(resolved, size, "%s%s%.*s", stays ? "" : ini->directory, stays ? "" : "/",
                 (int)length, path);
    return resolved;
}

enum status ini_resolve_fully(const struct ini *ini, const char *path, size_t length,
                              char **resolved, struct error *error)
{
    char current[PATH_MAX];
    char *found = ini_resolve(ini, path, length);
    if (found && *found != '/') {
        if (!getcwd(current, sizeof current))
            return error_set(error, STATUS_ENVIRONMENT, "the current folder is unknown: %s",
                             strerror(errno));
        size_t size = strlen(current) + strlen(found) + 2;
        char *whole = arena_alloc(ini->arena, size);
        if (whole)
            snprintf(whole, size, "%s/%s", strcmp(current, "/") == 0 ? "" : current, found);
        found = whole;
    }
    *resolved = found;
    return found ? STATUS_OK : error_memory(error, "the configuration");
}

static size_t longest_line(const char *text, const char *end)
{
    size_t longest = 0;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((stop ? stop : end) - text);
        longest = length > longest ? length : longest;
        text = stop ? stop + 1 : end;
    }
    return longest;
}

/* Runs inih over the text. `*syntax_line` is the line inih could not read, 0 if none. */
static void run_inih(struct parse *parse, int *syntax_line)
{
    ini_use_stack = false;
    ini_initial_alloc = ini_max_line = (int)longest_line(parse->text, parse->end) + 3;
    ini_stop_on_first_error = true;
    int result = ini_parse_stream(line_next, parse, handle, parse);
    *syntax_line = 0;
    if (result < 0)
        parse->status = error_memory(parse->error, "the configuration");
    else if (result > 0 && parse->status == STATUS_OK)
        *syntax_line = result - parse->marks;
}

static enum status parse_text(struct parse *parse, const char *text, size_t size)
{
    struct ini *ini = parse->ini;
    int syntax_line;
    if (size > 0 && memchr(text, '\0', size))
        return ini_error(parse->error, ini, 0, "this is not a text file");
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        parse->text += 3; /* a byte order mark */
    run_inih(parse, &syntax_line);
    if (syntax_line > 0)
        return ini_error(parse->error, ini, syntax_line,
                         "neither a section \"[name]\" nor \"key = value\"");
    if (parse->status != STATUS_OK)
        return parse->status;
    ini->section_count = parse->sections.count;
    if (close_section(parse))
        ini->sections = arena_memdup(ini->arena, parse->sections.items,
                                     ini->section_count * sizeof *ini->sections);
    return ini->sections ? STATUS_OK : error_memory(parse->error, "the configuration");
}

enum status ini_parse_groups(const char *name, const char *text, size_t size, const char *group,
                             struct ini **ini, struct error *error)
{
    struct arena *arena = arena_create();
    struct ini *fresh = arena ? arena_alloc(arena, sizeof *fresh) : NULL;
    enum status status = fresh ? STATUS_OK : error_memory(error, "the configuration");
    if (fresh) {
        *fresh = (struct ini){.path = arena_strdup(arena, name),
                              .directory = directory_of(arena, name),
                              .group = group,
                              .arena = arena};
        if (!fresh->path || !fresh->directory)
            status = error_memory(error, "the configuration");
    }
    if (status == STATUS_OK) {
        struct parse parse = {
            .ini = fresh, .error = error, .text = text, .end = size > 0 ? text + size : text};
        status = parse_text(&parse, text, size);
        free(parse.sections.items);
        free(parse.entries.items);
    }
    if (status == STATUS_OK)
        *ini = fresh;
    else
        arena_destroy(arena);
    return status;
}

enum status ini_parse_text(const char *name, const char *text, size_t size, struct ini **ini,
                           struct error *error)
{
    return ini_parse_groups(name, text, size, NULL, ini, error);
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *ini_name(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

bool ini_is_standard_input(const struct ini *ini)
{
    return strcmp(ini->path, ini_name("-")) == 0;
}

enum status ini_read_text(const char *path, struct bytes *text, struct error *error)
{
    if (!is_standard_input(path))
        return files_read(path, LARGEST_FILE, text, error);
    if (isatty(STDIN_FILENO))
        log_note("reading the configuration from the terminal; Ctrl-D ends it");
    return files_read_stream(stdin, ini_name(path), LARGEST_FILE, text, error);
}

enum status ini_load(const char *path, struct ini **ini, struct error *error)
{
    struct bytes text = {0};
    enum status status = files_read(path, LARGEST_FILE, &text, error);
    if (status == STATUS_OK)
        status = ini_parse_text(path, text.data, text.size, ini, error);
    bytes_clear(&text);
    return status;
}
