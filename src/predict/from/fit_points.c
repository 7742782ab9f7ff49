/* The points at which something was observed. */
#include "predict/from/fit_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t variable_count(const struct fit_context *context)
{
    return POINT_PARAMETERS + context->parameter_count + context->loop_count;
}

static void set_point(const struct fit_context *context, const struct observation *observation,
                      double *point)
{
    point[POINT_RANK] = observation->rank;
    point[POINT_SIZE] = context->sizes[observation->recording];
    for (uint32_t i = 0; i < context->parameter_count; i++)
        point[POINT_PARAMETERS + i] = context->parameters[i].values[observation->recording];
    for (uint32_t i = 0; i < context->loop_count; i++)
        point[POINT_PARAMETERS + context->parameter_count + i] = observation->indices[i];
}

/* Of a mean of visits. */
static double relative_variance(const struct observation *observation)
{
    if (observation->value == 0 || observation->weight < 1)
        return 0;
    double spread = observation->spread / observation->value;
    return spread * spread / observation->weight;
}

/* By all variables but the rank, then by the rank; then in the order given. */
static int compare_rows(const void *a, const void *b, void *context)
{
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    uint32_t variables = *(const uint32_t *)context;
    for (uint32_t i = 1; i <= variables; i++) {
        uint32_t variable = i % variables;
        if (x[variable] != y[variable])
            return x[variable] < y[variable] ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

struct points *points_build(struct formulas *formulas, const struct observation *observations,
                            uint32_t count, bool *consistent)
{
    const struct fit_context *context = formulas->context;
    uint32_t variables = variable_count(context), width = variables + 2;
    double *rows = arena_alloc_array(formulas->arena, (size_t)count * width, sizeof *rows);
    const double **order = arena_alloc_array(formulas->arena, count, sizeof *order);
    struct points *points = arena_alloc(formulas->arena, sizeof *points);
    if (rows == NULL || order == NULL || points == NULL) {
        formulas->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        double *row = rows + (size_t)i * width;
        set_point(context, &observations[i], row);
        row[variables] = observations[i].value;
        row[variables + 1] = relative_variance(&observations[i]);
        order[i] = row;
    }
    qsort_r(order, count, sizeof *order, compare_rows, &variables);
    points->variables = variables;
    points->at = arena_alloc_array(formulas->arena, (size_t)count * variables, sizeof(double));
    points->targets = arena_alloc_array(formulas->arena, count, sizeof(double));
    points->variances = arena_alloc_array(formulas->arena, count, sizeof(double));
    if (points->at == NULL || points->targets == NULL || points->variances == NULL) {
        formulas->failed = true;
        return NULL;
    }
    *consistent = true;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && memcmp(order[i], point_at(points, points->count - 1),
                            variables * sizeof(double)) == 0) {
            if (points->targets[points->count - 1] != order[i][variables])
                *consistent = false;
            continue;
        }
        memcpy(points->at + (size_t)points->count * variables, order[i],
               variables * sizeof(double));
        points->variances[points->count] = order[i][variables + 1];
        points->targets[points->count++] = order[i][variables];
    }
    return points;
}

static struct points *points_new(struct formulas *formulas, uint32_t variables, uint32_t capacity)
{
    struct points *points = arena_alloc(formulas->arena, sizeof *points);
    if (points != NULL) {
        points->variables = variables;
        points->at =
            arena_alloc_array(formulas->arena, (size_t)capacity * variables, sizeof(double));
        points->targets = arena_alloc_array(formulas->arena, capacity, sizeof(double));
    }
    if (points == NULL || points->at == NULL || points->targets == NULL) {
        formulas->failed = true;
        return NULL;
    }
    return points;
}

static void points_push(struct points *to, const struct points *from, uint32_t index)
{
    memcpy(to->at + (size_t)to->count * to->variables, point_at(from, index),
           to->variables * sizeof(double));
    to->targets[to->count++] = from->targets[index];
}

struct points *points_where(struct formulas *formulas, const struct points *points,
                            const bool *keep)
{
    struct points *result = points_new(formulas, points->variables, points->count);
    for (uint32_t i = 0; result != NULL && i < points->count; i++)
        if (keep == NULL || keep[i])
            points_push(result, points, i);
    return result;
}

struct points *points_copy(struct formulas *formulas, const struct points *points)
{
    return points_where(formulas, points, NULL);
}

/* Whether two points differ at most in the rank. */
static bool same_but_rank(const struct points *points, uint32_t a, uint32_t b)
{
    return memcmp(point_at(points, a) + 1, point_at(points, b) + 1,
                  (points->variables - 1) * sizeof(double)) == 0;
}

struct points *points_without_rank(struct formulas *formulas, const struct points *points,
                                   bool *depends)
{
    uint32_t sets = 1;
    *depends = false;
    for (uint32_t i = 1; i < points->count; i++) {
        bool same = same_but_rank(points, i - 1, i);
        if (same && points->targets[i - 1] != points->targets[i]) {
            *depends = true;
            return NULL;
        }
        sets += !same;
    }
    struct points *result = points_new(formulas, points->variables, sets);
    for (uint32_t i = 0; result != NULL && i < points->count; i++)
        if (i == 0 || !same_but_rank(points, i - 1, i))
            points_push(result, points, i);
    return result;
}

struct points *points_sample(struct formulas *formulas, const struct points *points, uint32_t most)
{
    if (points->count <= most)
        return points_copy(formulas, points);
    struct points *result = points_new(formulas, points->variables, most);
    /* Steps by the golden ratio meet no period of the ranks or loops again and again. */
    double position = 0;
    for (uint32_t i = 0; result != NULL && i + 2 < most; i++) {
        position = fmod(position + 0.6180339887498949, 1);
        points_push(result, points, 1 + (uint32_t)(position * (points->count - 2)));
    }
    if (result != NULL) {
        points_push(result, points, 0);
        points_push(result, points, points->count - 1);
    }
    return result;
}

uint32_t points_add_wrong(struct formulas *formulas, struct points **sample,
                          const struct points *all, const struct formula *formula, uint32_t most)
{
    struct points *result = points_new(formulas, all->variables, (*sample)->count + most);
    if (result == NULL)
        return 0;
    for (uint32_t i = 0; i < (*sample)->count; i++)
        points_push(result, *sample, i);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < all->count && wrong < most; i++) {
        if (formula_value(formulas, formula, point_at(all, i)) == all->targets[i])
            continue;
        points_push(result, all, i);
        wrong++;
    }
    *sample = result;
    return wrong;
}

bool points_fit(const struct formulas *formulas, const struct points *points,
                const struct formula *formula)
{
    for (uint32_t i = 0; i < points->count; i++)
        if (formula_value(formulas, formula, point_at(points, i)) != points->targets[i])
            return false;
    return true;
}

double points_bits(const struct points *points)
{
    double bits = 0;
    for (uint32_t i = 0; i < points->count; i++)
        bits += number_bits(points->targets[i]);
    return bits;
}

uint32_t points_distinct_targets(const struct points *points)
{
    double seen[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count && count < 64; i++) {
        uint32_t k = 0;
        while (k < count && seen[k] != points->targets[i])
            k++;
        if (k == count)
            seen[count++] = points->targets[i];
    }
    return count;
}
