/* Features: the expressions that numbers in parallel programs are usually composed of. */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { CONSTANT_EXTENT_MOST = 32, COORDINATES_MOST = FEATURES_MOST / 4 };

/* FNV-1a over the values. */
static uint64_t hash_values(const double *values, uint32_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The values at all points; NULL if some are not whole. */
static double *whole_values(const struct points *points, const struct formula *formula)
{
    double *values = formulas_alloc(points->formulas, points->count, sizeof *values);
    for (uint32_t i = 0; i < points->count; i++) {
        values[i] = formula_value(points->formulas, formula, point_at(points, i)) + 0.0;
        if (!isfinite(values[i]) || values[i] != floor(values[i]))
            return NULL;
    }
    return values;
}

struct features *features_create(const struct points *points)
{
    assert(points->count > 0);
    struct features *features = formulas_alloc(points->formulas, 1, sizeof *features);
    features->points = points;
    return features;
}

void features_add_formula(struct features *features, const struct formula *formula)
{
    if (features->count == FEATURES_MOST)
        return;
    const double *values = whole_values(features->points, formula);
    if (!values)
        return;
    uint32_t count = features->points->count;
    struct feature feature = {formula, values, hash_values(values, count)};
    for (uint32_t i = 0; i < features->count; i++) {
        struct feature *other = &features->items[i];
        if (other->hash != feature.hash ||
            memcmp(other->values, values, count * sizeof *values) != 0)
            continue;
        if (formula->bits < other->formula->bits)
            *other = feature;
        return;
    }
    features->items[features->count++] = feature;
}

static int compare_features(const void *a, const void *b)
{
    const struct feature *x = a, *y = b;
    if (x->formula->bits != y->formula->bits)
        return x->formula->bits < y->formula->bits ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

void features_sort(struct features *features)
{
    qsort(features->items, features->count, sizeof features->items[0], compare_features);
}

/* Whether the formula divides the size at all points, and is not trivial. */
static bool divides_size(const struct points *points, const struct formula *formula)
{
    bool all_one = true, all_size = true;
    for (uint32_t i = 0; i < points->count; i++) {
        const double *point = point_at(points, i);
        double value = formula_value(points->formulas, formula, point), size = point[POINT_SIZE];
        if (!(value >= 1) || value > size || value != floor(value) || fmod(size, value) != 0)
            return false;
        all_one = all_one && value == 1;
        all_size = all_size && value == size;
    }
    return !all_one && !all_size;
}

static void add_extent(struct features *extents, const struct formula *formula)
{
    if (divides_size(extents->points, formula))
        features_add_formula(extents, formula);
}

/* size // number, if it has no remainder at any point. */
static void add_quotient(struct features *extents, const struct formula *number)
{
    const struct points *points = extents->points;
    for (uint32_t i = 0; i < points->count; i++) {
        const double *point = point_at(points, i);
        double value = formula_value(points->formulas, number, point);
        if (!(value >= 1) || fmod(point[POINT_SIZE], value) != 0)
            return;
    }
    add_extent(extents, FORMULA(points->formulas, "a // b",
                                formula_variable(points->formulas, POINT_SIZE), number));
}

struct features *features_extents(const struct points *points)
{
    struct formulas *formulas = points->formulas;
    struct features *extents = features_create(points);
    for (uint32_t i = 0; i < formulas->context->parameter_count; i++) {
        add_extent(extents, formula_parameter(formulas, i));
        add_quotient(extents, formula_parameter(formulas, i));
    }
    for (uint32_t i = 0; i < HELPER_COUNT; i++)
        add_extent(extents, formula_helper(formulas, i));
    for (uint32_t k = 2; k <= CONSTANT_EXTENT_MOST; k++) {
        add_extent(extents, formula_number(formulas, k));
        add_quotient(extents, formula_number(formulas, k));
    }
    for (uint32_t i = HELPER_3D_X; i < HELPER_COUNT; i++) /* planes of a grid of three dimensions */
        add_quotient(extents, formula_helper(formulas, i));
    return extents;
}

static void add_coordinate(struct coordinates *coordinates, const struct formula *value,
                           const struct formula *bound)
{
    struct features *values = coordinates->values, *bounds = coordinates->bounds;
    uint32_t before = values->count;
    if (before == COORDINATES_MOST)
        return;
    features_add_formula(values, value);
    if (values->count == before)
        return;
    double *limits = whole_values(values->points, bound);
    if (!limits)
        values->count = before;
    else
        bounds->items[bounds->count++] = (struct feature){bound, limits, 0};
}

struct coordinates features_coordinates(const struct features *extents)
{
    const struct points *points = extents->points;
    struct formulas *formulas = points->formulas;
    struct coordinates coordinates = {features_create(points), features_create(points)};
    const struct formula *rank = formula_variable(formulas, POINT_RANK);
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    add_coordinate(&coordinates, rank, size);
    for (uint32_t i = 0; i < extents->count; i++) {
        const struct formula *extent = extents->items[i].formula;
        add_coordinate(&coordinates, FORMULA(formulas, "a % b", rank, extent), extent);
        add_coordinate(&coordinates, FORMULA(formulas, "a // b", rank, extent),
                       FORMULA(formulas, "a // b", size, extent));
    }
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct formula *stride = extents->items[i].formula;
            const struct formula *extent = extents->items[k].formula;
            if (divides_size(points, FORMULA(formulas, "a * b", stride, extent)))
                add_coordinate(&coordinates, FORMULA(formulas, "a // b % c", rank, stride, extent),
                               extent);
        }
    return coordinates;
}

const struct formula *features_ratio(const struct points *points, const struct feature *width,
                                     const struct feature *height)
{
    bool square = true;
    for (uint32_t i = 0; i < points->count; i++) {
        double w = width->values[i], h = height->values[i];
        if (w * h != point_at(points, i)[POINT_SIZE] || fmod(w, h) != 0)
            return NULL;
        square = square && w == h;
    }
    return square ? formula_number(points->formulas, 1)
                  : FORMULA(points->formulas, "a // b", width->formula, height->formula);
}

struct features *features_lengths(const struct features *extents)
{
    struct formulas *formulas = extents->points->formulas;
    const struct fit_context *context = formulas->context;
    struct features *lengths = features_create(extents->points);
    /* Lengths that remain of a parameter n: n; at level i of a grid; from column i on. */
    for (uint32_t i = 0; i < context->parameter_count; i++) {
        const struct formula *parameter = formula_parameter(formulas, i);
        features_add_formula(lengths, parameter);
        for (uint32_t l = 0; l < context->loop_count; l++) {
            const struct formula *loop = formula_loop(formulas, l);
            features_add(lengths, "a // 2 ^ b", parameter, loop);
            features_add(lengths, "a - b", parameter, loop);
        }
    }
    uint32_t whole = lengths->count;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    for (uint32_t i = 0; i < whole; i++)
        for (uint32_t k = 0; k <= extents->count + 1; k++) {
            const struct formula *divisor = k == extents->count       ? size
                                            : k == extents->count + 1 ? formula_number(formulas, 2)
                                                                      : extents->items[k].formula;
            const struct formula *length = lengths->items[i].formula;
            features_add(lengths, "a // b", length, divisor);
            features_add(lengths, "ceil(a / b)", length, divisor);
        }
    return lengths;
}

void features_add_distributions(struct features *features, const struct formula *n,
                                const struct formula *c, const struct formula *e)
{
    /* the first ranks get one more; the last ones */
    features_add(features, "a // c + (b < a % c)", n, c, e);
    features_add(features, "a // c + (b >= c - a % c)", n, c, e);
    /* from c n / e to (c + 1) n / e */
    features_add(features, "(b + 1) * a // c - b * a // c", n, c, e);
    /* blocks of equal size, rounded up or down; the last rank gets the rest */
    features_add(features, "max(0, min(ceil(a / c), a - b * ceil(a / c)))", n, c, e);
    features_add(features, "a // c + (b == c - 1) * (a % c)", n, c, e);
}
