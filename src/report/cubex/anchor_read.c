/* anchor.xml is read in one pass. Elements that are objects are on a stack. The text of another
 * element goes to the object around it when the element ends. */
#include "report/cubex/anchor_private.h"

#include "report/cubex/inflate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ANCHOR_MAX = INT32_MAX }; /* size of one piece for expat; also the limit for inflated text */

/* Machine, node, process and thread are the names of Cube 4.0 to 4.2. */
static const struct {
    const char *tag;
    enum cubex_object object;
    bool (*begin)(struct cubex_anchor_reader *reader, const char **attributes, uint32_t *index);
} objects[] = {
    {"cube", OBJECT_CUBE, cubex_begin_cube},
    {"metric", OBJECT_METRIC, cubex_begin_metric},
    {"region", OBJECT_REGION, cubex_begin_region},
    {"cnode", OBJECT_CALLPATH, cubex_begin_callpath},
    {"systemtreenode", OBJECT_NODE, cubex_begin_node},
    {"machine", OBJECT_NODE, cubex_begin_node},
    {"node", OBJECT_NODE, cubex_begin_node},
    {"locationgroup", OBJECT_GROUP, cubex_begin_group},
    {"process", OBJECT_GROUP, cubex_begin_group},
    {"location", OBJECT_LOCATION, cubex_begin_location},
    {"thread", OBJECT_LOCATION, cubex_begin_location},
};

bool cubex_anchor_fail(struct cubex_anchor_reader *reader, const char *what)
{
    if (reader->status == STATUS_OK)
        reader->status = error_set(reader->error, STATUS_INPUT, "%s: anchor.xml:%lu: %s",
                                   reader->path, XML_GetCurrentLineNumber(reader->parser), what);
    XML_StopParser(reader->parser, XML_FALSE);
    return false;
}

bool cubex_anchor_no_memory(struct cubex_anchor_reader *reader)
{
    if (reader->status == STATUS_OK)
        reader->status = error_memory(reader->error, reader->path);
    XML_StopParser(reader->parser, XML_FALSE);
    return false;
}

const char *cubex_anchor_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

uint32_t cubex_anchor_around(const struct cubex_anchor_reader *reader, enum cubex_object object)
{
    for (size_t i = reader->stack.count; i-- > 0;)
        if (reader->stack.items[i].object == object)
            return reader->stack.items[i].index;
    return CUBEX_NO_PARENT;
}

static void begin_element(void *data, const char *tag, const char **attributes)
{
    struct cubex_anchor_reader *reader = data;
    struct cubex_frame frame = {OBJECT_TEXT, 0};
    bool (*begin)(struct cubex_anchor_reader *, const char **, uint32_t *) = NULL;
    for (size_t i = 0; i < sizeof objects / sizeof *objects && !begin; i++)
        if (strcmp(objects[i].tag, tag) == 0) {
            frame.object = objects[i].object;
            begin = objects[i].begin;
        }
    reader->text.count = 0;
    if (reader->status != STATUS_OK)
        return;
    if (reader->stack.count == 0 && frame.object != OBJECT_CUBE)
        cubex_anchor_fail(reader, "not the description of a Cube file");
    else if (begin)
        begin(reader, attributes, &frame.index);
    else
        cubex_begin_detail(reader, tag, attributes);
    if (reader->status == STATUS_OK && !array_push(&reader->stack, frame))
        cubex_anchor_no_memory(reader);
}

static void end_element(void *data, const char *tag)
{
    struct cubex_anchor_reader *reader = data;
    if (reader->status != STATUS_OK)
        return;
    struct cubex_frame frame = reader->stack.items[--reader->stack.count];
    if (frame.object != OBJECT_TEXT || reader->stack.count == 0)
        return;
    if (!array_push(&reader->text, '\0'))
        cubex_anchor_no_memory(reader);
    else
        cubex_take_text(reader, &reader->stack.items[reader->stack.count - 1], tag,
                        reader->text.items);
    reader->text.count = 0;
}

static void take_characters(void *data, const char *text, int length)
{
    struct cubex_anchor_reader *reader = data;
    if (reader->status != STATUS_OK)
        return;
    if (!array_reserve(&reader->text, (size_t)length)) {
        cubex_anchor_no_memory(reader);
        return;
    }
    memcpy(reader->text.items + reader->text.count, text, (size_t)length);
    reader->text.count += (size_t)length;
}

static enum status parse(struct cubex_anchor_reader *reader, const unsigned char *data, size_t size)
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
            cubex_anchor_no_memory(reader);
        else
            cubex_anchor_fail(reader, XML_ErrorString(code));
    }
    if (reader->status == STATUS_OK)
        cubex_anchor_finish(reader);
    XML_ParserFree(reader->parser);
    return reader->status;
}

/* The anchor itself can be gzipped. */
static enum status unpack(const struct cubex_tar *tar, const struct cubex_member *member,
                          unsigned char **inflated, size_t *size, struct error *error)
{
    *inflated = NULL;
    *size = member->size;
    if (member->size >= 2 && member->data[0] == 0x1f && member->data[1] == 0x8b) {
        enum inflate_result result =
            cubex_inflate(member->data, member->size, ANCHOR_MAX, inflated, size);
        if (result == INFLATE_NO_MEMORY)
            return error_memory(error, tar->path);
        if (result != INFLATE_DONE)
            return error_set(error, STATUS_INPUT, "%s: %s: %s", tar->path, member->name,
                             cubex_inflate_text(result));
    }
    if (*size > ANCHOR_MAX)
        return error_set(error, STATUS_INPUT, "%s: %s is longer than 2 GiB", tar->path,
                         member->name);
    return STATUS_OK;
}

enum status cubex_anchor_read(const struct cubex_tar *tar, const struct cubex_member *member,
                              struct cubex_anchor *anchor, struct error *error)
{
    struct cubex_anchor_reader reader = {.path = tar->path, .error = error, .anchor = anchor};
    unsigned char *inflated;
    size_t size;
    *anchor = (struct cubex_anchor){.arena = arena_create()};
    if (!anchor->arena)
        return error_memory(error, tar->path);
    enum status status = unpack(tar, member, &inflated, &size, error);
    if (status == STATUS_OK)
        status = parse(&reader, inflated ? inflated : member->data, size);
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
