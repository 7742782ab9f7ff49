/* Lists of descriptors (hypotheses, patterns, report formats), which plug-ins extend. A list is an
 * array of pointers that ends with NULL. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stddef.h>

/* Returns a copy of a list with `descriptor` inserted before the last `after` entries. The caller
 * frees it. NULL if out of memory. */
void *descriptors_with(const void *list, const void *descriptor, size_t after);

/* The names of the entries, whose first member is a `const char *name`, separated by blanks: for
 * completion in shells (struct program). Valid until the next call; longer lists are cut off. */
const char *descriptors_names(const void *list);

/* The same as a choice, in messages: "goal, simgrid or csv". */
const char *descriptors_choice(const void *list);

/* The entry with this name, which is their first member; NULL: there is none. */
const void *descriptors_find(const void *list, const char *name);

/* The number of entries. */
size_t descriptors_count(const void *list);

#endif
