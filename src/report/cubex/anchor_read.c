/* anchor.xml is read in one pass. Elements that are objects are on a stack. The text of another
 * element goes to the object around it when the element ends. */
#include "config.h"

#include "report/cubex/cubex_private.h"

#include "base/map.h"
#include "base/sort.h"

#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { ANCHOR_MAX = INT32_MAX }; /* size of one piece for expat; also the limit for inflated text */

enum object_kind {
    OBJECT_TEXT, /* any other element */
    OBJECT_CUBE,
    OBJECT_METRIC,
    OBJECT_REGION,
    OBJECT_CALLPATH,
    OBJECT_NODE,
    OBJECT_GROUP,
    OBJECT_LOCATION,
};

struct open_object {
    enum object_kind kind;
    uint32_t index; /* among its kind */
};

struct cube_process { /* a process */
    uint32_t node, rank;
};

struct placed_location {
    uint32_t id; /* first, for order_uint32 */
    uint32_t group, thread;
};

struct anchor_reader {
    const char *path; /* of the archive */
    struct error *error;
    enum status status; /* of the first error, which stops the parser */
    struct cubex_anchor *anchor;
    XML_Parser parser;
    ARRAY(struct open_object) stack;
    ARRAY(char) text;
    ARRAY(struct severity_path) regions; /* without parents */
    struct map region_index;             /* by id */
    ARRAY(const char *) nodes;           /* names */
    ARRAY(struct cube_process) groups;
    ARRAY(struct placed_location) places;
};

static unsigned long line_of(const struct anchor_reader *reader)
{
#if HAVE_DECL_XML_GETCURRENTLINENUMBER64
    return (unsigned long)XML_GetCurrentLineNumber64(reader->parser);
#else
    return XML_GetCurrentLineNumber(reader->parser);
#endif
}

/* Functions that return bool set the reader's error and return false if they fail. */
static bool stop_parsing(struct anchor_reader *reader, const char *what)
{
    if (reader->status == STATUS_OK)
        reader->status = error_set(reader->error, STATUS_INPUT, "%s: anchor.xml:%lu: %s",
                                   reader->path, line_of(reader), what);
    XML_StopParser(reader->parser, XML_FALSE);
    return false;
}

static bool anchor_no_memory(struct anchor_reader *reader)
{
    if (reader->status == STATUS_OK)
        reader->status = error_memory(reader->error, reader->path);
    XML_StopParser(reader->parser, XML_FALSE);
    return false;
}

static const char *attribute_of(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static uint32_t innermost_element(const struct anchor_reader *reader, enum object_kind kind)
{
    for (size_t i = reader->stack.count; i-- > 0;)
        if (reader->stack.items[i].kind == kind)
            return reader->stack.items[i].index;
    return SEVERITY_NONE;
}

/* A number that fits an int, as ids and ranks do. */
static bool parse_number(struct anchor_reader *reader, const char *text, uint32_t *number)
{
    char *end;
    errno = 0;
    long value = text ? strtol(text, &end, 10) : -1;
    if (!text || end == text || end[strspn(end, " \t\r\n")] || errno || value < 0 ||
        value > INT32_MAX)
        return stop_parsing(reader, "an id or a rank is missing or not a number");
    *number = (uint32_t)value;
    return true;
}

static bool copy(struct anchor_reader *reader, const char *text, const char **to)
{
    *to = arena_strdup(reader->anchor->arena, text ? text : "");
    return *to || anchor_no_memory(reader);
}

/* Appends an object to its array and sets its number, the index. False when memory is out. */
#define PUSH(array, index, ...)           \
    (*(index) = (uint32_t)(array)->count, \
     array_push((array), (__VA_ARGS__)) || anchor_no_memory(reader))

static bool begin_cube(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    const char *version = attribute_of(attributes, "version");
    *index = 0;
    if (!version || strncmp(version, "4.", 2) != 0)
        return stop_parsing(reader, "not of version 4 of the Cube format");
    return true;
}

static bool begin_metric(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    const char *id = attribute_of(attributes, "id");
    const char *kind = attribute_of(attributes, "type");
    struct cubex_metric metric = {.parent = innermost_element(reader, OBJECT_METRIC),
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

/* A line number; 0 if there is none, which Cube writes as -1. */
static uint32_t line_of_source(const char **attributes, const char *name)
{
    const char *text = attribute_of(attributes, name);
    const long line = text ? strtol(text, NULL, 10) : 0;
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static bool begin_region(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    const char *module = attribute_of(attributes, "mod");
    struct severity_path region = {.name = "",
                                   .mpi = module && strcmp(module, "MPI") == 0,
                                   .begin_line = line_of_source(attributes, "begin"),
                                   .end_line = line_of_source(attributes, "end")};
    uint32_t id;
    if (module && *module && !region.mpi && !copy(reader, module, &region.file))
        return false;
    if (!parse_number(reader, attribute_of(attributes, "id"), &id) ||
        !PUSH(&reader->regions, index, region))
        return false;
    return map_at(&reader->region_index, id, *index) || anchor_no_memory(reader);
}

static bool begin_callpath(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    uint32_t id;
    if (!parse_number(reader, attribute_of(attributes, "calleeId"), &id))
        return false;
    uint32_t region = map_get(&reader->region_index, id);
    if (region == MAP_NONE)
        return stop_parsing(reader, "a call path of a region that does not exist");
    struct severity_path callpath = reader->regions.items[region];
    callpath.parent = innermost_element(reader, OBJECT_CALLPATH);
    return PUSH(&reader->anchor->callpaths, index, callpath);
}

static bool begin_node(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    (void)attributes;
    return PUSH(&reader->nodes, index, "");
}

static bool begin_group(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    (void)attributes;
    struct cube_process group = {.node = innermost_element(reader, OBJECT_NODE)};
    return PUSH(&reader->groups, index, group);
}

static bool begin_location(struct anchor_reader *reader, const char **attributes, uint32_t *index)
{
    struct placed_location place = {.group = innermost_element(reader, OBJECT_GROUP)};
    if (place.group == SEVERITY_NONE)
        return stop_parsing(reader, "a location outside of any process");
    return parse_number(reader, attribute_of(attributes, "Id"), &place.id) &&
           PUSH(&reader->places, index, place);
}

/* Call paths of one region can differ by a parameter, which becomes part of their names. */
static bool add_metric_parameter(struct anchor_reader *reader, const char **attributes)
{
    uint32_t index = innermost_element(reader, OBJECT_CALLPATH);
    const char *key = attribute_of(attributes, "parkey");
    const char *value = attribute_of(attributes, "parvalue");
    if (index == SEVERITY_NONE || !key || !value)
        return true;
    const char **region = &reader->anchor->callpaths.items[index].name;
    size_t size = strlen(*region) + strlen(key) + strlen(value) + sizeof " (=)";
    char *name = arena_alloc(reader->anchor->arena, size);
    if (!name)
        return anchor_no_memory(reader);
    snprintf(name, size, "%s (%s=%s)", *region, key, value);
    *region = name;
    return true;
}

static bool begin_detail(struct anchor_reader *reader, const char *tag, const char **attributes)
{
    const char *key = attribute_of(attributes, "key");
    const char *value = attribute_of(attributes, "value");
    if (strcmp(tag, "parameter") == 0)
        return add_metric_parameter(reader, attributes);
    if (strcmp(tag, "attr") != 0 || !key || !value)
        return true;
    if (strcmp(key, "CLUSTERING") == 0 && strcmp(value, "ON") == 0)
        return stop_parsing(reader, "iterations are clustered; such files cannot be read");
    if (strcmp(key, CUBEX_TOTAL_SECONDS) == 0)
        reader->anchor->total_seconds = strtod(value, NULL);
    if (strcmp(key, CUBEX_DIFFERENCE) == 0)
        reader->anchor->difference = strcmp(value, "yes") == 0;
    return true;
}

static bool take_metric_text(struct anchor_reader *reader, struct cubex_metric *metric,
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

static bool take_text(struct anchor_reader *reader, const struct open_object *object,
                      const char *tag, const char *text)
{
    bool is_name = strcmp(tag, "name") == 0, is_rank = strcmp(tag, "rank") == 0;
    switch (object->kind) {
    case OBJECT_METRIC:
        return take_metric_text(reader, &reader->anchor->metrics.items[object->index], tag, text);
    case OBJECT_REGION:
        if (strcmp(tag, "paradigm") == 0)
            reader->regions.items[object->index].mpi = strcmp(text, "mpi") == 0;
        return !is_name || copy(reader, text, &reader->regions.items[object->index].name);
    case OBJECT_NODE:
        return !is_name || copy(reader, text, &reader->nodes.items[object->index]);
    case OBJECT_GROUP:
        return !is_rank || parse_number(reader, text, &reader->groups.items[object->index].rank);
    case OBJECT_LOCATION:
        return !is_rank || parse_number(reader, text, &reader->places.items[object->index].thread);
    default:
        return true;
    }
}

/* Score-P and Scalasca name the node "n1" "node n1". */
static const char *host_of(const struct anchor_reader *reader, uint32_t node)
{
    if (node == SEVERITY_NONE)
        return "";
    const char *name = reader->nodes.items[node];
    return strncmp(name, "node ", 5) == 0 ? name + 5 : name;
}

/* A GPU stream with the numbers of a thread gets the next free thread number of its rank. */
static bool number_locations(struct anchor_reader *reader)
{
    struct map taken = {0}, highest = {0};
    struct cubex_anchor *anchor = reader->anchor;
    bool numbered = true;
    for (size_t i = 0; numbered && i < anchor->locations.count; i++) {
        struct severity_location *location = &anchor->locations.items[i];
        uint32_t *most = map_at(&highest, location->rank, location->thread);
        numbered = most != NULL;
        if (numbered && *most < location->thread)
            *most = location->thread;
    }
    for (size_t i = 0; numbered && i < anchor->locations.count; i++) {
        struct severity_location *location = &anchor->locations.items[i];
        uint64_t key = (uint64_t)location->rank << 32 | location->thread;
        uint32_t *owner = map_at(&taken, key, (uint32_t)i);
        if (owner && *owner != i)
            location->thread = ++*map_at(&highest, location->rank, 0);
        numbered = owner != NULL;
    }
    map_clear(&taken);
    map_clear(&highest);
    return numbered || anchor_no_memory(reader);
}

static bool finish_element(struct anchor_reader *reader)
{
    struct cubex_anchor *anchor = reader->anchor;
    if (reader->places.count)
        qsort(reader->places.items, reader->places.count, sizeof *reader->places.items,
              order_uint32);
    for (size_t i = 0; i < reader->places.count; i++) {
        const struct placed_location *place = &reader->places.items[i];
        const struct cube_process *group = &reader->groups.items[place->group];
        struct severity_location location = {group->rank, place->thread,
                                             host_of(reader, group->node)};
        if (i > 0 && place->id == place[-1].id)
            return stop_parsing(reader, "two locations have the same id");
        if (!array_push(&anchor->locations, location))
            return anchor_no_memory(reader);
    }
    return number_locations(reader);
}

/* Machine, node, process and thread are the names of Cube 4.0 to 4.2. */
static const struct {
    const char *tag;
    enum object_kind kind;
    bool (*begin)(struct anchor_reader *reader, const char **attributes, uint32_t *index);
} objects[] = {
    {"cube", OBJECT_CUBE, begin_cube},           {"metric", OBJECT_METRIC, begin_metric},
    {"region", OBJECT_REGION, begin_region},     {"cnode", OBJECT_CALLPATH, begin_callpath},
    {"systemtreenode", OBJECT_NODE, begin_node}, {"machine", OBJECT_NODE, begin_node},
    {"node", OBJECT_NODE, begin_node},           {"locationgroup", OBJECT_GROUP, begin_group},
    {"process", OBJECT_GROUP, begin_group},      {"location", OBJECT_LOCATION, begin_location},
    {"thread", OBJECT_LOCATION, begin_location},
};

static void begin_element(void *data, const char *tag, const char **attributes)
{
    struct anchor_reader *reader = data;
    struct open_object object = {OBJECT_TEXT, 0};
    bool (*begin)(struct anchor_reader *, const char **, uint32_t *) = NULL;
    for (size_t i = 0; i < sizeof objects / sizeof *objects && !begin; i++)
        if (strcmp(objects[i].tag, tag) == 0) {
            object.kind = objects[i].kind;
            begin = objects[i].begin;
        }
    reader->text.count = 0;
    if (reader->status != STATUS_OK)
        return;
    if (reader->stack.count == 0 && object.kind != OBJECT_CUBE)
        stop_parsing(reader, "not the description of a Cube file");
    else if (begin)
        begin(reader, attributes, &object.index);
    else
        begin_detail(reader, tag, attributes);
    if (reader->status == STATUS_OK && !array_push(&reader->stack, object))
        anchor_no_memory(reader);
}

static void end_element(void *data, const char *tag)
{
    struct anchor_reader *reader = data;
    if (reader->status != STATUS_OK)
        return;
    struct open_object object = reader->stack.items[--reader->stack.count];
    if (object.kind != OBJECT_TEXT || reader->stack.count == 0)
        return;
    if (!array_push(&reader->text, '\0'))
        anchor_no_memory(reader);
    else
        take_text(reader, &reader->stack.items[reader->stack.count - 1], tag, reader->text.items);
    reader->text.count = 0;
}

static void take_characters(void *data, const char *text, int length)
{
    struct anchor_reader *reader = data;
    if (reader->status != STATUS_OK)
        return;
    if (!array_reserve(&reader->text, (size_t)length)) {
        anchor_no_memory(reader);
        return;
    }
    memcpy(reader->text.items + reader->text.count, text, (size_t)length);
    reader->text.count += (size_t)length;
}

static enum status parse_anchor(struct anchor_reader *reader, const unsigned char *data,
                                size_t size)
{
    reader->parser = XML_ParserCreate(NULL);
    if (!reader->parser)
        return error_memory(reader->error, reader->path);
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(reader->parser, take_characters);
    if (XML_Parse(reader->parser, (const char *)data, (int)size, XML_TRUE) == XML_STATUS_ERROR &&
        reader->status == STATUS_OK) {
        enum XML_Error code = XML_GetErrorCode(reader->parser);
        if (code == XML_ERROR_NO_MEMORY)
            anchor_no_memory(reader);
        else
            stop_parsing(reader, XML_ErrorString(code));
    }
    if (reader->status == STATUS_OK)
        finish_element(reader);
    XML_ParserFree(reader->parser);
    return reader->status;
}

enum status cubex_anchor_read(const struct cubex_tar *tar, const struct cubex_member *member,
                              struct cubex_anchor *anchor, struct error *error)
{
    struct anchor_reader reader = {.path = tar->path, .error = error, .anchor = anchor};
    unsigned char *inflated = NULL;
    size_t size = member->size;
    enum status status = STATUS_OK;
    *anchor = (struct cubex_anchor){.arena = arena_create()};
    if (!anchor->arena)
        return error_memory(error, tar->path);
    if (size >= 2 && member->data[0] == 0x1f && member->data[1] == 0x8b) /* it is gzipped */
        status = cubex_member_inflate(tar, member, 0, ANCHOR_MAX, &inflated, &size, error);
    if (status == STATUS_OK && size > ANCHOR_MAX)
        status = cubex_member_error(tar, member, "longer than 2 GiB", error);
    if (status == STATUS_OK)
        status = parse_anchor(&reader, inflated ? inflated : member->data, size);
    free(inflated);
    free(reader.stack.items);
    free(reader.text.items);
    free(reader.regions.items);
    free(reader.nodes.items);
    free(reader.groups.items);
    free(reader.places.items);
    map_clear(&reader.region_index);
    if (status != STATUS_OK)
        cubex_anchor_clear(anchor);
    return status;
}

void cubex_anchor_clear(struct cubex_anchor *anchor)
{
    free(anchor->metrics.items);
    free(anchor->callpaths.items);
    free(anchor->locations.items);
    arena_destroy(anchor->arena);
    *anchor = (struct cubex_anchor){0};
}
