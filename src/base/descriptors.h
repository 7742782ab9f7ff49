/* Lists of descriptors (hypotheses, patterns, report formats), which plug-ins extend. A list is an
 * array of pointers that ends with NULL. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stddef.h>

/* Returns a copy of a list with `descriptor` in front of the last `behind` entries. The caller
 * frees it. NULL when memory is out. */
void *descriptors_with(const void *list, const void *descriptor, size_t behind);

/* The names of the entries, whose first member is a `const char *name`, separated by blanks: for
 * completion in shells (struct program). Valid until the next call; longer lists are cut off. */
const char *descriptors_names(const void *list);

/* The number of entries. */
size_t descriptors_count(const void *list);

#endif
