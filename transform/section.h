/* The section of the configuration a hypothesis came from: for messages and the report. */
#ifndef TRANSFORM_SECTION_H
#define TRANSFORM_SECTION_H

#include "base/ini.h"

struct section_ref {
    const struct ini *ini; /* both outlive the hypothesis */
    const struct ini_section *section;
};

/* Fails with "config.ini:12: [balance foo]: text", at the line of `key` (NULL: of the section). */
enum status section_error(struct error *error, struct section_ref ref, const char *key,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "balance foo" */
void section_title(struct section_ref ref, char *text, size_t size);

/* "balance foo: region foo, mode instance": title and all keys as they were written. */
void section_describe(struct section_ref ref, char *text, size_t size);

#endif
