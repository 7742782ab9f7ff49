/* The definitions of an archive as read, with the ids of the archive, and their translation to
 * tables that refer to each other by index. */
#ifndef TRACE_LOAD_RAW_DEFINITIONS_H
#define TRACE_LOAD_RAW_DEFINITIONS_H

#include "base/array.h"
#include "base/status.h"
#include "trace/load/definition_ids.h"

#include <otf2/otf2.h>

struct raw_region {
    struct region region;
    uint64_t id;
    OTF2_StringRef name, canonical, description, file;
};

struct raw_group {
    struct group group;
    uint64_t id;
    OTF2_StringRef name;
};

struct raw_comm {
    struct communicator comm;
    uint64_t id;
    OTF2_StringRef name;
    OTF2_GroupRef group, remote;
    OTF2_CommRef parent;
};

struct raw_location {
    struct location location;
    OTF2_StringRef name;
    OTF2_LocationGroupRef group;
};

struct raw_location_group {
    struct location_group group;
    uint64_t id;
    OTF2_StringRef name;
    OTF2_SystemTreeNodeRef node;
};

struct raw_node {
    struct system_node node;
    uint64_t id;
    OTF2_StringRef name, class_name;
    OTF2_SystemTreeNodeRef parent;
};

struct raw_attribute {
    uint32_t id;
    OTF2_StringRef name;
};

struct raw_window {
    uint32_t id, name, comm, flags;
};

struct raw_dimension {
    struct cart_dimension dimension;
    uint32_t id;
    OTF2_StringRef name;
};

struct raw_grid {
    uint32_t id;
    OTF2_StringRef name;
    OTF2_CommRef comm;
    uint32_t dimension_count;
    const OTF2_CartDimensionRef *dimensions;
};

struct raw_place { /* of a rank in a grid */
    uint32_t grid, rank, dimension_count;
    const uint32_t *coordinates;
};

struct raw {
    struct definitions *definitions;
    struct definition_ids *ids;
    bool out_of_memory;
    ARRAY(const char *) strings;
    ARRAY(struct raw_region) regions;
    ARRAY(struct raw_group) groups;
    ARRAY(struct raw_comm) comms;
    ARRAY(struct raw_window) windows;
    ARRAY(struct raw_location) locations;
    struct id_map location_ids; /* for skipping locations that are defined twice */
    ARRAY(struct raw_location_group) location_groups;
    ARRAY(struct raw_node) nodes;
    ARRAY(struct raw_attribute) attributes;
    ARRAY(struct raw_dimension) dimensions;
    ARRAY(struct raw_grid) grids;
    ARRAY(struct raw_place) places;
};

/* Translates the definitions to raw->definitions and raw->ids. References to undefined items become
 * INDEX_NONE. False when memory is out. */
bool resolve_definitions(struct raw *raw);

/* Sets rank_count, rank_location and the ranks of all locations. */
enum status assign_ranks(struct definitions *definitions, const char *path, struct error *error);

/* Sets `mpi` and `self` of the communicators by their groups. Fails if a member is not a rank. Call
 * it after assign_ranks. */
enum status check_comms(struct definitions *definitions, const char *path, struct error *error);

#endif
