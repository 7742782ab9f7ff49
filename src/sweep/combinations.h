/* Combinations of changes whose saving differs from the sum of the single savings. */
#ifndef SWEEP_COMBINATIONS_H
#define SWEEP_COMBINATIONS_H

#include "sweep/table.h"

/* Fills `combinations` of a table whose rows are complete (doc/methods.md, section 12). A
 * combination is only compared with parts that the same engine has tried. False when out of memory.
 */
bool table_find_combinations(struct sweep_table *table);

#endif
