/* Names that users write: lists of them, patterns, and the valid name nearest to a mistyped one,
 * for messages ("did you mean ...?"); and names joined to a path. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the index of the name with the smallest edit distance to `wanted` (letter case ignored),
 * or -1 if none is near enough to be helpful. */
int nearest_name(const char *wanted, const char *const *names, size_t count);

/* Edit distance (Levenshtein), letter case ignored. */
size_t nearest_distance(const char *a, const char *b);

/* The next item of a list separated by commas, without the blanks around it; NULL at the end.
 * Commas inside brackets belong to the name: "f(int, int), g" has two items. Free the item.
 * Sets `*no_memory` when that is why it returns NULL. */
char *names_next(const char **list, bool *no_memory);

/* Whether a name matches: the same, or the pattern has * ? [] and fits as for file names. */
bool name_matches(const char *pattern, const char *name);

/* Writes the (at most three) distinct names nearest to `wanted` as `"foo", "bar"`, nearest first:
 * names that contain it, then by edit distance. "" if there are none. */
void names_nearest(const char *wanted, const char *const *names, size_t count, char *text,
                   size_t size);

/* --- names along a path of a tree: "app/main/MPI_Send" -------------------------------------------
 */

/* One step up: returns the name of `*node`, which becomes its parent; NULL if there is no such
 * node, beyond the root. */
typedef const char *path_step(const void *tree, uint32_t *node);

/* Writes the names into `text`, '/' between them; a character of `escaped` in a name gets a
 * backslash in front. Returns the length that the whole has, as snprintf does. */
size_t path_join(path_step *step, const void *tree, uint32_t node, const char *escaped, char *text,
                 size_t size);

#endif
