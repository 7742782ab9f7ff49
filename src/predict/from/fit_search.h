/* What the families of formulas share: the observed points, features (formulas with their values at
 * all points), and the functions that search for the formula that takes the fewest bits. A search
 * that finds no formula returns NULL. */
#ifndef PREDICTION_FROM_FIT_SEARCH_H
#define PREDICTION_FROM_FIT_SEARCH_H

#include "predict/from/fit_formula.h"

#include <string.h>

/* Distinct points, sorted by all variables but the rank, and then by the rank. Points that differ
 * in the rank only are a setting. */
struct points {
    struct formulas *formulas;
    uint32_t count, variables;
    double *at;        /* [count][variables]: see POINT_RANK */
    double *targets;   /* [count]: the observed values */
    double *variances; /* [count]: relative variance of the target; 0: unknown */
};

static inline const double *point_at(const struct points *points, uint32_t index)
{
    return points->at + (size_t)index * points->variables;
}

/* Whether two points, perhaps of different struct points, belong to one setting. */
static inline bool points_same_setting(const struct points *points, const double *a,
                                       const double *b)
{
    return memcmp(a + POINT_SIZE, b + POINT_SIZE,
                  (points->variables - POINT_SIZE) * sizeof(double)) == 0;
}

/* The end of the setting that begins at point `begin`. */
uint32_t points_setting_end(const struct points *points, uint32_t begin);

/* Sorts the observations. Of equal points the first is kept, and `*consistent` says whether their
 * values were equal. */
struct points *points_build(struct formulas *formulas, const struct observation *observations,
                            uint32_t count, bool *consistent);
/* A copy, whose targets may be changed. */
struct points *points_copy(const struct points *points);
/* Those points for which `keep` is true. */
struct points *points_where(const struct points *points, const bool *keep);
/* One point for each setting. NULL if the targets of a setting differ. */
struct points *points_without_rank(const struct points *points);
/* At most `most` of the points: first and last ones, and others spread evenly and at odd steps. */
struct points *points_sample(const struct points *points, uint32_t most);
/* Adds up to `most` of the points of `all` at which the formula is wrong, and returns how many. */
uint32_t points_add_wrong(struct points **sample, const struct points *all,
                          const struct formula *formula, uint32_t most);
/* Whether the formula gives all targets. */
bool points_fit(const struct points *points, const struct formula *formula);
/* The most bits that a formula of the targets may take: beyond that a table is preferred. */
double points_bits_limit(const struct points *points);
uint32_t points_distinct_targets(const struct points *points); /* counts up to 64 */

struct feature {
    const struct formula *formula;
    const double *values; /* at each point */
    uint64_t hash;        /* of the values */
};

enum { FEATURES_MOST = 600 };

struct features {
    const struct points *points;
    struct feature items[FEATURES_MOST];
    uint32_t count;
};

struct features *features_create(const struct points *points);

/* Adds a formula, unless it is not a whole number at some point or has the values of a cheaper
 * feature; it replaces one that takes more bits. Does nothing if the list is full. */
void features_add_formula(struct features *features, const struct formula *formula);
/* The same for a pattern and its letters. */
#define features_add(features, ...) \
    features_add_formula((features), FORMULA((features)->points->formulas, __VA_ARGS__))

/* Those that take the fewest bits first. */
void features_sort(struct features *features);

/* Extents that a grid of ranks can have at all these points: whole numbers that divide the size,
 * and are not 1 or the size everywhere. */
struct features *features_extents(const struct points *points);
/* Coordinates of the rank: rank, rank % extent, rank // extent, rank // stride % extent. Coordinate
 * i is below bounds->items[i], which may have duplicates. */
struct coordinates {
    struct features *values, *bounds;
};
struct coordinates features_coordinates(const struct features *extents);
/* width // height if these are the sides of a grid of all ranks, and the width is a multiple of the
 * height; else NULL. */
const struct formula *features_ratio(const struct points *points, const struct feature *width,
                                     const struct feature *height);
/* Lengths of distributed data: parameters, their quotients by extents and the size, and the parts
 * that remain of them in loops over levels or columns. */
struct features *features_lengths(const struct features *extents);

/* Adds what coordinate `c` (below `e`) gets of `n` items by the usual block distributions. */
void features_add_distributions(struct features *features, const struct formula *n,
                                const struct formula *c, const struct formula *e);

/* What a whole number may be composed of. */
enum whole_kind {
    WHOLE_COMMON,  /* the same on all ranks */
    WHOLE_OF_RANK, /* it may depend on the rank */
    WHOLE_STRIDE,  /* a distance of ranks: of extents, the size and loop variables */
};

/* Bits, and a penalty for a formula with as many free numbers as there are different targets. */
double formula_cost(const struct formula *formula, uint32_t distinct);

/* The cheapest formula that gives all targets. NULL: none is cheaper than a table of them. */
const struct formula *fit_whole(const struct points *points, enum whole_kind kind);
const struct formula *fit_rank(const struct points *points);
const struct formula *fit_truth(const struct points *points);
/* A choice by a condition between two (or three) formulas of fit_whole. */
const struct formula *fit_classes(const struct points *points);

/* The condition that explains most of the targets' variance within settings and that divides at
 * least `settings` of them. Targets have mean 0 in each setting. `variance`: of the noise.
 * `*left`: the sum of the squares that remain. */
const struct formula *fit_split(const struct points *points, double variance, uint32_t settings,
                                double *left);

/* A table of all targets over as few variables as they depend on: an item of it for each point, and
 * its [*count] values, NAN where nothing was observed. `bound`: see struct fitted. */
const struct formula *fit_table(const struct points *points, double **items, uint32_t *count,
                                bool *bound);
/* The items as text, which the caller frees; 0 where nothing was observed. */
char *fit_table_print(struct formulas *formulas, const double *items, uint32_t count, bool seconds);

/* Clocks and the tracer's own cost vary by these seconds. */
#define FIT_JITTER 30e-9

/* Laws of noisy positive numbers: sums of few terms c * f(n) * g(P) with positive coefficients (the
 * performance model normal form; doc/methods.md, section 11.3). */
struct law {
    const struct formula *formula;
    double error; /* relative: root of the mean square when each point is predicted by the others;
                     if there are too few points for that, that of the best single term */
    bool weak;    /* as many coefficients as points */
};

/* The law of the targets, which are positive, at one point of each setting. `noise`: their relative
 * standard deviation, or 0 if the recordings do not show it. */
struct law fit_law(const struct points *points, double noise);

/* Lengths of computation: a law of the parameters, the number of ranks and loop variables, and what
 * distinguishes ranks. Makes the targets positive, and sets all of `fitted` but `text` and `exact`.
 */
const struct formula *fit_seconds(struct points *points, struct fitted *fitted);

#endif
