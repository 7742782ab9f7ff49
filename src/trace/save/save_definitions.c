#include "trace/save/save_private.h"

#include "base/name_set.h"
#include "base/otf2_attributes.h"
#include "trace/environment.h"
#include "trace/spawned.h"
#include "trace/threads.h"

#include <stdlib.h>
#include <string.h>

/* True for regions that stand for programs, which a ProgramBegin opens at the root
 * (trace/load/load.c adds them). */
static bool region_is_program(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_ARTIFICIAL &&
           (region->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM ||
            region->paradigm == OTF2_PARADIGM_USER) &&
           region->mpi_call == MPI_CALL_NONE;
}

uint32_t saved_program_string(const struct trace *trace, uint32_t region)
{
    assert(region < trace->definitions->region_count);
    uint32_t id = SAVED_STRING_EMPTY + 1;
    for (uint32_t r = 0; r < region; r++)
        id += region_is_program(&trace->definitions->regions[r]);
    return id;
}

struct saver {
    OTF2_GlobalDefWriter *writer;
    const struct trace *trace;
    struct name_set strings; /* the archive's string table, ids in order of first use */
    bool failed;
};

static OTF2_StringRef string_id(struct saver *s, const char *value)
{
    bool added;
    uint32_t id = name_set_text(&s->strings, value ? value : "", &added);
    if (id == MAP_NONE)
        s->failed = true;
    else if (added && OTF2_GlobalDefWriter_WriteString(s->writer, id, value) != OTF2_SUCCESS)
        s->failed = true;
    return id;
}

static void note_failure(struct saver *s, OTF2_ErrorCode code)
{
    s->failed |= code != OTF2_SUCCESS;
}

static uint32_t optional(uint32_t index)
{
    return index == INDEX_NONE ? UINT32_MAX
                               : index; /* OTF2's undefined references are all ones too */
}

static void write_programs(struct saver *s)
{
    const struct definitions *d = s->trace->definitions;
    string_id(s, "");
    uint32_t expected = SAVED_STRING_EMPTY + 1;
    for (uint32_t r = 0; r < d->region_count; r++) {
        if (!region_is_program(&d->regions[r]))
            continue;
        note_failure(
            s, OTF2_GlobalDefWriter_WriteString(s->writer, expected, d->regions[r].canonical));
        /* a separate number even if another name is equal, because no text begins with a 0 byte */
        char key[1 + sizeof expected] = {'\0'};
        memcpy(key + 1, &expected, sizeof expected);
        s->failed |= name_set_add(&s->strings, key, sizeof key, NULL) != expected;
        expected++;
    }
}

static void write_clock_properties(struct saver *s)
{
    const struct trace *t = s->trace;
    uint64_t length = t->end - t->begin;
    note_failure(s, OTF2_GlobalDefWriter_WriteClockProperties(
                        s->writer, t->definitions->ticks_per_second, t->begin, length ? length : 1,
                        t->definitions->realtime));
}

/* Sets nodes[location group] to the node of the rank's place. */
static void place_groups(const struct trace *trace, uint32_t *nodes)
{
    const struct definitions *d = trace->definitions;
    for (uint32_t i = 0; i < d->location_group_count; i++)
        nodes[i] = d->location_groups[i].node;
    if (!trace->environment || !trace->environment->place)
        return;
    for (uint32_t rank = 0; rank < d->rank_count; rank++) {
        uint32_t location = d->rank_location[rank];
        uint32_t there = d->rank_location[trace->environment->place[rank]];
        if (location == INDEX_NONE || there == INDEX_NONE)
            continue;
        uint32_t group = d->locations[location].group, from = d->locations[there].group;
        if (group != INDEX_NONE)
            nodes[group] = from == INDEX_NONE ? INDEX_NONE : d->location_groups[from].node;
    }
}

/* Sets creators[location group] to the group of the process that has started it. */
static void find_creators(const struct definitions *d, uint32_t *creators)
{
    memset(creators, 0xff, d->location_group_count * sizeof *creators); /* INDEX_NONE */
    for (uint32_t rank = 0; rank < d->rank_count; rank++) {
        const uint32_t creator = spawned_creator(d, rank), location = d->rank_location[rank];
        const uint32_t from = creator == INDEX_NONE ? INDEX_NONE : d->rank_location[creator];
        if (from != INDEX_NONE && location != INDEX_NONE &&
            d->locations[location].group != INDEX_NONE)
            creators[d->locations[location].group] = d->locations[from].group;
    }
}

static void save_system_tree(struct saver *s, const int64_t *event_counts)
{
    const struct definitions *d = s->trace->definitions;
    uint32_t *nodes = malloc(2 * ((size_t)d->location_group_count + 1) * sizeof *nodes);
    uint32_t *creators = nodes ? nodes + d->location_group_count : NULL;
    if (!nodes) {
        s->failed = true;
        return;
    }
    place_groups(s->trace, nodes);
    find_creators(d, creators);
    for (uint32_t i = 0; i < d->node_count; i++) {
        OTF2_StringRef name = string_id(s, d->nodes[i].name),
                       class = string_id(s, d->nodes[i].class_name);
        note_failure(s, OTF2_GlobalDefWriter_WriteSystemTreeNode(s->writer, i, name, class,
                                                                 optional(d->nodes[i].parent)));
    }
    for (uint32_t i = 0; i < d->location_group_count; i++) {
        const struct location_group *g = &d->location_groups[i];
        note_failure(s, OTF2_GlobalDefWriter_WriteLocationGroup(s->writer, i, string_id(s, g->name),
                                                                g->type, optional(nodes[i]),
                                                                optional(creators[i])));
    }
    for (uint32_t i = 0; i < d->location_count; i++) {
        const struct location *l = &d->locations[i];
        note_failure(s, OTF2_GlobalDefWriter_WriteLocation(s->writer, l->id, string_id(s, l->name),
                                                           l->type, (uint64_t)event_counts[i],
                                                           optional(l->group)));
    }
    free(nodes);
}

static void write_region_definitions(struct saver *s)
{
    const struct definitions *d = s->trace->definitions;
    for (uint32_t i = 0; i < d->region_count; i++) {
        const struct region *r = &d->regions[i];
        OTF2_StringRef name = string_id(s, region_plain_name(r)),
                       canonical = string_id(s, r->canonical);
        OTF2_StringRef description = string_id(s, r->description), file = string_id(s, r->file);
        note_failure(s, OTF2_GlobalDefWriter_WriteRegion(s->writer, i, name, canonical, description,
                                                         r->role, r->paradigm, r->flags, file,
                                                         r->begin_line, r->end_line));
    }
}

static void write_comms(struct saver *s)
{
    const struct definitions *d = s->trace->definitions;
    for (uint32_t i = 0; i < d->group_count; i++) {
        const struct group *g = &d->groups[i];
        if (group_is_recorded(d, i))
            note_failure(s, OTF2_GlobalDefWriter_WriteGroup(
                                s->writer, recorded_group(d, i), string_id(s, g->name), g->type,
                                g->paradigm, g->flags, g->count, g->members));
    }
    for (uint32_t i = 0; i < recorded_comm_count(d); i++) {
        const struct communicator *c = &d->comms[i];
        OTF2_StringRef name = string_id(s, c->name);
        if (c->remote_group == INDEX_NONE)
            note_failure(s, OTF2_GlobalDefWriter_WriteComm(s->writer, i, name,
                                                           recorded_group_of(d, i, false),
                                                           optional(c->parent), c->flags));
        else
            note_failure(s, OTF2_GlobalDefWriter_WriteInterComm(
                                s->writer, i, name, recorded_group_of(d, i, false),
                                recorded_group_of(d, i, true), optional(c->parent), c->flags));
    }
}

static void write_windows(struct saver *s)
{
    const struct definitions *d = s->trace->definitions;
    for (uint32_t i = 0; i < d->window_count; i++) {
        const struct rma_window *w = &d->windows[i];
        OTF2_StringRef name = string_id(s, w->name);
        note_failure(s, OTF2_GlobalDefWriter_WriteRmaWin(s->writer, i, name,
                                                         recorded_window_comm(d, i), w->flags));
    }
}

/* Dimensions are numbered over all grids. */
static void write_grids(struct saver *s)
{
    const struct definitions *d = s->trace->definitions;
    uint32_t first = 0;
    for (uint32_t i = 0; i < d->grid_count; i++) {
        const struct cart_grid *grid = &d->grids[i];
        const uint8_t count = (uint8_t)grid->dimension_count;
        const uint32_t members = d->groups[recorded_group_of(d, grid->comm, false)].count;
        OTF2_CartDimensionRef dimensions[UINT8_MAX];
        for (uint8_t k = 0; k < count; k++) {
            dimensions[k] = first++;
            note_failure(s, OTF2_GlobalDefWriter_WriteCartDimension(
                                s->writer, dimensions[k], string_id(s, grid->dimensions[k].name),
                                grid->dimensions[k].size, grid->dimensions[k].periodic));
        }
        note_failure(s, OTF2_GlobalDefWriter_WriteCartTopology(
                            s->writer, i, string_id(s, grid->name), grid->comm, count, dimensions));
        for (uint32_t rank = 0; rank < members; rank++) {
            const uint32_t *place = grid->coordinates + (size_t)rank * count;
            if (place[0] != INDEX_NONE)
                note_failure(
                    s, OTF2_GlobalDefWriter_WriteCartCoordinate(s->writer, i, rank, count, place));
        }
    }
}

static void write_attribute_definitions(struct saver *s)
{
#define X(identifier, name, type, description)                                       \
    note_failure(s, OTF2_GlobalDefWriter_WriteAttribute(                             \
                        s->writer, SILAS_ATTRIBUTE_##identifier, string_id(s, name), \
                        string_id(s, description), OTF2_TYPE_##type));
    SILAS_ATTRIBUTES(X)
#undef X
}

enum status save_definitions(OTF2_Archive *archive, const struct trace *trace,
                             const int64_t *event_counts, struct error *error)
{
    struct saver s = {.writer = OTF2_Archive_GetGlobalDefWriter(archive), .trace = trace};
    s.failed = s.writer == NULL;
    if (!s.failed) {
        write_programs(&s);
        write_clock_properties(&s);
        note_failure(&s, OTF2_GlobalDefWriter_WriteParadigm(s.writer, OTF2_PARADIGM_MPI,
                                                            string_id(&s, "MPI"),
                                                            OTF2_PARADIGM_CLASS_PROCESS));
        save_system_tree(&s, event_counts);
        write_region_definitions(&s);
        write_comms(&s);
        write_windows(&s);
        write_grids(&s);
        write_attribute_definitions(&s);
        OTF2_Archive_CloseGlobalDefWriter(archive, s.writer);
    }
    name_set_clear(&s.strings);
    return s.failed ? error_set(error, STATUS_ENVIRONMENT,
                                "the definitions of the archive cannot be written")
                    : STATUS_OK;
}
