/* POP's efficiencies as JSON, written and read. */
#include "report/json/pop.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The members of factors, in one order for both directions. */
static const struct pop_factor {
    const char *name;
    size_t offset;
} factors[] = {
    {"parallel_efficiency", offsetof(struct pop_factors, parallel)},
    {"mpi_parallel_efficiency", offsetof(struct pop_factors, mpi_parallel)},
    {"load_balance", offsetof(struct pop_factors, load_balance)},
    {"communication_efficiency", offsetof(struct pop_factors, communication)},
    {"serialisation", offsetof(struct pop_factors, serialisation)},
    {"transfer", offsetof(struct pop_factors, transfer)},
    {"thread_efficiency", offsetof(struct pop_factors, threads)},
    {"thread_load_balance", offsetof(struct pop_factors, thread_load_balance)},
    {"thread_communication_efficiency", offsetof(struct pop_factors, thread_communication)},
    {"thread_efficiency_additive", offsetof(struct pop_factors, thread_additive)},
    {"serial_regions", offsetof(struct pop_factors, serial_regions)},
    {"parallel_regions", offsetof(struct pop_factors, parallel_regions)},
    {"time_s", offsetof(struct pop_factors, time_s)},
    {"ideal_s", offsetof(struct pop_factors, ideal_s)},
    {"computation_mean_s", offsetof(struct pop_factors, computation_mean_s)},
    {"computation_max_s", offsetof(struct pop_factors, computation_max_s)},
};
enum { FACTORS = sizeof factors / sizeof *factors };

static const char *const part_names[] = {[POP_RUN] = "run",
                                         [POP_REGION] = "region",
                                         [POP_ITERATION] = "iteration",
                                         [POP_WINDOW] = "window"};
enum { PARTS = sizeof part_names / sizeof *part_names };

const char *pop_part_name(enum pop_part part)
{
    assert((int)part < (int)PARTS);
    return part_names[part];
}

static json_t *factor_object(const struct pop_factors *of)
{
    struct json_member members[FACTORS];
    for (size_t i = 0; i < FACTORS; i++) {
        double value;
        memcpy(&value, (const char *)of + factors[i].offset, sizeof value);
        members[i] = (struct json_member){factors[i].name, json_number(value)};
    }
    return json_members(members, FACTORS);
}

static json_t *pop_row_object(const struct pop_row *row)
{
    json_t *place =
        JSON_MEMBERS({"part", json_text(part_names[row->part])}, {"name", json_text(row->name)},
                     {"first", json_count(row->first)}, {"count", json_count(row->count)},
                     {"begin_s", json_number(row->begin_s)}, {"end_s", json_number(row->end_s)});
    return json_joined(factor_object(&row->factors), place);
}

json_t *json_pop(const struct pop *pop)
{
    if (!pop || pop->row_count == 0)
        return json_null();
    json_t *parts = json_array();
    for (size_t i = 1; i < pop->row_count; i++)
        json_append(&parts, pop_row_object(&pop->rows[i]));
    json_t *more = JSON_MEMBERS(
        {"ranks", json_count(pop->rank_count)}, {"threads", json_count(pop->thread_count)},
        {"begin_s", json_number(pop->rows[0].begin_s)}, {"end_s", json_number(pop->rows[0].end_s)},
        {"why_not_ideal", json_text(pop->why_not_ideal)}, {"parts", parts});
    return json_joined(factor_object(&pop->rows[0].factors), more);
}

static struct pop_row pop_row_from_json(json_t *object, enum pop_part part)
{
    struct pop_row row = {.part = part,
                          .name = json_text_of(object, "name"),
                          .first = (uint64_t)json_integer_value(json_object_get(object, "first")),
                          .count = (uint64_t)json_integer_value(json_object_get(object, "count")),
                          .begin_s = json_number_of(object, "begin_s"),
                          .end_s = json_number_of(object, "end_s")};
    if (!row.name)
        row.name = "";
    for (size_t i = 0; i < FACTORS; i++) {
        const double value = json_number_of(object, factors[i].name);
        memcpy((char *)&row.factors + factors[i].offset, &value, sizeof value);
    }
    return row;
}

/* The part that a row describes; POP_RUN for an unknown one. */
static enum pop_part pop_part_from_json(json_t *object)
{
    const char *name = json_text_of(object, "part");
    size_t part = POP_REGION;
    while (name && part < PARTS && strcmp(name, part_names[part]) != 0)
        part++;
    return name && part < PARTS ? (enum pop_part)part : POP_RUN;
}

/* True if T and the efficiency are positive and the numbers of ranks and threads are possible. */
static bool is_plausible(json_t *object)
{
    const double time = json_number_of(object, "time_s"),
                 parallel = json_number_of(object, "parallel_efficiency"),
                 ranks = json_number_of(object, "ranks"),
                 threads = json_number_of(object, "threads");
    return time > 0 && parallel >= 0 && ranks >= 1 && ranks <= UINT32_MAX && threads >= ranks &&
           threads <= UINT32_MAX;
}

static bool read_rows(json_t *object, struct pop *pop, struct arena *arena)
{
    json_t *parts = json_object_get(object, "parts"), *part;
    size_t i;
    pop->rows[pop->row_count++] = pop_row_from_json(object, POP_RUN);
    json_array_foreach(parts, i, part)
    {
        if (pop_part_from_json(part) != POP_RUN)
            pop->rows[pop->row_count++] = pop_row_from_json(part, pop_part_from_json(part));
    }
    for (i = 0; i < pop->row_count; i++)
        if (!(pop->rows[i].name = arena_strdup(arena, pop->rows[i].name)))
            return false;
    return true;
}

enum json_pop_outcome json_pop_read(json_t *object, struct arena *arena, const struct pop **result)
{
    const char *why = json_text_of(object, "why_not_ideal");
    *result = NULL;
    if (!json_is_object(object) || !is_plausible(object))
        return JSON_POP_BAD;
    struct pop *pop = arena_alloc(arena, sizeof *pop);
    const size_t rows = 1 + json_array_size(json_object_get(object, "parts"));
    if (!pop || !(pop->rows = arena_alloc_array(arena, rows, sizeof *pop->rows)))
        return JSON_POP_NO_MEMORY;
    pop->rank_count = (uint32_t)json_number_of(object, "ranks");
    pop->thread_count = (uint32_t)json_number_of(object, "threads");
    if ((why && !(pop->why_not_ideal = arena_strdup(arena, why))) || !read_rows(object, pop, arena))
        return JSON_POP_NO_MEMORY;
    *result = pop;
    return JSON_POP_READ;
}
