#include "sweep/queue/shape.h"

#include "base/names.h"
#include "trace/load/load.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A time limit is MARGIN times the expected time, plus START_S: a job that exceeds it is killed,
 * but a limit that is too long only makes it wait longer. */
enum { START_S = 120 };
static const double MARGIN = 2;

/* The time limit in minutes. `longest_s` (0: unlimited) bounds it. */
static uint32_t limit_minutes(double expected_s, double longest_s)
{
    double minutes = ceil((MARGIN * expected_s + START_S) / 60);
    if (longest_s > 0)
        minutes = fmin(minutes, fmax(floor(longest_s / 60), 1));
    return (uint32_t)fmin(minutes, 1e6);
}

double shape_expected_s(double longest_s)
{
    return longest_s > 0 ? fmax((longest_s - START_S) / MARGIN, longest_s / 10) : 0;
}

/* The path of the first recording of a run; all its recordings have the same ranks. */
static enum status first_trace(const struct sweep_run *run, const char **path, struct error *error)
{
    const struct ini_section *section = ini_find_section(run->ini, "trace");
    const char *list = section ? ini_value(section, "path") : NULL, *rest = list;
    bool out_of_memory = false;
    char *first = list ? names_next(&rest, &out_of_memory) : NULL;
    *path = first ? ini_resolve(run->ini, first, strlen(first)) : NULL;
    free(first);
    if (!list)
        return ini_error(error, run->ini, section ? section->line : 1,
                         "[trace] has no key \"path\"");
    return *path ? STATUS_OK : error_memory(error, "the recordings of a sweep");
}

/* Counts hosts, and the ranks on each. `lowest`: [rank] the lowest rank on the same host. */
static enum status count_ranks_on_hosts(const uint32_t *lowest, uint32_t ranks, struct shape *shape,
                                        struct error *error)
{
    uint32_t *on_host = calloc((size_t)ranks + 1, sizeof *on_host);
    if (!on_host)
        return error_memory(error, "the recordings of a sweep");
    for (uint32_t i = 0; i < ranks; i++)
        on_host[lowest[i]]++;
    shape->nodes = 0;
    shape->even = true;
    for (uint32_t i = 0; i < ranks; i++) {
        if (on_host[i] == 0)
            continue;
        shape->nodes++;
        shape->even &= shape->per_node == 0 || shape->per_node == on_host[i];
        if (on_host[i] > shape->per_node)
            shape->per_node = on_host[i];
    }
    free(on_host);
    return STATUS_OK;
}

static enum status find_shape(const struct sweep_folder *folder, const struct sweep_part *part,
                              struct shape *shape, struct error *error)
{
    const char *path;
    uint32_t *lowest = NULL, ranks = 0;
    *shape = (struct shape){.replays = part->replays,
                            .ranks = part->ranks,
                            .nodes = 1,
                            .per_node = 1,
                            .even = true,
                            .expected_s = part->expected_s};
    if (!part->replays)
        return STATUS_OK;
    shape->nodes = shape->per_node = 0;
    enum status status = first_trace(&folder->sweep->runs[part->runs[0]], &path, error)
                             ?: trace_peek_placement(path, &lowest, &ranks, error);
    if (status == STATUS_OK && lowest)
        status = count_ranks_on_hosts(lowest, ranks, shape, error);
    free(lowest);
    return status;
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->replays == b->replays && a->ranks == b->ranks && a->nodes == b->nodes &&
           a->per_node == b->per_node && a->even == b->even;
}

/* Adds a part to the shape that equals `found`, or to a new one. False when out of memory. */
static bool add_part_to_shape(struct shapes *shapes, const struct shape *found, size_t part,
                              size_t parts)
{
    size_t s = 0;
    while (s < shapes->count && !same_shape(&shapes->items[s], found))
        s++;
    struct shape *shape = &shapes->items[s];
    if (s == shapes->count) {
        *shape = *found;
        shape->parts = calloc(parts, sizeof *shape->parts);
        shapes->count++;
    }
    if (!shape->parts)
        return false;
    shape->parts[shape->part_count++] = part;
    shape->expected_s = fmax(shape->expected_s, found->expected_s);
    shapes->of_part[part] = s;
    return true;
}

enum status shapes_find(const struct sweep_folder *folder, double longest_s, struct shapes *shapes,
                        struct error *error)
{
    enum status status = STATUS_OK;
    const size_t count = folder->part_count;
    *shapes = (struct shapes){.items = calloc(count + 1, sizeof *shapes->items),
                              .of_part = calloc(count + 1, sizeof *shapes->of_part)};
    if (!shapes->items || !shapes->of_part)
        status = error_memory(error, "the jobs of a sweep");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct shape found;
        assert(folder->parts[i].run_count > 0);
        status = find_shape(folder, &folder->parts[i], &found, error);
        if (status == STATUS_OK && !add_part_to_shape(shapes, &found, i, count))
            status = error_memory(error, "the jobs of a sweep");
    }
    for (size_t s = 0; s < shapes->count; s++)
        shapes->items[s].minutes = limit_minutes(shapes->items[s].expected_s, longest_s);
    if (status != STATUS_OK)
        shapes_clear(shapes);
    return status;
}

void shapes_clear(struct shapes *shapes)
{
    for (size_t s = 0; s < shapes->count; s++)
        free(shapes->items[s].parts);
    free(shapes->items);
    free(shapes->of_part);
    *shapes = (struct shapes){0};
}
