/* Conditions: comparisons of the rank, of its coordinates in grids and of loop variables, and two
 * of them joined. */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>

enum {
    SAMPLE_MOST = 512, /* points that the search looks at; the result is verified at all */
    WRONG_ADDED = 8,   /* points at which it is wrong that join the sample, */
    ROUNDS_MOST = 8,   /* so often */
    CONDITIONS_MOST = 4096,
    COORDINATES_MOST = 60,      /* that are compared with constants, */
    LOOP_COORDINATES_MOST = 12, /* and with loop variables */
    THRESHOLD_MOST = 32,        /* of the rank itself; and of the features derived from it: */
    DERIVED_THRESHOLD_MOST = 3,
    PERIOD_MOST = 8,
    DERIVED_PERIOD_MOST = 2,
    WORD = 64, /* bits */
};

/* A set of points of the sample, as bits. */
struct condition {
    const struct formula *formula;
    uint64_t *holds;
};

struct fit_conditions {
    struct formulas *formulas;
    const struct points *points;
    uint32_t words; /* of a set */
    struct condition items[CONDITIONS_MOST];
    uint32_t count;
};

static bool is_set(const uint64_t *set, uint32_t i)
{
    return set[i / WORD] >> i % WORD & 1;
}

/* Adds a condition, unless it is the same at all points or has no value at some. */
static void add_condition(struct fit_conditions *list, const struct formula *formula)
{
    if (list->count == CONDITIONS_MOST)
        return;
    uint64_t *holds = formulas_alloc(list->formulas, list->words, sizeof *holds);
    uint32_t number = 0;
    for (uint32_t i = 0; i < list->points->count; i++) {
        double value = formula_value(list->formulas, formula, point_at(list->points, i));
        if (isnan(value))
            return;
        if (value != 0) {
            holds[i / WORD] |= (uint64_t)1 << i % WORD;
            number++;
        }
    }
    if (number > 0 && number < list->points->count)
        list->items[list->count++] = (struct condition){formula, holds};
}

#define ADD(list, ...) add_condition((list), FORMULA((list)->formulas, __VA_ARGS__))

/* Of conditions that are equally long the first is taken. */
static void compare(struct fit_conditions *list, const struct formula *a, const struct formula *b)
{
    ADD(list, "a == b", a, b);
    ADD(list, "a < b", a, b);
    ADD(list, "a >= b", a, b);
    ADD(list, "a != b", a, b);
}

/* Comparisons of a whole number and of its remainders with constants that it may reach. */
static void compare_constants(struct fit_conditions *list, const struct formula *a)
{
    bool derived = a->kind != EXPRESSION_LOCAL;
    uint32_t thresholds = derived ? DERIVED_THRESHOLD_MOST : THRESHOLD_MOST;
    uint32_t periods = derived ? DERIVED_PERIOD_MOST : PERIOD_MOST;
    double most = 0;
    for (uint32_t i = 0; i < list->points->count; i++)
        most = fmax(most, formula_value(list->formulas, a, point_at(list->points, i)));
    ADD(list, "a > 0", a);
    for (uint32_t k = 0; k <= thresholds && k <= most; k++)
        compare(list, a, formula_number(list->formulas, k));
    for (uint32_t period = 2; period <= periods && period <= most; period++)
        for (uint32_t k = 0; k < period; k++) {
            const struct formula *divisor = formula_number(list->formulas, period);
            ADD(list, "a % b == c", a, divisor, formula_number(list->formulas, k));
            ADD(list, "a % b != c", a, divisor, formula_number(list->formulas, k));
        }
}

/* Coordinate c of a dimension with `bound` ranks. */
static void compare_coordinate(struct fit_conditions *list, const struct formula *c,
                               const struct formula *bound)
{
    struct formulas *formulas = list->formulas;
    compare_constants(list, c);
    compare(list, c, FORMULA(formulas, "a - 1", bound));
    compare(list, c, FORMULA(formulas, "a - 2", bound));
    compare(list, c, FORMULA(formulas, "a // 2", bound));
    for (uint32_t i = 0; i < formulas->context->parameter_count; i++)
        compare(list, c, FORMULA(formulas, "a % b", formula_parameter(formulas, i), bound));
}

/* Loop variable i at rank c of a dimension with `bound` ranks: trees, pipelines, owners. */
static void compare_loop(struct fit_conditions *list, const struct formula *i,
                         const struct formula *c, const struct formula *bound)
{
    struct formulas *formulas = list->formulas;
    compare(list, c, i);
    ADD(list, "a > b", c, i);
    compare(list, c, FORMULA(formulas, "a % b", i, bound));
    compare(list, c, FORMULA(formulas, "2 ^ a", i));
    compare(list, FORMULA(formulas, "a + b", c, i), bound);
    compare(list, FORMULA(formulas, "a + 2 ^ b", c, i), bound);
    compare(list, FORMULA(formulas, "xor(a, 2 ^ b)", c, i), bound);
    compare(list, FORMULA(formulas, "a % 2 ^ (b + 1)", c, i), formula_number(formulas, 0));
    compare(list, FORMULA(formulas, "a % 2 ^ (b + 1)", c, i), FORMULA(formulas, "2 ^ a", i));
    compare(list, FORMULA(formulas, "a % 2 ^ b", c, i), formula_number(formulas, 0));
}

static void compare_loops(struct fit_conditions *list, const struct coordinates *coordinates)
{
    struct formulas *formulas = list->formulas;
    const struct fit_context *context = formulas->context;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    for (uint32_t l = 0; l < context->loop_count; l++) {
        const struct formula *i = formula_loop(formulas, l);
        compare_constants(list, i);
        for (uint32_t k = 0; k < context->parameter_count; k++)
            for (int32_t offset = 0; offset < 3; offset++)
                compare(list, i, formula_plus(formulas, formula_parameter(formulas, k), -offset));
        compare(list, i, FORMULA(formulas, "ceil(log2(a)) - 1", size));
        compare(list, i, FORMULA(formulas, "a - 1", size));
        for (uint32_t k = 0; k < coordinates->values->count && k < LOOP_COORDINATES_MOST; k++)
            compare_loop(list, i, coordinates->values->items[k].formula,
                         coordinates->bounds->items[k].formula);
    }
}

/* Whether the rank is on the diagonal of a grid. */
static void compare_diagonals(struct fit_conditions *list, const struct features *extents)
{
    const struct formula *rank = formula_variable(list->formulas, POINT_RANK);
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct formula *width = extents->items[i].formula;
            const struct formula *ratio =
                features_ratio(list->points, &extents->items[i], &extents->items[k]);
            if (!ratio)
                continue;
            const struct formula *column = FORMULA(list->formulas, "a % b", rank, width);
            if (ratio->kind != EXPRESSION_NUMBER)
                column = FORMULA(list->formulas, "a // b", column, ratio);
            ADD(list, "a // b == c", rank, width, column);
            ADD(list, "a // b != c", rank, width, column);
        }
}

/* The conditions that distinguish these points. */
static struct fit_conditions *list_conditions(const struct points *points)
{
    struct formulas *formulas = points->formulas;
    struct fit_conditions *list = formulas_alloc(formulas, 1, sizeof *list);
    list->formulas = formulas;
    list->points = points;
    list->words = (points->count + WORD - 1) / WORD;
    const struct formula *rank = formula_variable(formulas, POINT_RANK);
    struct features *extents = features_extents(points);
    struct coordinates coordinates = features_coordinates(extents);
    compare_loops(list, &coordinates);
    for (uint32_t i = 0; i < coordinates.values->count && i < COORDINATES_MOST; i++)
        compare_coordinate(list, coordinates.values->items[i].formula,
                           coordinates.bounds->items[i].formula);
    for (uint32_t i = POINT_SIZE; i < POINT_PARAMETERS + formulas->context->parameter_count; i++)
        compare_constants(list, formula_variable(formulas, i));
    for (uint32_t i = 0; i < extents->count; i++) {
        const struct formula *extent = extents->items[i].formula;
        ADD(list, "a > 1", extent);
        /* the colours of a chess board */
        ADD(list, "(a % b + a // b) % 2 == 0", rank, extent);
        ADD(list, "(a % b + a // b) % 2 == 1", rank, extent);
    }
    ADD(list, "a > 1", formula_variable(formulas, POINT_SIZE));
    compare_diagonals(list, extents);
    return list;
}

/* The cheapest condition so far. */
struct chosen_condition {
    const struct formula *formula;
    float bits;
};

static void choose_single(const struct fit_conditions *list, const uint64_t *target,
                          struct chosen_condition *chosen)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct condition *condition = &list->items[i];
        if (condition->formula->bits < chosen->bits &&
            memcmp(condition->holds, target, list->words * sizeof *target) == 0)
            *chosen = (struct chosen_condition){condition->formula, condition->formula->bits};
    }
}

/* Bits of two conditions joined. */
static float joined_bits(const struct condition *a, const struct condition *b)
{
    return a->formula->bits + b->formula->bits + 1 - formula_bits_shared(a->formula, b->formula);
}

static const struct formula *join(struct formulas *formulas, bool both, const struct condition *a,
                                  const struct condition *b)
{
    return FORMULA(formulas, both ? "a and b" : "a or b", a->formula, b->formula);
}

static uint64_t join_words(bool both, uint64_t a, uint64_t b)
{
    return both ? a & b : a | b;
}

/* Lists the conditions that can be joined to the target by `and` (`both`), as they hold wherever it
 * does, or by `or`, as they hold nowhere else. */
static uint32_t list_wider(const struct fit_conditions *list, const uint64_t *target, bool both,
                           const struct condition **kept)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint64_t *holds = list->items[i].holds;
        uint64_t against = 0;
        for (uint32_t k = 0; k < list->words; k++)
            against |= both ? target[k] & ~holds[k] : holds[k] & ~target[k];
        if (against == 0)
            kept[count++] = &list->items[i];
    }
    return count;
}

static void choose_pair(const struct fit_conditions *list, const uint64_t *target, bool both,
                        struct chosen_condition *chosen)
{
    const struct condition **kept =
        formulas_alloc(list->formulas, list->count, sizeof(const struct condition *));
    uint32_t count = list_wider(list, target, both, kept);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            float bits = joined_bits(kept[a], kept[b]);
            if (bits >= chosen->bits)
                continue;
            uint64_t differs = 0;
            for (uint32_t k = 0; k < list->words && differs == 0; k++)
                differs = join_words(both, kept[a]->holds[k], kept[b]->holds[k]) ^ target[k];
            if (differs == 0)
                *chosen =
                    (struct chosen_condition){join(list->formulas, both, kept[a], kept[b]), bits};
        }
}

static const struct formula *search_sample(const struct points *sample, double limit)
{
    const struct fit_conditions *list = list_conditions(sample);
    uint64_t *target = formulas_alloc(sample->formulas, list->words, sizeof *target);
    for (uint32_t i = 0; i < sample->count; i++)
        if (sample->targets[i] != 0)
            target[i / WORD] |= (uint64_t)1 << i % WORD;
    struct chosen_condition chosen = {NULL, (float)limit};
    choose_single(list, target, &chosen);
    if (!chosen.formula) {
        choose_pair(list, target, true, &chosen);
        choose_pair(list, target, false, &chosen);
    }
    return chosen.formula;
}

const struct formula *fit_truth(const struct points *points)
{
    assert(points->count > 0);
    struct formulas *formulas = points->formulas;
    if (points_distinct_targets(points) == 1)
        return formula_number(formulas, points->targets[0]);
    double limit = points->count + 8; /* a table takes a bit for each point */
    struct points *sample = points_sample(points, SAMPLE_MOST);
    for (uint32_t round = 0; round < ROUNDS_MOST; round++) {
        if (points_distinct_targets(sample) == 1 && /* a sample must have both values */
            points_add_wrong(&sample, points, formula_number(formulas, sample->targets[0]),
                             WRONG_ADDED) == 0)
            return NULL;
        const struct formula *formula = search_sample(sample, limit);
        if (!formula || points_add_wrong(&sample, points, formula, WRONG_ADDED) == 0)
            return formula;
    }
    return NULL;
}

/* The sum of squares that is left if the points at which the condition holds differ from the others
 * of their setting by a constant: regression on the condition with a mean for each setting. */
static double squares_left(const struct points *points, const uint64_t *holds)
{
    double squares = 0, product = 0, spread = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        double number = 0, sum = 0;
        end = points_setting_end(points, begin);
        for (uint32_t i = begin; i < end; i++) {
            double target = points->targets[i];
            squares += target * target;
            if (is_set(holds, i)) {
                sum += target;
                number++;
            }
        }
        product += sum; /* targets have mean 0 in each setting */
        spread += number - number * number / (end - begin);
    }
    return spread <= 0 ? squares : fmax(0, squares - product * product / spread);
}

/* The number of settings in which the condition holds for some points and not for all. */
static uint32_t settings_divided(const struct points *points, const uint64_t *holds)
{
    uint32_t settings = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        uint32_t number = 0;
        end = points_setting_end(points, begin);
        for (uint32_t i = begin; i < end; i++)
            number += is_set(holds, i);
        settings += number > 0 && number < end - begin;
    }
    return settings;
}

enum { SPLITS_KEPT = 40 };

/* The best conditions so far, cheapest first. */
struct split_list {
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

static void keep_split(struct split_list *splits, const struct condition *condition, double cost,
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
static const struct formula *join_splits(const struct fit_conditions *list,
                                         const struct split_list *splits, double variance,
                                         double *left)
{
    uint64_t *holds = formulas_alloc(list->formulas, list->words, sizeof *holds);
    const struct formula *best = splits->items[0].condition->formula;
    double least = splits->items[0].cost;
    *left = splits->items[0].left;
    for (uint32_t a = 0; a < splits->count; a++)
        for (uint32_t b = a + 1; b < splits->count; b++)
            for (int both = 0; both < 2; both++) {
                const struct condition *x = splits->items[a].condition;
                const struct condition *y = splits->items[b].condition;
                for (uint32_t k = 0; k < list->words; k++)
                    holds[k] = join_words(both, x->holds[k], y->holds[k]);
                double squares = squares_left(list->points, holds);
                double cost = split_cost(list->points, variance, squares, joined_bits(x, y));
                if (cost >= least)
                    continue;
                least = cost;
                *left = squares;
                best = join(list->formulas, both, x, y);
            }
    return best;
}

const struct formula *fit_split(const struct points *points, double variance, uint32_t settings,
                                double *left)
{
    assert(variance >= 0);
    const struct fit_conditions *list = list_conditions(points);
    struct split_list splits = {.count = 0};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct condition *condition = &list->items[i];
        if (settings_divided(points, condition->holds) < settings)
            continue;
        double squares = squares_left(points, condition->holds);
        keep_split(&splits, condition,
                   split_cost(points, variance, squares, condition->formula->bits), squares);
    }
    return splits.count > 0 ? join_splits(list, &splits, variance, left) : NULL;
}
