/* Configuration files: sections and keys in file order, each with its line, so that whoever reads
 * them can say "config.ini:12: unknown key "facter"; did you mean "factor"?". */
#ifndef BASE_INI_H
#define BASE_INI_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ini_entry {
    char *key, *value;
    int line;
};

struct ini;

struct ini_section {
    const struct ini *ini; /* the file it stands in */
    char *kind;            /* "scale" of [scale bar] */
    char *label;           /* "bar"; "" if there is none */
    int line;
    struct ini_entry *entries;
    size_t entry_count;
};

struct ini {
    char *path;      /* as given, for messages */
    char *directory; /* of the file: relative paths in it start there */
    struct ini_section *sections;
    size_t section_count;
    struct arena *paths; /* owns those that ini_resolve has made */
};

/* Reads a file. Fails with one message naming file and line: not readable, syntax, duplicate
 * section or key, line or name too long. */
enum status ini_load(const char *path, struct ini **ini, struct error *error);
/* The same from memory; `name` stands for the file in messages. */
enum status ini_parse_text(const char *name, const char *text, size_t size, struct ini **ini,
                           struct error *error);
void ini_destroy(struct ini *ini);

struct ini_section *ini_find_section(const struct ini *ini, const char *kind);

/* Getters leave `*value` alone if the key is absent (so it may hold the default), and fail with
 * file, line, key, the bad value and what was expected; an empty value is never good. Strings stay
 * owned by the ini. */
enum status ini_get_string(const struct ini_section *section, const char *key, const char **value,
                           struct error *error);
enum status ini_get_bool(const struct ini_section *section, const char *key, bool *value,
                         struct error *error); /* yes no true false on off 1 0 */
enum status ini_get_integer(const struct ini_section *section, const char *key, int64_t lowest,
                            int64_t highest, int64_t *value, struct error *error);
enum status ini_get_number(const struct ini_section *section, const char *key, double lowest,
                           double highest, double *value, struct error *error);
/* A path, as ini_resolve returns it. */
enum status ini_get_path(const struct ini_section *section, const char *key, const char **value,
                         struct error *error);
/* One of NULL-terminated `choices`; `*value` is its index. */
enum status ini_get_choice(const struct ini_section *section, const char *key,
                           const char *const *choices, int *value, struct error *error);
/* A duration: a number with unit ns, us, ms or s (s if none), into seconds. */
enum status ini_get_duration(const struct ini_section *section, const char *key, double *seconds,
                             struct error *error);

/* A number of bytes with unit k, M or G (powers of 1024; bytes if none). */
enum status ini_get_bytes(const struct ini_section *section, const char *key, uint64_t *bytes,
                          struct error *error);
/* Reads such a number from the start of `text`; `*end` is what follows it. False if there is none.
 */
bool ini_scan_bytes(const char *text, uint64_t *bytes, const char **end);

/* The value of a key as it is written, NULL if the key is absent. */
const char *ini_value(const struct ini_section *section, const char *key);
/* The first `length` characters of `path` as seen from the directory of the file; absolute paths
 * stay. The string is owned by the ini. NULL when memory is out. */
char *ini_resolve(const struct ini *ini, const char *path, size_t length);

/* The line of a key, for errors about its value; the section's if the key is absent. */
int ini_line_of(const struct ini_section *section, const char *key);

/* Fails at the first key that is not one of NULL-terminated `known`, with the nearest of them. To
 * be called before the getters, so that a mistyped key is not reported as a missing one. */
enum status ini_check_keys(const struct ini_section *section, const char *const *known,
                           struct error *error);

/* Fails with the location of a section or key in front: "config.ini:12: text". */
enum status ini_error(struct error *error, const struct ini *ini, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
