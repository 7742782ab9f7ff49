/* Laws over parameters, the number of ranks and loop variables (fit_search.h). */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>

enum {
    TERMS_MOST = 512,
    LAW_TERMS = 3,
    THREE_TERMS_FROM = 5, /* settings: fewer do not determine three terms, */
    THREE_TERMS_OF = 64,  /* nor do they choose among more than these */
};

/* Selection: with S points, a law with the relative residuals r has
 *   (NU + S) / 2 * ln(NU * sigma^2 + sum r^2) + penalties,
 * the negative logarithm of its posterior probability if the noise has the standard deviation sigma
 * with the weight of NU points before anything is seen. */
#define NU             2.0
#define NOISE_EXPECTED 0.02
#define TERM_PENALTY \
    0.8 /* of a further term, in addition to the logarithm of the number of terms */
#define SUM_PENALTY    1.0 /* sums of an overhead and one term are likelier than others */
#define RARE           1.0 /* terms with larger penalties: logarithms, broken exponents */
#define RARE_PENALTY   2.0
/* A term may grow this many times as much as all computation of the program. One that grows more
 * needs evidence: noise and caches often look like such a term. */
#define FASTER         1.5
#define FASTER_PENALTY 4.0
#define SINGULAR       1e-9 /* pivots of terms scaled to a sum of 1 */

struct term {
    const struct formula *formula; /* NULL: 1 */
    double penalty;
    double *values; /* at each point, divided by the target */
};

struct term_list {
    struct formulas *formulas;
    const struct points *points;
    uint32_t low, high; /* points of the recordings with least and most computation, of which */
    double growth;      /* is the ratio; 0: unknown */
    struct term items[TERMS_MOST];
    uint32_t count;
};

/* Terms with their coefficients. */
struct law_candidate {
    uint32_t terms[LAW_TERMS], count;
    double coefficients[LAW_TERMS];
    double squares; /* of the relative residuals */
    double score;
};

/* A factor of a term, as a pattern of its variable `a`; NULL: 1. */
struct law_factor {
    const char *pattern;
    bool divides; /* the term is divided by it */
    double penalty;
};

static const struct law_factor parameter_factors[] = {
    {NULL, false, 0},        {"a", false, 0.5},           {"a ^ 2", false, 0.6},
    {"a ^ 3", false, 0.7},   {"a * log2(a)", false, 1.5}, {"a ^ 2 * log2(a)", false, 1.7},
    {"a ^ 1.5", false, 2.6},
};

static const struct law_factor size_factors[] = {
    {NULL, false, 0},           {"a", true, 0.5},        {"sqrt(a)", true, 1.2},
    {"a ^ (2 / 3)", true, 1.4}, {"log2(a)", false, 1.2}, {"a", false, 1.5},
};

/* Levels of grids and of trees, triangles. */
static const struct law_factor loop_factors[] = {
    {NULL, false, 0},     {"a", false, 1},     {"2 ^ a", true, 0.8}, {"2 ^ a", false, 1},
    {"4 ^ a", true, 0.8}, {"4 ^ a", false, 1}, {"8 ^ a", true, 0.8}, {"8 ^ a", false, 1},
};

/* The factors of a variable; none if it is the same at all points. */
struct factor_list {
    const struct law_factor *items;
    uint32_t count;
};

#define FACTORS(list) ((struct factor_list){(list), sizeof(list) / sizeof *(list)})

/* The computation of the recording in which a point was observed; 0 if it is unknown. */
static double work_at(const struct points *points, uint32_t index)
{
    const struct fit_context *context = points->formulas->context;
    const double *point = point_at(points, index);
    for (uint32_t r = 0; r < context->recordings && context->work; r++) {
        bool same = point[POINT_SIZE] == context->sizes[r];
        for (uint32_t i = 0; i < context->parameter_count && same; i++)
            same = point[POINT_PARAMETERS + i] == context->parameters[i].values[r];
        if (same)
            return context->work[r];
    }
    return 0;
}

/* Finds the recordings with least and most computation. Where points differ in loop variables, too,
 * those of the first iterations are compared. */
static void find_growth(struct term_list *terms)
{
    const struct points *points = terms->points;
    const uint32_t loops = POINT_PARAMETERS + points->formulas->context->parameter_count;
    double least = 0, most = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const double work = work_at(points, i);
        bool first = work > 0;
        for (uint32_t v = loops; v < points->variables && first; v++)
            first = point_at(points, i)[v] == point_at(points, 0)[v];
        if (!first)
            continue;
        if (least == 0 || work < least) {
            least = work;
            terms->low = i;
        }
        if (work > most) {
            most = work;
            terms->high = i;
        }
    }
    terms->growth = least > 0 ? most / least : 0;
}

/* Whether a term grows faster than the computation of the whole program. */
static bool grows_faster(const struct term_list *terms, const double *values)
{
    const double *targets = terms->points->targets;
    return terms->growth > 0 &&
           values[terms->high] * targets[terms->high] >
               FASTER * terms->growth * values[terms->low] * targets[terms->low];
}

/* Adds a term, unless it is negative or has no value at some point. */
static void add_term(struct term_list *terms, const struct formula *formula, double penalty)
{
    const struct points *points = terms->points;
    if (terms->count == TERMS_MOST)
        return;
    double *values = formulas_alloc(terms->formulas, points->count, sizeof *values);
    for (uint32_t i = 0; i < points->count; i++) {
        double value = formula ? formula_value(terms->formulas, formula, point_at(points, i)) : 1;
        values[i] = value / points->targets[i];
        if (!isfinite(values[i]) || value < 0)
            return;
    }
    penalty += grows_faster(terms, values) ? FASTER_PENALTY : 0;
    terms->items[terms->count++] = (struct term){formula, penalty, values};
}

static bool varies(const struct points *points, uint32_t variable)
{
    for (uint32_t i = 1; i < points->count; i++)
        if (point_at(points, i)[variable] != point_at(points, 0)[variable])
            return true;
    return false;
}

static const struct formula *times(struct formulas *formulas, const struct formula *product,
                                   const struct formula *factor)
{
    return product && factor ? FORMULA(formulas, "a * b", product, factor)
           : factor          ? factor
                             : product;
}

/* Adds all products of one factor for each variable, from `variable` on. */
static void multiply_factors(struct term_list *terms, const struct factor_list *factors,
                             uint32_t variable, const struct formula *product,
                             const struct formula *divisor, double penalty)
{
    struct formulas *formulas = terms->formulas;
    while (variable < terms->points->variables && factors[variable].count == 0)
        variable++;
    if (variable == terms->points->variables) {
        if (divisor)
            product = FORMULA(formulas, "a / b", product ? product : formula_number(formulas, 1),
                              divisor);
        add_term(terms, product, penalty);
        return;
    }
    for (uint32_t i = 0; i < factors[variable].count; i++) {
        const struct law_factor *factor = &factors[variable].items[i];
        const struct formula *formula =
            factor->pattern
                ? FORMULA(formulas, factor->pattern, formula_variable(formulas, variable))
                : NULL;
        multiply_factors(terms, factors, variable + 1,
                         factor->divides ? product : times(formulas, product, formula),
                         factor->divides ? times(formulas, divisor, formula) : divisor,
                         penalty + factor->penalty);
    }
}

static void collect_terms(struct term_list *terms)
{
    struct formulas *formulas = terms->formulas;
    uint32_t variables = terms->points->variables;
    uint32_t loops = POINT_PARAMETERS + formulas->context->parameter_count;
    struct factor_list *factors = formulas_alloc(formulas, variables, sizeof *factors);
    for (uint32_t i = POINT_SIZE; i < variables; i++)
        if (varies(terms->points, i))
            factors[i] = i == POINT_SIZE ? FACTORS(size_factors)
                         : i < loops     ? FACTORS(parameter_factors)
                                         : FACTORS(loop_factors);
    multiply_factors(terms, factors, POINT_SIZE, NULL, NULL, 0);
    for (uint32_t i = loops; i < variables; i++)
        for (uint32_t k = POINT_PARAMETERS; k < loops;
             k++) { /* rows and area that remain of a triangle */
            const struct formula *parameter = formula_variable(formulas, k);
            const struct formula *loop = formula_variable(formulas, i);
            if (!varies(terms->points, i))
                continue;
            add_term(terms, FORMULA(formulas, "a - b", parameter, loop), 1.2);
            add_term(terms, FORMULA(formulas, "(a - b) ^ 2", parameter, loop), 1.4);
        }
}

/* Solves the symmetric system of `count` equations in place; false if it is singular. */
static bool solve(double matrix[LAW_TERMS][LAW_TERMS + 1], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pivot = i;
        for (uint32_t k = i + 1; k < count; k++)
            if (fabs(matrix[k][i]) > fabs(matrix[pivot][i]))
                pivot = k;
        if (fabs(matrix[pivot][i]) < SINGULAR)
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
static bool fit_coefficients(const struct term_list *terms, struct law_candidate *candidate,
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

static double residual(const struct term_list *terms, const struct law_candidate *candidate,
                       uint32_t point)
{
    double value = -1;
    for (uint32_t i = 0; i < candidate->count; i++)
        value += candidate->coefficients[i] * terms->items[candidate->terms[i]].values[point];
    return value;
}

struct law_search {
    const struct term_list *terms;
    double variance; /* of the noise that is expected */
    double choice;   /* logarithm of how many terms there are, by their penalties */
    struct law_candidate best, single; /* of all; of those with one term */
};

static void try_candidate(struct law_search *search, struct law_candidate candidate)
{
    const struct term_list *terms = search->terms;
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
        try_candidate(search, (struct law_candidate){.terms = {i}, .count = 1});
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            try_candidate(search, (struct law_candidate){.terms = {i, k}, .count = 2});
    if (search->terms->points->count < THREE_TERMS_FROM || count > THREE_TERMS_OF)
        return;
    for (uint32_t i = 1; i < count; i++) /* c0 + two terms; the first term is 1 */
        for (uint32_t k = i + 1; k < count; k++)
            try_candidate(search, (struct law_candidate){.terms = {0, i, k}, .count = 3});
}

static double cross_validate(const struct law_search *search)
{
    uint32_t points = search->terms->points->count;
    const struct law_candidate *best = &search->best;
    if (points <= best->count)
        return sqrt(search->single.squares / points);
    double squares = 0;
    for (uint32_t i = 0; i < points; i++) {
        struct law_candidate candidate = *best;
        /* A term that the other points do not determine keeps its coefficient of all points. */
        if (!fit_coefficients(search->terms, &candidate, i))
            candidate = *best;
        double r = residual(search->terms, &candidate, i);
        squares += r * r;
    }
    return sqrt(squares / points);
}

static const struct formula *law_formula(const struct term_list *terms,
                                         const struct law_candidate *candidate)
{
    struct formulas *formulas = terms->formulas;
    const struct formula *sum = NULL;
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct formula *product = formula_seconds(formulas, candidate->coefficients[i]);
        const struct formula *term = terms->items[candidate->terms[i]].formula;
        if (term && term->kind == EXPRESSION_DIVIDE) {
            if (!formula_is(term->arguments[0], 1))
                product = FORMULA(formulas, "a * b", product, term->arguments[0]);
            product = FORMULA(formulas, "a / b", product, term->arguments[1]);
        } else if (term)
            product = FORMULA(formulas, "a * b", product, term);
        sum = sum ? FORMULA(formulas, "a + b", sum, product) : product;
    }
    return sum;
}

struct law fit_law(const struct points *points, double noise)
{
    struct term_list *terms = formulas_alloc(points->formulas, 1, sizeof *terms);
    assert(points->count > 0);
    terms->formulas = points->formulas;
    terms->points = points;
    find_growth(terms);
    collect_terms(terms);
    double mean = 0;
    for (uint32_t i = 0; i < points->count; i++)
        mean += points->targets[i] / points->count;
    double expected = fmax(noise, NOISE_EXPECTED), jitter = FIT_JITTER / mean;
    struct law_search search = {.terms = terms, .variance = expected * expected + jitter * jitter};
    search.best.score = search.single.score = INFINITY;
    search_laws(&search);
    return (struct law){.formula = law_formula(terms, &search.best),
                        .error = cross_validate(&search),
                        .weak = points->count > 1 && search.best.count >= points->count};
}
