/* Trees as parents' numbers (parents first), and the orders in which a .cubex file goes through
 * them. */
#ifndef REPORT_CUBEX_ROWS_H
#define REPORT_CUBEX_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#define CUBEX_NO_PARENT UINT32_MAX

/* order[i]: the i-th node when each node is followed by all below it, siblings by number: the rows
 * of an EXCLUSIVE metric. False when memory is out. */
bool cubex_rows_preorder(const uint32_t *parents, uint32_t count, uint32_t *order);

/* The same for the rows of an INCLUSIVE metric: a root, then for each node in preorder all its
 * children one after the other. */
bool cubex_rows_by_siblings(const uint32_t *parents, uint32_t count, uint32_t *order);

#endif
