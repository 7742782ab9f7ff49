/* The call tree: every call path of the trace once, with the same number on all processes. Call
 * paths are in the order of their first visits, rank by rank, so a parent comes before its
 * children. */
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

/* The call path that enters `region` from `parent` (CALLPATH_NONE: from no region), added if it is
 * new. CALLPATH_NONE when memory is out. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t region);

void calltree_clear(struct calltree *tree);

/* Collective. Replaces the tree of each process by the union of all trees. (*remap)[old number] is
 * the new number of a call path; the caller frees `*remap`. The numbers do not depend on the number
 * of processes. */
enum status calltree_unify(struct calltree *tree, const struct processes *processes,
                           uint32_t **remap, struct error *error);

/* Writes "app/main/MPI_Send" into `text`; '/' inside a region's name becomes "\/". Returns the
 * length of the whole text, as snprintf does. */
size_t callpath_format(const struct calltree *tree, const struct definitions *definitions,
                       uint32_t path, char *text, size_t size);
/* The same as a text that the caller frees; NULL if out of memory. */
char *callpath_text(const struct calltree *tree, const struct definitions *definitions,
                    uint32_t path);
/* Both without the places of call sites: "app/main/MPI_Send @halo.c:88" is "app/main/MPI_Send". */
size_t callpath_plain_format(const struct calltree *tree, const struct definitions *definitions,
                             uint32_t path, char *text, size_t size);
char *callpath_plain_text(const struct calltree *tree, const struct definitions *definitions,
                          uint32_t path);

#endif
