/* The orders in which a .cubex file lists a tree. Trees are given as the numbers of the parents
 * (parents come first). */
#ifndef REPORT_CUBEX_ROWS_H
#define REPORT_CUBEX_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#define CUBEX_NO_PARENT UINT32_MAX

/* Sets order[i] to the i-th node in preorder, siblings by number: the rows of an EXCLUSIVE
 * metric. False when memory is out. */
bool cubex_rows_preorder(const uint32_t *parents, uint32_t count, uint32_t *order);

/* The same for the rows of an INCLUSIVE metric: a root, then for each node in preorder all its
 * children one after the other. */
bool cubex_rows_by_siblings(const uint32_t *parents, uint32_t count, uint32_t *order);

#endif
