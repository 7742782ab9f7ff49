#include "severity/severity.h"

#include "base/names.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool copy_names(struct severity *severity, const struct severity_path *paths,
                       const struct severity_location *locations)
{
    for (uint32_t i = 0; i < severity->path_count; i++) {
        severity->paths[i] = paths[i];
        severity->paths[i].name = arena_strdup(severity->arena, paths[i].name);
        if (paths[i].file)
            severity->paths[i].file = arena_strdup(severity->arena, paths[i].file);
        if (!severity->paths[i].name || (paths[i].file && !severity->paths[i].file))
            return false;
    }
    for (uint32_t i = 0; i < severity->location_count; i++) {
        severity->locations[i] = locations[i];
        severity->locations[i].host = arena_strdup(severity->arena, locations[i].host);
        if (!severity->locations[i].host)
            return false;
    }
    return true;
}

struct severity *severity_create(const struct severity_path *paths, uint32_t path_count,
                                 const struct severity_location *locations, uint32_t location_count)
{
    for (uint32_t i = 0; i < path_count; i++)
        assert(paths[i].parent == SEVERITY_NONE || paths[i].parent < i);
    struct arena *arena = arena_create();
    if (!arena)
        return NULL;
    struct severity *severity = arena_alloc(arena, sizeof *severity);
    if (!severity)
        goto destroy_arena;
    severity->arena = arena;
    severity->path_count = path_count;
    severity->location_count = location_count;
    severity->paths = arena_alloc_array(arena, path_count, sizeof *severity->paths);
    severity->locations = arena_alloc_array(arena, location_count, sizeof *severity->locations);
    severity->metrics = metric_infos;
    severity->metric_count = METRIC_COUNT;
    severity->rows = arena_alloc_array(arena, METRIC_COUNT, sizeof *severity->rows);
    if (!severity->paths || !severity->locations || !severity->rows ||
        !copy_names(severity, paths, locations))
        goto destroy_arena;
    return severity;

destroy_arena:
    arena_destroy(arena);
    return NULL;
}

void severity_destroy(struct severity *severity)
{
    if (!severity)
        return;
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        for (uint32_t path = 0; path < severity->path_count; path++)
            severity_row_clear(severity, (enum metric)metric, path);
    arena_destroy(severity->arena); /* the arena owns the rest and the store itself */
}

static bool same_grid(const struct severity_grid *a, const struct severity_grid *b)
{
    return a->dimension_count == b->dimension_count && a->rank_count == b->rank_count &&
           memcmp(a->sizes, b->sizes, a->dimension_count * sizeof *a->sizes) == 0 &&
           memcmp(a->cells, b->cells, a->rank_count * sizeof *a->cells) == 0;
}

bool severity_grid_add(struct severity *severity, const struct severity_grid *grid)
{
    for (uint32_t i = 0; i < severity->grid_count; i++)
        if (same_grid(&severity->grids[i], grid))
            return true;
    if (severity->grid_count == SEVERITY_GRIDS)
        return true;
    struct severity_grid copy = *grid;
    copy.name = arena_strdup(severity->arena, grid->name);
    copy.sizes =
        arena_memdup(severity->arena, grid->sizes, grid->dimension_count * sizeof *grid->sizes);
    copy.cells = arena_memdup(severity->arena, grid->cells, grid->rank_count * sizeof *grid->cells);
    if (!copy.name || !copy.sizes || !copy.cells)
        return false;
    severity->grids[severity->grid_count++] = copy;
    return true;
}

bool severity_grids_copy(struct severity *severity, const struct severity *from)
{
    for (uint32_t i = 0; i < from->grid_count; i++)
        if (!severity_grid_add(severity, &from->grids[i]))
            return false;
    return true;
}

static bool units_fit(const char *a, const char *b)
{
    return !*a || !*b || strcmp(a, b) == 0;
}

enum metric severity_metric_find(const struct severity *severity, const char *name,
                                 const char *unit)
{
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        if (strcmp(severity->metrics[metric].name, name) == 0 &&
            units_fit(metric_info_unit(&severity->metrics[metric]), unit))
            return (enum metric)metric;
    return METRIC_NONE;
}

/* Makes room for one metric more: the arrays are copied at METRIC_COUNT and then whenever the
 * number of further metrics is a power of 2. False if out of memory. */
static bool grow_metrics(struct severity *severity)
{
    uint32_t count = severity->metric_count, beyond = count - METRIC_COUNT;
    if ((beyond & (beyond - 1)) != 0)
        return true;
    size_t room = METRIC_COUNT + (beyond ? 2 * (size_t)beyond : 1);
    struct metric_info *metrics = arena_alloc_array(severity->arena, room, sizeof *metrics);
    struct severity_row **rows = arena_alloc_array(severity->arena, room, sizeof *rows);
    if (!metrics || !rows)
        return false;
    memcpy(metrics, severity->metrics, count * sizeof *metrics);
    memcpy(rows, severity->rows, count * sizeof *rows);
    severity->metrics = metrics;
    severity->rows = rows;
    return true;
}

/* False if out of memory. */
static bool copy_info(struct severity *severity, const struct metric_info *info,
                      struct metric_info *copy)
{
    const char **texts[] = {&copy->name, &copy->title, &copy->description, &copy->unit_name};
    *copy = *info;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i] = arena_strdup(severity->arena, *texts[i] ? *texts[i] : "")))
            return false;
    return true;
}

/* The metric's entry. A store with further metrics has its own array, which may be written to. */
static struct metric_info *own_metric(struct severity *severity, uint32_t metric)
{
    return (struct metric_info *)severity->metrics + metric;
}

/* Completes a metric that has no unit from another file's description. False if out of memory. */
static bool complete_metric(struct severity *severity, uint32_t metric,
                            const struct metric_info *info)
{
    if (*metric_info_unit(&severity->metrics[metric]) || !*metric_info_unit(info))
        return true;
    enum metric parent = info->parent < (int)metric ? info->parent : METRIC_NONE;
    if (!copy_info(severity, info, own_metric(severity, metric)))
        return false;
    own_metric(severity, metric)->parent = parent;
    return true;
}

enum metric severity_metric_add(struct severity *severity, const struct metric_info *info)
{
    assert(info->parent == METRIC_NONE || (uint32_t)info->parent < severity->metric_count);
    struct metric_info copy;
    enum metric known = severity_metric_find(severity, info->name, metric_info_unit(info));
    if (known != METRIC_NONE)
        return complete_metric(severity, (uint32_t)known, info) ? known : METRIC_NONE;
    if (!copy_info(severity, info, &copy) || !grow_metrics(severity))
        return METRIC_NONE;
    *own_metric(severity, severity->metric_count) = copy;
    return (enum metric)severity->metric_count++;
}

/* Appends the metrics right below `parent`, each with those below it. Returns the end. */
static enum metric *order_below(const struct severity *severity, enum metric parent,
                                enum metric *order)
{
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        if (severity->metrics[metric].parent == parent) {
            *order++ = (enum metric)metric;
            order = order_below(severity, (enum metric)metric, order);
        }
    return order;
}

void severity_metric_order(const struct severity *severity, enum metric *order)
{
    order_below(severity, METRIC_NONE, order);
}

static inline void assert_in_store(const struct severity *severity, enum metric metric,
                                   uint32_t path, uint32_t location)
{
    assert((uint32_t)metric < severity->metric_count);
    assert(path < severity->path_count && location < severity->location_count);
}

/* The place of the first kept location that is not below `location`. */
static uint32_t find_location(const struct severity_row *row, uint32_t location)
{
    if (row->count > 0 && row->locations[row->count - 1] < location)
        return row->count;
    return first_where(0, row->count, i, row->locations[i] >= location);
}

/* The location's value; NULL if the row does not keep it. */
static double *kept_value(const struct severity_row *row, uint32_t location)
{
    if (!row->locations)
        return row->values ? &row->values[location] : NULL;
    uint32_t place = find_location(row, location);
    return place < row->count && row->locations[place] == location ? &row->values[place] : NULL;
}

double severity_get(const struct severity *severity, enum metric metric, uint32_t path,
                    uint32_t location)
{
    assert_in_store(severity, metric, path, location);
    const struct severity_row row = severity_row(severity, metric, path);
    const double *value = kept_value(&row, location);
    return value ? *value : 0;
}

void severity_row_clear(struct severity *severity, enum metric metric, uint32_t path)
{
    if (!severity->rows[metric])
        return;
    struct severity_row *row = &severity->rows[metric][path];
    free(row->values);
    free(row->locations);
    memset(row, 0, sizeof *row);
}

bool severity_row_is_zero(const struct severity_row *row)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->values[i] != 0)
            return false;
    return true;
}

/* Makes room for all locations. False if out of memory. */
static bool keep_all(struct severity_row *row, uint32_t location_count)
{
    double *values = calloc(location_count, sizeof *values);
    if (!values)
        return false;
    for (uint32_t i = 0; i < row->count; i++)
        values[row->locations[i]] = row->values[i];
    free(row->values);
    free(row->locations);
    *row = (struct severity_row){values, NULL, location_count, location_count};
    return true;
}

/* Makes room for a location after the last one. An entry with its location's number takes 1.5 times
 * the memory of an entry in a row that keeps all locations. False if out of memory. */
static bool grow_row(struct severity_row *row, uint32_t location_count)
{
    const uint64_t room = row->room ? row->room + row->room / 2 : 8;
    if (3 * room >= 2 * (uint64_t)location_count)
        return keep_all(row, location_count);
    double *values = realloc(row->values, room * sizeof *values);
    if (!values)
        return false;
    row->values = values;
    uint32_t *locations = realloc(row->locations, room * sizeof *locations);
    if (!locations)
        return false;
    row->locations = locations;
    row->room = (uint32_t)room;
    return true;
}

/* NULL if out of memory. */
static inline struct severity_row *row_to_fill(struct severity *severity, enum metric metric,
                                               uint32_t path)
{
    struct severity_row **rows = &severity->rows[metric];
    if (!*rows)
        *rows = arena_alloc_array(severity->arena, severity->path_count, sizeof **rows);
    return *rows ? &(*rows)[path] : NULL;
}

static inline void append_value(struct severity_row *row, uint32_t location, double value)
{
    row->locations[row->count] = location;
    row->values[row->count++] = value;
}

bool severity_add(struct severity *severity, enum metric metric, uint32_t path, uint32_t location,
                  double value)
{
    assert_in_store(severity, metric, path, location);
    struct severity_row *row = row_to_fill(severity, metric, path);
    if (!row)
        return false;
    const bool last =
        row->count == 0 || (row->locations && row->locations[row->count - 1] < location);
    double *known = last ? NULL : kept_value(row, location);
    if (known) {
        *known += value;
        return true;
    }
    if (!last) {
        if (!keep_all(row, severity->location_count))
            return false;
    } else if (row->count == row->room && !grow_row(row, severity->location_count)) {
        return false;
    }
    if (row->locations)
        append_value(row, location, value);
    else
        row->values[location] = value;
    return true;
}

enum { AT_ONCE = 64 };

/* Rows that keep all locations are separated first, because a branch for each row would be
 * mispredicted, and resolved late: rows of many ranks are not in the nearest cache. */
static bool add_some(struct severity *severity, uint32_t location,
                     const struct severity_value *values, size_t count)
{
    struct severity_row *rows[2][AT_ONCE]; /* those that keep few locations, and all */
    const struct severity_value *added[2][AT_ONCE];
    size_t counts[2] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_in_store(severity, values[i].metric, values[i].path, location);
        struct severity_row *row = row_to_fill(severity, values[i].metric, values[i].path);
        if (!row)
            return false;
        const bool keeps_all = (row->room > 0) & !row->locations;
        rows[keeps_all][counts[keeps_all]] = row;
        added[keeps_all][counts[keeps_all]++] = &values[i];
    }
    for (size_t i = 0; i < counts[1]; i++)
        rows[1][i]->values[location] += added[1][i]->value;
    for (size_t i = 0; i < counts[0]; i++) {
        struct severity_row *row = rows[0][i];
        const struct severity_value *value = added[0][i];
        if (row->count < row->room && row->locations[row->count - 1] < location)
            append_value(row, location, value->value);
        else if (!severity_add(severity, value->metric, value->path, location, value->value))
            return false;
    }
    return true;
}

bool severity_add_all(struct severity *severity, uint32_t location,
                      const struct severity_value *values, size_t count)
{
    for (size_t i = 0; i < count; i += AT_ONCE)
        if (!add_some(severity, location, values + i, count - i < AT_ONCE ? count - i : AT_ONCE))
            return false;
    return true;
}

bool severity_has_one_root(const struct severity *severity)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < severity->path_count; i++)
        roots += severity->paths[i].parent == SEVERITY_NONE;
    return roots == 1;
}

double severity_path_total(const struct severity *severity, enum metric metric, uint32_t path)
{
    assert((uint32_t)metric < severity->metric_count && path < severity->path_count);
    const struct severity_row row = severity_row(severity, metric, path);
    enum metric_merge merge = severity->metrics[metric].merge;
    double sum = 0;
    for (uint32_t i = 0; i < row.count; i++)
        sum = metric_merge_values(merge, sum, row.values[i]);
    return sum;
}

static bool is_at_or_below(const struct severity *severity, uint32_t path, uint32_t ancestor)
{
    while (path != SEVERITY_NONE && path > ancestor) /* callers have smaller numbers than callees */
        path = severity->paths[path].parent;
    return path == ancestor;
}

double severity_path_inclusive(const struct severity *severity, enum metric metric, uint32_t path)
{
    assert((uint32_t)metric < severity->metric_count && path < severity->path_count);
    enum metric_merge merge = severity->metrics[metric].merge;
    double sum = 0;
    if (severity_has(severity, metric))
        for (uint32_t callee = path; callee < severity->path_count; callee++)
            if (is_at_or_below(severity, callee, path))
                sum =
                    metric_merge_values(merge, sum, severity_path_total(severity, metric, callee));
    return sum;
}

double severity_total(const struct severity *severity, enum metric metric)
{
    assert((uint32_t)metric < severity->metric_count);
    enum metric_merge merge = severity->metrics[metric].merge;
    double sum = 0;
    for (uint32_t path = 0; severity_has(severity, metric) && path < severity->path_count; path++)
        sum = metric_merge_values(merge, sum, severity_path_total(severity, metric, path));
    return sum;
}

static const char *path_step_up(const void *tree, uint32_t *path)
{
    const struct severity *severity = tree;
    if (*path == SEVERITY_NONE)
        return NULL;
    const char *name = severity->paths[*path].name;
    *path = severity->paths[*path].parent;
    return name;
}

size_t severity_path_format(const struct severity *severity, uint32_t path, char *text, size_t size)
{
    assert(path < severity->path_count);
    return path_join(path_step_up, severity, path, "/\\", text, size);
}

char *severity_path_text(const struct severity *severity, uint32_t path)
{
    size_t size = severity_path_format(severity, path, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
        severity_path_format(severity, path, text, size);
    return text;
}
