/* The names of cut archives. "2-step-iteration-7" is the second cut,
 * iteration 7 (from 0) of the stretch whose iterations begin with the region step. */
#ifndef STRUCTURE_CUT_NAMES_H
#define STRUCTURE_CUT_NAMES_H

#include "base/array.h"
#include "base/arena.h"
#include "structure/structure.h"

enum { CUT_NAME_SIZE = 160 };

/* Writes the name of the `number`-th cut, from 1. It holds a sample of the stretch, or, if `sample`
 * is NULL, the whole stretch: the start or end of the trace, or a part between others. */
void cut_name_of_stretch(const struct trace *trace, const struct stretch *stretch,
                         const struct stretch_sample *sample, size_t number,
                         char name[CUT_NAME_SIZE]);
/* The same for a range as the user has written it. */
void cut_name_of_range(const char *range, char name[CUT_NAME_SIZE]);

typedef ARRAY(const char *) cut_path_list;

/* Appends the anchor files of the cuts in a directory, in the order of their numbers, to the list;
 * the arena owns them. Appends nothing if there are none. False if out of memory. */
bool cut_paths_list(const char *directory, struct arena *arena, cut_path_list *paths);

#endif
