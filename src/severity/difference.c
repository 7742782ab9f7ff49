/* a - b, joined by name: call paths by the names along them, locations by rank and thread. */
#include "base/array.h"
#include "base/map.h"
#include "severity/severity.h"

#include <stdlib.h>
#include <string.h>

/* The union of the call trees of two stores, with the number of each store's paths in it. */
struct joint {
    ARRAY(struct severity_path) paths;
    ARRAY(struct severity_location) locations;
    struct map path_index, location_index;
};

static uint64_t hash_name(uint32_t parent, const char *name)
{
    uint64_t hash = map_mix((uint64_t)parent + 1);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

/* Returns the path's number in the union, SEVERITY_NONE when memory is out. */
static uint32_t join_path(struct joint *joint, struct severity_path path)
{
    for (uint64_t key = hash_name(path.parent, path.name);; key++) {
        uint32_t *index = map_at(&joint->path_index, key, (uint32_t)joint->paths.count);
        if (!index)
            return SEVERITY_NONE;
        if (*index == joint->paths.count)
            return array_push(&joint->paths, path) ? *index : SEVERITY_NONE;
        const struct severity_path *known = &joint->paths.items[*index];
        if (known->parent == path.parent && strcmp(known->name, path.name) == 0)
            return *index;
    }
}

static uint32_t join_location(struct joint *joint, struct severity_location location)
{
    uint64_t key = (uint64_t)location.rank << 32 | location.thread;
    uint32_t *index = map_at(&joint->location_index, key, (uint32_t)joint->locations.count);
    if (!index)
        return SEVERITY_NONE;
    if (*index == joint->locations.count && !array_push(&joint->locations, location))
        return SEVERITY_NONE;
    return *index;
}

/* What one store's paths (first) and locations (after them) are in the union. */
static uint32_t *join(struct joint *joint, const struct severity *severity)
{
    uint32_t paths = severity->path_count, locations = severity->location_count;
    uint32_t *numbers = malloc(((size_t)paths + locations + 1) * sizeof *numbers);
    if (!numbers)
        return NULL;
    for (uint32_t i = 0; i < paths; i++) {
        struct severity_path path = severity->paths[i];
        path.parent = path.parent == SEVERITY_NONE ? SEVERITY_NONE : numbers[path.parent];
        numbers[i] = join_path(joint, path);
        if (numbers[i] == SEVERITY_NONE)
            goto free_numbers;
    }
    for (uint32_t i = 0; i < locations; i++) {
        numbers[paths + i] = join_location(joint, severity->locations[i]);
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
        result = severity_create(joint.paths.items, (uint32_t)joint.paths.count,
                                 joint.locations.items, (uint32_t)joint.locations.count);
    if (result && add_all(result, a, numbers_a, 1) && add_all(result, b, numbers_b, -1)) {
        result->total_seconds = a->total_seconds - b->total_seconds;
        *difference = result;
    } else {
        severity_destroy(result);
        *difference = NULL;
    }
    free(numbers_a);
    free(numbers_b);
    free(joint.paths.items);
    free(joint.locations.items);
    map_clear(&joint.path_index);
    map_clear(&joint.location_index);
    return *difference ? STATUS_OK : error_memory(error, "the difference of two runs");
}
