/* Configuration files: sections and keys in file order, each with its line for messages such as
 * "config.ini:12: unknown key "facter"; did you mean "factor"?" */
#ifndef BASE_INI_H
#define BASE_INI_H

#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    INI_SET = -1, /* lines below it: sections that options stand for */
    INI_LONGEST_KEY = 48,
};

struct ini_entry {
    char *key, *value;
    int line; /* INI_SET: it comes from ini_set; below that: from ini_add_section */
};

struct ini;

struct ini_section {
    const struct ini *ini; /* the file that contains it */
    char *kind;            /* "scale" of [scale bar] */
    char *label;           /* "bar"; "" if there is none */
    int line;
    struct ini_entry *entries;
    size_t entry_count;
};

struct ini {
    char *path;      /* as given, for messages */
    char *directory; /* of the file; relative paths in it start there */
    struct ini_section *sections;
    size_t section_count;
    const char *group; /* kind of the sections that begin groups; NULL: there are no groups */
    char **origins;    /* [origin_count]: the options that added sections */
    size_t origin_count;
    struct arena *arena; /* owns all of it, and the paths that ini_resolve has made */
};

/* Reads a file. Fails, with a message that names file and line, if the file is not readable, has a
 * syntax error, a duplicate section or key, or a line or name that is too long. */
enum status ini_load(const char *path, struct ini **ini, struct error *error);
/* The same from memory; `name` stands for the file in messages. */
enum status ini_parse_text(const char *name, const char *text, size_t size, struct ini **ini,
                           struct error *error);
/* The same for a file with groups. A section of the kind `group` (a constant) begins a group, which
 * ends before the next one; a section may occur again in another group. */
enum status ini_parse_groups(const char *name, const char *text, size_t size, const char *group,
                             struct ini **ini, struct error *error);
void ini_destroy(struct ini *ini); /* NULL is allowed */

/* Appends the file `path` to `text`, or standard input for "-", which may also be a terminal. Fails
 * as ini_load does. The caller clears `text` in any case. */
enum status ini_read_text(const char *path, struct bytes *text, struct error *error);
/* The file's name in messages: the path, or "standard input" for "-". */
const char *ini_name(const char *path);
bool ini_is_standard_input(const struct ini *ini);

struct ini_section *ini_find_section(const struct ini *ini, const char *kind);

/* The value of a key as written; NULL if the key is absent. */
const char *ini_value(const struct ini_section *section, const char *key);
/* The path in the first `length` characters of `path`; a relative one is relative to the file's
 * directory. The ini owns the string. NULL if out of memory. */
char *ini_resolve(const struct ini *ini, const char *path, size_t length);

/* The same as an absolute path, from the current folder if the file's directory is relative. Fails
 * with STATUS_ENVIRONMENT if the current folder is unknown. */
enum status ini_resolve_fully(const struct ini *ini, const char *path, size_t length,
                              char **resolved, struct error *error);

/* The line of a key, for errors about its value; the section's if the key is absent. */
int ini_line_of(const struct ini_section *section, const char *key);

/* Fails at the first key that is not one of the NULL-terminated `known`, and names the nearest of
 * them. Call it before reading values, so that a mistyped key is not reported as a missing one. */
enum status ini_check_keys(const struct ini_section *section, const char *const *known,
                           struct error *error);

/* A copy that shares nothing with the original. Fails if out of memory. */
enum status ini_copy(const struct ini *ini, struct ini **copy, struct error *error);

/* Sets a key as on the command line: "replay.repeat=3", "scale kernel.factor=0.5". A section or a
 * key that does not exist is added: a section after the others, but before all groups. A kind
 * without label means the only section of that kind. Messages about the value name "--set" instead
 * of a line. Fails with STATUS_USAGE if the text is malformed or may mean several sections.
 * Sections may move: call it before pointers to them are kept. */
enum status ini_set(struct ini *ini, const char *set, struct error *error);

/* Adds a section, after the others but before all groups. `origin` stands for file and line in
 * messages about it: the option that it comes from, or NULL for the file as a whole. `*section` is
 * valid until the next section is added. Fails if the section exists, if its name is too long, or
 * if out of memory. */
enum status ini_add_section(struct ini *ini, const char *kind, const char *label,
                            const char *origin, struct ini_section **section, struct error *error);

/* Adds an entry to a section that ini_add_section has returned. Key and value are the first
 * characters of these texts. Fails if the section has the key, if key or value is too long or the
 * value is more than a line of text, or if out of memory. */
enum status ini_add_entry(struct ini *ini, struct ini_section *section, const char *key,
                          size_t key_length, const char *value, size_t value_length,
                          struct error *error);

/* The text of a file that reads as this ini; comments and lines are not kept. The caller frees it;
 * NULL if out of memory. */
char *ini_text(const struct ini *ini);

/* How the value of a key is read, and the type of the member that gets it. */
enum ini_type {
    INI_UNREAD,   /* a known key, whose value is read elsewhere */
    INI_STRING,   /* const char *, which the ini owns */
    INI_PATH,     /* const char *, from ini_resolve */
    INI_BOOL,     /* bool: yes no true false on off 1 0 */
    INI_NOT,      /* bool that is the opposite of the key: tune = no is untuned */
    INI_CHOICE,   /* int, index of one of `choices` */
    INI_INTEGER,  /* int64_t, from `least` to `most` */
    INI_NUMBER,   /* double, from `lowest` to `highest` */
    INI_DURATION, /* double, seconds: a number with unit ns, us, ms, s, m (minutes) or h;
                     without unit: seconds */
    INI_COST,     /* the same for costs of a machine: above 0.01, the unit is required */
    INI_BYTES,    /* uint64_t: a number with unit k, M or G, powers of 1024 (default: bytes) */
    INI_RATE,     /* double, bytes per second: a number with unit B/s, kB/s, MB/s, GB/s, TB/s or,
                     for an eighth, bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s; powers of 1000 */
    INI_RANGES,   /* struct ranges */
};

struct ini_key {
    const char *name;
    enum ini_type type;
    size_t offset; /* of the member that gets the value; it stays as it is if the key is absent */
    bool required;
    const char *const *choices; /* NULL-terminated */
    int64_t least, most;
    double lowest, highest;
};

/* A row of a table: the key `name_` is read into a member of `struct structure`. Fields of struct
 * ini_key may follow: INI_KEY(scale, factor, NUMBER, .highest = 1e6). */
#define INI_KEY_AT(name_, structure, member, type_, ...)                                  \
    {                                                                                     \
        .name = name_, .type = INI_##type_, .offset = offsetof(struct structure, member), \
        __VA_ARGS__                                                                       \
    }
#define INI_KEY(structure, member, ...) INI_KEY_AT(#member, structure, member, __VA_ARGS__)
#define INI_KEYS_END \
    {                \
        .name = NULL \
    }

/* Reads the keys of a table into `*values`. Fails at an unknown key, a wrong value or a missing
 * required key. */
enum status ini_read(const struct ini_section *section, const struct ini_key *keys, void *values,
                     struct error *error);

/* The same where the section may have other keys as well. */
enum status ini_read_some(const struct ini_section *section, const struct ini_key *keys,
                          void *values, struct error *error);

/* Reads one key into `*value`, which stays as it is if the key is absent. The message of a failure
 * names file, line, key, the bad value and the expected ones. An empty value is an error. */
enum status ini_get(const struct ini_section *section, const struct ini_key *key, void *value,
                    struct error *error);

/* Reads a number of bytes, or "never": UINT64_MAX. Otherwise as ini_get. */
enum status ini_get_limit(const struct ini_section *section, const char *key, uint64_t *bytes,
                          struct error *error);

/* Frees what ini_read has allocated. */
void ini_values_clear(const struct ini_key *keys, void *values);

/* A set of whole numbers, a value such as "0, 16..1024, >64k". */
struct number_range {
    uint64_t lowest, highest;
};

struct ranges {
    struct number_range *items; /* NULL: the key is absent, every number is in the set */
    size_t count;
};

/* Reads `key` of the section: numbers (with units k, M, G), ranges A..B, and > >= < <= before a
 * number, separated by commas. An absent key leaves `ranges` empty. */
enum status ranges_read(const struct ini_section *section, const char *key, struct ranges *ranges,
                        struct error *error);
/* The same for a text that is the value of `key` or a part of it. */
enum status ranges_parse(const struct ini_section *section, const char *key, const char *text,
                         struct ranges *ranges, struct error *error);
void ranges_clear(struct ranges *ranges);

/* The text after its leading blanks and tabs. */
static inline const char *ini_skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

bool ranges_contain(const struct ranges *ranges, uint64_t number);

/* "balance foo" */
void section_title(const struct ini_section *section, char *text, size_t size);

/* Fails with "config.ini:12: [balance foo]: text", at the line of `key` (NULL: of the section). */
enum status section_error(struct error *error, const struct ini_section *section, const char *key,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sets the error "config.ini:12: text", for INI_SET "config.ini, --set: text", for 0 without a
 * line, for a section that an option has added "OPTION: text". */
enum status ini_error(struct error *error, const struct ini *ini, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
