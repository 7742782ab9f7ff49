/* Definitions may occur in any order and twice (EZTrace). So all are stored as read, with the
 * archive's ids; after the last one names and references are resolved. */
#include "trace/load/load_private.h"
#include "trace/load/raw_definitions.h"

#include "trace/otf2_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static OTF2_CallbackCode callback_result(struct raw *raw, bool kept)
{
    raw->out_of_memory |= !kept;
    return kept ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    struct definitions *definitions = ((struct raw *)data)->definitions;
    definitions->ticks_per_second = resolution;
    definitions->global_offset = offset;
    definitions->length = length;
    definitions->realtime = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
    struct raw *raw = data;
    char *copy = arena_strdup(raw->definitions->arena, text);
    return callback_result(
        raw, copy && array_push(&raw->strings, copy) &&
                 id_map_set(&raw->ids->strings, self, (uint32_t)raw->strings.count - 1));
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    (void)description;
    (void)type;
    struct raw *raw = data;
    return callback_result(raw, array_push(&raw->attributes, ((struct raw_attribute){self, name})));
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    struct raw *raw = data;
    struct raw_node node = {{0}, self, name, class_name, parent};
    return callback_result(raw, array_push(&raw->nodes, node));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    (void)creator;
    struct raw *raw = data;
    struct raw_location_group group = {{.type = type}, self, name, node};
    return callback_result(raw, array_push(&raw->location_groups, group));
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct raw *raw = data;
    if (id_map_get(&raw->location_ids, self) != INDEX_NONE)
        return OTF2_CALLBACK_SUCCESS;
    if (!id_map_set(&raw->location_ids, self, (uint32_t)raw->locations.count))
        return callback_result(raw, false);
    struct raw_location location = {
        {.id = self, .type = type, .events = events, .rank = INDEX_NONE}, name, group};
    return callback_result(raw, array_push(&raw->locations, location));
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    struct raw *raw = data;
    struct raw_region region = {
        {.begin_line = begin, .end_line = end, .role = role, .paradigm = paradigm, .flags = flags},
        self,
        name,
        canonical,
        description,
        file};
    return callback_result(raw, array_push(&raw->regions, region));
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t count, const uint64_t *members)
{
    struct raw *raw = data;
    struct raw_group group = {
        {.type = type, .paradigm = paradigm, .flags = flags, .count = count}, self, name};
    group.group.members = arena_memdup(raw->definitions->arena, members, count * sizeof *members);
    return callback_result(raw, group.group.members && array_push(&raw->groups, group));
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef group, OTF2_GroupRef remote,
                                       OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct raw *raw = data;
    struct raw_comm comm = {{.flags = flags}, self, name, group, remote, parent};
    return callback_result(raw, array_push(&raw->comms, comm));
}

static OTF2_CallbackCode on_communicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef group, OTF2_CommRef parent,
                                         OTF2_CommFlag flags)
{
    return on_inter_comm(data, self, name, group, OTF2_UNDEFINED_GROUP, parent, flags);
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
                                   OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    struct raw *raw = data;
    return callback_result(
        raw, array_push(&raw->windows, ((struct raw_window){self, name, comm, flags})));
}

static OTF2_CallbackCode on_dimension(void *data, OTF2_CartDimensionRef self, OTF2_StringRef name,
                                      uint32_t size, OTF2_CartPeriodicity periodicity)
{
    struct raw *raw = data;
    const struct raw_dimension dimension = {
        {.size = size, .periodic = periodicity == OTF2_CART_PERIODIC_TRUE}, self, name};
    return callback_result(raw, array_push(&raw->dimensions, dimension));
}

static OTF2_CallbackCode on_grid(void *data, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                 OTF2_CommRef comm, uint8_t count,
                                 const OTF2_CartDimensionRef *dimensions)
{
    struct raw *raw = data;
    const struct raw_grid grid = {
        self, name, comm, count,
        arena_memdup(raw->definitions->arena, dimensions, count * sizeof *dimensions)};
    return callback_result(raw, grid.dimensions && array_push(&raw->grids, grid));
}

static OTF2_CallbackCode on_place(void *data, OTF2_CartTopologyRef grid, uint32_t rank,
                                  uint8_t count, const uint32_t *coordinates)
{
    struct raw *raw = data;
    const struct raw_place place = {
        grid, rank, count,
        arena_memdup(raw->definitions->arena, coordinates, count * sizeof *coordinates)};
    return callback_result(raw, place.coordinates && array_push(&raw->places, place));
}

/* True if the file of definitions of the archive lacks its end. OTF2's reader would read
 * memory that it has not written, and may allocate any size. */
static bool is_cut_off(const char *anchor)
{
    enum { END_OF_FILE = 1 }; /* the last byte of each file of OTF2 */
    const size_t length = strlen(anchor), ending = strlen(".otf2");
    char *path = NULL;
    int last = END_OF_FILE;
    if (length <= ending || asprintf(&path, "%.*s.def", (int)(length - ending), anchor) < 0)
        return false;
    FILE *file = fopen(path, "rb");
    if (file && fseek(file, -1, SEEK_END) == 0)
        last = getc(file);
    if (file)
        fclose(file);
    free(path);
    return last != END_OF_FILE;
}

static OTF2_ErrorCode read_raw(OTF2_Reader *reader, struct raw *raw)
{
    OTF2_GlobalDefReader *def_reader = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
    raw->out_of_memory = !on;
    if (def_reader && on) {
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(on, on_clock);
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_string);
        OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(on, on_attribute);
        OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(on, on_node);
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(on, on_location_group);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on, on_region);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on, on_group);
        OTF2_GlobalDefReaderCallbacks_SetCommCallback(on, on_communicator);
        OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(on, on_inter_comm);
        OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(on, on_window);
        OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(on, on_dimension);
        OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(on, on_grid);
        OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(on, on_place);
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, def_reader, on, raw);
        uint64_t read;
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_ReadAllGlobalDefinitions(reader, def_reader, &read);
    }
    if (on)
        OTF2_GlobalDefReaderCallbacks_Delete(on);
    if (def_reader)
        OTF2_Reader_CloseGlobalDefReader(reader, def_reader); /* it has a buffer of a MiB or more */
    return code;
}

static bool read_properties(OTF2_Reader *reader, struct definitions *d)
{
    char *text_of[3] = {0};
    OTF2_Reader_GetCreator(reader, &text_of[0]);
    OTF2_Reader_GetMachineName(reader, &text_of[1]);
    OTF2_Reader_GetDescription(reader, &text_of[2]);
    const char **places[3] = {&d->creator, &d->machine, &d->description};
    bool allocated = true;
    for (int i = 0; i < 3; i++) {
        *places[i] = arena_strdup(d->arena, text_of[i] ? text_of[i] : "");
        allocated &= *places[i] != NULL;
        free(text_of[i]);
    }
    uint32_t count = 0;
    char **names = NULL;
    if (!allocated || OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS)
        return allocated;
    d->properties = arena_alloc_array(d->arena, count + 1, sizeof *d->properties);
    for (uint32_t i = 0; d->properties && i < count; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(reader, names[i], &value) != OTF2_SUCCESS)
            continue;
        struct property property = {arena_strdup(d->arena, names[i]),
                                    arena_strdup(d->arena, value)};
        free(value);
        if (!property.name || !property.value)
            return false;
        d->properties[d->property_count++] = property;
    }
    free(names); /* one block, which includes the strings */
    return d->properties != NULL;
}

static enum status resolve_references(struct raw *raw, OTF2_Reader *reader, const char *path,
                                      struct error *error)
{
    struct definitions *d = raw->definitions;
    if (!resolve_definitions(raw) || !read_properties(reader, d))
        return error_memory(error, "definitions");
    if (d->ticks_per_second == 0)
        return error_set(error, STATUS_INPUT, "%s: the archive does not define its clock", path);
    enum status status = assign_ranks(d, path, error);
    return status == STATUS_OK ? check_comms(d, path, error) : status;
}

enum status load_definitions(OTF2_Reader *reader, const char *path,
                             struct definitions **definitions, struct definition_ids *ids,
                             struct error *error)
{
    struct arena *arena = arena_create();
    struct raw raw = {.ids = ids};
    raw.definitions = arena ? arena_alloc(arena, sizeof *raw.definitions) : NULL;
    if (!raw.definitions) {
        arena_destroy(arena);
        return error_memory(error, "definitions");
    }
    raw.definitions->arena = arena;
    const bool cut_off = is_cut_off(path);
    OTF2_ErrorCode code = cut_off ? OTF2_ERROR_INTEGRITY_FAULT : read_raw(reader, &raw);
    enum status status = STATUS_OK;
    if (cut_off)
        status = error_set(error, STATUS_INPUT,
                           "%s: the definitions of this archive cannot be read (their file is cut "
                           "off)",
                           path);
    else if (raw.out_of_memory)
        status = error_memory(error, "definitions");
    else if (code != OTF2_SUCCESS)
        status = error_set(error, STATUS_INPUT,
                           "%s: the definitions of this archive cannot be read (%s)", path,
                           otf2_error_text(code));
    else
        status = resolve_references(&raw, reader, path, error);
    free(raw.strings.items);
    free(raw.regions.items);
    free(raw.groups.items);
    free(raw.comms.items);
    free(raw.windows.items);
    free(raw.locations.items);
    id_map_clear(&raw.location_ids);
    free(raw.location_groups.items);
    free(raw.nodes.items);
    free(raw.attributes.items);
    free(raw.dimensions.items);
    free(raw.grids.items);
    free(raw.places.items);
    if (status != STATUS_OK) {
        definition_ids_clear(ids);
        arena_destroy(arena);
        return status;
    }
    *definitions = raw.definitions;
    return STATUS_OK;
}
