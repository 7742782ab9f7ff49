/* a - b, joined by name: call paths by the names along them, locations by rank and thread. */
#include "severity/path_table.h"

#include <stdlib.h>

/* The union of the call trees of two stores, and of their locations. */
struct joint {
    struct path_table paths;
    struct location_table locations;
};

/* The numbers in the union of a store's paths and, after them, of its locations. The caller frees
 * the array; NULL when memory is out. */
static uint32_t *join(struct joint *joint, const struct severity *severity)
{
    uint32_t paths = severity->path_count, locations = severity->location_count;
    uint32_t *numbers = malloc(((size_t)paths + locations + 1) * sizeof *numbers);
    if (!numbers)
        return NULL;
    for (uint32_t i = 0; i < paths; i++) {
        struct severity_path path = severity->paths[i];
        path.parent = path.parent == SEVERITY_NONE ? SEVERITY_NONE : numbers[path.parent];
        numbers[i] = path_table_at(&joint->paths, path);
        if (numbers[i] == SEVERITY_NONE)
            goto free_numbers;
    }
    for (uint32_t i = 0; i < locations; i++) {
        numbers[paths + i] = location_table_at(&joint->locations, severity->locations[i]);
        if (numbers[paths + i] == SEVERITY_NONE)
            goto free_numbers;
    }
    return numbers;

free_numbers:
    free(numbers);
    return NULL;
}

static bool add_metric(struct severity *sum, enum metric to, const struct severity *severity,
                       enum metric from, const uint32_t *numbers, double sign)
{
    const double *values = severity->values[from];
    for (uint32_t path = 0; values && path < severity->path_count; path++) {
        for (uint32_t location = 0; location < severity->location_count; location++, values++)
            if (*values != 0 &&
                !severity_add(sum, to, numbers[path], numbers[severity->path_count + location],
                              sign * *values))
                return false;
    }
    return true;
}

static bool add_all(struct severity *sum, const struct severity *severity, const uint32_t *numbers,
                    double sign)
{
    enum metric *metrics = malloc(severity->metric_count * sizeof *metrics);
    bool added = metrics && severity_metrics_join(sum, severity, metrics);
    for (uint32_t metric = 0; added && metric < severity->metric_count; metric++)
        added = add_metric(sum, metrics[metric], severity, (enum metric)metric, numbers, sign);
    free(metrics);
    return added;
}

enum status severity_difference(const struct severity *a, const struct severity *b,
                                struct severity **difference, struct error *error)
{
    struct joint joint = {0};
    struct severity *result = NULL;
    uint32_t *numbers_a = join(&joint, a);
    uint32_t *numbers_b = numbers_a ? join(&joint, b) : NULL;
    if (numbers_b)
        result = severity_create(joint.paths.paths.items, (uint32_t)joint.paths.paths.count,
                                 joint.locations.locations.items,
                                 (uint32_t)joint.locations.locations.count);
    if (result && add_all(result, a, numbers_a, 1) && add_all(result, b, numbers_b, -1)) {
        result->total_seconds = a->total_seconds - b->total_seconds;
        *difference = result;
    } else {
        severity_destroy(result);
        *difference = NULL;
    }
    free(numbers_a);
    free(numbers_b);
    path_table_clear(&joint.paths);
    location_table_clear(&joint.locations);
    return *difference ? STATUS_OK : error_memory(error, "the difference of two runs");
}
