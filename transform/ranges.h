/* Sets of whole numbers in values of the configuration: "0, 16..1024, >64k". */
#ifndef TRANSFORM_RANGES_H
#define TRANSFORM_RANGES_H

#include "transform/section.h"

struct range {
    uint64_t lowest, highest;
};

struct ranges {
    struct range *items; /* NULL: the key was not given, every number is in */
    size_t count;
};

/* Reads `key` of the section: numbers (with units k, M, G), ranges A..B, and > >= < <= before a
 * number, separated by commas. An absent key leaves `ranges` empty. */
enum status ranges_read(struct section_ref ref, const char *key, struct ranges *ranges,
                        struct error *error);
/* The same of a text that is `key`'s value or a part of it. */
enum status ranges_parse(struct section_ref ref, const char *key, const char *text,
                         struct ranges *ranges, struct error *error);
void ranges_clear(struct ranges *ranges);

bool ranges_contain(const struct ranges *ranges, uint64_t number);

#endif
