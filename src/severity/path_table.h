/* Builds a call tree from paths that come in any order and more than once. A path is identified
 * by the names along it. */
#ifndef SEVERITY_PATH_TABLE_H
#define SEVERITY_PATH_TABLE_H

#include "base/array.h"
#include "base/name_set.h"
#include "severity/severity.h"

/* All zero is an empty table. */
struct path_table {
    ARRAY(struct severity_path) paths; /* parents come first: what severity_create takes */
    struct map index;                  /* (parent, name) -> path */
    struct name_set names;
};

/* Returns the number of the path with this parent (a number in the table) and name; adds it,
 * with copies of its texts, if it is new. SEVERITY_NONE if out of memory. */
uint32_t path_table_at(struct path_table *table, struct severity_path path);
void path_table_clear(struct path_table *table);

/* The same for locations, identified by rank and thread. */
struct location_table {
    ARRAY(struct severity_location) locations; /* the host names belong to the caller */
    struct map index;
};

uint32_t location_table_at(struct location_table *table, struct severity_location location);
void location_table_clear(struct location_table *table);

#endif
