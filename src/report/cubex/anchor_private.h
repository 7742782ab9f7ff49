/* Shared by the two halves of the reader of anchor.xml: anchor_read.c walks through the elements,
 * anchor_objects.c stores their contents. */
#ifndef REPORT_CUBEX_ANCHOR_PRIVATE_H
#define REPORT_CUBEX_ANCHOR_PRIVATE_H

#include "base/map.h"
#include "report/cubex/anchor.h"

#include <expat.h>

enum cubex_object {
    OBJECT_TEXT, /* any other element */
    OBJECT_CUBE,
    OBJECT_METRIC,
    OBJECT_REGION,
    OBJECT_CALLPATH,
    OBJECT_NODE,
    OBJECT_GROUP,
    OBJECT_LOCATION,
};

struct cubex_frame {
    enum cubex_object object;
    uint32_t index; /* among its kind */
};

struct cubex_region {
    const char *name;
    bool mpi;
};

struct cubex_group {
    uint32_t node, rank;
};

struct cubex_place {
    uint32_t id, group, rank; /* rank within the group */
};

struct cubex_anchor_reader {
    const char *path; /* of the archive */
    struct error *error;
    enum status status; /* of the first error, which stops the parser */
    struct cubex_anchor *anchor;
    XML_Parser parser;
    ARRAY(struct cubex_frame) stack;
    ARRAY(char) text;
    ARRAY(struct cubex_region) regions;
    struct map region_index;   /* by id */
    ARRAY(const char *) nodes; /* names */
    ARRAY(struct cubex_group) groups;
    ARRAY(struct cubex_place) places;
};

/* All of these set the reader's error and return false if they fail. */
bool cubex_anchor_fail(struct cubex_anchor_reader *reader, const char *what);
bool cubex_anchor_no_memory(struct cubex_anchor_reader *reader);

/* NULL if the element has no such attribute. */
const char *cubex_anchor_attribute(const char **attributes, const char *name);
/* The number of the innermost open object of this kind; CUBEX_NO_PARENT if none is open. */
uint32_t cubex_anchor_around(const struct cubex_anchor_reader *reader, enum cubex_object object);

bool cubex_begin_cube(struct cubex_anchor_reader *reader, const char **attributes, uint32_t *index);
bool cubex_begin_metric(struct cubex_anchor_reader *reader, const char **attributes,
                        uint32_t *index);
bool cubex_begin_region(struct cubex_anchor_reader *reader, const char **attributes,
                        uint32_t *index);
bool cubex_begin_callpath(struct cubex_anchor_reader *reader, const char **attributes,
                          uint32_t *index);
bool cubex_begin_node(struct cubex_anchor_reader *reader, const char **attributes, uint32_t *index);
bool cubex_begin_group(struct cubex_anchor_reader *reader, const char **attributes,
                       uint32_t *index);
bool cubex_begin_location(struct cubex_anchor_reader *reader, const char **attributes,
                          uint32_t *index);
/* An element that is not an object, but may have relevant attributes. */
bool cubex_begin_detail(struct cubex_anchor_reader *reader, const char *tag,
                        const char **attributes);
/* The text of an element within the object `frame`. */
bool cubex_take_text(struct cubex_anchor_reader *reader, const struct cubex_frame *frame,
                     const char *tag, const char *text);
/* After the last element. */
bool cubex_anchor_finish(struct cubex_anchor_reader *reader);

#endif
