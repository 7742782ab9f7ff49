/* The section of a hypothesis in the configuration: reading values, and texts for messages and
 * reports. */
#ifndef TRANSFORM_SECTION_H
#define TRANSFORM_SECTION_H

#include "base/ini.h"

/* Fails with "config.ini:12: [balance foo]: text", at the line of `key` (NULL: of the section). */
enum status section_error(struct error *error, const struct ini_section *section, const char *key,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "balance foo" */
void section_title(const struct ini_section *section, char *text, size_t size);

/* "balance foo: region foo, mode instance": title and all keys as written. */
void section_describe(const struct ini_section *section, char *text, size_t size);

/* A set of whole numbers, a value such as "0, 16..1024, >64k". */
struct range {
    uint64_t lowest, highest;
};

struct ranges {
    struct range *items; /* NULL: the key is absent, every number is in the set */
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

bool ranges_contain(const struct ranges *ranges, uint64_t number);

#endif
