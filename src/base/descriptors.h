/* Lists of descriptors (hypotheses, patterns, report formats), which plug-ins extend. A list is an
 * array of pointers that ends with NULL. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stddef.h>

/* Returns a copy of a list with `descriptor` in front of the last `behind` entries. The caller
 * frees it. NULL when memory is out. */
void *descriptors_with(const void *list, const void *descriptor, size_t behind);

/* The number of entries. */
size_t descriptors_count(const void *list);

#endif
