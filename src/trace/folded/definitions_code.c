/* Tables are stored field by field, not item by item, because equal neighbours are compressed
 * better. */
#include "trace/folded/definitions_code.h"

#include "base/name_set.h"
#include "trace/threads.h"

#include <stdlib.h>
#include <string.h>

struct definitions_coder {
    struct coder *coder;
    struct definitions *definitions;
    struct name_set texts;      /* writing */
    const char **known;         /* reading: [known_count] */
    uint32_t known_count, last; /* the text used last */
};

static void definitions_fail(struct definitions_coder *d)
{
    d->coder->failed = true;
}

/* Texts are numbered in the order of their first use. A text is stored as the difference to the
 * successor of the previous text. */
static void code_text(struct definitions_coder *d, const char **text)
{
    uint32_t number = 0;
    if (!d->coder->decoding) {
        number = name_set_text(&d->texts, *text ? *text : "", NULL);
        if (number == MAP_NONE) {
            definitions_fail(d);
            number = 0;
        }
    }
    code_u32_near(d->coder, &number, d->last + 1);
    d->last = number;
    if (!d->coder->decoding)
        return;
    *text = number < d->known_count ? d->known[number] : "";
    if (number >= d->known_count)
        definitions_fail(d);
}

/* The number of texts, then all texts, each ended by 0. */
static void write_texts(const struct name_set *texts, struct coder *coder)
{
    uint32_t count = (uint32_t)texts->items.count;
    code_u32(coder, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct name *name = &texts->items.items[i];
        coder->failed |= !bytes_put(&coder->written, name->data, name->size);
    }
}

static void read_texts(struct definitions_coder *d)
{
    struct coder *c = d->coder;
    code_count(c, &d->known_count, c->size - c->at);
    d->known =
        arena_alloc_array(d->definitions->arena, (size_t)d->known_count + 1, sizeof *d->known);
    if (!d->known) {
        definitions_fail(d);
        d->known_count = 0;
    }
    for (uint32_t i = 0; i < d->known_count; i++) {
        const char *text = (const char *)c->read + c->at;
        size_t length = strnlen(text, c->size - c->at);
        if (c->at + length >= c->size ||
            !(d->known[i] = arena_strndup(d->definitions->arena, text, length))) {
            definitions_fail(d);
            d->known_count = i;
            return;
        }
        c->at += length + 1;
    }
}

/* Codes the number of items and returns the table, which is allocated for reading. Each item has
 * `fields` fields of a byte or more. */
static void *code_table(struct definitions_coder *d, void *items, uint32_t *count, size_t size,
                        unsigned fields)
{
    const struct coder *c = d->coder;
    code_count(d->coder, count, c->decoding ? (c->size - c->at) / fields : UINT32_MAX);
    if (!d->coder->decoding)
        return items;
    void *table = arena_alloc_array(d->definitions->arena, (size_t)*count + 1, size);
    if (!table) {
        definitions_fail(d);
        *count = 0;
    }
    return table;
}

#define TABLE(d, items, count, fields) \
    ((items) = code_table((d), (items), &(count), sizeof *(items), (fields)))

/* Codes a field of all items; NEAR: the difference to the field of the previous item. */
#define EACH(code, items, count, field)       \
    for (uint32_t i_ = 0; i_ < (count); i_++) \
        code(c, &(items)[i_].field);
#define EACH_TEXT(items, count, field)        \
    for (uint32_t i_ = 0; i_ < (count); i_++) \
        code_text(d, &(items)[i_].field);
#define EACH_NEAR(code, items, count, field)  \
    for (uint32_t i_ = 0; i_ < (count); i_++) \
        code(c, &(items)[i_].field, i_ ? (items)[i_ - 1].field : 0);

static void code_properties(struct definitions_coder *d, struct definitions *t)
{
    struct coder *c = d->coder;
    code_number(c, &t->ticks_per_second);
    code_number(c, &t->global_offset);
    code_near(c, &t->realtime, UINT64_MAX);
    code_text(d, &t->creator);
    code_text(d, &t->machine);
    code_text(d, &t->description);
    TABLE(d, t->properties, t->property_count, 2);
    EACH_TEXT(t->properties, t->property_count, name)
    EACH_TEXT(t->properties, t->property_count, value)
}

/* MPI calls are found by name again when the archive is read, because later versions may know more
 * of them. */
static void code_call(struct coder *c, struct region *r)
{
    bool differs = !c->decoding && r->mpi_call != mpi_call_from_name(r->name);
    code_bool(c, &differs);
    if (c->decoding)
        r->mpi_call = differs ? MPI_CALL_NONE : mpi_call_from_name(r->name);
}

/* Codes a role as a letter, as in known_definitions. */
static void code_role(struct coder *c, uint8_t *role)
{
    uint8_t letter = (uint8_t)(*role + '0');
    code_u8(c, &letter);
    *role = (uint8_t)(letter - '0');
}

static void code_regions(struct definitions_coder *d, struct definitions *t)
{
    struct coder *c = d->coder;
    TABLE(d, t->regions, t->region_count, 10);
    EACH_TEXT(t->regions, t->region_count, name)
    EACH(code_role, t->regions, t->region_count, role)
    EACH_TEXT(t->regions, t->region_count, canonical)
    EACH_TEXT(t->regions, t->region_count, description)
    EACH_TEXT(t->regions, t->region_count, file)
    EACH_NEAR(code_u32_near, t->regions, t->region_count, begin_line)
    EACH_NEAR(code_u32_near, t->regions, t->region_count, end_line)
    EACH(code_u8, t->regions, t->region_count, paradigm)
    EACH(code_u32, t->regions, t->region_count, flags)
    for (uint32_t i = 0; i < t->region_count; i++)
        code_call(c, &t->regions[i]);
}

static void code_groups(struct definitions_coder *d, struct definitions *t)
{
    struct coder *c = d->coder;
    TABLE(d, t->groups, t->group_count, 5);
    EACH_TEXT(t->groups, t->group_count, name)
    EACH(code_u8, t->groups, t->group_count, type)
    EACH(code_u8, t->groups, t->group_count, paradigm)
    EACH(code_u32, t->groups, t->group_count, flags)
    for (uint32_t i = 0; i < t->group_count; i++) {
        struct group *g = &t->groups[i];
        TABLE(d, g->members, g->count, 1);
        for (uint32_t m = 0; m < g->count; m++)
            code_near(c, &g->members[m], m ? g->members[m - 1] + 1 : 0);
        if (c->decoding && !c->failed && !group_order(g, t->arena))
            definitions_fail(d);
    }
}

static void code_comms(struct definitions_coder *d, struct definitions *t)
{
    struct coder *c = d->coder;
    TABLE(d, t->comms, t->comm_count, 7);
    EACH_TEXT(t->comms, t->comm_count, name)
    EACH(code_u32, t->comms, t->comm_count, group)
    for (uint32_t i = 0; i < t->comm_count; i++) {
        code_u32_near(c, &t->comms[i].remote_group, INDEX_NONE);
        code_u32_near(c, &t->comms[i].parent, INDEX_NONE);
    }
    EACH(code_u32, t->comms, t->comm_count, flags)
    EACH(code_bool, t->comms, t->comm_count, self)
    EACH(code_bool, t->comms, t->comm_count, mpi)
    TABLE(d, t->windows, t->window_count, 4);
    EACH_TEXT(t->windows, t->window_count, name)
    EACH(code_u32, t->windows, t->window_count, comm)
    EACH_NEAR(code_u32_near, t->windows, t->window_count, own)
    EACH(code_u32, t->windows, t->window_count, flags)
}

static void code_locations(struct definitions_coder *d, struct definitions *t)
{
    struct coder *c = d->coder;
    TABLE(d, t->nodes, t->node_count, 3);
    EACH_TEXT(t->nodes, t->node_count, name)
    EACH_TEXT(t->nodes, t->node_count, class_name)
    for (uint32_t i = 0; i < t->node_count; i++)
        code_u32_near(c, &t->nodes[i].parent, INDEX_NONE);
    TABLE(d, t->location_groups, t->location_group_count, 3);
    EACH_TEXT(t->location_groups, t->location_group_count, name)
    EACH(code_u8, t->location_groups, t->location_group_count, type)
    EACH_NEAR(code_u32_near, t->location_groups, t->location_group_count, node)
    TABLE(d, t->locations, t->location_count, 8);
    EACH_NEAR(code_near, t->locations, t->location_count, id)
    EACH_TEXT(t->locations, t->location_count, name)
    EACH(code_u8, t->locations, t->location_count, type)
    EACH_NEAR(code_u32_near, t->locations, t->location_count, group)
    EACH_NEAR(code_u32_near, t->locations, t->location_count, rank)
    EACH_NEAR(code_near, t->locations, t->location_count, events)
    EACH(code_bool, t->locations, t->location_count, master)
    EACH(code_bool, t->locations, t->location_count, has_siblings)
    TABLE(d, t->rank_location, t->rank_count, 1);
    for (uint32_t i = 0; i < t->rank_count; i++)
        code_u32_near(c, &t->rank_location[i], i ? t->rank_location[i - 1] + 1 : 0);
    for (uint32_t i = 0; i < t->rank_count; i++)
        c->failed |= t->rank_location[i] != INDEX_NONE && t->rank_location[i] >= t->location_count;
}

static void code_calltree(struct definitions_coder *d, struct calltree *tree)
{
    struct coder *c = d->coder;
    uint32_t count = (uint32_t)tree->paths.count;
    code_count(c, &count, c->decoding ? (c->size - c->at) / 2 : UINT32_MAX);
    for (uint32_t i = 0; i < count && !c->failed; i++) {
        struct callpath path = {0};
        if (!c->decoding)
            path = tree->paths.items[i];
        code_u32_near(c, &path.parent, CALLPATH_NONE);
        code_u32(c, &path.region);
        if (!c->decoding)
            continue;
        if (path.region >= d->definitions->region_count ||
            (path.parent != CALLPATH_NONE && path.parent >= i) || !array_push(&tree->paths, path) ||
            !map_at(&tree->children, (uint64_t)path.parent << 32 | path.region, i))
            definitions_fail(d);
    }
}

/* Codes a text with its length, for texts that are not in the table of texts. */
static void code_own_text(struct definitions_coder *d, const char **text)
{
    struct coder *c = d->coder;
    uint32_t length = c->decoding ? 0 : (uint32_t)strlen(*text);
    code_u32(c, &length);
    if (!c->decoding) {
        c->failed |= !bytes_put(&c->written, *text, length);
        return;
    }
    *text = length <= c->size - c->at
                ? arena_strndup(d->definitions->arena, (const char *)c->read + c->at, length)
                : NULL;
    if (*text) {
        c->at += length;
    } else {
        *text = "";
        definitions_fail(d);
    }
}

/* The number of coordinates of a grid. Fails and returns 0 if its communicator is not defined or
 * the bytes are too few for it. */
static uint32_t coordinate_count(struct definitions_coder *d, const struct cart_grid *grid)
{
    const struct definitions *t = d->definitions;
    const struct coder *c = d->coder;
    const uint32_t group = grid->comm < t->comm_count ? t->comms[grid->comm].group : INDEX_NONE;
    const uint64_t count = group < t->group_count
                               ? (uint64_t)t->groups[group].count * grid->dimension_count
                               : UINT64_MAX;
    const bool usual = grid->dimension_count > 0 && grid->dimension_count <= UINT8_MAX;
    if (c->failed || (c->decoding && !usual) ||
        count > (c->decoding ? c->size - c->at : UINT32_MAX)) {
        definitions_fail(d);
        return 0;
    }
    return (uint32_t)count;
}

static void code_coordinates(struct definitions_coder *d, struct cart_grid *grid)
{
    struct coder *c = d->coder;
    const uint32_t count = coordinate_count(d, grid);
    if (c->decoding) {
        grid->coordinates =
            arena_alloc_array(d->definitions->arena, (size_t)count + 1, sizeof *grid->coordinates);
        if (!grid->coordinates)
            definitions_fail(d);
    }
    for (uint32_t i = 0; i < count && !c->failed; i++) {
        const uint32_t dimension = i % grid->dimension_count;
        uint32_t behind = grid->coordinates[i] + 1; /* 0: no place */
        code_u32(c, &behind);
        grid->coordinates[i] = behind - 1;
        const bool has_place = grid->coordinates[i - dimension] != INDEX_NONE;
        if (c->decoding && (behind > grid->dimensions[dimension].size || has_place != (behind > 0)))
            definitions_fail(d);
    }
}

void grids_code(struct coder *coder, struct definitions *definitions)
{
    struct coder *c = coder;
    struct definitions_coder d = {.coder = coder, .definitions = definitions};
    TABLE(&d, definitions->grids, definitions->grid_count, 3);
    for (uint32_t i = 0; i < definitions->grid_count; i++) {
        struct cart_grid *grid = &definitions->grids[i];
        code_own_text(&d, &grid->name);
        code_u32(c, &grid->comm);
        TABLE(&d, grid->dimensions, grid->dimension_count, 3);
        for (uint32_t k = 0; k < grid->dimension_count; k++)
            code_own_text(&d, &grid->dimensions[k].name);
        EACH(code_u32, grid->dimensions, grid->dimension_count, size)
        EACH(code_bool, grid->dimensions, grid->dimension_count, periodic)
        code_coordinates(&d, grid);
    }
}

/* Codes references to items of a table, which are allocated for reading; NULL: out of memory.
 * `optional`: INDEX_NONE is allowed. */
static uint32_t *code_references(struct definitions_coder *d, uint32_t *numbers, uint32_t count,
                                 uint32_t table_count, bool optional)
{
    struct coder *c = d->coder;
    if (c->decoding) /* each takes a byte or more */
        numbers = count <= c->size - c->at
                      ? arena_alloc_array(d->definitions->arena, (size_t)count + 1, sizeof *numbers)
                      : NULL;
    if (!numbers)
        definitions_fail(d);
    for (uint32_t i = 0; numbers && i < count; i++) {
        code_u32_near(c, &numbers[i], i ? numbers[i - 1] + 1 : 0);
        if (c->decoding && numbers[i] >= table_count && !(optional && numbers[i] == INDEX_NONE))
            definitions_fail(d);
    }
    return numbers;
}

/* The first rank of each MPI process. Fails unless the ranks of a process are adjacent, and the
 * processes ascend. */
static void find_first_ranks(struct definitions_coder *d, struct thread_ranks *t)
{
    const uint32_t ranks = d->definitions->rank_count;
    t->first_rank =
        arena_alloc_array(d->definitions->arena, (size_t)ranks + 1, sizeof *t->first_rank);
    if (!t->first_rank) {
        definitions_fail(d);
        return;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t process = t->mpi_process[r];
        if (process == t->mpi_process_count)
            t->first_rank[t->mpi_process_count++] = r;
        else if (process + 1 != t->mpi_process_count)
            definitions_fail(d);
    }
    t->first_rank[t->mpi_process_count] = ranks;
}

void threads_code(struct coder *coder, struct definitions *definitions)
{
    struct definitions_coder d = {.coder = coder, .definitions = definitions};
    struct thread_ranks *t = coder->decoding ? arena_alloc(definitions->arena, sizeof *t)
                                             : (struct thread_ranks *)definitions->threads;
    const uint32_t ranks = definitions->rank_count, comms = definitions->comm_count,
                   groups = definitions->group_count;
    if (!t) {
        coder->failed = true;
        return;
    }
    assert(coder->decoding || (t->total_comms == comms && t->total_groups == groups));
    t->total_comms = comms;
    t->total_groups = groups;
    code_count(coder, &t->comm_count, comms);
    code_count(coder, &t->group_count, groups);
    t->mpi_process = code_references(&d, t->mpi_process, ranks, ranks, false);
    t->thread = code_references(&d, t->thread, ranks, definitions->location_count, false);
    t->group_of = code_references(&d, t->group_of, 2 * t->comm_count, t->group_count, true);
    t->comm_of = code_references(&d, t->comm_of, comms, comms, false);
    t->recorded = code_references(&d, t->recorded, groups, t->group_count, true);
    t->window_comms = code_references(&d, t->window_comms, definitions->window_count, comms, false);
    for (uint32_t i = 0; coder->decoding && !coder->failed && i < t->comm_count; i++)
        coder->failed = t->group_of[2 * i] == INDEX_NONE;
    if (coder->decoding && !coder->failed)
        find_first_ranks(&d, t);
    definitions->threads = t;
}

static void code_all(struct definitions_coder *d, struct calltree *calltree)
{
    code_regions(d, d->definitions);
    code_properties(d, d->definitions);
    code_groups(d, d->definitions);
    code_comms(d, d->definitions);
    code_locations(d, d->definitions);
    code_calltree(d, calltree);
}

static void write_definitions(struct coder *coder, struct definitions *definitions,
                              struct calltree *calltree)
{
    struct coder tables = {0};
    struct definitions_coder d = {.coder = &tables, .definitions = definitions, .last = UINT32_MAX};
    code_all(&d, calltree);
    write_texts(&d.texts, coder);
    code_bytes(coder, tables.written.data, tables.written.size);
    coder->failed |= tables.failed;
    bytes_clear(&tables.written);
    name_set_clear(&d.texts);
}

void definitions_code(struct coder *coder, struct definitions **definitions,
                      struct calltree *calltree)
{
    if (!coder->decoding) {
        write_definitions(coder, *definitions, calltree);
        return;
    }
    struct arena *arena = arena_create();
    *definitions = arena ? arena_alloc(arena, sizeof **definitions) : NULL;
    if (!*definitions) {
        arena_destroy(arena);
        coder->failed = true;
        return;
    }
    (*definitions)->arena = arena;
    struct definitions_coder d = {.coder = coder, .definitions = *definitions, .last = UINT32_MAX};
    read_texts(&d);
    code_all(&d, calltree);
}
