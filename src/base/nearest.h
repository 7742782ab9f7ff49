/* The valid name nearest to a mistyped one, for messages ("did you mean ...?"). */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Returns the index of the name with the smallest edit distance to `wanted` (letter case ignored),
 * or -1 if none is near enough to be helpful. */
int nearest_name(const char *wanted, const char *const *names, size_t count);

/* Edit distance (Levenshtein), letter case ignored. */
size_t nearest_distance(const char *a, const char *b);

#endif
