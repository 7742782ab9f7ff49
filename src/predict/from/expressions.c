#include "predict/from/expressions.h"

#include "predict/script.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
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
    bool taken = script_is_reserved(name);
    for (int i = 0; i < VALUE_INDICES; i++)
        taken |= strcmp(name, loop_names[i]) == 0;
    if (is_name(name) && !taken)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s: \"%s\" cannot be the name of a parameter%s", path,
                     name, taken ? ": scripts use it for something else" : "");
}

/* Finds the values of a parameter in all recordings, unless the parameter has them already. */
static enum status add_parameter(struct expressions *e, const char *name, const char *path,
                                 struct error *error)
{
    const struct script_steps *steps = e->steps;
    for (uint32_t k = 0; k < e->parameter_count; k++)
        if (strcmp(e->parameters[k].name, name) == 0)
            return STATUS_OK;
    double *values = arena_alloc_array(e->arena, steps->program_count, sizeof *values);
    if (!values)
        return error_memory(error, "the expressions of a script");
    enum status status = check_name(name, path, error);
    for (uint32_t p = 0; p < steps->program_count && status == STATUS_OK; p++) {
        const struct script_recording *recording = steps->programs[p].recording;
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
    e->parameters[e->parameter_count++] = (struct fit_parameter){name, values};
    return status;
}

/* Seconds of computation between the calls of a recording, per rank. */
static double mean_work(const struct recorded_program *program)
{
    const uint32_t ranks = program->trace->rank_count;
    double sum = 0;
    assert(ranks > 0);
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (size_t i = 0; i < program->ranks[rank].list.count; i++)
            sum += program->ranks[rank].list.items[i].before;
    return sum / ranks;
}

enum status expressions_open(struct expressions *expressions, const struct script_steps *steps,
                             enum time_form form, struct error *error)
{
    uint32_t most = 0, programs = steps->program_count;
    for (uint32_t p = 0; p < programs; p++)
        most += steps->programs[p].recording->count;
    *expressions = (struct expressions){.form = form, .steps = steps, .arena = arena_create()};
    struct arena *arena = expressions->arena;
    if (arena) {
        expressions->sizes = arena_alloc_array(arena, programs + 1, sizeof *expressions->sizes);
        expressions->work = arena_alloc_array(arena, programs + 1, sizeof *expressions->work);
        expressions->parameters =
            arena_alloc_array(arena, most + 1, sizeof *expressions->parameters);
    }
    enum status status = arena && expressions->sizes && expressions->work && expressions->parameters
                             ? STATUS_OK
                             : error_memory(error, "the expressions of a script");
    for (uint32_t p = 0; p < programs && status == STATUS_OK; p++) {
        const struct script_recording *recording = steps->programs[p].recording;
        expressions->sizes[p] = steps->programs[p].trace->rank_count;
        expressions->work[p] = mean_work(&steps->programs[p]);
        for (uint32_t i = 0; i < recording->count && status == STATUS_OK; i++)
            status = add_parameter(expressions, recording->names[i], recording->path, error);
    }
    if (status != STATUS_OK)
        expressions_clear(expressions);
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

const char *expressions_text(struct expressions *expressions, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    text = arena_adopt(expressions->arena, text);
    expressions->out_of_memory |= !text;
    return text;
}

const char *expressions_add_table(struct expressions *expressions, const char *name,
                                  const char *items)
{
    struct written_table table = {
        expressions_text(expressions, "%s_%zu", name, expressions->tables.count + 1),
        expressions_text(expressions, "%s", items)};
    if (table.name && table.items && array_push(&expressions->tables, table))
        return table.name;
    expressions->out_of_memory = true;
    return NULL;
}

/* Lists the different values; false if they depend on more, or memory is out. */
static bool list_distinct(const struct value_column *column, const struct loop_dependence *on,
                          struct observations *observations)
{
    observations_clear(observations);
    for (size_t i = 0; i < column->list.count; i++) {
        const struct observation one = observation_of(&column->list.items[i], on);
        const struct observation *known = observations_at(observations, &one);
        if (!known || known->value != one.value)
            return false;
    }
    return true;
}

/* Finds the fewest loops on which the values depend. False: more than FIT_LOOPS. */
static bool find_dependence(const struct value_column *column, uint32_t depth,
                            struct loop_dependence *on, struct observations *observations)
{
    for (uint32_t wanted = 0; wanted <= FIT_LOOPS && wanted <= depth; wanted++)
        for (uint32_t set = 0; set < 1u << depth; set++) {
            if ((uint32_t)__builtin_popcount(set) != wanted)
                continue;
            on->count = 0;
            for (uint32_t i = 0; i < depth; i++)
                if (set & 1u << i)
                    on->places[on->count++] = i;
            if (list_distinct(column, on, observations))
                return observations->list.count <= TABLE_MOST;
        }
    return false;
}

/* The mean of each rank, as a whole number. */
static bool list_means(const struct value_column *column, struct observations *observations)
{
    const struct loop_dependence none = {.count = 0};
    observations_clear(observations);
    if (!observations_group(observations, column, &none, NULL))
        return false;
    for (size_t i = 0; i < observations->list.count; i++) {
        observations->list.items[i].value = round(observations->list.items[i].value);
        observations->list.items[i].weight = 1;
    }
    return true;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static uint64_t hash_observations(enum fit_kind kind, const struct loop_dependence *on,
                                  const struct observation *list, uint32_t count)
{
    uint64_t hash = map_mix((uint64_t)kind + 1);
    hash = hash_bytes(hash, on->places, on->count * sizeof *on->places);
    for (uint32_t i = 0; i < count; i++) {
        hash = hash_bytes(hash, &list[i].recording, sizeof list[i].recording);
        hash = hash_bytes(hash, &list[i].rank, sizeof list[i].rank);
        hash = hash_bytes(hash, list[i].indices, sizeof list[i].indices);
        hash = hash_bytes(hash, &list[i].value, sizeof list[i].value);
    }
    return hash;
}

/* The context of fits that may depend on these loops, whose names go to `loops`. */
static struct fit_context context_of(struct expressions *e, const struct loop_dependence *on,
                                     const char *loops[FIT_LOOPS])
{
    for (uint32_t i = 0; i < on->count; i++)
        loops[i] = loop_names[on->places[i]];
    return (struct fit_context){.recordings = e->steps->program_count,
                                .sizes = e->sizes,
                                .work = e->work,
                                .parameters = e->parameters,
                                .parameter_count = e->parameter_count,
                                .loops = loops,
                                .loop_count = on->count,
                                .helpers = &e->helpers};
}

/* Takes the fitted expression, with its table, whose name the text contains. */
static struct expressed take_fitted(struct expressions *e, const struct fitted *fitted,
                                    const char *name)
{
    if (fitted->table && expressions_add_table(e, name, fitted->table)) {
        for (const char *at = fitted->table; *at; at++)
            e->table_items += *at == ',';
        e->table_items++;
        e->bound += fitted->bound;
    }
    return (struct expressed){.text = expressions_text(e, "%s", fitted->text),
                              .error = fitted->error};
}

struct expressed expressions_fit(struct expressions *e, enum fit_kind kind,
                                 const struct loop_dependence *on, const struct observation *list,
                                 uint32_t count, const char *name)
{
    assert(on->count <= FIT_LOOPS);
    const char *loops[FIT_LOOPS];
    struct fit_context context = context_of(e, on, loops);
    struct expressed expressed = {0};
    if (count == 0)
        return expressed;
    uint32_t *at =
        map_at(&e->index, hash_observations(kind, on, list, count), (uint32_t)e->known.count);
    if (at && *at < e->known.count)
        return e->known.items[*at];
    char table_name[64];
    snprintf(table_name, sizeof table_name, "%s_%zu", name, e->tables.count + 1);
    struct fitted fitted = {0};
    if (!at || !fit_expression(kind, &context, list, count, table_name, &fitted)) {
        e->out_of_memory = true;
        return expressed;
    }
    expressed = take_fitted(e, &fitted, name);
    fitted_clear(&fitted);
    e->out_of_memory |= !array_push(&e->known, expressed);
    return expressed;
}

/* Copies an expression and gives `rank` and `size` a communicator. */
static const char *on_comm(struct expressions *e, const char *text, const char *comm)
{
    struct bytes out = {0};
    bool complete = true;
    while (*text && complete) {
        int length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        bool named = length == 4 && (!strncmp(text, "rank", 4) || !strncmp(text, "size", 4));
        length = length ? length : 1;
        complete = named ? bytes_print(&out, "%.*s(%s)", length, text, comm)
                         : bytes_put(&out, text, (size_t)length);
        text += length;
    }
    const char *copy = complete ? expressions_text(e, "%.*s", (int)out.size, out.data) : NULL;
    e->out_of_memory |= !complete;
    bytes_clear(&out);
    return copy;
}

/* The observations by ranks in `comm`, and the sizes that it has in each recording. False if it has
 * different sizes in one, or values differ that have the same rank in it. */
static bool to_comm_ranks(struct expressions *e, uint32_t comm, const struct observations *world,
                          struct observations *own, uint32_t *sizes)
{
    const struct script_steps *steps = e->steps;
    for (size_t i = 0; i < world->list.count; i++) {
        struct observation one = world->list.items[i];
        const struct definitions *d = steps->programs[one.recording].trace->definitions;
        uint32_t its = steps_comm_at(steps, one.recording, comm, one.rank);
        if (its == INDEX_NONE)
            return false;
        uint32_t size = comm_size(d, its, one.rank, false), known = sizes[one.recording];
        sizes[one.recording] = size;
        one.rank = comm_rank_of(d, its, one.rank);
        const struct observation *kept = observations_at(own, &one);
        if (!kept || kept->value != one.value || (known != 0 && known != size))
            return false;
    }
    for (uint32_t p = 0; p < steps->program_count; p++)
        sizes[p] = sizes[p] ? sizes[p] : 1;
    return true;
}

/* The value by ranks of the communicator; text NULL unless that needs no table. */
static struct expressed express_in_comm(struct expressions *e, enum fit_kind kind,
                                        const struct loop_dependence *on,
                                        const struct observations *world, uint32_t comm)
{
    const char *loops[FIT_LOOPS];
    struct expressed expressed = {0};
    struct fit_context context = context_of(e, on, loops);
    struct observations own = {0};
    struct fitted fitted = {0};
    uint32_t *sizes = calloc(e->steps->program_count + 1, sizeof *sizes);
    context.sizes = sizes;
    context.helpers = NULL;
    e->out_of_memory |= !sizes;
    if (sizes && world->list.count && to_comm_ranks(e, comm, world, &own, sizes)) {
        e->out_of_memory |= !fit_expression(kind, &context, own.list.items,
                                            (uint32_t)own.list.count, "none", &fitted);
        if (fitted.text && !fitted.tabulated)
            expressed.text = on_comm(e, fitted.text, e->steps->comms.items[comm].name);
        fitted_clear(&fitted);
    }
    observations_clear(&own);
    free(sizes);
    return expressed;
}

struct expressed express(struct expressions *e, enum fit_kind kind,
                         const struct value_column *column, uint32_t depth, uint32_t comm,
                         const char *name)
{
    assert(kind != FIT_SECONDS);
    struct expressed expressed = {0};
    struct observations observations = {0};
    struct loop_dependence on = {0};
    bool mean = false;
    if (column->by_peer) {
        on = (struct loop_dependence){.places = {INDEX_OF_PEER}, .count = 1};
        e->out_of_memory |= !list_distinct(column, &on, &observations);
    } else if (!find_dependence(column, depth < VALUE_DEPTH_MOST ? depth : VALUE_DEPTH_MOST, &on,
                                &observations)) {
        mean = true;
        on.count = 0;
        e->out_of_memory |= !list_means(column, &observations);
    }
    if (!e->out_of_memory && comm != INDEX_NONE && comm != 0)
        expressed = express_in_comm(e, kind, &on, &observations, comm);
    if (!e->out_of_memory && !expressed.text)
        expressed = expressions_fit(e, kind, &on, observations.list.items,
                                    (uint32_t)observations.list.count, name);
    expressed.mean = mean;
    observations_clear(&observations);
    return expressed;
}

/* `truth`: whether the values of the column are not 0; else those that are not 0. */
static struct expressed express_changed(struct expressions *e, const struct value_column *column,
                                        uint32_t depth, const char *name, bool truth)
{
    struct value_column changed = {0};
    struct expressed expressed = {0};
    for (size_t i = 0; i < column->list.count; i++) {
        struct item_value value = column->list.items[i];
        if (!truth && value.value == 0)
            continue;
        if (truth)
            value.value = value.value != 0;
        e->out_of_memory |= !array_push(&changed.list, value);
    }
    if (!e->out_of_memory)
        expressed = express(e, truth ? FIT_TRUTH : FIT_WHOLE, &changed, depth, INDEX_NONE, name);
    free(changed.list.items);
    return expressed;
}

struct expressed express_truth(struct expressions *expressions, const struct value_column *column,
                               uint32_t depth)
{
    return express_changed(expressions, column, depth, "does", true);
}

struct expressed express_positive(struct expressions *expressions,
                                  const struct value_column *column, uint32_t depth,
                                  const char *name)
{
    return express_changed(expressions, column, depth, name, false);
}
