/* The severity store: one value for every (metric, call path, location). What a pattern search
 * yields, what reports show and what is compared. Stands alone: it holds its own names of call
 * paths and locations. Values are in the metric's unit (seconds, not ticks), exclusive along the
 * call tree, inclusive along the metric tree. */
#ifndef SEVERITY_SEVERITY_H
#define SEVERITY_SEVERITY_H

#include "base/arena.h"
#include "base/mpi/processes.h"
#include "severity/metrics.h"

#include <stdint.h>

#define SEVERITY_NONE UINT32_MAX

struct severity_path {
    uint32_t parent;  /* SEVERITY_NONE for a root; parents come first */
    const char *name; /* of the region, as it is */
    bool mpi;         /* the region is an MPI call */
};

struct severity_location {
    uint32_t rank, thread;
    const char *host; /* "" if unknown */
};

struct severity {
    struct arena *arena;
    struct severity_path *paths;
    uint32_t path_count;
    struct severity_location *locations;
    uint32_t location_count;
    double total_seconds;         /* T: last minus first time stamp over all ranks */
    double *values[METRIC_COUNT]; /* [path * location_count + location]; NULL: all zero */
};

/* Takes over neither names nor arrays: copies all. Returns NULL when memory is out. */
struct severity *severity_create(const struct severity_path *paths, uint32_t path_count,
                                 const struct severity_location *locations,
                                 uint32_t location_count);
void severity_destroy(struct severity *severity);

double severity_get(const struct severity *severity, enum metric metric, uint32_t path,
                    uint32_t location);
/* False when memory is out (the metric's block is made at its first value). */
bool severity_add(struct severity *severity, enum metric metric, uint32_t path, uint32_t location,
                  double value);

/* Sum over all locations of the path's own value, and of the path with all its callees. */
double severity_path_total(const struct severity *severity, enum metric metric, uint32_t path);
double severity_path_inclusive(const struct severity *severity, enum metric metric, uint32_t path);
double severity_total(const struct severity *severity, enum metric metric);

/* "app/main/MPI_Send" with '/' inside names as "\/"; as snprintf. */
size_t severity_path_format(const struct severity *severity, uint32_t path, char *text,
                            size_t size);

/* Collective: unites the stores that each process holds for its own locations (same paths
 * everywhere, locations in order of processes) at process 0; the others get NULL there. */
enum status severity_gather(const struct severity *local, const struct processes *processes,
                            struct severity **whole, struct error *error);

/* a - b element-wise over (metric, call path, location), joined by name; what is missing counts as
 * 0. */
enum status severity_difference(const struct severity *a, const struct severity *b,
                                struct severity **difference, struct error *error);

#endif
