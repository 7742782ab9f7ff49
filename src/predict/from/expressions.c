#include "predict/from/expressions.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_MOST = 16384 }; /* different values that may depend on loops */

static const char *const loop_names[VALUE_INDICES] = {"i", "j", "k", "l", "ii", "jj", "kk", "peer"};

const char *loop_variable(uint32_t depth)
{
    return depth < VALUE_DEPTH_MOST ? loop_names[depth] : "";
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

static enum status check_name(const char *name, const char *path, struct error *error)
{
    bool taken = strcmp(name, "rank") == 0 || strcmp(name, "size") == 0;
    for (int i = 0; i < VALUE_INDICES; i++)
        taken |= strcmp(name, loop_names[i]) == 0;
    if (is_name(name) && !taken)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s: \"%s\" cannot be the name of a parameter%s", path,
                     name, taken ? ": scripts use it for something else" : "");
}

static enum status parameter_values(const struct steps *steps, const char *name, double *values,
                                    struct error *error)
{
    for (uint32_t p = 0; p < steps->program_count; p++) {
        const struct recording *recording = steps->programs[p].recording;
        uint32_t i = 0;
        while (i < recording->count && strcmp(recording->names[i], name) != 0)
            i++;
        if (i == recording->count)
            return error_set(error, STATUS_INPUT,
                             "%s: the value of the parameter \"%s\" is missing, which another "
                             "recording has: say %s:%s=...",
                             recording->path, name, recording->path, name);
        values[p] = recording->values[i];
    }
    return STATUS_OK;
}

enum status expressions_open(struct expressions *expressions, const struct steps *steps,
                             struct error *error)
{
    uint32_t most = 0, programs = steps->program_count;
    for (uint32_t p = 0; p < programs; p++)
        most += steps->programs[p].recording->count;
    *expressions = (struct expressions){.steps = steps, .arena = arena_create()};
    struct arena *arena = expressions->arena;
    if (arena) {
        expressions->sizes = arena_alloc_array(arena, programs + 1, sizeof *expressions->sizes);
        expressions->parameters =
            arena_alloc_array(arena, most + 1, sizeof *expressions->parameters);
    }
    if (!arena || !expressions->sizes || !expressions->parameters)
        return error_memory(error, "the expressions of a script");
    enum status status = STATUS_OK;
    for (uint32_t p = 0; p < programs && status == STATUS_OK; p++) {
        const struct recording *recording = steps->programs[p].recording;
        expressions->sizes[p] = steps->programs[p].trace->rank_count;
        for (uint32_t i = 0; i < recording->count && status == STATUS_OK; i++) {
            const char *name = recording->names[i];
            bool known = false;
            for (uint32_t k = 0; k < expressions->parameter_count; k++)
                known |= strcmp(expressions->parameters[k].name, name) == 0;
            if (known)
                continue;
            double *values = arena_alloc_array(arena, programs, sizeof *values);
            if (!values)
                return error_memory(error, "the expressions of a script");
            status = check_name(name, recording->path, error);
            if (status == STATUS_OK)
                status = parameter_values(steps, name, values, error);
            expressions->parameters[expressions->parameter_count++] =
                (struct fit_parameter){name, values};
        }
    }
    return status;
}

void expressions_clear(struct expressions *expressions)
{
    free(expressions->helpers.list.items);
    free(expressions->tables.items);
    free(expressions->known.items);
    map_clear(&expressions->index);
    arena_destroy(expressions->arena);
    *expressions = (struct expressions){0};
}

typedef ARRAY(struct observation) observation_list;

/* The loops on which a value depends, as places in `indices`. */
struct dependence {
    uint32_t places[FIT_LOOPS];
    uint32_t count;
};

static uint64_t value_key(const struct value *value, const struct dependence *on)
{
    uint64_t key = map_mix((uint64_t)value->recording << 32 | value->rank);
    for (uint32_t i = 0; i < on->count; i++)
        key = map_mix(key ^ ((uint64_t)(uint32_t)value->indices[on->places[i]] + 1));
    return key;
}

/* Lists what is different; false if the values depend on more, or memory is out. */
static bool list_distinct(const struct value_column *column, const struct dependence *on,
                          observation_list *list)
{
    struct map seen = {0};
    bool holds = true;
    list->count = 0;
    for (size_t i = 0; i < column->list.count && holds; i++) {
        const struct value *value = &column->list.items[i];
        uint32_t *at = map_at(&seen, value_key(value, on), (uint32_t)list->count);
        if (at && *at < list->count) {
            holds = list->items[*at].value == value->value;
            continue;
        }
        struct observation one = {
            .recording = value->recording, .rank = value->rank, .value = value->value, .weight = 1};
        for (uint32_t k = 0; k < on->count; k++)
            one.indices[k] = value->indices[on->places[k]];
        holds = at && array_push(list, one);
    }
    map_clear(&seen);
    return holds;
}

/* Finds the fewest loops on which the values depend. False: more than FIT_LOOPS. */
static bool find_dependence(const struct value_column *column, uint32_t depth,
                            struct dependence *on, observation_list *list)
{
    for (uint32_t wanted = 0; wanted <= FIT_LOOPS && wanted <= depth; wanted++)
        for (uint32_t set = 0; set < 1u << depth; set++) {
            if ((uint32_t)__builtin_popcount(set) != wanted)
                continue;
            on->count = 0;
            for (uint32_t i = 0; i < depth; i++)
                if (set & 1u << i)
                    on->places[on->count++] = i;
            if (list_distinct(column, on, list))
                return list->count <= TABLE_MOST;
        }
    return false;
}

/* The mean of each rank, as a whole number. */
static bool list_means(const struct value_column *column, observation_list *list)
{
    struct map seen = {0};
    bool room = true;
    const struct dependence none = {.count = 0};
    list->count = 0;
    for (size_t i = 0; i < column->list.count && room; i++) {
        const struct value *value = &column->list.items[i];
        uint32_t *at = map_at(&seen, value_key(value, &none), (uint32_t)list->count);
        room = at;
        const struct observation new = {.recording = value->recording, .rank = value->rank};
        if (at && *at == list->count)
            room = array_push(list, new);
        if (room) {
            list->items[*at].value += value->value;
            list->items[*at].weight++;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].value = round(list->items[i].value / list->items[i].weight);
        list->items[i].weight = 1;
    }
    map_clear(&seen);
    return room;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static uint64_t hash_observations(enum fit_kind kind, const struct fit_context *context,
                                  const struct observation *list, uint32_t count)
{
    uint64_t hash = map_mix((uint64_t)kind + 1);
    for (uint32_t i = 0; i < context->loop_count; i++)
        hash = hash_bytes(hash, context->loops[i], strlen(context->loops[i]) + 1);
    for (uint32_t i = 0; i < count; i++) {
        hash = hash_bytes(hash, &list[i].recording, sizeof list[i].recording);
        hash = hash_bytes(hash, &list[i].rank, sizeof list[i].rank);
        hash = hash_bytes(hash, list[i].indices, sizeof list[i].indices);
        hash = hash_bytes(hash, &list[i].value, sizeof list[i].value);
    }
    return hash;
}

static struct expressed keep(struct expressions *e, const struct fitted *fitted,
                             const char *table_name)
{
    struct expressed expressed = {.text = arena_strdup(e->arena, fitted->text),
                                  .error = fitted->error,
                                  .weak = fitted->weak,
                                  .tabulated = fitted->tabulated,
                                  .bound = fitted->tabulated && fitted->bound};
    e->no_memory |= !expressed.text;
    if (fitted->table) {
        struct script_table table = {arena_strdup(e->arena, table_name),
                                     arena_strdup(e->arena, fitted->table)};
        e->no_memory |= !table.name || !table.items || !array_push(&e->tables, table);
        for (const char *at = fitted->table; *at; at++)
            e->table_items += *at == ',';
        e->table_items++;
        e->bound += expressed.bound;
    }
    return expressed;
}

struct expressed expressions_fit(struct expressions *e, enum fit_kind kind,
                                 const struct fit_context *context, const struct observation *list,
                                 uint32_t count, const char *name)
{
    if (count == 0)
        return (struct expressed){0};
    uint32_t *at =
        map_at(&e->index, hash_observations(kind, context, list, count), (uint32_t)e->known.count);
    if (at && *at < e->known.count)
        return e->known.items[*at];
    char table_name[64];
    snprintf(table_name, sizeof table_name, "%s_%zu", name, e->tables.count + 1);
    struct fitted fitted = {0};
    struct expressed expressed = {0};
    if (!at || !fit_expression(kind, context, list, count, table_name, &fitted)) {
        e->no_memory = true;
        return expressed;
    }
    expressed = keep(e, &fitted, table_name);
    fitted_clear(&fitted);
    e->no_memory |= !array_push(&e->known, expressed);
    return expressed;
}

struct fit_context expressions_context(struct expressions *e)
{
    return (struct fit_context){.recordings = e->steps->program_count,
                                .sizes = e->sizes,
                                .parameters = e->parameters,
                                .parameter_count = e->parameter_count,
                                .helpers = &e->helpers};
}

struct expressed express_ranks(struct expressions *expressions, enum fit_kind kind,
                               const struct observation *observations, uint32_t count,
                               const char *name)
{
    struct fit_context context = expressions_context(expressions);
    return expressions_fit(expressions, kind, &context, observations, count, name);
}

/* Copies an expression and gives `rank` and `size` a communicator. NULL when memory is out. */
static char *on_comm(struct arena *arena, const char *text, const char *comm)
{
    struct bytes out = {0};
    bool room = true;
    while (*text && room) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        room = bytes_put(&out, text, length ? length : 1);
        if (length == 4 && (!strncmp(text, "rank", 4) || !strncmp(text, "size", 4)))
            room = room && bytes_put(&out, "(", 1) && bytes_put(&out, comm, strlen(comm)) &&
                   bytes_put(&out, ")", 1);
        text += length ? length : 1;
    }
    char *copy = room ? arena_strndup(arena, out.data, out.size) : NULL;
    bytes_clear(&out);
    return copy;
}

/* Makes the observations those of ranks in `comm`, and sets the sizes that it has in each
 * recording. False if it has different sizes in one, or ranks differ that have the same rank in
 * it. */
static bool to_comm_ranks(struct expressions *e, uint32_t comm, observation_list *list,
                          uint32_t *sizes)
{
    const struct steps *steps = e->steps;
    struct map seen = {0};
    bool holds = true;
    size_t kept = 0;
    memset(sizes, 0, steps->program_count * sizeof *sizes);
    for (size_t i = 0; i < list->count && holds; i++) {
        struct observation one = list->items[i];
        const struct definitions *d = steps->programs[one.recording].trace->definitions;
        uint32_t its = steps_comm_at(steps, one.recording, comm, one.rank);
        if (its == INDEX_NONE) {
            holds = false;
            break;
        }
        uint32_t size = comm_size(d, its, one.rank, false);
        holds = sizes[one.recording] == 0 || sizes[one.recording] == size;
        sizes[one.recording] = size;
        one.rank = comm_rank_of(d, its, one.rank);
        uint64_t key = map_mix((uint64_t)one.recording << 32 | one.rank);
        for (int k = 0; k < FIT_LOOPS; k++)
            key = map_mix(key ^ ((uint64_t)(uint32_t)one.indices[k] + 1));
        uint32_t *at = map_at(&seen, key, (uint32_t)kept);
        if (at && *at < kept)
            holds = holds && list->items[*at].value == one.value;
        else if (at)
            list->items[kept++] = one;
        holds = holds && at;
    }
    for (uint32_t p = 0; p < steps->program_count; p++)
        sizes[p] = sizes[p] ? sizes[p] : 1;
    list->count = kept;
    map_clear(&seen);
    return holds;
}

/* The value by ranks of the communicator; text NULL unless that needs no table. */
static struct expressed express_in_comm(struct expressions *e, enum fit_kind kind,
                                        const struct fit_context *world, observation_list *list,
                                        uint32_t comm)
{
    struct expressed expressed = {0};
    struct fit_context context = *world;
    struct fitted fitted = {0};
    uint32_t *sizes = malloc(e->steps->program_count * sizeof *sizes + 1);
    context.sizes = sizes;
    context.helpers = NULL;
    if (!sizes) {
        e->no_memory = true;
    } else if (to_comm_ranks(e, comm, list, sizes) && list->count) {
        e->no_memory |=
            !fit_expression(kind, &context, list->items, (uint32_t)list->count, "none", &fitted);
        if (!e->no_memory && !fitted.tabulated) {
            expressed.text = on_comm(e->arena, fitted.text, e->steps->comms.items[comm].name);
            expressed.weak = fitted.weak;
            e->no_memory |= !expressed.text;
        }
        fitted_clear(&fitted);
    }
    free(sizes);
    return expressed;
}

struct expressed express(struct expressions *e, enum fit_kind kind,
                         const struct value_column *column, uint32_t depth, uint32_t comm,
                         const char *name)
{
    struct expressed expressed = {0};
    observation_list list = {0};
    struct dependence on = {0};
    struct fit_context context = expressions_context(e);
    const char *loops[FIT_LOOPS];
    bool of_peers = strcmp(name, "counts") == 0, mean = false;
    if (of_peers) {
        on = (struct dependence){.places = {INDEX_OF_PEER}, .count = 1};
        e->no_memory |= !list_distinct(column, &on, &list);
    } else if (!find_dependence(column, depth < VALUE_DEPTH_MOST ? depth : VALUE_DEPTH_MOST, &on,
                                &list)) {
        mean = kind != FIT_SECONDS;
        on.count = 0;
        e->no_memory |= !list_means(column, &list);
    }
    for (uint32_t i = 0; i < on.count; i++)
        loops[i] = loop_names[on.places[i]];
    context.loops = loops;
    context.loop_count = on.count;
    if (!e->no_memory && comm != INDEX_NONE && comm != 0) {
        observation_list copy = {0};
        e->no_memory |= list.count && !array_reserve(&copy, list.count);
        if (!e->no_memory && list.count) {
            memcpy(copy.items, list.items, list.count * sizeof *list.items);
            copy.count = list.count;
            expressed = express_in_comm(e, kind, &context, &copy, comm);
        }
        free(copy.items);
    }
    if (!e->no_memory && !expressed.text)
        expressed = expressions_fit(e, kind, &context, list.items, (uint32_t)list.count, name);
    expressed.mean = mean;
    free(list.items);
    return expressed;
}

/* The same column with other values; those that are left out are NAN. */
static struct expressed express_changed(struct expressions *e, enum fit_kind kind,
                                        const struct value_column *column, uint32_t depth,
                                        const char *name, bool truth)
{
    struct value_column changed = {.varies = column->varies};
    if (column->list.count && !array_reserve(&changed.list, column->list.count)) {
        e->no_memory = true;
        return (struct expressed){0};
    }
    for (size_t i = 0; i < column->list.count; i++) {
        struct value value = column->list.items[i];
        if (!truth && value.value == 0)
            continue;
        if (truth)
            value.value = value.value != 0;
        changed.list.items[changed.list.count++] = value;
    }
    struct expressed expressed = express(e, kind, &changed, depth, INDEX_NONE, name);
    free(changed.list.items);
    return expressed;
}

struct expressed express_truth(struct expressions *expressions, const struct value_column *column,
                               uint32_t depth)
{
    return express_changed(expressions, FIT_TRUTH, column, depth, "does", true);
}

struct expressed express_positive(struct expressions *expressions,
                                  const struct value_column *column, uint32_t depth,
                                  const char *name)
{
    return express_changed(expressions, FIT_WHOLE, column, depth, name, false);
}
