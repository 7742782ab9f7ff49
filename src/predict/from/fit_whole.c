/* Whole numbers: multiples, sums and products of features, and choices between them. */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>

enum {
    SAMPLE_MOST = 160, /* points that the search looks at; the result is verified at all */
    WRONG_ADDED = 8,   /* points at which it is wrong that join the sample, */
    ROUNDS_MOST = 8,   /* so often */
    WEAK_PENALTY = 12, /* bits: see formula_cost */
    DIVISOR_MOST = 4096,
    FACTORS_MOST = 3,
    /* Features that are combined with each other: those that take the fewest bits. */
    PAIRS_OF = 200,
    SUMS_OF = 120,
    OFFSET_PAIRS_OF = 60,
    VOLUMES_OF = 16,
    DISTRIBUTED_LENGTHS = 8,
    OFFSET_BITS = 3,
};

#define NUMBER_MOST 0x1p48 /* coefficients beyond this are chance */

/* What the search has found so far. */
struct whole_search {
    struct formulas *formulas;
    const struct points *points;
    enum whole_kind kind;
    uint32_t low, high; /* points with the smallest and the largest target */
    uint32_t distinct;  /* targets */
    const struct formula *best;
    double best_cost;
};

double formula_cost(const struct formula *formula, uint32_t distinct)
{
    return formula->bits + (distinct > 1 && formula->free >= distinct ? WEAK_PENALTY : 0);
}

/* Takes the formula if it is the cheapest so far and gives all targets. */
static void offer(struct whole_search *search, const struct formula *formula)
{
    double cost = formula_cost(formula, search->distinct);
    if (cost >= search->best_cost || !points_fit(search->points, formula))
        return;
    search->best = formula;
    search->best_cost = cost;
}

/* (factor + offset) * (factor + offset) ... */
struct product {
    const struct feature *factors[FACTORS_MOST];
    double offsets[FACTORS_MOST];
    uint32_t count;
};

static double product_value(const struct product *product, uint32_t point)
{
    double value = product->factors[0]->values[point] + product->offsets[0];
    for (uint32_t i = 1; i < product->count; i++)
        value *= product->factors[i]->values[point] + product->offsets[i];
    return value;
}

static bool same_factor(const struct product *product, uint32_t a, uint32_t b)
{
    return product->factors[a] == product->factors[b] && product->offsets[a] == product->offsets[b];
}

static const struct formula *product_formula(struct formulas *formulas,
                                             const struct product *product)
{
    const struct formula *result = NULL;
    for (uint32_t i = 0; i < product->count;) {
        const struct formula *factor =
            formula_halo(formulas, product->factors[i]->formula, product->offsets[i]);
        uint32_t power = 1;
        while (i + power < product->count && same_factor(product, i, i + power))
            power++;
        if (power > 1)
            factor = FORMULA(formulas, "a ^ b", factor, formula_number(formulas, power));
        result = result ? FORMULA(formulas, "a * b", result, factor) : factor;
        i += power;
    }
    return result;
}

static double product_bits(const struct product *product)
{
    double bits = 0;
    for (uint32_t i = 0; i < product->count; i++)
        if (i == 0 || !same_factor(product, i - 1, i))
            bits +=
                product->factors[i]->formula->bits + (product->offsets[i] != 0 ? OFFSET_BITS : 0);
    return bits;
}

static void find_extremes(struct whole_search *search)
{
    const double *targets = search->points->targets;
    for (uint32_t i = 1; i < search->points->count; i++) {
        if (targets[i] < targets[search->low])
            search->low = i;
        if (targets[i] > targets[search->high])
            search->high = i;
    }
}

static bool is_coefficient(double value)
{
    return value == floor(value) && fabs(value) <= NUMBER_MOST;
}

/* a + c * product and product // d. */
static void try_product(struct whole_search *search, const struct product *product)
{
    struct formulas *formulas = search->formulas;
    const double *targets = search->points->targets;
    double least = targets[search->low], most = targets[search->high];
    double low = product_value(product, search->low), high = product_value(product, search->high);
    if (low == high || product_bits(product) >= search->best_cost)
        return;
    double factor = (most - least) / (high - low), divisor = 1 / factor;
    bool divided = !is_coefficient(factor) && is_coefficient(divisor) && divisor <= DIVISOR_MOST &&
                   divisor > 0;
    if (!divided && !is_coefficient(factor))
        return;
    double constant = divided ? least - floor(low / divisor) : least - factor * low;
    if (!is_coefficient(constant))
        return;
    for (uint32_t i = 0; i < search->points->count; i++) {
        double value = product_value(product, i);
        if (divided && search->kind == WHOLE_STRIDE && fmod(value, divisor) != 0)
            return; /* grids have no rest */
        value = divided ? floor(value / divisor) : factor * value;
        if (value + constant != targets[i])
            return;
    }
    const struct formula *formula = product_formula(formulas, product);
    if (divided)
        formula = FORMULA(formulas, "a // b", formula, formula_number(formulas, divisor));
    else if (factor < 0 && constant != 0)
        formula = FORMULA(formulas, "a - b", formula_number(formulas, constant),
                          formula_times(formulas, -factor, formula));
    else
        formula = formula_times(formulas, factor, formula);
    if (divided || factor > 0 || constant == 0)
        formula = formula_plus(formulas, formula, constant);
    offer(search, formula);
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void try_singles(struct whole_search *search, const struct features *features)
{
    for (uint32_t i = 0; i < features->count; i++)
        try_product(search, &(struct product){.factors = {&features->items[i]}, .count = 1});
}

static void try_pairs(struct whole_search *search, const struct features *features)
{
    const struct feature *items = features->items;
    uint32_t count = least_of(features->count, PAIRS_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            try_product(search, &(struct product){.factors = {&items[i], &items[k]}, .count = 2});
}

/* c * product, without a constant, which would leave too much freedom. */
static void try_multiple(struct whole_search *search, const struct product *product)
{
    const double *targets = search->points->targets;
    double factor = targets[search->high] / product_value(product, search->high);
    if (!is_coefficient(factor) || factor == 0)
        return;
    for (uint32_t i = 0; i < search->points->count; i++)
        if (factor * product_value(product, i) != targets[i])
            return;
    offer(search,
          formula_times(search->formulas, factor, product_formula(search->formulas, product)));
}

/* Widths of halos. Products of several lengths have only the first OFFSETS of them: all would take
 * too long. */
static const double offsets[] = {0, 2, 1, -1, -2, 4, 3, 5, 6, 8};
enum { OFFSETS = 7, LENGTH_OFFSETS = sizeof offsets / sizeof offsets[0] };

/* Lengths and areas: c * (x + a), c * (x + a) * (y + b). */
static void try_offset_products(struct whole_search *search, const struct features *lengths)
{
    uint32_t count = least_of(lengths->count, OFFSET_PAIRS_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < LENGTH_OFFSETS; a++) {
            struct product product = {
                .factors = {&lengths->items[i]}, .offsets = {offsets[a]}, .count = 1};
            try_multiple(search, &product);
            product.count = 2;
            for (uint32_t k = i; k < count && a < OFFSETS; k++)
                for (uint32_t b = 0; b < OFFSETS; b++) {
                    product.factors[1] = &lengths->items[k];
                    product.offsets[1] = offsets[b];
                    if (product_bits(&product) < search->best_cost)
                        try_multiple(search, &product);
                }
        }
}

/* Volumes: c * (x + a) * (y + a) * (z + a). */
static void try_volumes(struct whole_search *search, const struct features *lengths)
{
    const struct feature *items = lengths->items;
    uint32_t count = least_of(lengths->count, VOLUMES_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            for (uint32_t l = k; l < count; l++)
                for (uint32_t a = 0; a < OFFSETS; a++) {
                    struct product product = {.factors = {&items[i], &items[k], &items[l]},
                                              .offsets = {offsets[a], offsets[a], offsets[a]},
                                              .count = 3};
                    if (product_bits(&product) < search->best_cost)
                        try_multiple(search, &product);
                }
}

/* a + c f + d g by three points; the third is the first one at which the three are independent. */
static void try_sum(struct whole_search *search, const struct feature *f, const struct feature *g)
{
    struct formulas *formulas = search->formulas;
    const double *t = search->points->targets;
    uint32_t low = search->low, high = search->high, count = search->points->count;
    double f1 = f->values[high] - f->values[low], g1 = g->values[high] - g->values[low];
    double t1 = t[high] - t[low], determinant = 0, c = 0, d = 0;
    for (uint32_t i = 0; i < count && determinant == 0; i++) {
        double f2 = f->values[i] - f->values[low], g2 = g->values[i] - g->values[low];
        double t2 = t[i] - t[low];
        determinant = f1 * g2 - f2 * g1;
        c = (t1 * g2 - t2 * g1) / determinant;
        d = (f1 * t2 - f2 * t1) / determinant;
    }
    if (determinant == 0 || !is_coefficient(c) || !is_coefficient(d) || c == 0 || d == 0)
        return;
    double constant = t[low] - c * f->values[low] - d * g->values[low];
    for (uint32_t i = 0; i < count; i++)
        if (c * f->values[i] + d * g->values[i] + constant != t[i])
            return;
    if (c < 0) { /* the positive one first */
        const struct feature *other = f;
        double number = c;
        f = g, c = d;
        g = other, d = number;
    }
    const struct formula *sum =
        FORMULA(formulas, d < 0 ? "a - b" : "a + b", formula_times(formulas, c, f->formula),
                formula_times(formulas, fabs(d), g->formula));
    offer(search, formula_plus(formulas, sum, constant));
}

static void try_sums(struct whole_search *search, const struct features *features)
{
    uint32_t count = least_of(features->count, SUMS_OF);
    for (uint32_t i = 0; i < count && search->points->count > 2; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            const struct feature *f = &features->items[i], *g = &features->items[k];
            if (f->formula->bits + g->formula->bits + 1 < search->best_cost)
                try_sum(search, f, g);
        }
}

/* f + g + k, f - g + k and - f - g + k with a small k: diagonal neighbours in grids. */
static void try_signed_sums(struct whole_search *search, const struct features *features)
{
    static const struct {
        double f, g;
        const char *pattern;
    } signs[] = {{1, 1, "a + b"}, {1, -1, "a - b"}, {-1, -1, "0 - a - b"}};
    const double *targets = search->points->targets;
    uint32_t count = search->points->count;
    for (uint32_t i = 0; i < features->count; i++)
        for (uint32_t k = 0; k < features->count; k++)
            for (uint32_t s = 0; s < sizeof signs / sizeof *signs; s++) {
                const struct feature *f = &features->items[i], *g = &features->items[k];
                double rest = targets[0] - signs[s].f * f->values[0] - signs[s].g * g->values[0];
                uint32_t fits = 0;
                while (fits < count &&
                       signs[s].f * f->values[fits] + signs[s].g * g->values[fits] + rest ==
                           targets[fits])
                    fits++;
                if (fits == count && fabs(rest) <= 1)
                    offer(search, formula_plus(search->formulas,
                                               FORMULA(search->formulas, signs[s].pattern,
                                                       f->formula, g->formula),
                                               rest));
            }
}

/* Coordinates and whether they are at a border; what a coordinate gets of a length. */
static void add_coordinates(struct features *features, struct features *lengths,
                            const struct features *extents)
{
    struct coordinates coordinates = features_coordinates(extents);
    uint32_t own = least_of(lengths->count, DISTRIBUTED_LENGTHS);
    for (uint32_t i = 0; i < coordinates.values->count; i++) {
        const struct formula *c = coordinates.values->items[i].formula;
        const struct formula *e = coordinates.bounds->items[i].formula;
        features_add_formula(features, c);
        features_add(features, "a > 0", c);
        features_add(features, "a < b - 1", c, e);
        for (uint32_t k = 0; k < own; k++)
            features_add_distributions(lengths, lengths->items[k].formula, c, e);
    }
}

/* The size, parameters, loop variables and extents, and their logarithms and the like. */
static void add_counts(struct features *features, const struct features *extents,
                       enum whole_kind kind)
{
    struct formulas *formulas = features->points->formulas;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    uint32_t loops = POINT_PARAMETERS + formulas->context->parameter_count;
    for (uint32_t i = POINT_SIZE; i < features->points->variables; i++) {
        const struct formula *variable = formula_variable(formulas, i);
        features_add_formula(features, variable);
        if (i < loops && kind != WHOLE_STRIDE) {
            features_add(features, "ceil(log2(a))", variable);
            features_add(features, "floor(log2(a))", variable);
        }
        if (i < loops)
            continue;
        features_add(features, "2 ^ a", variable);
        features_add(features, "a % b", variable, size);
        for (uint32_t k = 0; k < extents->count; k++)
            features_add(features, "a % b", variable, extents->items[k].formula);
    }
    for (uint32_t i = 0; i < extents->count; i++) {
        features_add_formula(features, extents->items[i].formula);
        if (kind != WHOLE_STRIDE)
            features_add(features, "ceil(log2(a))", extents->items[i].formula);
    }
}

/* Numbers that halve from level to level: c // 2^i. */
static void try_halving(struct whole_search *search)
{
    struct formulas *formulas = search->formulas;
    for (uint32_t i = 0; i < formulas->context->loop_count; i++) {
        const struct formula *loop = formula_loop(formulas, i);
        double level = point_at(search->points, search->high)[loop->index];
        double number = search->points->targets[search->high] * exp2(level);
        if (is_coefficient(number))
            offer(search, FORMULA(formulas, "a // 2 ^ b", formula_number(formulas, number), loop));
    }
}

/* The number of ranks if `i` is the number of extents, else extent i. */
static const struct formula *extent_or_size(const struct features *extents, uint32_t i)
{
    return i == extents->count ? formula_variable(extents->points->formulas, POINT_SIZE)
                               : extents->items[i].formula;
}

/* Products of two parameters, divided as a whole: n * m // size. */
static void add_divided_products(struct features *features, const struct features *extents)
{
    struct formulas *formulas = features->points->formulas;
    uint32_t parameters = formulas->context->parameter_count;
    for (uint32_t i = 0; i < parameters; i++)
        for (uint32_t k = i; k < parameters; k++)
            for (uint32_t e = 0; e <= extents->count; e++)
                features_add(features, "a * b // c", formula_parameter(formulas, i),
                             formula_parameter(formulas, k), extent_or_size(extents, e));
}

/* c // g for an extent g, or the number of ranks: parts of a problem whose size is the same in all
 * recordings, so that no parameter names it. */
static void try_quotients(struct whole_search *search, const struct features *extents)
{
    struct formulas *formulas = search->formulas;
    const struct points *points = search->points;
    for (uint32_t e = 0; e <= extents->count; e++) {
        const struct formula *divisor = extent_or_size(extents, e);
        double whole = points->targets[0] * formula_value(formulas, divisor, point_at(points, 0));
        bool constant = whole > 0;
        for (uint32_t i = 1; i < points->count && constant; i++)
            constant =
                points->targets[i] * formula_value(formulas, divisor, point_at(points, i)) == whole;
        if (constant)
            offer(search, FORMULA(formulas, "a // b", formula_number(formulas, whole), divisor));
    }
}

static void search_sample(struct whole_search *search)
{
    enum whole_kind kind = search->kind;
    const struct points *points = search->points;
    find_extremes(search);
    if (points->targets[search->low] == points->targets[search->high]) {
        offer(search, formula_number(search->formulas, points->targets[0]));
        return;
    }
    struct features *extents = features_extents(points);
    if (kind == WHOLE_COMMON && !fit_sizes_vary(search->formulas->context))
        extents->count = 0;
    struct features *lengths = features_lengths(extents), *features = features_create(points);
    add_counts(features, extents, kind);
    if (kind == WHOLE_STRIDE)
        lengths->count = 0;
    if (kind == WHOLE_OF_RANK)
        add_coordinates(features, lengths, extents);
    for (uint32_t i = 0; i < lengths->count; i++)
        features_add_formula(features, lengths->items[i].formula);
    if (kind != WHOLE_STRIDE)
        add_divided_products(features, extents);
    features_sort(features);
    features_sort(lengths);
    try_singles(search, features);
    try_halving(search);
    try_quotients(search, extents);
    try_pairs(search, features);
    try_offset_products(search, lengths);
    try_volumes(search, lengths);
    try_signed_sums(search, extents);
    try_sums(search, features);
}

const struct formula *fit_whole(const struct points *points, enum whole_kind kind)
{
    assert(points->count > 0);
    double limit = points_bits_limit(points);
    struct points *sample = points_sample(points, SAMPLE_MOST);
    uint32_t distinct = points_distinct_targets(points);
    for (uint32_t round = 0; round < ROUNDS_MOST; round++) {
        struct whole_search search = {.formulas = points->formulas,
                                      .points = sample,
                                      .kind = kind,
                                      .distinct = distinct,
                                      .best_cost = limit + WEAK_PENALTY};
        search_sample(&search);
        if (!search.best || search.best->bits > limit)
            return NULL;
        if (points_add_wrong(&sample, points, search.best, WRONG_ADDED) == 0)
            return search.best;
    }
    return NULL;
}
