/* The definitions of a built trace, and its life. */
#include "trace/build/trace_builder_private.h"

#include "base/call_role.h"

#include <assert.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t builder_vector(struct trace_builder *builder, const uint64_t *values, uint32_t count)
{
    if (!values)
        return INDEX_NONE;
    uint32_t number = name_set_add(&builder->counts, values, count * sizeof *values, NULL);
    builder->out_of_memory |= number == MAP_NONE;
    return number; /* MAP_NONE is INDEX_NONE */
}

static bool define_regions(struct trace_builder *builder, const char *program,
                           const char *const *names)
{
    struct definitions *d = builder->trace->definitions;
    uint32_t count = builder->own_regions + 3 + MPI_CALL_COUNT;
    d->regions = arena_alloc_array(d->arena, count, sizeof *d->regions);
    bool allocated = d->regions != NULL;
    for (uint32_t r = 0; r < count && allocated; r++) {
        struct region *region = &d->regions[r];
        enum mpi_call call = r >= mpi_region(builder, MPI_CALL_NONE)
                                 ? (enum mpi_call)(r - mpi_region(builder, MPI_CALL_NONE))
                                 : MPI_CALL_NONE;
        const char *name = r < builder->own_regions           ? names[r]
                           : r == program_region(builder)     ? program
                           : r == file_region(builder, false) ? "read"
                           : r == file_region(builder, true)  ? "write"
                           : call == MPI_CALL_NONE            ? ""
                                                              : mpi_call_infos[call].name;
        *region = (struct region){.description = "",
                                  .file = "",
                                  .role = OTF2_REGION_ROLE_CODE,
                                  .paradigm = OTF2_PARADIGM_USER,
                                  .mpi_call = call};
        region->name = region->canonical = arena_strdup(d->arena, name);
        allocated = region->name != NULL;
    }
    d->region_count = count;
    return allocated;
}

static void set_roles(struct trace_builder *builder)
{
    static const OTF2_RegionRole roles[] = {CALL_ROLES(CALL_ROLE_OF_OTF2)};
    struct definitions *d = builder->trace->definitions;
    d->regions[program_region(builder)].role = OTF2_REGION_ROLE_ARTIFICIAL;
    d->regions[program_region(builder)].paradigm = OTF2_PARADIGM_MEASUREMENT_SYSTEM;
    d->regions[file_region(builder, false)].role = OTF2_REGION_ROLE_FILE_IO;
    d->regions[file_region(builder, true)].role = OTF2_REGION_ROLE_FILE_IO;
    for (uint32_t call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++) {
        struct region *region = &d->regions[mpi_region(builder, (enum mpi_call)call)];
        region->paradigm = OTF2_PARADIGM_MPI;
        region->role = (uint8_t)roles[call_role((enum mpi_call)call)];
    }
}

static bool define_nodes(struct definitions *d, uint32_t ranks, uint32_t ranks_per_node)
{
    uint32_t nodes = (uint32_t)(((uint64_t)ranks + ranks_per_node - 1) / ranks_per_node);
    d->nodes = arena_alloc_array(d->arena, (size_t)nodes + 1, sizeof *d->nodes);
    if (!d->nodes)
        return false;
    d->node_count = nodes + 1;
    d->nodes[0] = (struct system_node){"predicted", "machine", INDEX_NONE};
    for (uint32_t n = 0; n < nodes; n++) {
        char name[32];
        snprintf(name, sizeof name, "node %u", n);
        d->nodes[n + 1] = (struct system_node){arena_strdup(d->arena, name), "node", 0};
        if (!d->nodes[n + 1].name)
            return false;
    }
    return true;
}

static bool define_locations(struct definitions *d, uint32_t ranks, uint32_t ranks_per_node)
{
    d->rank_count = d->location_count = d->location_group_count = ranks;
    d->locations = arena_alloc_array(d->arena, ranks, sizeof *d->locations);
    d->location_groups = arena_alloc_array(d->arena, ranks, sizeof *d->location_groups);
    d->rank_location = arena_alloc_array(d->arena, ranks, sizeof *d->rank_location);
    if (!d->locations || !d->location_groups || !d->rank_location)
        return false;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        char name[32];
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        d->locations[rank] = (struct location){.id = rank,
                                               .name = "Master thread",
                                               .type = OTF2_LOCATION_TYPE_CPU_THREAD,
                                               .group = rank,
                                               .rank = rank,
                                               .master = true};
        d->location_groups[rank] = (struct location_group){.name = arena_strdup(d->arena, name),
                                                           .type = OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                           .node = 1 + rank / ranks_per_node};
        d->rank_location[rank] = rank;
        if (!d->location_groups[rank].name)
            return false;
    }
    return true;
}

static bool define_group(struct trace_builder *builder, uint8_t type, const uint32_t *members,
                         uint32_t count)
{
    struct definitions *d = builder->trace->definitions;
    struct group group = {.name = "", .type = type, .paradigm = OTF2_PARADIGM_MPI, .count = count};
    group.members = arena_alloc_array(d->arena, (size_t)count + 1, sizeof *group.members);
    for (uint32_t i = 0; group.members && i < count; i++)
        group.members[i] = members ? members[i] : i;
    if (!group.members || !group_order(&group, d->arena) || !array_push(&builder->groups, group))
        return false;
    d->groups = builder->groups.items;
    d->group_count = (uint32_t)builder->groups.count;
    return true;
}

uint32_t builder_comm(struct trace_builder *builder, const char *name, uint32_t parent,
                      const uint32_t *members, uint32_t count)
{
    struct definitions *d = builder->trace->definitions;
    uint32_t number = (uint32_t)builder->comms.count;
    struct communicator comm = {.name = arena_strdup(d->arena, name),
                                .group = (uint32_t)builder->groups.count,
                                .remote_group = INDEX_NONE,
                                .parent = parent,
                                .mpi = true};
    uint32_t *ranks = realloc(builder->comm_ranks, ((size_t)number + 1) * sizeof *ranks);
    if (ranks) {
        builder->comm_ranks = ranks;
        ranks[number] = 0;
    }
    if (!ranks || !comm.name || !define_group(builder, GROUP_COMM_GROUP, members, count) ||
        !array_push(&builder->comms, comm)) {
        builder->out_of_memory = true;
        return BUILDER_WORLD;
    }
    d->comms = builder->comms.items;
    d->comm_count = (uint32_t)builder->comms.count;
    return number;
}

static bool define_properties(struct definitions *d)
{
    static const struct property properties[] = {
        {SILAS_PROPERTY_PREDICTED, "yes"},
        {SILAS_PROPERTY_EVENT_COST, "0"},
        {SILAS_PROPERTY_IN_PLACE, "recorded"},
    };
    d->properties = arena_memdup(d->arena, properties, sizeof properties);
    d->property_count = sizeof properties / sizeof *properties;
    return d->properties != NULL;
}

static bool define_trace(struct trace_builder *builder, const char *program, uint32_t ranks,
                         uint32_t ranks_per_node, const char *const *regions)
{
    struct arena *arena = arena_create();
    struct trace *trace = builder->trace;
    struct definitions *d = arena ? arena_alloc(arena, sizeof *d) : NULL;
    if (!d) {
        arena_destroy(arena);
        return false;
    }
    trace->definitions = d;
    d->arena = arena;
    d->built = true;
    d->ticks_per_second = BUILDER_TICKS_PER_SECOND;
    d->realtime = UINT64_MAX;
    d->creator = d->description = "";
    d->machine = "predicted";
    trace->rank_count = ranks;
    bool allocated = define_regions(builder, program, regions) &&
                     define_nodes(d, ranks, ranks_per_node) &&
                     define_locations(d, ranks, ranks_per_node) && define_properties(d) &&
                     define_group(builder, GROUP_COMM_LOCATIONS, NULL, ranks);
    if (allocated)
        set_roles(builder);
    if (allocated)
        builder_comm(builder, "MPI_COMM_WORLD", INDEX_NONE, NULL, ranks);
    return allocated && !builder->out_of_memory;
}

enum status builder_create(struct processes *processes, const char *program, uint32_t ranks,
                           uint32_t ranks_per_node, const char *const *regions,
                           uint32_t region_count, struct trace_builder **result,
                           struct error *error)
{
    assert(ranks > 0 && ranks_per_node > 0);
    struct trace_builder *builder = calloc(1, sizeof *builder);
    bool allocated = builder != NULL;
    if (allocated) {
        builder->processes = processes;
        builder->own_regions = region_count;
        builder->trace = calloc(1, sizeof *builder->trace);
        allocated = builder->trace != NULL;
    }
    if (allocated) {
        builder->trace->processes = processes;
        builder->trace->arena = arena_create();
        allocated = builder->trace->arena &&
                    define_trace(builder, program, ranks, ranks_per_node, regions) &&
                    trace_choose_streams(builder->trace, error) == STATUS_OK &&
                    (builder->trace->path = arena_strdup(builder->trace->arena, program));
    }
    enum status status = processes_agree_memory(processes, allocated, "the trace", error);
    if (status != STATUS_OK) {
        builder_destroy(builder);
        builder = NULL;
    }
    *result = builder;
    return status;
}

/* Frees the columns of a rank that was not completed. */
static void drop_rank(struct trace_builder *builder)
{
    if (!builder->stream)
        return;
    free(builder->stream->time);
    free(builder->stream->kind);
    free(builder->stream->arg);
    builder->stream = NULL;
}

void builder_destroy(struct trace_builder *builder)
{
    if (!builder)
        return;
    drop_rank(builder);
    if (builder->trace)
        trace_destroy(builder->trace);
    free(builder->comms.items);
    free(builder->groups.items);
    free(builder->comm_ranks);
    free(builder->frames.items);
    free(builder->messages.items);
    free(builder->collectives.items);
    name_set_clear(&builder->counts);
    free(builder);
}

uint32_t builder_first_rank(const struct trace_builder *builder)
{
    return builder->trace->first_rank;
}

uint32_t builder_owned_ranks(const struct trace_builder *builder)
{
    return builder->trace->owned_count;
}

/* Collective. Leaves out regions of calls that no rank makes. */
static enum status drop_unused_regions(struct trace_builder *builder, struct error *error)
{
    struct trace *trace = builder->trace;
    struct definitions *d = trace->definitions;
    int64_t used[MPI_CALL_COUNT + 2];
    for (uint32_t call = 0; call < MPI_CALL_COUNT; call++)
        used[call] = builder->used[call];
    used[MPI_CALL_COUNT] = builder->used_file[0];
    used[MPI_CALL_COUNT + 1] = builder->used_file[1];
    processes_max(builder->processes, used, MPI_CALL_COUNT + 2);
    uint32_t *renumbered = malloc(d->region_count * sizeof *renumbered), kept = 0;
    enum status status =
        processes_agree_memory(builder->processes, renumbered != NULL, "regions", error);
    if (status != STATUS_OK) {
        free(renumbered);
        return status;
    }
    for (uint32_t r = 0; r < d->region_count; r++) {
        bool wanted = r <= program_region(builder) ||
                      (r == file_region(builder, false) && used[MPI_CALL_COUNT]) ||
                      (r == file_region(builder, true) && used[MPI_CALL_COUNT + 1]) ||
                      (r >= mpi_region(builder, MPI_CALL_NONE) &&
                       used[r - mpi_region(builder, MPI_CALL_NONE)]);
        renumbered[r] = kept;
        if (wanted)
            d->regions[kept++] = d->regions[r];
    }
    d->region_count = kept;
    for (size_t p = 0; p < trace->calltree.paths.count; p++)
        trace->calltree.paths.items[p].region = renumbered[trace->calltree.paths.items[p].region];
    free(renumbered);
    return STATUS_OK;
}

/* The children map still has the old numbers of regions. */
static bool rebuild_calltree(struct calltree *tree)
{
    struct calltree fresh = {0};
    bool allocated = true;
    for (size_t p = 0; p < tree->paths.count && allocated; p++)
        allocated =
            calltree_child(&fresh, tree->paths.items[p].parent, tree->paths.items[p].region) == p;
    calltree_clear(allocated ? tree : &fresh);
    if (allocated)
        *tree = fresh;
    return allocated;
}

/* Collective. One call tree for all processes. */
static enum status unify_paths(struct trace_builder *builder, struct error *error)
{
    struct trace *trace = builder->trace;
    uint32_t *remap;
    bool rebuilt = rebuild_calltree(&trace->calltree);
    enum status status = processes_agree_memory(builder->processes, rebuilt, "call paths", error);
    if (status == STATUS_OK)
        status = calltree_unify(&trace->calltree, builder->processes, &remap, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t row = 0; row < trace->streams[s].count; row++)
            if (event_opens(trace->streams[s].kind[row]))
                trace->streams[s].arg[row] = remap[trace->streams[s].arg[row]];
    free(remap);
    return STATUS_OK;
}

/* Collective. Makes one group of each vector that occurs on any process, in the order of ranks, and
 * sets groups[number] of this process's vectors; `groups` has room for them. */
static enum status share_vectors(struct trace_builder *builder, uint32_t *groups,
                                 struct error *error)
{
    ARRAY(uint64_t) words = {0}; /* of each vector: its length, its values */
    struct name_set all = {0};
    bool allocated = true;
    for (size_t v = 0; v < builder->counts.items.count && allocated; v++) {
        const struct name *vector = &builder->counts.items.items[v];
        uint64_t length = vector->size / sizeof(uint64_t);
        allocated = array_push(&words, length) && array_reserve(&words, length);
        if (allocated && length > 0)
            memcpy(&words.items[words.count], vector->data, vector->size);
        words.count += allocated ? length : 0;
    }
    enum status status = processes_agree_memory(builder->processes, allocated, "counts", error);
    if (status == STATUS_OK)
        status = processes_share(builder->processes, &words, "counts", error);
    uint32_t first = (uint32_t)builder->groups.count;
    for (size_t w = 0; status == STATUS_OK && allocated && w < words.count;
         w += 1 + words.items[w]) {
        bool added;
        struct group group = {.name = SILAS_COUNTS_GROUP_NAME,
                              .type = GROUP_UNKNOWN,
                              .paradigm = OTF2_PARADIGM_MPI,
                              .count = (uint32_t)words.items[w]};
        size_t size = words.items[w] * sizeof(uint64_t);
        allocated = name_set_add(&all, &words.items[w + 1], size, &added) != MAP_NONE;
        if (!allocated || !added)
            continue;
        group.members = arena_memdup(builder->trace->definitions->arena, &words.items[w + 1], size);
        allocated = group.members && array_push(&builder->groups, group);
    }
    for (size_t v = 0; v < builder->counts.items.count && status == STATUS_OK && allocated; v++) {
        const struct name *vector = &builder->counts.items.items[v];
        groups[v] = first + name_set_add(&all, vector->data, vector->size, NULL);
    }
    name_set_clear(&all);
    free(words.items);
    return status == STATUS_OK
               ? processes_agree_memory(builder->processes, allocated, "counts", error)
               : status;
}

static void renumber_vectors(struct trace *trace, const uint32_t *groups)
{
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            struct collective *collective = &trace->streams[s].collectives[c];
            uint32_t *vectors[] = {&collective->send_counts, &collective->receive_counts,
                                   &collective->destinations, &collective->sources};
            for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
                if (*vectors[v] != INDEX_NONE)
                    *vectors[v] = groups[*vectors[v]];
        }
}

/* Collective. Completes regions, communicators, groups and locations, and renumbers the references
 * of events to them. */
static enum status builder_complete_definitions(struct trace_builder *builder, struct error *error)
{
    struct definitions *d = builder->trace->definitions;
    uint32_t *groups = malloc((builder->counts.items.count + 1) * sizeof *groups);
    enum status status =
        processes_agree_memory(builder->processes, groups != NULL, "counts", error);
    if (status == STATUS_OK)
        status = share_vectors(builder, groups, error);
    if (status == STATUS_OK) {
        renumber_vectors(builder->trace, groups);
        status = drop_unused_regions(builder, error);
    }
    free(groups);
    if (status == STATUS_OK)
        status = unify_paths(builder, error);
    if (status != STATUS_OK)
        return status;
    d->group_count = (uint32_t)builder->groups.count;
    d->groups = arena_adopt(d->arena, builder->groups.items);
    d->comms = arena_adopt(d->arena, builder->comms.items);
    builder->groups.items = NULL;
    builder->comms.items = NULL;
    return processes_agree_memory(builder->processes, d->groups && d->comms, "definitions", error);
}

enum status builder_finish(struct trace_builder *builder, enum status status, struct trace **trace,
                           struct error *error)
{
    *trace = NULL;
    if (status == STATUS_OK && builder->out_of_memory)
        status = error_memory(error, "the trace");
    assert(status != STATUS_OK || builder->begun == builder->trace->owned_count);
    status = processes_agree(builder->processes, status, error);
    if (status == STATUS_OK)
        status = builder_complete_definitions(builder, error);
    if (status != STATUS_OK)
        return status;
    trace_update_span(builder->trace);
    *trace = builder->trace;
    builder->trace = NULL;
    return STATUS_OK;
}
