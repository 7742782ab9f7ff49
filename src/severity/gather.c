/* Unites the stores of several processes. Only values that are not zero are sent. */
#include "severity/severity.h"

#include "base/mpi/mail.h"

#include <stdlib.h>
#include <string.h>

struct gathered_value {
    double value;
    uint32_t metric, path, location, unused;
};

struct gathered_place { /* a location on its way to process 0 */
    uint32_t rank, thread;
    char host[256];
};

static bool collect_values(const struct severity *local, struct bytes *box)
{
    for (uint32_t metric = 0; metric < local->metric_count; metric++) {
        const double *values = local->values[metric];
        for (uint32_t path = 0; values && path < local->path_count; path++)
            for (uint32_t location = 0; location < local->location_count; location++, values++) {
                const struct gathered_value value = {*values, metric, path, location, 0};
                if (*values != 0 && !bytes_put(box, &value, sizeof value))
                    return false;
            }
    }
    return true;
}

static bool collect_places(const struct severity *local, struct bytes *box)
{
    for (uint32_t i = 0; i < local->location_count; i++) {
        struct gathered_place place = {.rank = local->locations[i].rank,
                                       .thread = local->locations[i].thread};
        strncpy(place.host, local->locations[i].host, sizeof place.host - 1);
        if (!bytes_put(box, &place, sizeof place))
            return false;
    }
    return true;
}

static struct severity *create_whole(const struct severity *local,
                                     const struct gathered_place *places, uint32_t count)
{
    struct severity_location *locations = calloc(count ? count : 1, sizeof *locations);
    if (!locations)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        locations[i] = (struct severity_location){places[i].rank, places[i].thread, places[i].host};
    struct severity *whole = severity_create(local->paths, local->path_count, locations, count);
    bool complete = whole && severity_grids_copy(whole, local);
    for (uint32_t i = METRIC_COUNT; complete && i < local->metric_count; i++)
        complete = severity_metric_add(whole, &local->metrics[i]) != METRIC_NONE;
    if (complete)
        whole->total_seconds = local->total_seconds;
    else
        severity_destroy(whole);
    free(locations);
    return complete ? whole : NULL;
}

/* `sizes` has the bytes of values and of places that each process has sent. */
static bool add_values(struct severity *whole, const struct gathered_value *values,
                       const size_t *value_sizes, const size_t *place_sizes, int processes)
{
    uint32_t first_location = 0;
    for (int process = 0; process < processes; process++) {
        for (size_t n = value_sizes[process] / sizeof *values; n > 0; n--, values++)
            if (!severity_add(whole, (enum metric)values->metric, values->path,
                              first_location + values->location, values->value))
                return false;
        first_location += (uint32_t)(place_sizes[process] / sizeof(struct gathered_place));
    }
    return true;
}

enum status severity_gather(const struct severity *local, const struct processes *processes,
                            struct severity **whole, struct error *error)
{
    struct bytes values_box = {0}, places_box = {0};
    char *values = NULL, *places = NULL;
    size_t values_size = 0, places_size = 0;
    size_t *sizes = calloc(2 * (size_t)processes->size, sizeof *sizes);
    *whole = NULL;
    bool found = sizes && collect_values(local, &values_box) && collect_places(local, &places_box);
    enum status status =
        processes_agree_memory(processes, found, "gathering the severities", error);
    if (status == STATUS_OK)
        status = mail_gather(processes, values_box.data, values_box.size, &values, &values_size,
                             sizes, error);
    if (status == STATUS_OK)
        status = mail_gather(processes, places_box.data, places_box.size, &places, &places_size,
                             sizes + processes->size, error);
    if (status == STATUS_OK && processes->rank == 0) {
        *whole = create_whole(local, (const struct gathered_place *)places,
                              (uint32_t)(places_size / sizeof(struct gathered_place)));
        found = *whole && add_values(*whole, (const struct gathered_value *)values, sizes,
                                     sizes + processes->size, processes->size);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, found, "the severities of all ranks", error);
    if (status != STATUS_OK) {
        severity_destroy(*whole);
        *whole = NULL;
    }
    bytes_clear(&values_box);
    bytes_clear(&places_box);
    free(values);
    free(places);
    free(sizes);
    return status;
}
