#include "predict/from/fit_law.h"

#include <math.h>

#define TERMS_MOST     512
#define LAW_TERMS      3

/* Selection: with S points, a law with the relative residuals r has
 *   (NU + S) / 2 * ln(NU * sigma^2 + sum r^2) + penalties,
 * the negative logarithm of its posterior probability if the noise has the standard deviation sigma
 * with the weight of NU points before anything is seen. */
#define NU             2.0
#define NOISE_EXPECTED 0.02
#define TERM_PENALTY   0.8 /* of a further term, beside the logarithm of how many there are */
#define SUM_PENALTY    1.0 /* sums of an overhead and one term are likelier than others */
#define RARE           1.0 /* terms with larger penalties: logarithms, broken exponents */
#define RARE_PENALTY   2.0

struct term {
    const struct formula *formula; /* NULL: 1 */
    double penalty;
    double *values; /* at each point, divided by the target */
};

struct terms {
    struct formulas *formulas;
    const struct points *points;
    struct term items[TERMS_MOST];
    uint32_t count;
};

/* Terms with their coefficients. */
struct candidate {
    uint32_t terms[LAW_TERMS], count;
    double coefficients[LAW_TERMS];
    double squares; /* of the relative residuals */
    double score;
};

/* A factor of a term: a power, perhaps with a logarithm, or an exponential of a loop variable. */
struct factor {
    const struct formula *formula; /* NULL: 1 */
    bool divides;                  /* the term is divided by it */
    double penalty;
};

#define FACTORS_MOST 12

struct factors {
    struct factor items[FACTORS_MOST];
    uint32_t count;
};

static void add_factor(struct factors *factors, const struct formula *formula, bool divides,
                       double penalty)
{
    factors->items[factors->count++] = (struct factor){formula, divides, penalty};
}

static const struct formula *power(struct formulas *formulas, const struct formula *base,
                                   const struct formula *exponent)
{
    return formula_2(formulas, FORMULA_POWER, base, exponent);
}

/* 1, n, n log n, n^1.5, n^2, n^2 log n, n^3 */
static void parameter_factors(struct formulas *formulas, const struct formula *n,
                              struct factors *factors)
{
    const struct formula *logarithm = formula_1(formulas, FORMULA_LOG2, n);
    const struct formula *square = power(formulas, n, formula_number(formulas, 2));
    add_factor(factors, NULL, false, 0);
    add_factor(factors, n, false, 0.5);
    add_factor(factors, square, false, 0.6);
    add_factor(factors, power(formulas, n, formula_number(formulas, 3)), false, 0.7);
    add_factor(factors, formula_2(formulas, FORMULA_MULTIPLY, n, logarithm), false, 1.5);
    add_factor(factors, formula_2(formulas, FORMULA_MULTIPLY, square, logarithm), false, 1.7);
    add_factor(factors, power(formulas, n, formula_number(formulas, 1.5)), false, 2.6);
}

/* 1, 1/P, P^-1/2, P^-2/3, log P, P */
static void size_factors(struct formulas *formulas, struct factors *factors)
{
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    const struct formula *two_thirds = formula_2(
        formulas, FORMULA_DIVIDE, formula_number(formulas, 2), formula_number(formulas, 3));
    add_factor(factors, NULL, false, 0);
    add_factor(factors, size, true, 0.5);
    add_factor(factors, formula_1(formulas, FORMULA_SQRT, size), true, 1.2);
    add_factor(factors, power(formulas, size, two_thirds), true, 1.4);
    add_factor(factors, formula_1(formulas, FORMULA_LOG2, size), false, 1.2);
    add_factor(factors, size, false, 1.5);
}

/* 1, 2^-i, 4^-i, 8^-i, i, 2^i, 4^i, 8^i: levels of grids and of trees, triangles. */
static void loop_factors(struct formulas *formulas, const struct formula *i,
                         struct factors *factors)
{
    add_factor(factors, NULL, false, 0);
    add_factor(factors, i, false, 1);
    for (uint32_t base = 2; base <= 8; base *= 2) {
        const struct formula *exponential = power(formulas, formula_number(formulas, base), i);
        add_factor(factors, exponential, true, 0.8);
        add_factor(factors, exponential, false, 1);
    }
}

static void add_term(struct terms *terms, const struct formula *formula, double penalty)
{
    const struct points *points = terms->points;
    if (terms->count == TERMS_MOST || terms->formulas->failed)
        return;
    double *values = arena_alloc_array(terms->formulas->arena, points->count, sizeof *values);
    if (values == NULL) {
        terms->formulas->failed = true;
        return;
    }
    for (uint32_t i = 0; i < points->count; i++) {
        double value =
            formula == NULL ? 1 : formula_value(terms->formulas, formula, point_at(points, i));
        values[i] = value / points->targets[i];
        if (!isfinite(values[i]) || value < 0)
            return;
    }
    terms->items[terms->count++] = (struct term){formula, penalty, values};
}

static bool varies(const struct points *points, uint32_t variable)
{
    for (uint32_t i = 1; i < points->count; i++)
        if (point_at(points, i)[variable] != point_at(points, 0)[variable])
            return true;
    return false;
}

/* All products of one factor for each variable, from `variable` on. */
static void multiply_factors(struct terms *terms, const struct factors *factors, uint32_t variable,
                             const struct formula *product, const struct formula *divisor,
                             double penalty)
{
    struct formulas *formulas = terms->formulas;
    if (variable == terms->points->variables) {
        const struct formula *formula = product;
        if (divisor != NULL)
            formula = formula_2(formulas, FORMULA_DIVIDE,
                                product != NULL ? product : formula_number(formulas, 1), divisor);
        add_term(terms, formula, penalty);
        return;
    }
    if (factors[variable].count == 0) {
        multiply_factors(terms, factors, variable + 1, product, divisor, penalty);
        return;
    }
    for (uint32_t i = 0; i < factors[variable].count; i++) {
        const struct factor *factor = &factors[variable].items[i];
        const struct formula *above = product, *below = divisor;
        const struct formula **side = factor->divides ? &below : &above;
        if (factor->formula != NULL)
            *side = *side == NULL ? factor->formula
                                  : formula_2(formulas, FORMULA_MULTIPLY, *side, factor->formula);
        multiply_factors(terms, factors, variable + 1, above, below, penalty + factor->penalty);
    }
}

static bool collect_terms(struct terms *terms)
{
    struct formulas *formulas = terms->formulas;
    const struct fit_context *context = formulas->context;
    uint32_t loops = POINT_PARAMETERS + context->parameter_count;
    struct factors *factors =
        arena_alloc_array(formulas->arena, terms->points->variables, sizeof *factors);
    if (factors == NULL) {
        formulas->failed = true;
        return false;
    }
    for (uint32_t i = POINT_SIZE; i < terms->points->variables; i++) {
        const struct formula *variable = formula_variable(formulas, i);
        if (!varies(terms->points, i))
            continue;
        if (i == POINT_SIZE)
            size_factors(formulas, &factors[i]);
        else if (i < loops)
            parameter_factors(formulas, variable, &factors[i]);
        else
            loop_factors(formulas, variable, &factors[i]);
    }
    multiply_factors(terms, factors, POINT_SIZE, NULL, NULL, 0);
    for (uint32_t i = loops; i < terms->points->variables; i++)
        for (uint32_t k = POINT_PARAMETERS; k < loops; k++) { /* what is left of a triangle */
            const struct formula *rest =
                formula_2(formulas, FORMULA_SUBTRACT, formula_variable(formulas, k),
                          formula_variable(formulas, i));
            if (!varies(terms->points, i))
                continue;
            add_term(terms, rest, 1.2);
            add_term(terms, power(formulas, rest, formula_number(formulas, 2)), 1.4);
        }
    return !formulas->failed;
}

/* Solves the symmetric system of `count` equations in place; false if it is singular. */
static bool solve(double matrix[LAW_TERMS][LAW_TERMS + 1], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pivot = i;
        for (uint32_t k = i + 1; k < count; k++)
            if (fabs(matrix[k][i]) > fabs(matrix[pivot][i]))
                pivot = k;
        if (fabs(matrix[pivot][i]) < 1e-9)
            return false;
        for (uint32_t j = 0; j <= count; j++) {
            double swap = matrix[i][j];
            matrix[i][j] = matrix[pivot][j];
            matrix[pivot][j] = swap;
        }
        for (uint32_t k = 0; k < count; k++) {
            double factor = k == i ? 0 : matrix[k][i] / matrix[i][i];
            for (uint32_t j = i; j <= count && k != i; j++)
                matrix[k][j] -= factor * matrix[i][j];
        }
    }
    return true;
}

/* Fits the coefficients with the point `without` left out (UINT32_MAX: none); false if they are not
 * determined, or not positive. Terms are scaled to a mean of 1. */
static bool fit_coefficients(const struct terms *terms, struct candidate *candidate,
                             uint32_t without)
{
    uint32_t count = candidate->count, points = terms->points->count;
    double matrix[LAW_TERMS][LAW_TERMS + 1] = {{0}}, scales[LAW_TERMS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t s = 0; s < points; s++)
            scales[i] += s == without ? 0 : terms->items[candidate->terms[i]].values[s];
        if (scales[i] == 0)
            return false;
    }
    for (uint32_t s = 0; s < points; s++) {
        if (s == without)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            double x = terms->items[candidate->terms[i]].values[s] / scales[i];
            for (uint32_t k = 0; k < count; k++)
                matrix[i][k] += x * terms->items[candidate->terms[k]].values[s] / scales[k];
            matrix[i][count] += x;
        }
    }
    if (!solve(matrix, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        candidate->coefficients[i] = matrix[i][count] / matrix[i][i] / scales[i];
        if (!(candidate->coefficients[i] > 0))
            return false;
    }
    return true;
}

static double residual(const struct terms *terms, const struct candidate *candidate, uint32_t point)
{
    double value = -1;
    for (uint32_t i = 0; i < candidate->count; i++)
        value += candidate->coefficients[i] * terms->items[candidate->terms[i]].values[point];
    return value;
}

struct law_search {
    const struct terms *terms;
    double variance;               /* of the noise that is expected */
    double choice;                 /* logarithm of how many terms there are, by their penalties */
    struct candidate best, single; /* of all; of those with one term */
};

static void try_candidate(struct law_search *search, struct candidate candidate)
{
    const struct terms *terms = search->terms;
    uint32_t points = terms->points->count;
    if (candidate.count > points)
        return;
    double penalty = 0;
    for (uint32_t i = 0; i < candidate.count; i++) {
        const struct term *term = &terms->items[candidate.terms[i]];
        penalty += term->penalty + (i > 0 ? TERM_PENALTY + search->choice : 0);
        if (candidate.count > 1)
            penalty += (term->formula != NULL ? SUM_PENALTY : 0) +
                       (term->penalty > RARE ? RARE_PENALTY : 0);
    }
    double least = 0.5 * (NU + points) * log(NU * search->variance) + penalty;
    if (least >= search->best.score || !fit_coefficients(terms, &candidate, UINT32_MAX))
        return;
    for (uint32_t i = 0; i < points; i++) {
        double r = residual(terms, &candidate, i);
        candidate.squares += r * r;
    }
    candidate.score =
        0.5 * (NU + points) * log(NU * search->variance + candidate.squares) + penalty;
    if (candidate.score < search->best.score)
        search->best = candidate;
    if (candidate.count == 1 && candidate.score < search->single.score)
        search->single = candidate;
}

static void search_laws(struct law_search *search)
{
    uint32_t count = search->terms->count;
    double sum = 1; /* the first term is 1 */
    for (uint32_t i = 1; i < count; i++)
        sum += exp(-search->terms->items[i].penalty);
    search->choice = log(sum);
    for (uint32_t i = 0; i < count; i++)
        try_candidate(search, (struct candidate){.terms = {i}, .count = 1});
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            try_candidate(search, (struct candidate){.terms = {i, k}, .count = 2});
    /* c0 + two terms, where there is enough to tell; the first term is 1 */
    for (uint32_t i = 1; i < count && search->terms->points->count >= 5 && count <= 64; i++)
        for (uint32_t k = i + 1; k < count; k++)
            try_candidate(search, (struct candidate){.terms = {0, i, k}, .count = 3});
}

static double cross_validate(const struct law_search *search)
{
    uint32_t points = search->terms->points->count;
    const struct candidate *best = &search->best;
    if (points <= best->count)
        return sqrt(search->single.squares / points);
    double squares = 0;
    for (uint32_t i = 0; i < points; i++) {
        struct candidate candidate = *best;
        /* A term that the other points do not show is left at what all of them say. */
        if (!fit_coefficients(search->terms, &candidate, i))
            candidate = *best;
        double r = residual(search->terms, &candidate, i);
        squares += r * r;
    }
    return sqrt(squares / points);
}

static const struct formula *law_formula(const struct terms *terms,
                                         const struct candidate *candidate)
{
    struct formulas *formulas = terms->formulas;
    const struct formula *sum = NULL;
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct formula *number = formula_seconds(formulas, candidate->coefficients[i]);
        const struct formula *term = terms->items[candidate->terms[i]].formula;
        const struct formula *product = number;
        if (term != NULL && term->kind == FORMULA_DIVIDE) {
            const struct formula *above = term->arguments[0];
            bool one = above->kind == FORMULA_NUMBER && above->number == 1;
            product = one ? number : formula_2(formulas, FORMULA_MULTIPLY, number, above);
            product = formula_2(formulas, FORMULA_DIVIDE, product, term->arguments[1]);
        } else if (term != NULL)
            product = formula_2(formulas, FORMULA_MULTIPLY, number, term);
        sum = sum == NULL ? product : formula_2(formulas, FORMULA_ADD, sum, product);
    }
    return sum;
}

bool fit_law(struct formulas *formulas, const struct points *points, double noise, struct law *law)
{
    struct terms *terms = arena_alloc(formulas->arena, sizeof *terms);
    if (terms == NULL) {
        formulas->failed = true;
        return false;
    }
    terms->formulas = formulas;
    terms->points = points;
    if (!collect_terms(terms))
        return false;
    double mean = 0;
    for (uint32_t i = 0; i < points->count; i++)
        mean += points->targets[i] / points->count;
    double expected = fmax(noise, NOISE_EXPECTED), jitter = JITTER / mean;
    struct law_search search = {.terms = terms, .variance = expected * expected + jitter * jitter};
    search.best.score = search.single.score = INFINITY;
    search_laws(&search);
    law->formula = law_formula(terms, &search.best);
    law->error = cross_validate(&search);
    law->weak = points->count > 1 && search.best.count >= points->count;
    return !formulas->failed;
}
