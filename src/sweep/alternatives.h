/* Values that are sets of alternatives: {0.25, 0.5}, {0..4096 step 1024}, {foo, bar, {foo, bar}}.
 */
#ifndef SWEEP_ALTERNATIVES_H
#define SWEEP_ALTERNATIVES_H

#include "base/ini.h"

struct alternative {
    const char *value; /* as it stands in a run's configuration */
    bool list;         /* it is a list in braces inside the set: "foo, bar" */
};

struct alternatives {
    struct alternative *items;
    size_t count;
};

/* True if a pair of braces encloses the whole value, so it is a set. Also true if a brace is not
 * closed, which alternatives_parse rejects. "{lambda()#1}::operator()" is not a set. */
bool alternatives_are(const char *value);

/* Splits the value of `entry`, which is a set. Fails with STATUS_INPUT if it is malformed, has two
 * equal alternatives, or more than `most` alternatives. The ini owns the result. */
enum status alternatives_parse(const struct ini_section *section, const struct ini_entry *entry,
                               size_t most, struct alternatives *alternatives, struct error *error);

/* The set as the value of an entry: "{a, {b, c}}". The ini owns it; NULL when out of memory. */
char *alternatives_text(const struct ini *ini, const struct alternatives *alternatives);

#endif
