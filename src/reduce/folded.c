#include "reduce/folded.h"

#include "base/log.h"
#include "trace/grow.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARADIGM_MPI = 4 }; /* OTF2_Paradigm */

/* One value of the folded part. */
struct folded_value {
    uint32_t rank, thread; /* 0: the rank itself, else its worker */
    uint32_t metric, path; /* metric: enum metric */
    int64_t value;         /* ticks, counts or bytes */
};

struct folded_values {
    ARRAY(struct folded_value) list; /* by rank, thread, metric and path */
};

enum status property_set(struct trace *trace, const char *name, const char *value,
                         struct error *error)
{
    assert(name[0] != '\0' && value);
    enum status status = trace_own_definitions(trace, error);
    if (status != STATUS_OK)
        return status;
    struct definitions *d = trace->definitions;
    struct property *properties =
        arena_alloc_array(d->arena, (size_t)d->property_count + 1, sizeof *properties);
    struct property own = {arena_strdup(d->arena, name), arena_strdup(d->arena, value)};
    if (!properties || !own.name || !own.value)
        return error_memory(error, "definitions");
    uint32_t place = 0, count = d->property_count;
    for (uint32_t i = 0; i < count; i++)
        properties[i] = d->properties[i];
    while (place < count && strcmp(properties[place].name, name) != 0)
        place++;
    properties[place] = own;
    d->property_count = place == count ? count + 1 : count;
    d->properties = properties;
    return STATUS_OK;
}

enum status machine_keep(struct trace *trace, const struct machine *machine, struct error *error)
{
    char text[DISTANCE_COUNT * 100];
    size_t length = 0;
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        const struct loggps *distance = &machine->distances[d];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d %a %a %" PRIu64,
                                   d == 0 ? "" : " ", distance->known, distance->latency,
                                   distance->per_byte, distance->synchronous_from);
    }
    return property_set(trace, SILAS_PROPERTY_MACHINE, text, error);
}

void folded_say(const struct trace *trace)
{
    const char *text = definitions_property(trace->definitions, SILAS_PROPERTY_REDUCED);
    uint64_t before, after;
    if (text && sscanf(text, "%" SCNu64 " %" SCNu64, &before, &after) == 2 && after <= before)
        log_note("%s: %" PRIu64 " of %" PRIu64
                 " events are folded; wait states of folded calls are those of the recording",
                 trace->path, before - after, before);
}

/* A value in the store's units, before they became seconds. */
static long double value_in_ticks(const struct trace *trace, const struct severity *severity,
                                  enum metric metric, uint32_t path, uint32_t location)
{
    if (path >= severity->path_count || location == INDEX_NONE)
        return 0;
    long double value = severity_get(severity, metric, path, location);
    if (metric_infos[metric].unit == UNIT_SECONDS)
        value *= (long double)trace->definitions->ticks_per_second;
    return value;
}

/* The metrics of the trace's folded part, in order; METRIC_NONE for unknown ones. */
static uint32_t old_metrics(const struct definitions *d, enum metric metrics[METRIC_COUNT])
{
    const char *names = definitions_property(d, SILAS_PROPERTY_FOLDED);
    uint32_t count = 0;
    char name[80];
    int length = 0;
    for (; names && count < METRIC_COUNT && sscanf(names, "%79s%n", name, &length) == 1;
         names += length)
        metrics[count++] = metric_from_name(name);
    return count;
}

/* Adds the existing folded part of a thread of an owned rank. `group` is the rank's list. */
static void add_old(const struct trace *trace, uint32_t group, uint32_t thread, int64_t *values)
{
    const struct definitions *d = trace->definitions;
    const size_t paths = trace->calltree.paths.count;
    enum metric metrics[METRIC_COUNT];
    uint32_t count = old_metrics(d, metrics);
    const uint64_t *members = d->groups[group].members;
    for (uint32_t i = 0; i + 2 < d->groups[group].count && count > 0; i += 3) {
        const enum metric metric = metrics[members[i] % count];
        if (members[i] / count == thread && metric != METRIC_NONE && members[i + 1] < paths)
            values[(size_t)metric * paths + members[i + 1]] += (int64_t)members[i + 2];
    }
}

/* The location of an owned rank's values, or of its worker's: workers of parallel regions follow
 * their ranks. INDEX_NONE: the store does not have it. */
static uint32_t location_of_thread(const struct trace *trace, const struct severity *severity,
                                   uint32_t s, uint32_t thread)
{
    uint32_t location = s;
    if (trace->definitions->threads) /* threads are ranks */
        return thread == 0 ? s : INDEX_NONE;
    while (location < severity->location_count &&
           severity->locations[location].rank != trace->first_rank + s)
        location++;
    location += thread;
    return location < severity->location_count &&
                   severity->locations[location].rank == trace->first_rank + s
               ? location
               : INDEX_NONE;
}

/* Appends the folded part of a thread of an owned rank, which has location `in_full` of the whole
 * trace. `values` has one value per metric and call path, all 0 before and after. False if out of
 * memory. */
static bool append_values(const struct trace *trace, uint32_t s, uint32_t thread,
                          const struct severity *full, uint32_t in_full,
                          const struct severity *left, int64_t *values, struct folded_values *all)
{
    const uint32_t paths = (uint32_t)trace->calltree.paths.count;
    const uint32_t in_left = location_of_thread(trace, left, s, thread);
    bool room = true;
    for (uint32_t metric = 0; metric < METRIC_COUNT; metric++)
        for (uint32_t path = 0; path < paths && room; path++) {
            int64_t *value = &values[(size_t)metric * paths + path];
            *value += llroundl(value_in_ticks(trace, full, (enum metric)metric, path, in_full) -
                               value_in_ticks(trace, left, (enum metric)metric, path, in_left));
            struct folded_value item = {trace->first_rank + s, thread, metric, path, *value};
            room = *value == 0 || array_push(&all->list, item);
            *value = 0;
        }
    return room;
}

/* The index of the folded list of the first owned rank; INDEX_NONE: there are none. */
static uint32_t first_list(const struct trace *trace)
{
    uint32_t group = definitions_group(trace->definitions, SILAS_FOLDED_GROUP_NAME, 0);
    for (uint32_t i = 0; i < trace->first_rank && group != INDEX_NONE; i++)
        group = definitions_group(trace->definitions, SILAS_FOLDED_GROUP_NAME, group + 1);
    return group;
}

static bool collect_folded_values(const struct trace *trace, const struct severity *full,
                                  const struct severity *left, struct folded_values *all)
{
    const size_t paths = trace->calltree.paths.count;
    int64_t *values = calloc(METRIC_COUNT * paths + 1, sizeof *values);
    uint32_t group = first_list(trace);
    bool room = values != NULL;
    for (uint32_t i = 0; i < trace->owned_count && room; i++) {
        uint32_t location, thread = 0;
        while (room && (location = location_of_thread(trace, full, i, thread)) != INDEX_NONE) {
            if (group != INDEX_NONE)
                add_old(trace, group, thread, values);
            room = append_values(trace, i, thread++, full, location, left, values, all);
        }
        if (group != INDEX_NONE)
            group = definitions_group(trace->definitions, SILAS_FOLDED_GROUP_NAME, group + 1);
    }
    free(values);
    return room;
}

/* Writes the names of the metrics with values, and the number of each among them. */
static char *name_metrics(const struct folded_values *all, uint64_t numbers[METRIC_COUNT],
                          uint64_t *count)
{
    bool used[METRIC_COUNT] = {false};
    char *names = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&names, &size);
    if (!text)
        return NULL;
    for (size_t i = 0; i < all->list.count; i++)
        used[all->list.items[i].metric] = true;
    *count = 0;
    for (uint64_t metric = 0; metric < METRIC_COUNT; metric++)
        if (used[metric]) {
            fprintf(text, "%s%s", *count ? " " : "", metric_infos[metric].name);
            numbers[metric] = (*count)++;
        }
    if (fclose(text) == 0)
        return names;
    free(names);
    return NULL;
}

/* Replaces the next group of this name from `*place` on, or appends the group. */
static bool put_group(struct definitions *d, const char *name, uint64_t *members, uint32_t count,
                      uint32_t *place)
{
    uint32_t found = definitions_group(d, name, *place);
    if (found == INDEX_NONE)
        found = d->group_count++;
    d->groups[found] = (struct group){.name = name,
                                      .type = GROUP_UNKNOWN,
                                      .paradigm = PARADIGM_MPI,
                                      .members = members,
                                      .count = count};
    *place = found + 1;
    return members != NULL;
}

static bool put_paths(struct trace *trace)
{
    struct definitions *d = trace->definitions;
    uint32_t count = (uint32_t)trace->calltree.paths.count, place = 0;
    uint64_t *members = arena_alloc_array(d->arena, 2 * (size_t)count + 1, sizeof *members);
    for (uint32_t i = 0; i < count && members; i++) {
        const struct callpath *path = &trace->calltree.paths.items[i];
        members[2 * i] = path->parent == CALLPATH_NONE ? UINT64_MAX : path->parent;
        members[2 * i + 1] = path->region;
    }
    return put_group(d, SILAS_PATHS_GROUP_NAME, members, 2 * count, &place);
}

static bool put_lists(struct trace *trace, const struct folded_values *all,
                      const uint64_t numbers[METRIC_COUNT], uint64_t count)
{
    struct definitions *d = trace->definitions;
    uint32_t place = 0;
    size_t next = 0;
    bool room = true;
    for (uint32_t rank = 0; rank < d->rank_count && room; rank++) {
        size_t end = next;
        while (end < all->list.count && all->list.items[end].rank == rank)
            end++;
        uint64_t *members = arena_alloc_array(d->arena, 3 * (end - next) + 1, sizeof *members);
        for (size_t i = next; i < end && members; i++) {
            const struct folded_value *value = &all->list.items[i];
            uint64_t *item = &members[3 * (i - next)];
            item[0] = numbers[value->metric] + count * value->thread;
            item[1] = value->path;
            item[2] = (uint64_t)value->value;
        }
        room = put_group(d, SILAS_FOLDED_GROUP_NAME, members, (uint32_t)(3 * (end - next)), &place);
        next = end;
    }
    return room;
}

/* Puts call paths, lists and the names of the metrics into the definitions. */
static enum status put_all(struct trace *trace, const struct folded_values *all,
                           struct error *error)
{
    enum status status = trace_own_definitions(trace, error);
    if (status != STATUS_OK)
        return status;
    struct definitions *d = trace->definitions;
    uint64_t numbers[METRIC_COUNT] = {0}, count = 0;
    struct group *groups =
        arena_alloc_array(d->arena, (size_t)d->group_count + d->rank_count + 1, sizeof *groups);
    char *names = name_metrics(all, numbers, &count);
    status = groups && names ? STATUS_OK : error_memory(error, "definitions");
    if (status == STATUS_OK) {
        for (uint32_t i = 0; i < d->group_count; i++)
            groups[i] = d->groups[i];
        d->groups = groups;
        if (!put_paths(trace) || !put_lists(trace, all, numbers, count))
            status = error_memory(error, "definitions");
    }
    if (status == STATUS_OK)
        status = property_set(trace, SILAS_PROPERTY_FOLDED, names, error);
    free(names);
    return status;
}

enum status folded_set(struct trace *reduced, const struct severity *full,
                       const struct severity *left, struct error *error)
{
    assert(full && left && reduced->matched);
    struct folded_values all = {0};
    bool room = collect_folded_values(reduced, full, left, &all);
    enum status status =
        processes_agree_memory(reduced->processes, room, "the folded profile", error);
    if (status == STATUS_OK)
        status = processes_share(reduced->processes, &all.list, "the folded profile", error);
    if (status == STATUS_OK)
        status = processes_agree(reduced->processes, put_all(reduced, &all, error), error);
    free(all.list.items);
    return status;
}
