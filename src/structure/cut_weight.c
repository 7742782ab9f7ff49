#include "structure/cut_weight.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS = 7 }; /* numbers in SILAS_PROPERTY_CUT_WEIGHT; older cuts have no `part` */

void cut_weight_set_periods(struct cut_weight *weight, const struct trace *trace, uint64_t *lengths,
                            size_t count)
{
    assert(count > 0);
    qsort(lengths, count, sizeof *lengths, order_uint64);
    weight->period_count = count < CUT_PERIODS_MAX ? count : CUT_PERIODS_MAX;
    for (size_t i = 0; i < weight->period_count; i++) {
        size_t at = count <= CUT_PERIODS_MAX ? i : i * (count - 1) / (CUT_PERIODS_MAX - 1);
        weight->periods_s[i] = trace_seconds(trace, (double)lengths[at]);
    }
}

/* "0.0106 0.0107"; NULL if out of memory. */
static char *numbers_text(struct arena *arena, const double *numbers, size_t count)
{
    enum { LONGEST = 20 };
    char *text = arena_alloc(arena, count * LONGEST + 1);
    size_t used = 0;
    for (size_t i = 0; text && i < count; i++)
        used += (size_t)snprintf(text + used, LONGEST, "%s%.9g", i > 0 ? " " : "", numbers[i]);
    return text;
}

/* Reads at most `most` numbers >= 0, in any order. Returns how many; 0 if the text is not a list of
 * such numbers. */
static size_t read_numbers(const char *text, double *numbers, size_t most)
{
    size_t count = 0;
    while (text && *text) {
        char *end;
        double number = strtod(text, &end);
        if (end == text || !(number >= 0) || isinf(number) || count == most ||
            (*end && *end != ' '))
            return 0;
        numbers[count++] = number;
        text = end + (*end == ' ');
    }
    return count;
}

bool cut_weight_store(struct trace *cut, const struct cut_weight *weight)
{
    const struct definitions *definitions = cut->definitions;
    assert(weight->period_count > 0 && weight->period_count <= CUT_PERIODS_MAX);
    double numbers[WEIGHTS] = {
        weight->whole_s,       weight->total_s, (double)weight->iterations, (double)weight->count,
        (double)weight->first, weight->level,   (double)weight->part};
    struct property *properties =
        arena_alloc_array(cut->arena, (size_t)definitions->property_count + 3, sizeof *properties);
    char *values[] = {numbers_text(cut->arena, numbers, WEIGHTS),
                      numbers_text(cut->arena, weight->periods_s, weight->period_count),
                      weight->computation_s
                          ? numbers_text(cut->arena, weight->computation_s, cut->rank_count)
                          : NULL};
    static const char *const names[] = {SILAS_PROPERTY_CUT_WEIGHT, SILAS_PROPERTY_CUT_PERIODS,
                                        SILAS_PROPERTY_CUT_COMPUTATION};
    if (!properties || !values[0] || !values[1] || (weight->computation_s && !values[2]))
        return false;
    if (definitions->property_count > 0)
        memcpy(properties, definitions->properties,
               definitions->property_count * sizeof *properties);
    cut->definitions->properties = properties;
    for (size_t i = 0; i < 3; i++)
        if (values[i])
            properties[cut->definitions->property_count++] = (struct property){names[i], values[i]};
    return true;
}

static enum status read_weight(const struct trace *cut, struct cut_weight *weight)
{
    const struct definitions *definitions = cut->definitions;
    const char *computation = definitions_property(definitions, SILAS_PROPERTY_CUT_COMPUTATION);
    double n[WEIGHTS] = {0};
    if (read_numbers(definitions_property(definitions, SILAS_PROPERTY_CUT_WEIGHT), n, WEIGHTS) <
            WEIGHTS - 1 ||
        !(n[0] > 0) || !(n[1] > 0) || n[1] > n[0] * 1.000001 || !(n[2] >= 1) || !(n[3] >= 1))
        return STATUS_INPUT;
    weight->whole_s = n[0];
    weight->total_s = n[1];
    weight->iterations = (size_t)n[2];
    weight->count = (size_t)n[3];
    weight->first = (size_t)n[4];
    weight->level = (int)n[5];
    weight->part = (size_t)n[6];
    weight->period_count =
        read_numbers(definitions_property(definitions, SILAS_PROPERTY_CUT_PERIODS),
                     weight->periods_s, CUT_PERIODS_MAX);
    if (weight->period_count == 0)
        return STATUS_INPUT;
    if (!computation)
        return STATUS_OK;
    weight->computation_s = malloc((size_t)cut->rank_count * sizeof *weight->computation_s);
    if (!weight->computation_s)
        return STATUS_ENVIRONMENT;
    return read_numbers(computation, weight->computation_s, cut->rank_count) == cut->rank_count
               ? STATUS_OK
               : STATUS_INPUT;
}

enum status cut_weight_read(const struct trace *cut, struct cut_weight *weight, struct error *error)
{
    memset(weight, 0, sizeof *weight);
    if (!definitions_property(cut->definitions, SILAS_PROPERTY_CUT))
        return error_set(error, STATUS_INPUT,
                         "%s is not a cut, so nothing can be projected: --project needs an archive "
                         "that silas-structure --cut has written",
                         cut->path);
    if (!definitions_property(cut->definitions, SILAS_PROPERTY_CUT_WEIGHT))
        return error_set(
            error, STATUS_INPUT,
            "%s does not contain its weight in the whole trace, so nothing can be projected: "
            "cut it again with silas-structure --cut",
            cut->path);
    enum status status = read_weight(cut, weight);
    if (status != STATUS_OK)
        cut_weight_clear(weight);
    if (status == STATUS_INPUT)
        return error_set(error, status, "%s: its properties %s, %s and %s are damaged", cut->path,
                         SILAS_PROPERTY_CUT_WEIGHT, SILAS_PROPERTY_CUT_PERIODS,
                         SILAS_PROPERTY_CUT_COMPUTATION);
    return status == STATUS_OK ? status : error_memory(error, "the weight of a cut");
}

void cut_weight_clear(struct cut_weight *weight)
{
    free(weight->computation_s);
    memset(weight, 0, sizeof *weight);
}
