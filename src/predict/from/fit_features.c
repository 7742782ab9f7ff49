/* Features: what numbers in parallel programs are usually made of. */
#include "predict/from/fit_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT_EXTENT_MOST 32

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

static double *evaluate(struct formulas *formulas, const struct points *points,
                        const struct formula *formula, bool whole)
{
    double *values = arena_alloc_array(formulas->arena, points->count, sizeof *values);
    if (values == NULL)
        formulas->failed = true;
    for (uint32_t i = 0; values != NULL && i < points->count; i++) {
        values[i] = formula_value(formulas, formula, point_at(points, i)) + 0.0;
        if (!isfinite(values[i]) || (whole && values[i] != floor(values[i])))
            return NULL;
    }
    return values;
}

void features_add(struct formulas *formulas, struct features *features, const struct points *points,
                  const struct formula *formula, bool whole)
{
    if (formulas->failed || features->count == FEATURES_MOST)
        return;
    const double *values = evaluate(formulas, points, formula, whole);
    if (values == NULL)
        return;
    struct feature feature = {formula, values, hash_values(values, points->count)};
    for (uint32_t i = 0; i < features->count; i++) {
        struct feature *other = &features->items[i];
        if (other->hash != feature.hash ||
            memcmp(other->values, values, points->count * sizeof *values) != 0)
            continue;
        if (formula->bits < other->formula->bits)
            *other = feature;
        return;
    }
    features->items[features->count++] = feature;
}

static int compare_bits(const void *a, const void *b)
{
    const struct feature *x = a, *y = b;
    if (x->formula->bits != y->formula->bits)
        return x->formula->bits < y->formula->bits ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

void features_sort(struct features *features)
{
    qsort(features->items, features->count, sizeof features->items[0], compare_bits);
}

static struct features *features_new(struct formulas *formulas)
{
    struct features *features = arena_alloc(formulas->arena, sizeof *features);
    if (features == NULL)
        formulas->failed = true;
    return features;
}

/* Whether the formula divides the size at all points, and is not trivial. */
static bool divides_size(const struct formulas *formulas, const struct points *points,
                         const struct formula *formula)
{
    bool all_one = true, all_size = true;
    for (uint32_t i = 0; i < points->count; i++) {
        const double *point = point_at(points, i);
        double value = formula_value(formulas, formula, point), size = point[POINT_SIZE];
        if (!(value >= 1) || value > size || value != floor(value) || fmod(size, value) != 0)
            return false;
        all_one = all_one && value == 1;
        all_size = all_size && value == size;
    }
    return !all_one && !all_size;
}

/* size // number, where there is no rest. */
static const struct formula *divided_size(struct formulas *formulas, const struct points *points,
                                          const struct formula *number)
{
    for (uint32_t i = 0; i < points->count; i++) {
        const double *point = point_at(points, i);
        double value = formula_value(formulas, number, point);
        if (!(value >= 1) || fmod(point[POINT_SIZE], value) != 0)
            return NULL;
    }
    return formula_2(formulas, FORMULA_FLOOR_DIVIDE, formula_variable(formulas, POINT_SIZE),
                     number);
}

static void offer_extent(struct formulas *formulas, struct features *extents,
                         const struct points *points, const struct formula *formula)
{
    if (formula != NULL && !formulas->failed && divides_size(formulas, points, formula))
        features_add(formulas, extents, points, formula, true);
}

struct features *features_extents(struct formulas *formulas, const struct points *points)
{
    struct features *extents = features_new(formulas);
    if (extents == NULL)
        return NULL;
    for (uint32_t i = 0; i < formulas->context->parameter_count; i++) {
        const struct formula *parameter = formula_variable(formulas, POINT_PARAMETERS + i);
        offer_extent(formulas, extents, points, parameter);
        offer_extent(formulas, extents, points, divided_size(formulas, points, parameter));
    }
    for (uint32_t i = 0; i < HELPER_COUNT; i++)
        offer_extent(formulas, extents, points, formula_helper(formulas, i));
    for (uint32_t k = 2; k <= CONSTANT_EXTENT_MOST; k++) {
        const struct formula *number = formula_number(formulas, k);
        offer_extent(formulas, extents, points, number);
        offer_extent(formulas, extents, points, divided_size(formulas, points, number));
    }
    uint32_t last = HELPER_3D_Z;
    for (uint32_t i = HELPER_3D_X; i <= last; i++) /* planes of a grid in three dimensions */
        offer_extent(formulas, extents, points,
                     divided_size(formulas, points, formula_helper(formulas, i)));
    return extents;
}

static void add_coordinate(struct formulas *formulas, const struct points *points,
                           const struct formula *value, const struct formula *bound,
                           struct coordinates *coordinates)
{
    struct features *values = coordinates->values, *bounds = coordinates->bounds;
    uint32_t before = values->count;
    if (before == FEATURES_MOST / 4)
        return;
    features_add(formulas, values, points, value, true);
    if (values->count == before)
        return;
    double *limits = evaluate(formulas, points, bound, true);
    if (limits == NULL)
        values->count = before;
    else
        bounds->items[bounds->count++] = (struct feature){bound, limits, 0};
}

bool features_coordinates(struct formulas *formulas, const struct points *points,
                          const struct features *extents, struct coordinates *coordinates)
{
    coordinates->values = features_new(formulas);
    coordinates->bounds = features_new(formulas);
    if (formulas->failed)
        return false;
    const struct formula *rank = formula_variable(formulas, POINT_RANK);
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    add_coordinate(formulas, points, rank, size, coordinates);
    for (uint32_t i = 0; i < extents->count; i++) {
        const struct formula *extent = extents->items[i].formula;
        add_coordinate(formulas, points, formula_2(formulas, FORMULA_MODULO, rank, extent), extent,
                       coordinates);
        add_coordinate(formulas, points, formula_2(formulas, FORMULA_FLOOR_DIVIDE, rank, extent),
                       formula_2(formulas, FORMULA_FLOOR_DIVIDE, size, extent), coordinates);
    }
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct formula *stride = extents->items[i].formula;
            const struct formula *extent = extents->items[k].formula;
            if (!divides_size(formulas, points,
                              formula_2(formulas, FORMULA_MULTIPLY, stride, extent)))
                continue;
            const struct formula *row = formula_2(formulas, FORMULA_FLOOR_DIVIDE, rank, stride);
            add_coordinate(formulas, points, formula_2(formulas, FORMULA_MODULO, row, extent),
                           extent, coordinates);
        }
    return !formulas->failed;
}

const struct formula *features_ratio(struct formulas *formulas, const struct points *points,
                                     const struct feature *width, const struct feature *height)
{
    bool square = true;
    for (uint32_t i = 0; i < points->count; i++) {
        double w = width->values[i], h = height->values[i];
        if (w * h != point_at(points, i)[POINT_SIZE] || fmod(w, h) != 0)
            return NULL;
        square = square && w == h;
    }
    return square ? formula_number(formulas, 1)
                  : formula_2(formulas, FORMULA_FLOOR_DIVIDE, width->formula, height->formula);
}

static const struct formula *power_of_loop(struct formulas *formulas, const struct formula *loop)
{
    return formula_2(formulas, FORMULA_POWER, formula_number(formulas, 2), loop);
}

/* What is left of a parameter: all of it, half; at level i; from column i on. */
static void add_remains(struct formulas *formulas, struct features *lengths,
                        const struct points *points, const struct formula *parameter)
{
    features_add(formulas, lengths, points, parameter, true);
    for (uint32_t i = 0; i < formulas->context->loop_count; i++) {
        const struct formula *loop =
            formula_variable(formulas, POINT_PARAMETERS + formulas->context->parameter_count + i);
        features_add(
            formulas, lengths, points,
            formula_2(formulas, FORMULA_FLOOR_DIVIDE, parameter, power_of_loop(formulas, loop)),
            true);
        features_add(formulas, lengths, points,
                     formula_2(formulas, FORMULA_SUBTRACT, parameter, loop), true);
    }
}

struct features *features_lengths(struct formulas *formulas, const struct points *points,
                                  const struct features *extents)
{
    struct features *lengths = features_new(formulas);
    if (lengths == NULL)
        return NULL;
    for (uint32_t i = 0; i < formulas->context->parameter_count; i++)
        add_remains(formulas, lengths, points, formula_variable(formulas, POINT_PARAMETERS + i));
    uint32_t whole = lengths->count;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    for (uint32_t i = 0; i < whole; i++)
        for (uint32_t k = 0; k <= extents->count + 1; k++) {
            const struct formula *divisor = k == extents->count       ? size
                                            : k == extents->count + 1 ? formula_number(formulas, 2)
                                                                      : extents->items[k].formula;
            const struct formula *length = lengths->items[i].formula;
            features_add(formulas, lengths, points,
                         formula_2(formulas, FORMULA_FLOOR_DIVIDE, length, divisor), true);
            features_add(formulas, lengths, points,
                         formula_1(formulas, FORMULA_CEIL,
                                   formula_2(formulas, FORMULA_DIVIDE, length, divisor)),
                         true);
        }
    return lengths;
}

void add_distributions(struct formulas *formulas, struct features *features,
                       const struct points *points, const struct formula *n,
                       const struct formula *c, const struct formula *e)
{
    const struct formula *part = formula_2(formulas, FORMULA_FLOOR_DIVIDE, n, e);
    const struct formula *rest = formula_2(formulas, FORMULA_MODULO, n, e);
    const struct formula *last = formula_plus(formulas, e, -1);
    const struct formula *next = formula_plus(formulas, c, 1);
    const struct formula *most =
        formula_1(formulas, FORMULA_CEIL, formula_2(formulas, FORMULA_DIVIDE, n, e));
    const struct formula *ways[] = {
        /* the first ranks get one more; the last ones */
        formula_2(formulas, FORMULA_ADD, part, formula_2(formulas, FORMULA_LESS, c, rest)),
        formula_2(formulas, FORMULA_ADD, part,
                  formula_2(formulas, FORMULA_GREATER_EQUAL, c,
                            formula_2(formulas, FORMULA_SUBTRACT, e, rest))),
        /* from c n / e to (c + 1) n / e */
        formula_2(formulas, FORMULA_SUBTRACT,
                  formula_2(formulas, FORMULA_FLOOR_DIVIDE,
                            formula_2(formulas, FORMULA_MULTIPLY, next, n), e),
                  formula_2(formulas, FORMULA_FLOOR_DIVIDE,
                            formula_2(formulas, FORMULA_MULTIPLY, c, n), e)),
        /* blocks of equal size, rounded up or down; the last rank gets the rest */
        formula_2(formulas, FORMULA_MAX, formula_number(formulas, 0),
                  formula_2(formulas, FORMULA_MIN, most,
                            formula_2(formulas, FORMULA_SUBTRACT, n,
                                      formula_2(formulas, FORMULA_MULTIPLY, c, most)))),
        formula_2(formulas, FORMULA_ADD, part,
                  formula_2(formulas, FORMULA_MULTIPLY, formula_2(formulas, FORMULA_EQUAL, c, last),
                            rest)),
    };
    for (uint32_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        features_add(formulas, features, points, ways[i], true);
}
