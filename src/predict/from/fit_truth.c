/* Conditions: comparisons of the rank, of its coordinates in grids and of loop variables, and two
 * of them joined. */
#include "predict/from/fit_search.h"

#include <math.h>
#include <string.h>

#define SAMPLE_MOST            512
#define ROUNDS_MOST            8
#define THRESHOLD_MOST         32 /* of the rank itself; and of what is derived from it: */
#define DERIVED_THRESHOLD_MOST 3
#define PERIOD_MOST            8
#define DERIVED_PERIOD_MOST    2
#define COORDINATES_MOST       60
#define CONDITIONS_MOST        4096

/* A condition, and at which points of the sample it holds. */
struct condition {
    const struct formula *formula;
    uint64_t *holds;
};

struct conditions {
    struct formulas *formulas;
    const struct points *points;
    uint32_t words; /* of 64 points */
    struct condition items[CONDITIONS_MOST];
    uint32_t count;
};

static void add_condition(struct conditions *conditions, const struct formula *formula)
{
    struct formulas *formulas = conditions->formulas;
    if (formulas->failed || conditions->count == CONDITIONS_MOST)
        return;
    uint64_t *holds = arena_alloc_array(formulas->arena, conditions->words, sizeof *holds);
    if (holds == NULL) {
        formulas->failed = true;
        return;
    }
    uint32_t number = 0;
    for (uint32_t i = 0; i < conditions->points->count; i++) {
        double value = formula_value(formulas, formula, point_at(conditions->points, i));
        if (isnan(value))
            return;
        if (value != 0) {
            holds[i / 64] |= (uint64_t)1 << i % 64;
            number++;
        }
    }
    if (number == 0 || number == conditions->points->count)
        return; /* says nothing */
    conditions->items[conditions->count++] = (struct condition){formula, holds};
}

static void compare(struct conditions *conditions, enum formula_kind kind, const struct formula *a,
                    const struct formula *b)
{
    add_condition(conditions, formula_2(conditions->formulas, kind, a, b));
}

/* a == b, a < b, a >= b, a != b: of equally long ones the first is taken */
static void compare_all(struct conditions *conditions, const struct formula *a,
                        const struct formula *b)
{
    compare(conditions, FORMULA_EQUAL, a, b);
    compare(conditions, FORMULA_LESS, a, b);
    compare(conditions, FORMULA_GREATER_EQUAL, a, b);
    compare(conditions, FORMULA_UNEQUAL, a, b);
}

/* Comparisons of a whole number with constants; up to `most`. */
static void compare_constants(struct conditions *conditions, const struct formula *a, double most)
{
    struct formulas *formulas = conditions->formulas;
    bool derived = a->kind != FORMULA_VARIABLE;
    uint32_t thresholds = derived ? DERIVED_THRESHOLD_MOST : THRESHOLD_MOST;
    uint32_t periods = derived ? DERIVED_PERIOD_MOST : PERIOD_MOST;
    compare(conditions, FORMULA_GREATER, a, formula_number(formulas, 0));
    for (uint32_t k = 0; k <= thresholds && k <= most; k++)
        compare_all(conditions, a, formula_number(formulas, k));
    for (uint32_t period = 2; period <= periods && period <= most; period++) {
        const struct formula *rest =
            formula_2(formulas, FORMULA_MODULO, a, formula_number(formulas, period));
        for (uint32_t k = 0; k < period; k++) {
            compare(conditions, FORMULA_EQUAL, rest, formula_number(formulas, k));
            compare(conditions, FORMULA_UNEQUAL, rest, formula_number(formulas, k));
        }
    }
}

static double largest(const struct conditions *conditions, const struct formula *formula)
{
    double most = 0;
    for (uint32_t i = 0; i < conditions->points->count; i++)
        most = fmax(most,
                    formula_value(conditions->formulas, formula, point_at(conditions->points, i)));
    return most;
}

/* Coordinate c of a dimension with `bound` ranks. */
static void compare_coordinate(struct conditions *conditions, const struct formula *c,
                               const struct formula *bound)
{
    struct formulas *formulas = conditions->formulas;
    const struct formula *two = formula_number(formulas, 2);
    compare_constants(conditions, c, largest(conditions, c));
    for (int32_t k = 1; k <= 2; k++)
        compare_all(conditions, c, formula_plus(formulas, bound, -k));
    compare_all(conditions, c, formula_2(formulas, FORMULA_FLOOR_DIVIDE, bound, two));
    for (uint32_t i = 0; i < formulas->context->parameter_count; i++)
        compare_all(conditions, c,
                    formula_2(formulas, FORMULA_MODULO,
                              formula_variable(formulas, POINT_PARAMETERS + i), bound));
}

/* Loop variable i at rank c of a dimension with `bound` ranks: trees, pipelines, owners. */
static void compare_loop(struct conditions *conditions, const struct formula *i,
                         const struct formula *c, const struct formula *bound)
{
    struct formulas *formulas = conditions->formulas;
    const struct formula *power =
        formula_2(formulas, FORMULA_POWER, formula_number(formulas, 2), i);
    const struct formula *next = formula_2(formulas, FORMULA_POWER, formula_number(formulas, 2),
                                           formula_plus(formulas, i, 1));
    const struct formula *rest = formula_2(formulas, FORMULA_MODULO, c, next);
    compare_all(conditions, c, i);
    compare(conditions, FORMULA_GREATER, c, i);
    compare_all(conditions, c, formula_2(formulas, FORMULA_MODULO, i, bound));
    compare_all(conditions, c, power);
    compare_all(conditions, formula_2(formulas, FORMULA_ADD, c, i), bound);
    compare_all(conditions, formula_2(formulas, FORMULA_ADD, c, power), bound);
    compare_all(conditions, formula_2(formulas, FORMULA_XOR, c, power), bound);
    compare_all(conditions, rest, formula_number(formulas, 0));
    compare_all(conditions, rest, power);
    compare_all(conditions, formula_2(formulas, FORMULA_MODULO, c, power),
                formula_number(formulas, 0));
}

static void compare_loops(struct conditions *conditions, const struct coordinates *coordinates)
{
    struct formulas *formulas = conditions->formulas;
    const struct fit_context *context = formulas->context;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    for (uint32_t l = 0; l < context->loop_count; l++) {
        const struct formula *i =
            formula_variable(formulas, POINT_PARAMETERS + context->parameter_count + l);
        compare_constants(conditions, i, largest(conditions, i));
        for (uint32_t k = 0; k < context->parameter_count; k++)
            for (int32_t offset = 0; offset < 3; offset++)
                compare_all(conditions, i,
                            formula_plus(formulas, formula_variable(formulas, POINT_PARAMETERS + k),
                                         -offset));
        const struct formula *rounds =
            formula_1(formulas, FORMULA_CEIL, formula_1(formulas, FORMULA_LOG2, size));
        compare_all(conditions, i, formula_plus(formulas, rounds, -1));
        compare_all(conditions, i, formula_plus(formulas, size, -1));
        for (uint32_t k = 0; k < coordinates->values->count && k < 12; k++)
            compare_loop(conditions, i, coordinates->values->items[k].formula,
                         coordinates->bounds->items[k].formula);
    }
}

/* Whether the rank is on the diagonal of a grid. */
static void compare_diagonals(struct conditions *conditions, const struct features *extents)
{
    struct formulas *formulas = conditions->formulas;
    const struct formula *rank = formula_variable(formulas, POINT_RANK);
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct formula *width = extents->items[i].formula;
            const struct formula *ratio = features_ratio(formulas, conditions->points,
                                                         &extents->items[i], &extents->items[k]);
            if (ratio == NULL)
                continue;
            const struct formula *column = formula_2(formulas, FORMULA_MODULO, rank, width);
            if (ratio->kind != FORMULA_NUMBER)
                column = formula_2(formulas, FORMULA_FLOOR_DIVIDE, column, ratio);
            const struct formula *row = formula_2(formulas, FORMULA_FLOOR_DIVIDE, rank, width);
            compare(conditions, FORMULA_EQUAL, row, column);
            compare(conditions, FORMULA_UNEQUAL, row, column);
        }
}

static void collect_conditions(struct conditions *conditions)
{
    struct formulas *formulas = conditions->formulas;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    const struct formula *two = formula_number(formulas, 2);
    struct features *extents = features_extents(formulas, conditions->points);
    struct coordinates coordinates;
    if (extents == NULL ||
        !features_coordinates(formulas, conditions->points, extents, &coordinates))
        return;
    compare_loops(conditions, &coordinates);
    for (uint32_t i = 0; i < coordinates.values->count && i < COORDINATES_MOST; i++)
        compare_coordinate(conditions, coordinates.values->items[i].formula,
                           coordinates.bounds->items[i].formula);
    for (uint32_t i = POINT_SIZE; i < POINT_PARAMETERS + formulas->context->parameter_count; i++)
        compare_constants(conditions, formula_variable(formulas, i),
                          largest(conditions, formula_variable(formulas, i)));
    for (uint32_t i = 0; i < extents->count; i++) {
        compare(conditions, FORMULA_GREATER, extents->items[i].formula,
                formula_number(formulas, 1));
        /* the colours of a chess board */
        const struct formula *rank = formula_variable(formulas, POINT_RANK);
        const struct formula *extent = extents->items[i].formula;
        const struct formula *sum =
            formula_2(formulas, FORMULA_ADD, formula_2(formulas, FORMULA_MODULO, rank, extent),
                      formula_2(formulas, FORMULA_FLOOR_DIVIDE, rank, extent));
        const struct formula *colour = formula_2(formulas, FORMULA_MODULO, sum, two);
        compare(conditions, FORMULA_EQUAL, colour, formula_number(formulas, 0));
        compare(conditions, FORMULA_EQUAL, colour, formula_number(formulas, 1));
    }
    compare(conditions, FORMULA_GREATER, size, formula_number(formulas, 1));
    compare_diagonals(conditions, extents);
}

struct choice {
    const struct formula *formula;
    float bits;
};

static void choose_single(const struct conditions *conditions, const uint64_t *target,
                          struct choice *choice)
{
    for (uint32_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->items[i];
        if (condition->formula->bits >= choice->bits ||
            memcmp(condition->holds, target, conditions->words * sizeof *target) != 0)
            continue;
        *choice = (struct choice){condition->formula, condition->formula->bits};
    }
}

/* Conditions that hold wherever the target does (`and`), or nowhere else (`or`). */
static uint32_t filter(const struct conditions *conditions, const uint64_t *target, bool wider,
                       const struct condition **kept)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < conditions->count; i++) {
        const uint64_t *holds = conditions->items[i].holds;
        uint64_t against = 0;
        for (uint32_t k = 0; k < conditions->words; k++)
            against |= wider ? target[k] & ~holds[k] : holds[k] & ~target[k];
        if (against == 0)
            kept[count++] = &conditions->items[i];
    }
    return count;
}

static void choose_pair(const struct conditions *conditions, const uint64_t *target, bool wider,
                        const struct condition **kept, struct choice *choice)
{
    uint32_t count = filter(conditions, target, wider, kept);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            float bits = kept[a]->formula->bits + kept[b]->formula->bits + 1 -
                         helpers_saved(kept[a]->formula, kept[b]->formula);
            if (bits >= choice->bits)
                continue;
            uint64_t differs = 0;
            for (uint32_t k = 0; k < conditions->words && differs == 0; k++) {
                uint64_t x = kept[a]->holds[k], y = kept[b]->holds[k];
                differs = (wider ? x & y : x | y) ^ target[k];
            }
            if (differs == 0)
                *choice = (struct choice){formula_2(conditions->formulas,
                                                    wider ? FORMULA_AND : FORMULA_OR,
                                                    kept[a]->formula, kept[b]->formula),
                                          bits};
        }
}

/* The conditions that say something about these points. NULL when memory is out. */
static struct conditions *conditions_of(struct formulas *formulas, const struct points *points)
{
    struct conditions *conditions = arena_alloc(formulas->arena, sizeof *conditions);
    if (conditions == NULL) {
        formulas->failed = true;
        return NULL;
    }
    conditions->formulas = formulas;
    conditions->points = points;
    conditions->words = (points->count + 63) / 64;
    collect_conditions(conditions);
    return formulas->failed ? NULL : conditions;
}

static const struct formula *search_sample(struct formulas *formulas, const struct points *sample,
                                           double limit)
{
    struct conditions *conditions = conditions_of(formulas, sample);
    uint32_t words = (sample->count + 63) / 64;
    uint64_t *target = arena_alloc_array(formulas->arena, words, sizeof *target);
    const struct condition **kept =
        arena_alloc_array(formulas->arena, CONDITIONS_MOST, sizeof(const struct condition *));
    if (conditions == NULL || target == NULL || kept == NULL) {
        formulas->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < sample->count; i++)
        if (sample->targets[i] != 0)
            target[i / 64] |= (uint64_t)1 << i % 64;
    struct choice choice = {NULL, (float)limit};
    choose_single(conditions, target, &choice);
    if (choice.formula == NULL) {
        choose_pair(conditions, target, true, kept, &choice);
        choose_pair(conditions, target, false, kept, &choice);
    }
    return choice.formula;
}

const struct formula *fit_truth(struct formulas *formulas, const struct points *points)
{
    uint32_t distinct = points_distinct_targets(points);
    if (distinct == 1)
        return formula_number(formulas, points->targets[0]);
    double limit = points->count + 8; /* a table takes a bit for each point */
    struct points *sample = points_sample(formulas, points, SAMPLE_MOST);
    for (uint32_t round = 0; round < ROUNDS_MOST && sample != NULL; round++) {
        /* a sample must have both values */
        if (points_distinct_targets(sample) == 1) {
            if (points_add_wrong(formulas, &sample, points,
                                 formula_number(formulas, sample->targets[0]), 8) == 0)
                return NULL;
        }
        const struct formula *formula = search_sample(formulas, sample, limit);
        if (formulas->failed || formula == NULL)
            return NULL;
        if (points_add_wrong(formulas, &sample, points, formula, 8) == 0)
            return formulas->failed ? NULL : formula;
    }
    return NULL;
}

static bool same_set(const struct points *points, uint32_t a, uint32_t b)
{
    return memcmp(point_at(points, a) + 1, point_at(points, b) + 1,
                  (points->variables - 1) * sizeof(double)) == 0;
}

/* The sum of squares that is left if the points at which the condition holds differ from the others
 * of their set by a constant: regression on the condition with a mean for each set. */
static double squares_left(const struct points *points, const uint64_t *holds)
{
    double squares = 0, product = 0, spread = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        double number = 0, sum = 0;
        for (end = begin; end < points->count && same_set(points, begin, end); end++) {
            double target = points->targets[end];
            squares += target * target;
            if ((holds[end / 64] >> end % 64 & 1) != 0) {
                sum += target;
                number++;
            }
        }
        product += sum; /* targets have mean 0 in each set */
        spread += number - number * number / (end - begin);
    }
    return spread <= 0 ? squares : fmax(0, squares - product * product / spread);
}

/* The number of sets in which the condition holds for some and not for all. */
static uint32_t sets_split(const struct points *points, const uint64_t *holds)
{
    uint32_t sets = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        uint32_t number = 0;
        for (end = begin; end < points->count && same_set(points, begin, end); end++)
            number += holds[end / 64] >> end % 64 & 1;
        sets += number > 0 && number < end - begin;
    }
    return sets;
}

#define SPLITS_KEPT 40

/* The best conditions so far, cheapest first. */
struct splits {
    struct {
        const struct condition *condition;
        double cost, left;
    } items[SPLITS_KEPT];
    uint32_t count;
};

static double split_cost(const struct points *points, double variance, double left, double bits)
{
    return 0.5 * points->count * log(variance + left / points->count) + M_LN2 * bits;
}

static void keep_split(struct splits *splits, const struct condition *condition, double cost,
                       double left)
{
    uint32_t at = splits->count;
    while (at > 0 && cost < splits->items[at - 1].cost)
        at--;
    if (at == SPLITS_KEPT)
        return;
    if (splits->count < SPLITS_KEPT)
        splits->count++;
    for (uint32_t i = splits->count - 1; i > at; i--)
        splits->items[i] = splits->items[i - 1];
    splits->items[at].condition = condition;
    splits->items[at].cost = cost;
    splits->items[at].left = left;
}

/* Joins two of the best conditions where that is cheaper than the best of them alone. */
static const struct formula *join_splits(const struct conditions *conditions,
                                         const struct splits *splits, double variance,
                                         uint64_t *holds, double *left)
{
    const struct points *points = conditions->points;
    const struct formula *best = splits->items[0].condition->formula;
    double least = splits->items[0].cost;
    for (uint32_t a = 0; a < splits->count; a++)
        for (uint32_t b = a + 1; b < splits->count; b++)
            for (uint32_t both = 0; both < 2; both++) {
                const struct condition *x = splits->items[a].condition;
                const struct condition *y = splits->items[b].condition;
                for (uint32_t k = 0; k < conditions->words; k++)
                    holds[k] = both != 0 ? x->holds[k] & y->holds[k] : x->holds[k] | y->holds[k];
                double bits =
                    x->formula->bits + y->formula->bits + 1 - helpers_saved(x->formula, y->formula);
                double squares = squares_left(points, holds);
                double cost = split_cost(points, variance, squares, bits);
                if (cost >= least)
                    continue;
                least = cost;
                *left = squares;
                best = formula_2(conditions->formulas, both != 0 ? FORMULA_AND : FORMULA_OR,
                                 x->formula, y->formula);
            }
    return best;
}

const struct formula *fit_split(struct formulas *formulas, const struct points *points,
                                double variance, uint32_t sets, double *left)
{
    struct conditions *conditions = conditions_of(formulas, points);
    if (conditions == NULL)
        return NULL;
    struct splits splits = {.count = 0};
    for (uint32_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->items[i];
        if (sets_split(points, condition->holds) < sets)
            continue;
        double squares = squares_left(points, condition->holds);
        keep_split(&splits, condition,
                   split_cost(points, variance, squares, condition->formula->bits), squares);
    }
    uint64_t *holds = arena_alloc_array(formulas->arena, conditions->words, sizeof *holds);
    if (holds == NULL) {
        formulas->failed = true;
        return NULL;
    }
    if (splits.count == 0)
        return NULL;
    *left = splits.items[0].left;
    return join_splits(conditions, &splits, variance, holds, left);
}
