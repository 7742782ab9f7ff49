/* Which combinations of changes save another amount than the changes do alone. */
#ifndef SWEEP_COMBINATIONS_H
#define SWEEP_COMBINATIONS_H

#include "sweep/table.h"

/* Fills `combinations` of a table whose rows are complete (doc/methods.md, section 12). A
 * combination is only compared with parts that were found by the same engine. False when memory is
 * out. */
bool table_find_combinations(struct table *table);

#endif
