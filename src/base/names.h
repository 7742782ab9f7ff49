/* Names that users write: lists of them, patterns, and the valid name nearest to a mistyped one,
 * for messages ("did you mean ...?"); and names joined to a path. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A region of MPI that stands for one place in the program has the name of the function, this mark,
 * and the place: "MPI_Send @halo.c:88". */
#define CALL_SITE_MARK " @"

/* True if a region with this name is one of the function, or a call site of it. */
bool name_is_of(const char *name, const char *function);

/* Returns the index of the name with the smallest edit distance (Levenshtein) to `wanted`, ignoring
 * letter case; -1 if none is near enough to be helpful. */
int nearest_name(const char *wanted, const char *const *names, size_t count);

/* The next item of a list separated by commas, without the blanks around it; NULL at the end, or
 * if out of memory, which sets `*out_of_memory`. Commas inside brackets belong to the name: "f(int,
 * int), g" has two items. The caller frees the item. */
char *names_next(const char **list, bool *out_of_memory);

/* True if the name equals the pattern or matches it with * ? [] as in file names. */
bool name_matches(const char *pattern, const char *name);
/* True if it matches one of a list of patterns. Sets `*out_of_memory` as names_next does. */
bool names_match(const char *list, const char *name, bool *out_of_memory);

/* A pattern, as the value of a key in a configuration, that matches the name; the caller frees it.
 * NULL if out of memory. */
char *name_to_pattern(const char *name);

/* True if the name ends with `ending`. */
bool name_ends_with(const char *name, const char *ending);

/* Writes the (at most three) distinct names nearest to `wanted` as `"foo", "bar"`, nearest first:
 * names that contain it, then by edit distance. "" if there are none. */
void names_nearest(const char *wanted, const char *const *names, size_t count, char *text,
                   size_t size);

/* One step up: returns the name of `*node` and sets `*node` to its parent; NULL beyond the root. */
typedef const char *path_step(const void *tree, uint32_t *node);

/* Writes the names into `text`, separated by '/'. A backslash precedes the characters of `escaped`
 * in names. Returns the length of the whole text, as snprintf does. */
size_t path_join(path_step *step, const void *tree, uint32_t node, const char *escaped, char *text,
                 size_t size);

#endif
