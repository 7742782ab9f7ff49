/* Stores the contents of the elements of anchor.xml. */
#include "report/cubex/anchor_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number that fits an int, as ids and ranks do. */
static bool parse_number(struct cubex_anchor_reader *reader, const char *text, uint32_t *number)
{
    char *end;
    errno = 0;
    long value = text ? strtol(text, &end, 10) : -1;
    if (!text || end == text || end[strspn(end, " \t\r\n")] || errno || value < 0 ||
        value > INT32_MAX)
        return cubex_anchor_fail(reader, "an id or a rank is missing or not a number");
    *number = (uint32_t)value;
    return true;
}

static bool copy(struct cubex_anchor_reader *reader, const char *text, const char **to)
{
    *to = arena_strdup(reader->anchor->arena, text ? text : "");
    return *to || cubex_anchor_no_memory(reader);
}

/* Appends an object to its array and sets its number, the index. False when memory is out. */
#define PUSH(array, index, ...)           \
    (*(index) = (uint32_t)(array)->count, \
     array_push((array), (__VA_ARGS__)) || cubex_anchor_no_memory(reader))

bool cubex_begin_cube(struct cubex_anchor_reader *reader, const char **attributes, uint32_t *index)
{
    const char *version = cubex_anchor_attribute(attributes, "version");
    *index = 0;
    if (!version || strncmp(version, "4.", 2) != 0)
        return cubex_anchor_fail(reader, "not of version 4 of the Cube format");
    return true;
}

bool cubex_begin_metric(struct cubex_anchor_reader *reader, const char **attributes,
                        uint32_t *index)
{
    const char *id = cubex_anchor_attribute(attributes, "id");
    const char *kind = cubex_anchor_attribute(attributes, "type");
    struct cubex_metric metric = {.parent = cubex_anchor_around(reader, OBJECT_METRIC),
                                  .name = "",
                                  .title = "",
                                  .type = "FLOAT",
                                  .unit = "",
                                  .description = ""};
    uint32_t number;
    return parse_number(reader, id, &number) && copy(reader, id, &metric.id) &&
           copy(reader, kind ? kind : "EXCLUSIVE", &metric.kind) &&
           PUSH(&reader->anchor->metrics, index, metric);
}

bool cubex_begin_region(struct cubex_anchor_reader *reader, const char **attributes,
                        uint32_t *index)
{
    const char *module = cubex_anchor_attribute(attributes, "mod");
    struct cubex_region region = {.name = "", .mpi = module && strcmp(module, "MPI") == 0};
    uint32_t id;
    if (!parse_number(reader, cubex_anchor_attribute(attributes, "id"), &id) ||
        !PUSH(&reader->regions, index, region))
        return false;
    return map_at(&reader->region_index, id, *index) || cubex_anchor_no_memory(reader);
}

bool cubex_begin_callpath(struct cubex_anchor_reader *reader, const char **attributes,
                          uint32_t *index)
{
    struct cubex_callpath callpath = {.parent = cubex_anchor_around(reader, OBJECT_CALLPATH)};
    uint32_t id;
    if (!parse_number(reader, cubex_anchor_attribute(attributes, "calleeId"), &id))
        return false;
    uint32_t region = map_get(&reader->region_index, id);
    if (region == MAP_NONE)
        return cubex_anchor_fail(reader, "a call path of a region that does not exist");
    callpath.region = reader->regions.items[region].name;
    callpath.mpi = reader->regions.items[region].mpi;
    return PUSH(&reader->anchor->callpaths, index, callpath);
}

bool cubex_begin_node(struct cubex_anchor_reader *reader, const char **attributes, uint32_t *index)
{
    (void)attributes;
    return PUSH(&reader->nodes, index, "");
}

bool cubex_begin_group(struct cubex_anchor_reader *reader, const char **attributes, uint32_t *index)
{
    (void)attributes;
    struct cubex_group group = {.node = cubex_anchor_around(reader, OBJECT_NODE)};
    return PUSH(&reader->groups, index, group);
}

bool cubex_begin_location(struct cubex_anchor_reader *reader, const char **attributes,
                          uint32_t *index)
{
    struct cubex_place place = {.group = cubex_anchor_around(reader, OBJECT_GROUP)};
    if (place.group == CUBEX_NO_PARENT)
        return cubex_anchor_fail(reader, "a location outside of any process");
    return parse_number(reader, cubex_anchor_attribute(attributes, "Id"), &place.id) &&
           PUSH(&reader->places, index, place);
}

/* Call paths of one region can differ by a parameter, which becomes part of their names. */
static bool add_parameter(struct cubex_anchor_reader *reader, const char **attributes)
{
    uint32_t index = cubex_anchor_around(reader, OBJECT_CALLPATH);
    const char *key = cubex_anchor_attribute(attributes, "parkey");
    const char *value = cubex_anchor_attribute(attributes, "parvalue");
    if (index == CUBEX_NO_PARENT || !key || !value)
        return true;
    const char **region = &reader->anchor->callpaths.items[index].region;
    size_t size = strlen(*region) + strlen(key) + strlen(value) + sizeof " (=)";
    char *name = arena_alloc(reader->anchor->arena, size);
    if (!name)
        return cubex_anchor_no_memory(reader);
    snprintf(name, size, "%s (%s=%s)", *region, key, value);
    *region = name;
    return true;
}

bool cubex_begin_detail(struct cubex_anchor_reader *reader, const char *tag,
                        const char **attributes)
{
    const char *key = cubex_anchor_attribute(attributes, "key");
    const char *value = cubex_anchor_attribute(attributes, "value");
    if (strcmp(tag, "parameter") == 0)
        return add_parameter(reader, attributes);
    if (strcmp(tag, "attr") != 0 || !key || !value)
        return true;
    if (strcmp(key, "CLUSTERING") == 0 && strcmp(value, "ON") == 0)
        return cubex_anchor_fail(reader, "iterations are clustered; such files cannot be read");
    if (strcmp(key, CUBEX_TOTAL_SECONDS) == 0)
        reader->anchor->total_seconds = strtod(value, NULL);
    return true;
}

static bool take_metric_text(struct cubex_anchor_reader *reader, struct cubex_metric *metric,
                             const char *tag, const char *text)
{
    const struct {
        const char *tag, **to;
    } texts[] = {{"uniq_name", &metric->name},
                 {"disp_name", &metric->title},
                 {"dtype", &metric->type},
                 {"uom", &metric->unit},
                 {"descr", &metric->description}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].tag, tag) == 0)
            return copy(reader, text, texts[i].to);
    return true;
}

bool cubex_take_text(struct cubex_anchor_reader *reader, const struct cubex_frame *frame,
                     const char *tag, const char *text)
{
    bool is_name = strcmp(tag, "name") == 0, is_rank = strcmp(tag, "rank") == 0;
    switch (frame->object) {
    case OBJECT_METRIC:
        return take_metric_text(reader, &reader->anchor->metrics.items[frame->index], tag, text);
    case OBJECT_REGION:
        if (strcmp(tag, "paradigm") == 0)
            reader->regions.items[frame->index].mpi = strcmp(text, "mpi") == 0;
        return !is_name || copy(reader, text, &reader->regions.items[frame->index].name);
    case OBJECT_NODE:
        return !is_name || copy(reader, text, &reader->nodes.items[frame->index]);
    case OBJECT_GROUP:
        return !is_rank || parse_number(reader, text, &reader->groups.items[frame->index].rank);
    case OBJECT_LOCATION:
        return !is_rank || parse_number(reader, text, &reader->places.items[frame->index].rank);
    default:
        return true;
    }
}

/* Score-P and Scalasca name the node "n1" "node n1". */
static const char *host_of(const struct cubex_anchor_reader *reader, uint32_t node)
{
    if (node == CUBEX_NO_PARENT)
        return "";
    const char *name = reader->nodes.items[node];
    return strncmp(name, "node ", 5) == 0 ? name + 5 : name;
}

static int compare_places(const void *a, const void *b)
{
    uint32_t left = ((const struct cubex_place *)a)->id,
             right = ((const struct cubex_place *)b)->id;
    return (left > right) - (left < right);
}

/* A GPU stream with the numbers of a thread gets the next free thread number of its rank. */
static bool number_locations(struct cubex_anchor_reader *reader)
{
    struct map taken = {0}, highest = {0};
    struct cubex_anchor *anchor = reader->anchor;
    bool numbered = true;
    for (size_t i = 0; numbered && i < anchor->locations.count; i++) {
        struct cubex_location *location = &anchor->locations.items[i];
        uint32_t *most = map_at(&highest, location->rank, location->thread);
        numbered = most != NULL;
        if (numbered && *most < location->thread)
            *most = location->thread;
    }
    for (size_t i = 0; numbered && i < anchor->locations.count; i++) {
        struct cubex_location *location = &anchor->locations.items[i];
        uint64_t key = (uint64_t)location->rank << 32 | location->thread;
        uint32_t *owner = map_at(&taken, key, (uint32_t)i);
        if (owner && *owner != i)
            location->thread = ++*map_at(&highest, location->rank, 0);
        numbered = owner != NULL;
    }
    map_clear(&taken);
    map_clear(&highest);
    return numbered || cubex_anchor_no_memory(reader);
}

bool cubex_anchor_finish(struct cubex_anchor_reader *reader)
{
    struct cubex_anchor *anchor = reader->anchor;
    if (reader->places.count)
        qsort(reader->places.items, reader->places.count, sizeof *reader->places.items,
              compare_places);
    for (size_t i = 0; i < reader->places.count; i++) {
        const struct cubex_place *place = &reader->places.items[i];
        const struct cubex_group *group = &reader->groups.items[place->group];
        struct cubex_location location = {place->id, group->rank, place->rank,
                                          host_of(reader, group->node)};
        if (i > 0 && place->id == place[-1].id)
            return cubex_anchor_fail(reader, "two locations have the same id");
        if (!array_push(&anchor->locations, location))
            return cubex_anchor_no_memory(reader);
    }
    return number_locations(reader);
}
