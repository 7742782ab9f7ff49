#include "predict/from/fit.h"

#include "predict/from/fit_search.h"
#include "predict/from/fit_seconds.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fitted_clear(struct fitted *fitted)
{
    free(fitted->text);
    free(fitted->table);
    *fitted = (struct fitted){0};
}

static const struct formula *fit_number(struct formulas *formulas, const struct points *points)
{
    bool depends;
    struct points *reduced = points_without_rank(formulas, points, &depends);
    if (reduced != NULL)
        return fit_whole(formulas, reduced, WHOLE_COMMON);
    if (formulas->failed)
        return NULL;
    const struct formula *formula = fit_whole(formulas, points, WHOLE_OF_RANK);
    return formula != NULL || formulas->failed ? formula : fit_classes(formulas, points);
}

/* Where peers are missing only because the formula leaves the ranks that there are: itself, as
 * negative ranks are MPI_PROC_NULL, too, or with -1 from the size on. NULL if they are missing
 * elsewhere. */
static const struct formula *limit_peer(struct formulas *formulas, const struct points *points,
                                        const struct formula *peer)
{
    bool above = false;
    for (uint32_t i = 0; i < points->count; i++) {
        const double *point = point_at(points, i);
        double value = formula_value(formulas, peer, point);
        bool inside = value >= 0 && value < point[POINT_SIZE];
        if (inside != (points->targets[i] >= 0))
            return NULL;
        above = above || value >= point[POINT_SIZE];
    }
    if (!above)
        return peer;
    return formula_3(
        formulas, FORMULA_CHOICE,
        formula_2(formulas, FORMULA_LESS, peer, formula_variable(formulas, POINT_SIZE)), peer,
        formula_number(formulas, -1));
}

/* Peers of which some are MPI_PROC_NULL. */
static const struct formula *fit_peer(struct formulas *formulas, const struct points *points)
{
    bool *keep = arena_alloc(formulas->arena, points->count);
    struct points *masks = points_copy(formulas, points);
    if (keep == NULL || masks == NULL) {
        formulas->failed = true;
        return NULL;
    }
    uint32_t present = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        keep[i] = points->targets[i] >= 0;
        masks->targets[i] = keep[i];
        present += keep[i];
    }
    if (present == points->count)
        return fit_rank(formulas, points);
    struct points *peers = points_where(formulas, points, keep);
    const struct formula *peer = peers == NULL ? NULL : fit_rank(formulas, peers);
    if (peer == NULL)
        return NULL;
    const struct formula *limited = limit_peer(formulas, points, peer);
    if (limited != NULL)
        return limited;
    const struct formula *condition = fit_truth(formulas, masks);
    return condition == NULL
               ? NULL
               : formula_3(formulas, FORMULA_CHOICE, condition, peer, formula_number(formulas, -1));
}

static const struct formula *fit_exactly(enum fit_kind kind, struct formulas *formulas,
                                         const struct points *points)
{
    if (kind == FIT_TRUTH)
        return fit_truth(formulas, points);
    return kind == FIT_RANK ? fit_peer(formulas, points) : fit_number(formulas, points);
}

static bool fit_or_tabulate(enum fit_kind kind, struct formulas *formulas,
                            const struct points *points, const char *table_name,
                            struct fitted *fitted)
{
    const struct formula *formula = fit_exactly(kind, formulas, points);
    if (formulas->failed)
        return false;
    if (formula != NULL) {
        uint32_t distinct = points_distinct_targets(points);
        fitted->weak = distinct > 1 && formula->free >= distinct;
    } else {
        double *items;
        uint32_t count;
        formula = fit_table(formulas, points, &items, &count, &fitted->bound);
        fitted->tabulated = true;
        if (formula == NULL || formulas->failed ||
            (fitted->table = table_print(items, count, false)) == NULL)
            return false;
    }
    fitted->text = formula_print(formulas, formula, table_name);
    return fitted->text != NULL;
}

/* Most sites have one value everywhere. */
static bool fit_constant(enum fit_kind kind, double value, struct fitted *fitted)
{
    char text[40];
    number_print(value, kind == FIT_SECONDS, text);
    fitted->text = strdup(text);
    fitted->exact = true;
    return fitted->text != NULL;
}

static bool all_equal(const struct observation *observations, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (observations[i].value != observations[0].value)
            return false;
    return true;
}

bool fit_expression(enum fit_kind kind, const struct fit_context *context,
                    const struct observation *observations, uint32_t count, const char *table_name,
                    struct fitted *fitted)
{
    assert(count > 0 && context->loop_count <= FIT_LOOPS);
    *fitted = (struct fitted){0};
    if (all_equal(observations, count))
        return fit_constant(kind, observations[0].value, fitted);
    if (kind == FIT_SECONDS)
        return fit_seconds(context, observations, count, table_name, fitted);
    struct formulas formulas;
    bool good = false;
    if (formulas_open(&formulas, context)) {
        struct points *points = points_build(&formulas, observations, count, &fitted->exact);
        good = points != NULL && fit_or_tabulate(kind, &formulas, points, table_name, fitted);
    }
    arena_destroy(formulas.arena);
    if (!good)
        fitted_clear(fitted);
    return good;
}
