/* Whole numbers: multiples, sums and products of features, and choices between them. */
#include "predict/from/fit_search.h"

#include <math.h>

#define SAMPLE_MOST     160 /* points that the search looks at; the result is verified at all */
#define ROUNDS_MOST     8
#define WEAK_PENALTY    12
#define NUMBER_MOST     0x1p48
#define DIVISOR_MOST    4096
#define FACTORS_MOST    3
/* Features that families with several of them look at: those that take the fewest bits. */
#define PAIRS_OF        200
#define SUMS_OF         120
#define OFFSET_PAIRS_OF 60
#define VOLUMES_OF      16

double formula_cost(const struct formula *formula, uint32_t distinct)
{
    return formula->bits + (distinct > 1 && formula->free >= distinct ? WEAK_PENALTY : 0);
}

void search_offer(struct search *search, const struct formula *formula)
{
    double cost = formula_cost(formula, search->distinct);
    if (search->formulas->failed || cost >= search->best_cost ||
        !points_fit(search->formulas, search->points, formula))
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
            formula_plus(formulas, product->factors[i]->formula, product->offsets[i]);
        uint32_t power = 1;
        while (i + power < product->count && same_factor(product, i, i + power))
            power++;
        if (power > 1)
            factor = formula_2(formulas, FORMULA_POWER, factor, formula_number(formulas, power));
        result = result == NULL ? factor : formula_2(formulas, FORMULA_MULTIPLY, result, factor);
        i += power;
    }
    return result;
}

static double product_bits(const struct product *product)
{
    double bits = 0;
    for (uint32_t i = 0; i < product->count; i++)
        if (i == 0 || !same_factor(product, i - 1, i))
            bits += product->factors[i]->formula->bits + (product->offsets[i] != 0 ? 3 : 0);
    return bits;
}

/* Where the targets are smallest and largest. */
struct ends {
    uint32_t low, high;
};

static struct ends find_ends(const struct points *points)
{
    struct ends ends = {0, 0};
    for (uint32_t i = 1; i < points->count; i++) {
        if (points->targets[i] < points->targets[ends.low])
            ends.low = i;
        if (points->targets[i] > points->targets[ends.high])
            ends.high = i;
    }
    return ends;
}

static bool is_number(double value)
{
    return value == floor(value) && fabs(value) <= NUMBER_MOST;
}

/* a + c * product and product // d. */
static void try_product(struct search *search, const struct product *product, struct ends ends)
{
    const double *targets = search->points->targets;
    double low = product_value(product, ends.low), high = product_value(product, ends.high);
    if (low == high || product_bits(product) >= search->best_cost)
        return;
    double factor = (targets[ends.high] - targets[ends.low]) / (high - low);
    double divisor = 1 / factor;
    bool divided =
        !is_number(factor) && is_number(divisor) && divisor <= DIVISOR_MOST && divisor > 0;
    if (!divided && !is_number(factor))
        return;
    double constant =
        divided ? targets[ends.low] - floor(low / divisor) : targets[ends.low] - factor * low;
    if (!is_number(constant))
        return;
    for (uint32_t i = 0; i < search->points->count; i++) {
        double value = product_value(product, i);
        if (divided && search->kind == WHOLE_STRIDE && fmod(value, divisor) != 0)
            return; /* grids have no rest */
        value = divided ? floor(value / divisor) : factor * value;
        if (value + constant != targets[i])
            return;
    }
    struct formulas *formulas = search->formulas;
    const struct formula *formula = product_formula(formulas, product);
    if (divided)
        formula =
            formula_2(formulas, FORMULA_FLOOR_DIVIDE, formula, formula_number(formulas, divisor));
    else if (factor < 0 && constant != 0)
        formula = formula_2(formulas, FORMULA_SUBTRACT, formula_number(formulas, constant),
                            formula_times(formulas, -factor, formula));
    else
        formula = formula_times(formulas, factor, formula);
    if (divided || factor > 0 || constant == 0)
        formula = formula_plus(formulas, formula, constant);
    search_offer(search, formula);
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void try_single(struct search *search, const struct features *features, struct ends ends)
{
    for (uint32_t i = 0; i < features->count; i++) {
        struct product product = {.factors = {&features->items[i]}, .count = 1};
        try_product(search, &product, ends);
    }
}

static void try_pairs(struct search *search, const struct features *features, struct ends ends)
{
    uint32_t count = least_of(features->count, PAIRS_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++) {
            struct product product = {.factors = {&features->items[i], &features->items[k]},
                                      .count = 2};
            try_product(search, &product, ends);
        }
}

/* c * (x + a) * (y + b), without a constant, which would leave too much freedom. */
static void try_multiple(struct search *search, const struct product *product, uint32_t high)
{
    const double *targets = search->points->targets;
    double factor = targets[high] / product_value(product, high);
    if (!is_number(factor) || factor == 0)
        return;
    for (uint32_t i = 0; i < search->points->count; i++)
        if (factor * product_value(product, i) != targets[i])
            return;
    search_offer(search, formula_times(search->formulas, factor,
                                       product_formula(search->formulas, product)));
}

static const double offsets[] = {0, 2, 1, -1, -2, 4, 3};
#define OFFSETS (sizeof offsets / sizeof offsets[0])

static void try_offset_products(struct search *search, const struct features *lengths,
                                struct ends ends)
{
    uint32_t count = least_of(lengths->count, OFFSET_PAIRS_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < OFFSETS; a++) {
            struct product product = {
                .factors = {&lengths->items[i]}, .offsets = {offsets[a]}, .count = 1};
            try_multiple(search, &product, ends.high);
            product.count = 2;
            for (uint32_t k = i; k < count; k++)
                for (uint32_t b = 0; b < OFFSETS; b++) {
                    product.factors[1] = &lengths->items[k];
                    product.offsets[1] = offsets[b];
                    if (product_bits(&product) < search->best_cost)
                        try_multiple(search, &product, ends.high);
                }
        }
}

/* Volumes: (x + a) * (y + a) * (z + a). */
static void try_volumes(struct search *search, const struct features *lengths, struct ends ends)
{
    uint32_t count = least_of(lengths->count, VOLUMES_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            for (uint32_t l = k; l < count; l++)
                for (uint32_t a = 0; a < OFFSETS; a++) {
                    struct product product = {
                        .factors = {&lengths->items[i], &lengths->items[k], &lengths->items[l]},
                        .offsets = {offsets[a], offsets[a], offsets[a]},
                        .count = 3};
                    if (product_bits(&product) < search->best_cost)
                        try_multiple(search, &product, ends.high);
                }
}

/* a + c f + d g by three points; the third is the first one at which the three are independent. */
static void try_sum(struct search *search, const struct feature *f, const struct feature *g,
                    struct ends ends)
{
    const struct points *points = search->points;
    const double *t = points->targets;
    double f1 = f->values[ends.high] - f->values[ends.low];
    double g1 = g->values[ends.high] - g->values[ends.low];
    double t1 = t[ends.high] - t[ends.low], determinant = 0, c = 0, d = 0;
    for (uint32_t i = 0; i < points->count && determinant == 0; i++) {
        double f2 = f->values[i] - f->values[ends.low], g2 = g->values[i] - g->values[ends.low];
        double t2 = t[i] - t[ends.low];
        determinant = f1 * g2 - f2 * g1;
        c = (t1 * g2 - t2 * g1) / determinant;
        d = (f1 * t2 - f2 * t1) / determinant;
    }
    if (determinant == 0 || !is_number(c) || !is_number(d) || c == 0 || d == 0)
        return;
    double constant = t[ends.low] - c * f->values[ends.low] - d * g->values[ends.low];
    for (uint32_t i = 0; i < points->count; i++)
        if (c * f->values[i] + d * g->values[i] + constant != t[i])
            return;
    struct formulas *formulas = search->formulas;
    if (c < 0) { /* the positive one first */
        const struct feature *other = f;
        double number = c;
        f = g, c = d;
        g = other, d = number;
    }
    const struct formula *sum = formula_2(formulas, d < 0 ? FORMULA_SUBTRACT : FORMULA_ADD,
                                          formula_times(formulas, c, f->formula),
                                          formula_times(formulas, fabs(d), g->formula));
    search_offer(search, formula_plus(formulas, sum, constant));
}

static void try_sums(struct search *search, const struct features *features, struct ends ends)
{
    uint32_t count = least_of(features->count, SUMS_OF);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            const struct feature *f = &features->items[i], *g = &features->items[k];
            if (f->formula->bits + g->formula->bits + 1 < search->best_cost)
                try_sum(search, f, g, ends);
        }
}

/* f + g + k and f - g + k with a small k: diagonal neighbours in grids. */
static void try_signed_sums(struct search *search, const struct features *features)
{
    struct formulas *formulas = search->formulas;
    const double *targets = search->points->targets;
    uint32_t count = search->points->count;
    for (uint32_t i = 0; i < features->count; i++)
        for (uint32_t k = 0; k < features->count; k++)
            for (int32_t signs = 0; signs < 3; signs++) {
                const struct feature *f = &features->items[i], *g = &features->items[k];
                double a = signs == 2 ? -1 : 1, b = signs == 0 ? 1 : -1;
                double rest = targets[0] - a * f->values[0] - b * g->values[0];
                uint32_t fits = 0;
                while (fits < count &&
                       a * f->values[fits] + b * g->values[fits] + rest == targets[fits])
                    fits++;
                if (fits < count || fabs(rest) > 1)
                    continue;
                const struct formula *first =
                    a < 0 ? formula_2(formulas, FORMULA_SUBTRACT, formula_number(formulas, 0),
                                      f->formula)
                          : f->formula;
                const struct formula *sum =
                    formula_2(formulas, b < 0 ? FORMULA_SUBTRACT : FORMULA_ADD, first, g->formula);
                search_offer(search, formula_plus(formulas, sum, rest));
            }
}

static void add_coordinates(struct formulas *formulas, struct features *features,
                            struct features *lengths, const struct points *points,
                            const struct features *extents)
{
    struct coordinates coordinates;
    uint32_t own = lengths->count;
    if (!features_coordinates(formulas, points, extents, &coordinates))
        return;
    for (uint32_t i = 0; i < coordinates.values->count; i++) {
        const struct formula *c = coordinates.values->items[i].formula;
        const struct formula *e = coordinates.bounds->items[i].formula;
        features_add(formulas, features, points, c, true);
        features_add(formulas, features, points,
                     formula_2(formulas, FORMULA_GREATER, c, formula_number(formulas, 0)), true);
        features_add(formulas, features, points,
                     formula_2(formulas, FORMULA_LESS, c, formula_plus(formulas, e, -1)), true);
        for (uint32_t k = 0; k < own && k < 8; k++)
            add_distributions(formulas, lengths, points, lengths->items[k].formula, c, e);
    }
}

/* Everything else that a number may be made of. */
static void add_counts(struct formulas *formulas, struct features *features,
                       const struct points *points, const struct features *extents,
                       enum whole_kind kind)
{
    const struct formula *two = formula_number(formulas, 2);
    uint32_t variables =
        POINT_PARAMETERS + formulas->context->parameter_count + formulas->context->loop_count;
    for (uint32_t i = POINT_SIZE; i < variables; i++) {
        const struct formula *variable = formula_variable(formulas, i);
        const struct formula *logarithm = formula_1(formulas, FORMULA_LOG2, variable);
        features_add(formulas, features, points, variable, true);
        if (i < POINT_PARAMETERS + formulas->context->parameter_count) {
            if (kind == WHOLE_STRIDE)
                continue;
            features_add(formulas, features, points, formula_1(formulas, FORMULA_CEIL, logarithm),
                         true);
            features_add(formulas, features, points, formula_1(formulas, FORMULA_FLOOR, logarithm),
                         true);
        } else
            features_add(formulas, features, points,
                         formula_2(formulas, FORMULA_POWER, two, variable), true);
        if (i < POINT_PARAMETERS + formulas->context->parameter_count)
            continue;
        features_add(
            formulas, features, points,
            formula_2(formulas, FORMULA_MODULO, variable, formula_variable(formulas, POINT_SIZE)),
            true);
        for (uint32_t k = 0; k < extents->count; k++)
            features_add(formulas, features, points,
                         formula_2(formulas, FORMULA_MODULO, variable, extents->items[k].formula),
                         true);
    }
    for (uint32_t i = 0; i < extents->count; i++) {
        const struct formula *extent = extents->items[i].formula;
        features_add(formulas, features, points, extent, true);
        if (kind != WHOLE_STRIDE)
            features_add(
                formulas, features, points,
                formula_1(formulas, FORMULA_CEIL, formula_1(formulas, FORMULA_LOG2, extent)), true);
    }
}

/* Numbers that halve from level to level: c // 2^i. */
static void try_halving(struct search *search)
{
    struct formulas *formulas = search->formulas;
    const struct points *points = search->points;
    const struct fit_context *context = formulas->context;
    for (uint32_t i = 0; i < context->loop_count; i++) {
        uint32_t variable = POINT_PARAMETERS + context->parameter_count + i;
        struct ends ends = find_ends(points);
        double number = points->targets[ends.high] * exp2(point_at(points, ends.high)[variable]);
        if (!is_number(number))
            continue;
        const struct formula *power =
            formula_2(formulas, FORMULA_POWER, formula_number(formulas, 2),
                      formula_variable(formulas, variable));
        search_offer(search, formula_2(formulas, FORMULA_FLOOR_DIVIDE,
                                       formula_number(formulas, number), power));
    }
}

/* All pairs of parameters and lengths, divided as a whole: n * m // size. */
static void add_divided_products(struct formulas *formulas, struct features *features,
                                 const struct points *points, const struct features *extents)
{
    uint32_t parameters = formulas->context->parameter_count;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    for (uint32_t i = 0; i < parameters; i++)
        for (uint32_t k = i; k < parameters; k++) {
            const struct formula *area = formula_2(
                formulas, FORMULA_MULTIPLY, formula_variable(formulas, POINT_PARAMETERS + i),
                formula_variable(formulas, POINT_PARAMETERS + k));
            for (uint32_t e = 0; e <= extents->count; e++)
                features_add(formulas, features, points,
                             formula_2(formulas, FORMULA_FLOOR_DIVIDE, area,
                                       e == extents->count ? size : extents->items[e].formula),
                             true);
        }
}

/* c // g for an extent g, or the number of ranks: parts of a problem whose size is the same in all
 * recordings, so that no parameter names it. */
static void try_quotients(struct search *search, const struct features *extents)
{
    struct formulas *formulas = search->formulas;
    const struct points *points = search->points;
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    for (uint32_t e = 0; e <= extents->count; e++) {
        const struct formula *divisor = e == extents->count ? size : extents->items[e].formula;
        double whole = points->targets[0] * formula_value(formulas, divisor, point_at(points, 0));
        bool constant = whole > 0;
        for (uint32_t i = 1; i < points->count && constant; i++)
            constant =
                points->targets[i] * formula_value(formulas, divisor, point_at(points, i)) == whole;
        if (constant)
            search_offer(search, formula_2(formulas, FORMULA_FLOOR_DIVIDE,
                                           formula_number(formulas, whole), divisor));
    }
}

static void search_sample(struct search *search)
{
    enum whole_kind kind = search->kind;
    struct formulas *formulas = search->formulas;
    const struct points *points = search->points;
    struct ends ends = find_ends(points);
    if (points->targets[ends.low] == points->targets[ends.high]) {
        search_offer(search, formula_number(formulas, points->targets[0]));
        return;
    }
    struct features *extents = features_extents(formulas, points);
    if (extents != NULL && kind == WHOLE_COMMON && !sizes_vary(formulas->context))
        extents->count = 0;
    struct features *lengths = extents == NULL ? NULL : features_lengths(formulas, points, extents);
    struct features *features = arena_alloc(formulas->arena, sizeof *features);
    if (features == NULL || lengths == NULL) {
        formulas->failed = true;
        return;
    }
    add_counts(formulas, features, points, extents, kind);
    if (kind == WHOLE_STRIDE)
        lengths->count = 0;
    if (kind == WHOLE_OF_RANK)
        add_coordinates(formulas, features, lengths, points, extents);
    for (uint32_t i = 0; i < lengths->count; i++)
        features_add(formulas, features, points, lengths->items[i].formula, true);
    if (kind != WHOLE_STRIDE)
        add_divided_products(formulas, features, points, extents);
    features_sort(features);
    features_sort(lengths);
    try_single(search, features, ends);
    try_halving(search);
    try_quotients(search, extents);
    try_pairs(search, features, ends);
    try_offset_products(search, lengths, ends);
    try_volumes(search, lengths, ends);
    try_signed_sums(search, extents);
    if (points->count > 2)
        try_sums(search, features, ends);
}

const struct formula *fit_whole(struct formulas *formulas, const struct points *points,
                                enum whole_kind kind)
{
    double limit = 0.75 * points_bits(points) + 8;
    struct points *sample = points_sample(formulas, points, SAMPLE_MOST);
    uint32_t distinct = points_distinct_targets(points);
    for (uint32_t round = 0; round < ROUNDS_MOST && sample != NULL; round++) {
        struct search search = {formulas, sample, kind, distinct, NULL, limit + WEAK_PENALTY};
        search_sample(&search);
        if (formulas->failed || search.best == NULL || search.best->bits > limit)
            return NULL;
        if (points_add_wrong(formulas, &sample, points, search.best, 8) == 0)
            return formulas->failed ? NULL : search.best;
    }
    return NULL;
}
