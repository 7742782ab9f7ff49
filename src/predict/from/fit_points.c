/* The points at which something was observed. */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { DISTINCT_MOST = 64 };

static struct points *points_new(struct formulas *formulas, uint32_t capacity)
{
    const struct fit_context *context = formulas->context;
    struct points *points = formulas_alloc(formulas, 1, sizeof *points);
    points->formulas = formulas;
    points->variables = POINT_PARAMETERS + context->parameter_count + context->loop_count;
    points->at = formulas_alloc(formulas, (size_t)capacity * points->variables, sizeof(double));
    points->targets = formulas_alloc(formulas, capacity, sizeof(double));
    points->variances = formulas_alloc(formulas, capacity, sizeof(double));
    return points;
}

static void points_push(struct points *to, const struct points *from, uint32_t index)
{
    memcpy(to->at + (size_t)to->count * to->variables, point_at(from, index),
           to->variables * sizeof(double));
    to->variances[to->count] = from->variances[index];
    to->targets[to->count++] = from->targets[index];
}

static void push_observation(struct points *points, const struct observation *observation)
{
    const struct fit_context *context = points->formulas->context;
    double *point = points->at + (size_t)points->count * points->variables;
    *point++ = observation->rank;
    *point++ = context->sizes[observation->recording];
    for (uint32_t i = 0; i < context->parameter_count; i++)
        *point++ = context->parameters[i].values[observation->recording];
    for (uint32_t i = 0; i < context->loop_count; i++)
        *point++ = observation->indices[i];
    if (observation->value != 0 && observation->weight >= 1) { /* a mean of visits */
        double spread = observation->spread / observation->value;
        points->variances[points->count] = spread * spread / observation->weight;
    }
    points->targets[points->count++] = observation->value;
}

/* By all variables but the rank, then by the rank; then in the order given. */
static int compare_points(const void *a, const void *b, void *context)
{
    const struct points *points = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const double *x = point_at(points, i), *y = point_at(points, k);
    for (uint32_t v = 1; v <= points->variables; v++) {
        uint32_t variable = v % points->variables;
        if (x[variable] != y[variable])
            return x[variable] < y[variable] ? -1 : 1;
    }
    return i < k ? -1 : i > k;
}

struct points *points_build(struct formulas *formulas, const struct observation *observations,
                            uint32_t count, bool *consistent)
{
    struct points *all = points_new(formulas, count), *points = points_new(formulas, count);
    uint32_t *order = formulas_alloc(formulas, count, sizeof *order);
    assert(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        push_observation(all, &observations[i]);
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, compare_points, all);
    *consistent = true;
    for (uint32_t i = 0; i < count; i++)
        if (points->count == 0 ||
            memcmp(point_at(all, order[i]), point_at(points, points->count - 1),
                   points->variables * sizeof(double)) != 0)
            points_push(points, all, order[i]);
        else if (points->targets[points->count - 1] != all->targets[order[i]])
            *consistent = false;
    return points;
}

struct points *points_where(const struct points *points, const bool *keep)
{
    struct points *result = points_new(points->formulas, points->count);
    for (uint32_t i = 0; i < points->count; i++)
        if (!keep || keep[i])
            points_push(result, points, i);
    return result;
}

struct points *points_copy(const struct points *points)
{
    return points_where(points, NULL);
}

uint32_t points_setting_end(const struct points *points, uint32_t begin)
{
    assert(begin < points->count);
    uint32_t end = begin;
    while (end < points->count &&
           points_same_setting(points, point_at(points, begin), point_at(points, end)))
        end++;
    return end;
}

struct points *points_without_rank(const struct points *points)
{
    uint32_t settings = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end, settings++) {
        end = points_setting_end(points, begin);
        for (uint32_t i = begin + 1; i < end; i++)
            if (points->targets[i] != points->targets[begin])
                return NULL;
    }
    struct points *result = points_new(points->formulas, settings);
    for (uint32_t i = 0; i < points->count; i = points_setting_end(points, i))
        points_push(result, points, i);
    return result;
}

struct points *points_sample(const struct points *points, uint32_t most)
{
    assert(most >= 2);
    if (points->count <= most)
        return points_copy(points);
    struct points *result = points_new(points->formulas, most);
    /* Steps by the golden ratio do not fall into step with periods of the ranks or loops. */
    double position = 0;
    for (uint32_t i = 0; i + 2 < most; i++) {
        position = fmod(position + 0.6180339887498949, 1);
        points_push(result, points, 1 + (uint32_t)(position * (points->count - 2)));
    }
    points_push(result, points, 0);
    points_push(result, points, points->count - 1);
    return result;
}

uint32_t points_add_wrong(struct points **sample, const struct points *all,
                          const struct formula *formula, uint32_t most)
{
    struct points *result = points_new(all->formulas, (*sample)->count + most);
    for (uint32_t i = 0; i < (*sample)->count; i++)
        points_push(result, *sample, i);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < all->count && wrong < most; i++) {
        if (formula_value(all->formulas, formula, point_at(all, i)) == all->targets[i])
            continue;
        points_push(result, all, i);
        wrong++;
    }
    *sample = result;
    return wrong;
}

bool points_fit(const struct points *points, const struct formula *formula)
{
    for (uint32_t i = 0; i < points->count; i++)
        if (formula_value(points->formulas, formula, point_at(points, i)) != points->targets[i])
            return false;
    return true;
}

/* Three quarters of a table's bits; short tables are never shorter than a formula. */
double points_bits_limit(const struct points *points)
{
    double bits = 0;
    for (uint32_t i = 0; i < points->count; i++)
        bits += formula_number_bits(points->targets[i]);
    return 0.75 * bits + 8;
}

uint32_t points_distinct_targets(const struct points *points)
{
    double seen[DISTINCT_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count && count < DISTINCT_MOST; i++) {
        uint32_t k = 0;
        while (k < count && seen[k] != points->targets[i])
            k++;
        if (k == count)
            seen[count++] = points->targets[i];
    }
    return count;
}
