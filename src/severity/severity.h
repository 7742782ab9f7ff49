/* The severity store: one value for every (metric, call path, location). Pattern searches fill it,
 * reports show it, and two stores can be compared. It is independent of the trace: it has its own
 * names of metrics, call paths and locations. Values are in the metric's unit (seconds, not ticks),
 * exclusive along the call tree, inclusive along the metric tree. */
#ifndef SEVERITY_SEVERITY_H
#define SEVERITY_SEVERITY_H

#include "base/arena.h"
#include "base/mpi/processes.h"
#include "severity/metrics.h"

#include <stdint.h>

#define SEVERITY_NONE UINT32_MAX

struct severity_path {
    uint32_t parent;               /* SEVERITY_NONE for a root; parents come first */
    const char *name;              /* of the region, unescaped */
    bool mpi;                      /* the region is an MPI call */
    const char *file;              /* source file of the region; NULL: unknown, or an MPI call */
    uint32_t begin_line, end_line; /* 0: unknown */
};

struct severity_location {
    uint32_t rank, thread;
    const char *host; /* "" if unknown */
};

/* A Cartesian grid of ranks: the topology of one of the program's communicators. */
struct severity_grid {
    const char *name;
    uint32_t dimension_count;
    const uint32_t *sizes; /* [dimension] */
    uint32_t rank_count;
    const uint32_t *cells; /* [rank]: its place, the last dimension varies fastest; SEVERITY_NONE:
                              the rank has none */
};

enum { SEVERITY_GRIDS = 8 }; /* that a store keeps at most */

/* A metric's values at a call path. Where few locations have one, only those are kept. */
struct severity_row {
    double *values;      /* [count] */
    uint32_t *locations; /* [count], ascending; NULL: of all locations of the store, in order */
    uint32_t count, room;
};

struct severity {
    struct arena *arena;
    struct severity_path *paths;
    uint32_t path_count;
    struct severity_location *locations;
    uint32_t location_count;
    double total_seconds; /* T: last minus first time stamp over all ranks; 0: unknown */
    bool difference;      /* values are differences of two runs: changes of times, not times */

    struct severity_grid grids[SEVERITY_GRIDS];
    uint32_t grid_count;

    /* Numbered by `enum metric` up to METRIC_COUNT; from there on come metrics that only this
     * store has: from a pattern of a plug-in, or from another tool's report. Parents come first. */
    const struct metric_info *metrics;
    uint32_t metric_count;
    struct severity_row **rows; /* [metric][path]; NULL for a metric without values */
};

/* Copies the arrays and all names. Returns NULL if out of memory; severity_destroy frees the
 * store. */
struct severity *severity_create(const struct severity_path *paths, uint32_t path_count,
                                 const struct severity_location *locations,
                                 uint32_t location_count);
void severity_destroy(struct severity *severity);

/* Copies a grid into the store, unless that has an equal one or enough of them. False if out of
 * memory. */
bool severity_grid_add(struct severity *severity, const struct severity_grid *grid);
/* Likewise for all grids of another store. */
bool severity_grids_copy(struct severity *severity, const struct severity *from);

/* The number of the metric with this name and unit; METRIC_NONE if there is none. An unknown
 * unit ("") matches any. */
enum metric severity_metric_find(const struct severity *severity, const char *name,
                                 const char *unit);
/* Returns the number of the metric with this name and unit; adds it, with copies of its texts,
 * if it is new. `info->parent` is a number in this store. METRIC_NONE if out of memory. */
enum metric severity_metric_add(struct severity *severity, const struct metric_info *info);
/* Writes the numbers of all metrics into `order` [metric_count]: each metric is followed by those
 * below it, as tables show them. */
void severity_metric_order(const struct severity *severity, enum metric *order);
double severity_get(const struct severity *severity, enum metric metric, uint32_t path,
                    uint32_t location);
/* Adds to a value. Fast if the locations of a row come in ascending order. False if out of
 * memory. */
bool severity_add(struct severity *severity, enum metric metric, uint32_t path, uint32_t location,
                  double value);

/* A value to be added. */
struct severity_value {
    enum metric metric;
    uint32_t path;
    double value;
};

/* The same for values of one location; faster than one by one. */
bool severity_add_all(struct severity *severity, uint32_t location,
                      const struct severity_value *values, size_t count);

/* Whether anything has been added to the metric. */
static inline bool severity_has(const struct severity *severity, enum metric metric)
{
    return severity->rows[metric] != NULL;
}

/* The values of a metric at a call path; those of other locations are 0. */
static inline struct severity_row severity_row(const struct severity *severity, enum metric metric,
                                               uint32_t path)
{
    const struct severity_row *rows = severity->rows[metric];
    return rows ? rows[path] : (struct severity_row){NULL, NULL, 0, 0};
}

static inline uint32_t severity_row_location(const struct severity_row *row, uint32_t index)
{
    return row->locations ? row->locations[index] : index;
}

/* The value of a location. `*next` is 0 for the first one; then locations come in ascending
 * order. */
static inline double severity_row_at(const struct severity_row *row, uint32_t *next,
                                     uint32_t location)
{
    while (*next < row->count && severity_row_location(row, *next) < location)
        ++*next;
    return *next < row->count && severity_row_location(row, *next) == location ? row->values[*next]
                                                                               : 0;
}

/* Frees the values of a metric at a call path, which are 0 then. */
void severity_row_clear(struct severity *severity, enum metric metric, uint32_t path);

/* Whether no location has another value than 0. */
bool severity_row_is_zero(const struct severity_row *row);

/* True if the call tree has one root. It is named after the program, so it has another name in a
 * store of another version of the program. */
bool severity_has_one_root(const struct severity *severity);

/* The sum over all locations (or the minimum or maximum, see enum metric_merge): of the path's
 * own values, of the path with all its callees, and of all paths. */
double severity_path_total(const struct severity *severity, enum metric metric, uint32_t path);
double severity_path_inclusive(const struct severity *severity, enum metric metric, uint32_t path);
double severity_total(const struct severity *severity, enum metric metric);

/* Writes "app/main/MPI_Send", with '/' and '\' inside names as "\/" and "\\". Returns the length
 * that the whole text has, as snprintf does. */
size_t severity_path_format(const struct severity *severity, uint32_t path, char *text,
                            size_t size);

/* The same in a new block, which the caller frees. NULL if out of memory. */
char *severity_path_text(const struct severity *severity, uint32_t path);

/* Collective. Unites on process 0 the stores of all processes. They have the same metrics and
 * paths; the locations follow each other in order of processes. `*whole` is NULL on the other
 * processes. Takes `*local` over, which is NULL afterwards in any case. */
enum status severity_gather(struct severity **local, const struct processes *processes,
                            struct severity **whole, struct error *error);

/* The sum of two stores, with a factor for each, for each metric, call path and location, which are
 * joined by name. A missing value counts as 0. The numbering is the same for any factors; a store
 * with the factor 0 only adds its names. The caller destroys `*sum`. */
enum status severity_sum(const struct severity *a, double factor_a, const struct severity *b,
                         double factor_b, struct severity **sum, struct error *error);

/* The same for a - b. */
static inline enum status severity_difference(const struct severity *a, const struct severity *b,
                                              struct severity **difference, struct error *error)
{
    return severity_sum(a, 1, b, -1, difference, error);
}

#endif
