/* The severity store: one value for every (metric, call path, location). What a pattern search
 * yields, what reports show and what is compared. Stands alone: it holds its own names of metrics,
 * call paths and locations. Values are in the metric's unit (seconds, not ticks), exclusive along
 * the call tree, inclusive along the metric tree. */
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
    double total_seconds; /* T: last minus first time stamp over all ranks; 0: unknown */

    /* Numbered by `enum metric` up to METRIC_COUNT; above are the metrics that only this store has,
     * those of another tool's report. Parents come first. */
    const struct metric_info *metrics;
    uint32_t metric_count;
    double **values; /* [metric][path * location_count + location]; a metric's NULL: all zero */
};

/* Takes over neither names nor arrays: copies all. Returns NULL when memory is out. */
struct severity *severity_create(const struct severity_path *paths, uint32_t path_count,
                                 const struct severity_location *locations,
                                 uint32_t location_count);
void severity_destroy(struct severity *severity);

/* The number of the metric with this name and unit; METRIC_NONE if there is none. An unknown unit
 * ("") fits any. */
enum metric severity_metric_find(const struct severity *severity, const char *name,
                                 const char *unit);
/* The number of the metric with this name and unit, a new one if there is none. Its parent is a
 * number in this store. Copies the texts; METRIC_NONE when memory is out. */
enum metric severity_metric_add(struct severity *severity, const struct metric_info *info);
/* Adds those of another store. `numbers` (room for other->metric_count) gets their numbers here;
 * may be NULL. False when memory is out. */
bool severity_metrics_join(struct severity *severity, const struct severity *other,
                           enum metric *numbers);

double severity_get(const struct severity *severity, enum metric metric, uint32_t path,
                    uint32_t location);
/* False when memory is out (the metric's block is made at its first value). */
bool severity_add(struct severity *severity, enum metric metric, uint32_t path, uint32_t location,
                  double value);

/* The sum (or what the metric has in its place, see metric_merge) over all locations of the path's
 * own value, of the path with all its callees, and of all paths. */
double severity_path_total(const struct severity *severity, enum metric metric, uint32_t path);
double severity_path_inclusive(const struct severity *severity, enum metric metric, uint32_t path);
double severity_total(const struct severity *severity, enum metric metric);

/* "app/main/MPI_Send" with '/' and '\' inside names as "\/" and "\\"; as snprintf. */
size_t severity_path_format(const struct severity *severity, uint32_t path, char *text,
                            size_t size);

/* The same in a block of its own, which the caller frees. NULL when memory is out. */
char *severity_path_text(const struct severity *severity, uint32_t path);

/* Collective: unites the stores that each process holds for its own locations (same paths
 * everywhere, locations in order of processes) at process 0; the others get NULL there. */
enum status severity_gather(const struct severity *local, const struct processes *processes,
                            struct severity **whole, struct error *error);

/* a - b element-wise over (metric, call path, location), joined by name; what is missing counts as
 * 0. */
enum status severity_difference(const struct severity *a, const struct severity *b,
                                struct severity **difference, struct error *error);

#endif
