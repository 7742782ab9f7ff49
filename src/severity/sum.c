/* Sums of two stores, joined by name: call paths by the names along them, locations by rank and
 * thread. */
#include "severity/path_table.h"
#include "severity/site_names.h"

#include <stdlib.h>

/* The union of the call trees of two stores, and of their locations. */
struct united_names {
    struct path_table paths;
    struct location_table locations;
};

/* The numbers in the union of a store's paths, by their names there, and, after them, of its
 * locations. The caller frees the array; NULL if out of memory. */
static uint32_t *number_in_union(struct united_names *names, const struct severity *severity,
                                 const char *const *path_names)
{
    uint32_t paths = severity->path_count, locations = severity->location_count;
    uint32_t *numbers = malloc(((size_t)paths + locations + 1) * sizeof *numbers);
    if (!numbers)
        return NULL;
    for (uint32_t i = 0; i < paths; i++) {
        struct severity_path path = severity->paths[i];
        path.parent = path.parent == SEVERITY_NONE ? SEVERITY_NONE : numbers[path.parent];
        path.name = path_names[i];
        numbers[i] = path_table_at(&names->paths, path);
        if (numbers[i] == SEVERITY_NONE)
            goto free_numbers;
    }
    for (uint32_t i = 0; i < locations; i++) {
        numbers[paths + i] = location_table_at(&names->locations, severity->locations[i]);
        if (numbers[paths + i] == SEVERITY_NONE)
            goto free_numbers;
    }
    return numbers;

free_numbers:
    free(numbers);
    return NULL;
}

static bool add_metric(struct severity *sum, enum metric to, const struct severity *severity,
                       enum metric from, const uint32_t *numbers, double factor)
{
    for (uint32_t path = 0; factor != 0 && path < severity->path_count; path++) {
        const struct severity_row row = severity_row(severity, from, path);
        for (uint32_t i = 0; i < row.count; i++)
            if (row.values[i] != 0 &&
                !severity_add(sum, to, numbers[path],
                              numbers[severity->path_count + severity_row_location(&row, i)],
                              factor * row.values[i]))
                return false;
    }
    return true;
}

static bool add_scaled(struct severity *sum, const struct severity *severity,
                       const uint32_t *numbers, double factor)
{
    enum metric *metrics = malloc(severity->metric_count * sizeof *metrics);
    bool added = metrics != NULL;
    for (uint32_t metric = 0; added && metric < severity->metric_count; metric++) {
        struct metric_info info = severity->metrics[metric];
        if (info.parent != METRIC_NONE)
            info.parent = metrics[info.parent];
        metrics[metric] = severity_metric_add(sum, &info);
        added = metrics[metric] != METRIC_NONE &&
                add_metric(sum, metrics[metric], severity, (enum metric)metric, numbers, factor);
    }
    free(metrics);
    return added;
}

enum status severity_sum(const struct severity *a, double factor_a, const struct severity *b,
                         double factor_b, struct severity **sum, struct error *error)
{
    struct united_names names = {0};
    struct site_names joined = {0};
    const bool named = site_names_join((const struct severity *const[]){a, b}, 2, &joined);
    uint32_t *numbers_a = named ? number_in_union(&names, a, joined.names[0]) : NULL;
    uint32_t *numbers_b = numbers_a ? number_in_union(&names, b, joined.names[1]) : NULL;
    *sum = NULL;
    if (numbers_b)
        *sum = severity_create(names.paths.paths.items, (uint32_t)names.paths.paths.count,
                               names.locations.locations.items,
                               (uint32_t)names.locations.locations.count);
    if (*sum && severity_grids_copy(*sum, a) && severity_grids_copy(*sum, b) &&
        add_scaled(*sum, a, numbers_a, factor_a) && add_scaled(*sum, b, numbers_b, factor_b)) {
        (*sum)->difference = factor_a * factor_b < 0 || a->difference || b->difference;
        (*sum)->total_seconds = factor_a * a->total_seconds + factor_b * b->total_seconds;
    } else {
        severity_destroy(*sum);
        *sum = NULL;
    }
    free(numbers_a);
    free(numbers_b);
    site_names_clear(&joined);
    path_table_clear(&names.paths);
    location_table_clear(&names.locations);
    return *sum ? STATUS_OK : error_memory(error, "the difference of two runs");
}
