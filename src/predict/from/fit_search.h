/* What the families of formulas share: the observed points, features (formulas with their values at
 * all points), and the search for the formula that takes the fewest bits. */
#ifndef PREDICTION_FROM_FIT_SEARCH_H
#define PREDICTION_FROM_FIT_SEARCH_H

#include "predict/from/fit_formula.h"

/* Distinct points, sorted by all variables but the rank, and then by the rank. */
struct points {
    uint32_t count, variables;
    double *at;        /* [count][variables]: see POINT_RANK */
    double *targets;   /* [count] */
    double *variances; /* [count] of points_build: of the targets, relative; 0: unknown */
};

static inline const double *point_at(const struct points *points, uint32_t index)
{
    return points->at + (size_t)index * points->variables;
}

/* The following return NULL when memory is out (and set formulas->failed). All is owned by the
 * arena. */
/* Sorts the observations; of equal points the first is kept, and `*consistent` says whether their
 * values were equal. */
struct points *points_build(struct formulas *formulas, const struct observation *observations,
                            uint32_t count, bool *consistent);
/* As many points, with space for targets of their own. */
struct points *points_copy(struct formulas *formulas, const struct points *points);
/* Those points for which `keep` is true. */
struct points *points_where(struct formulas *formulas, const struct points *points,
                            const bool *keep);
/* One point for each set of ranks that differ in nothing else; `*depends` if the targets of such a
 * set differ (the result is NULL then). */
struct points *points_without_rank(struct formulas *formulas, const struct points *points,
                                   bool *depends);
/* At most `most` of the points: first and last ones, and others spread evenly and at odd steps. */
struct points *points_sample(struct formulas *formulas, const struct points *points, uint32_t most);
/* Adds up to `most` of the points of `all` at which the formula is wrong; the number of them. */
uint32_t points_add_wrong(struct formulas *formulas, struct points **sample,
                          const struct points *all, const struct formula *formula, uint32_t most);
/* Whether the formula gives all targets. */
bool points_fit(const struct formulas *formulas, const struct points *points,
                const struct formula *formula);
/* Bits of a table of the targets. */
double points_bits(const struct points *points);
uint32_t points_distinct_targets(const struct points *points); /* counts up to 64 */

struct feature {
    const struct formula *formula;
    const double *values; /* at each point */
    uint64_t hash;        /* of the values */
};

#define FEATURES_MOST 600

struct features {
    struct feature items[FEATURES_MOST];
    uint32_t count;
};

/* Adds a formula, unless it has no value at some point, is not whole there (`whole`), or has the
 * values of a cheaper feature; it replaces a dearer one. Silently ignored if the list is full. */
void features_add(struct formulas *formulas, struct features *features, const struct points *points,
                  const struct formula *formula, bool whole);

/* Cheapest first. */
void features_sort(struct features *features);

/* Extents that a grid of ranks can have at all these points: whole numbers that divide the size,
 * not all 1 or all the size. */
struct features *features_extents(struct formulas *formulas, const struct points *points);
/* Coordinates of the rank: rank, rank % extent, rank // extent, rank // stride % extent. The bound
 * of coordinate i, which it does not reach, is bounds->items[i] (without removing duplicates). */
struct coordinates {
    struct features *values, *bounds;
};
bool features_coordinates(struct formulas *formulas, const struct points *points,
                          const struct features *extents, struct coordinates *coordinates);
/* width // height if these are the sides of a grid of all ranks, and the width is a multiple of the
 * height; NULL if not. */
const struct formula *features_ratio(struct formulas *formulas, const struct points *points,
                                     const struct feature *width, const struct feature *height);
/* Lengths of what is distributed: parameters, their quotients by extents and the size, and what
 * loops over levels or columns leave of them. */
struct features *features_lengths(struct formulas *formulas, const struct points *points,
                                  const struct features *extents);

/* Adds what coordinate `c` (below `e`) gets of `n` items, by the usual block distributions. */
void add_distributions(struct formulas *formulas, struct features *features,
                       const struct points *points, const struct formula *n,
                       const struct formula *c, const struct formula *e);

/* What whole numbers may be made of. */
enum whole_kind {
    WHOLE_COMMON,  /* the same on all ranks */
    WHOLE_OF_RANK, /* they may depend on the rank */
    WHOLE_STRIDE,  /* distances of ranks: of extents, the size and loop variables */
};

/* What the search has found so far. */
struct search {
    struct formulas *formulas;
    const struct points *points;
    enum whole_kind kind;
    uint32_t distinct;          /* targets */
    const struct formula *best; /* NULL: none yet */
    double best_cost;
};

/* Bits, and a penalty for a formula with as many free numbers as there are different targets. */
double formula_cost(const struct formula *formula, uint32_t distinct);
/* Remembers the formula if it is the cheapest so far and gives all targets. */
void search_offer(struct search *search, const struct formula *formula);

/* The cheapest formula that gives all targets, and is cheaper than a table of them; NULL if there
 * is none. */
const struct formula *fit_whole(struct formulas *formulas, const struct points *points,
                                enum whole_kind kind);
const struct formula *fit_rank(struct formulas *formulas, const struct points *points);
const struct formula *fit_truth(struct formulas *formulas, const struct points *points);
/* The condition that explains most of the targets' variance within sets of points that differ in
 * the rank only, and that divides at least `sets` of these; NULL: none. Targets have mean 0 in each
 * set. `variance`: of the noise. `*left`: the sum of the squares that remain. */
const struct formula *fit_split(struct formulas *formulas, const struct points *points,
                                double variance, uint32_t sets, double *left);
/* A choice by a condition between two (or three) of the above. NULL: none is cheaper than a
 * table. */
const struct formula *fit_classes(struct formulas *formulas, const struct points *points);

/* A table of all targets over what they depend on, at the least: `items` are its values, owned by
 * the arena, NAN where nothing was observed. `bound`: see struct fitted. NULL when memory is out.
 */
const struct formula *fit_table(struct formulas *formulas, const struct points *points,
                                double **items, uint32_t *count, bool *bound);
/* The items as text, 0 where there are none; NULL when memory is out. */
char *table_print(const double *items, uint32_t count, bool seconds);

#endif
