/* The call tree: every call path of the trace once, the same numbers on all processes. Call paths
 * are in order of their first visit (rank by rank), so a parent comes before its children. */
#ifndef TRACE_CALLTREE_H
#define TRACE_CALLTREE_H

#include "base/array.h"
#include "base/map.h"
#include "base/mpi/processes.h"
#include "trace/definitions.h"

#define CALLPATH_NONE UINT32_MAX

struct callpath {
    uint32_t parent; /* CALLPATH_NONE for a root */
    uint32_t region;
};

struct calltree {
    ARRAY(struct callpath) paths;
    struct map children; /* (parent, region) -> path */
};

/* The child of `parent` (CALLPATH_NONE: a root) for `region`, added if it is new. CALLPATH_NONE
 * when memory is out. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t region);

void calltree_clear(struct calltree *tree);

/* Collective. Replaces each process's tree by the union of all; `*remap`, which the caller frees,
 * has the new number of each old one. The numbering does not depend on the number of processes. */
enum status calltree_unify(struct calltree *tree, const struct processes *processes,
                           uint32_t **remap, struct error *error);

/* Writes "app/main/MPI_Send" into `text`; '/' inside a region's name becomes "\/". Returns the
 * length of the whole text, as snprintf does. */
size_t callpath_format(const struct calltree *tree, const struct definitions *definitions,
                       uint32_t path, char *text, size_t size);

#endif
