#include "predict/from/fit_seconds.h"

#include "predict/from/fit_law.h"

#include <math.h>
#include <string.h>

#define SAME_RANKS        3e-3 /* ranks that differ by less are the same */
#define SAME_UNKNOWN      1e-2 /* the same, where nothing is known of the noise */
#define CHOICE_PENALTY    2    /* of an explanation why ranks differ */
#define SAME_RATIOS       1e-2 /* classes of ranks whose ratio varies by less scale alike */
#define TABLE_ERROR       2e-2 /* with one recording, a law that is worse yields to a table */
#define SHORTEST          1e-9 /* seconds: clocks tell no less */
#define WORK_COORDINATES  24
#define SPLIT_POINTS_MOST 1024

/* What is being fitted. Points that differ in the rank only are a setting. */
struct seconds {
    struct formulas *formulas;
    struct points *points;     /* targets: seconds, positive */
    struct points *settings;   /* targets: the mean over the ranks */
    uint32_t *setting;         /* [points->count] */
    struct points *deviations; /* targets: relative, from the setting's mean */
    double noise;              /* relative variance of a value */
    bool known;                /* more of the noise is known than what clocks add */
    double squares;            /* of the deviations, all */
    bool same_size;            /* all settings have the same ranks */
    uint32_t size;             /* the largest */
};

static bool same_setting(const struct points *points, uint32_t a, uint32_t b)
{
    return memcmp(point_at(points, a) + 1, point_at(points, b) + 1,
                  (points->variables - 1) * sizeof(double)) == 0;
}

/* Targets become positive: relative errors are what counts. */
static void make_positive(struct points *points)
{
    double most = 0;
    for (uint32_t i = 0; i < points->count; i++)
        most = fmax(most, points->targets[i]);
    double least = fmax(1e-6 * most, SHORTEST);
    for (uint32_t i = 0; i < points->count; i++)
        points->targets[i] = fmax(points->targets[i], least);
}

/* The settings with the mean of `values` over their ranks. */
static struct points *average(struct seconds *seconds, const double *values)
{
    struct formulas *formulas = seconds->formulas;
    const struct points *points = seconds->points;
    bool *first = arena_alloc(formulas->arena, points->count);
    if (first == NULL) {
        formulas->failed = true;
        return NULL;
    }
    for (uint32_t i = 0, number = UINT32_MAX; i < points->count; i++) {
        first[i] = i == 0 || !same_setting(points, i - 1, i);
        number += first[i];
        seconds->setting[i] = number;
    }
    struct points *settings = points_where(formulas, points, first);
    for (uint32_t s = 0, i = 0; settings != NULL && s < settings->count; s++) {
        double sum = 0;
        uint32_t count = 0;
        for (; i < points->count && seconds->setting[i] == s; i++, count++)
            sum += values[i];
        settings->targets[s] = sum / count;
    }
    return settings;
}

static void measure_sizes(struct seconds *seconds)
{
    const struct points *points = seconds->points;
    seconds->same_size = true;
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t size = (uint32_t)point_at(points, i)[POINT_SIZE];
        if (i > 0 && size != seconds->size)
            seconds->same_size = false;
        if (size > seconds->size)
            seconds->size = size;
    }
}

/* Mean deviation of each rank, over settings; NAN where there is none. */
static double *rank_means(struct formulas *formulas, const struct points *deviations, uint32_t size)
{
    double *means = arena_alloc_array(formulas->arena, size, sizeof *means);
    uint32_t *counts = arena_alloc_array(formulas->arena, size, sizeof *counts);
    if (means == NULL || counts == NULL) {
        formulas->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < deviations->count; i++) {
        uint32_t rank = (uint32_t)point_at(deviations, i)[POINT_RANK];
        if ((uint32_t)point_at(deviations, i)[POINT_SIZE] != size)
            continue;
        means[rank] += deviations->targets[i];
        counts[rank]++;
    }
    for (uint32_t rank = 0; rank < size; rank++)
        means[rank] = counts[rank] == 0 ? NAN : means[rank] / counts[rank];
    return means;
}

/* The variance of a value: what the visits say, or what is left of the ranks' deviations if each
 * rank has one of its own in all settings, whichever is larger. */
static void estimate_noise(struct seconds *seconds)
{
    const struct points *deviations = seconds->deviations;
    double known = 0, mean = 0;
    for (uint32_t i = 0; i < deviations->count; i++) {
        known += seconds->points->variances[i] / deviations->count;
        mean += seconds->points->targets[i] / deviations->count;
    }
    seconds->known = known > 0;
    known += JITTER / mean * JITTER / mean;
    seconds->noise = known;
    if (!seconds->same_size || seconds->settings->count < 2)
        return;
    const double *means = rank_means(seconds->formulas, deviations, seconds->size);
    double squares = 0;
    uint32_t ranks = 0;
    for (uint32_t i = 0; means != NULL && i < deviations->count; i++) {
        double rest = deviations->targets[i] - means[(uint32_t)point_at(deviations, i)[POINT_RANK]];
        squares += rest * rest;
    }
    for (uint32_t rank = 0; means != NULL && rank < seconds->size; rank++)
        ranks += !isnan(means[rank]);
    double freedom = (seconds->settings->count - 1.0) * (ranks - 1.0);
    seconds->known = seconds->known || freedom >= 1;
    if (freedom >= 1)
        seconds->noise = fmax(known, squares / freedom);
}

static bool prepare(struct seconds *seconds, const struct observation *observations, uint32_t count)
{
    struct formulas *formulas = seconds->formulas;
    bool consistent;
    seconds->points = points_build(formulas, observations, count, &consistent);
    seconds->setting = arena_alloc_array(formulas->arena, count, sizeof *seconds->setting);
    if (seconds->points == NULL || seconds->setting == NULL)
        return false;
    make_positive(seconds->points);
    seconds->settings = average(seconds, seconds->points->targets);
    seconds->deviations = points_copy(formulas, seconds->points);
    if (seconds->settings == NULL || seconds->deviations == NULL)
        return false;
    struct points *deviations = seconds->deviations;
    for (uint32_t i = 0; i < deviations->count; i++) {
        deviations->targets[i] /= seconds->settings->targets[seconds->setting[i]];
        deviations->targets[i] -= 1;
        seconds->squares += deviations->targets[i] * deviations->targets[i];
    }
    measure_sizes(seconds);
    estimate_noise(seconds);
    return !formulas->failed;
}

/* Whether squares of this many deviations, with so many means subtracted, are noise. */
static bool is_noise(const struct seconds *seconds, double squares, uint32_t means)
{
    double same = seconds->known ? SAME_RANKS * SAME_RANKS : SAME_UNKNOWN * SAME_UNKNOWN;
    uint32_t count = seconds->points->count;
    double freedom = count > means ? count - means : 1;
    /* The mean of F is about 1; its standard deviation sqrt(2 / freedom). */
    double limit = seconds->noise * (1 + 3 * sqrt(2 / freedom));
    return squares / freedom <= fmax(same, limit);
}

/* The squares of the deviations that remain if seconds are divided by the work; infinite if some
 * rank has none. */
static double squares_beside(const struct points *points, const double *work)
{
    double squares = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        double sum = 0, sum_of_squares = 0;
        for (end = begin; end < points->count && same_setting(points, begin, end); end++) {
            if (!(work[end] > 0))
                return INFINITY;
            double ratio = points->targets[end] / work[end];
            sum += ratio;
            sum_of_squares += ratio * ratio;
        }
        double count = end - begin, mean = sum / count;
        squares += fmax(0, sum_of_squares / (mean * mean) - count);
    }
    return squares;
}

/* The work of a rank by a block distribution whose differences explain those of the seconds; NULL:
 * none does. */
static const struct formula *find_work(struct seconds *seconds)
{
    struct formulas *formulas = seconds->formulas;
    const struct points *points = seconds->points;
    struct features *extents = features_extents(formulas, points);
    struct coordinates coordinates;
    struct features *work = arena_alloc(formulas->arena, sizeof *work);
    if (extents == NULL || work == NULL ||
        !features_coordinates(formulas, points, extents, &coordinates))
        return NULL;
    for (uint32_t i = 0; i < formulas->context->parameter_count; i++)
        for (uint32_t k = 0; k < coordinates.values->count && k < WORK_COORDINATES; k++)
            add_distributions(
                formulas, work, points, formula_variable(formulas, POINT_PARAMETERS + i),
                coordinates.values->items[k].formula, coordinates.bounds->items[k].formula);
    const struct formula *best = NULL;
    double least = 0.25 * seconds->squares; /* it must explain most */
    for (uint32_t i = 0; i < work->count; i++) {
        double squares = squares_beside(points, work->items[i].values);
        if (squares >= least)
            continue;
        best = work->items[i].formula;
        least = squares;
    }
    return best != NULL && is_noise(seconds, least, seconds->settings->count) ? best : NULL;
}

/* Of the mean over the ranks. What distinguishes ranks counts as noise, too: on a quiet machine
 * ranks with equal work would be equal. */
static double law_noise(const struct seconds *seconds)
{
    double ranks = (double)seconds->points->count / seconds->settings->count;
    double variance = fmax(seconds->noise, seconds->squares / seconds->points->count);
    return sqrt(variance / ranks);
}

static const struct formula *law_of_work(struct seconds *seconds, const struct formula *work,
                                         struct law *law)
{
    const struct points *points = seconds->points;
    double *ratio = arena_alloc_array(seconds->formulas->arena, points->count, sizeof *ratio);
    if (ratio == NULL)
        return NULL;
    for (uint32_t i = 0; i < points->count; i++)
        ratio[i] = points->targets[i] / formula_value(seconds->formulas, work, point_at(points, i));
    const struct points *means = average(seconds, ratio);
    if (means == NULL || !fit_law(seconds->formulas, means, law_noise(seconds), law))
        return NULL;
    return formula_2(seconds->formulas, FORMULA_MULTIPLY, law->formula, work);
}

/* The mean over those ranks of each setting for which the condition is `side`; settings without
 * such ranks are left out. */
static struct points *average_side(struct seconds *seconds, const struct formula *condition,
                                   bool side)
{
    struct formulas *formulas = seconds->formulas;
    const struct points *points = seconds->points;
    bool *keep = arena_alloc(formulas->arena, points->count);
    if (keep == NULL)
        return NULL;
    for (uint32_t i = 0; i < points->count; i++)
        keep[i] = (formula_value(formulas, condition, point_at(points, i)) != 0) == side;
    struct seconds part = *seconds;
    part.points = points_where(formulas, points, keep);
    part.setting = arena_alloc_array(formulas->arena, points->count, sizeof *part.setting);
    if (part.points == NULL || part.setting == NULL || part.points->count == 0)
        return NULL;
    return average(&part, part.points->targets);
}

/* The logarithm of the mean ratio of both classes, and how much it varies between settings that
 * have both. */
static double class_ratio(const struct points *inside, const struct points *outside,
                          double *variation)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < inside->count; i++) {
        while (k < outside->count && memcmp(point_at(outside, k) + 1, point_at(inside, i) + 1,
                                            (inside->variables - 1) * sizeof(double)) != 0)
            k++;
        if (k == outside->count) {
            k = 0;
            continue;
        }
        double ratio = log(inside->targets[i] / outside->targets[k]);
        sum += ratio;
        squares += ratio * ratio;
        count++;
    }
    double mean = count == 0 ? 0 : sum / count;
    *variation = count < 2 ? 0 : sqrt(fmax(0, (squares - count * mean * mean) / (count - 1)));
    return mean;
}

static double round_factor(double factor)
{
    return round(factor * 1e4) / 1e4;
}

/* Classes that scale alike share a law; others have one each. */
static const struct formula *law_of_classes(struct seconds *seconds,
                                            const struct formula *condition, struct law *law)
{
    struct formulas *formulas = seconds->formulas;
    struct points *inside = average_side(seconds, condition, true);
    struct points *outside = average_side(seconds, condition, false);
    if (inside == NULL || outside == NULL)
        return NULL;
    double variation, ratio = class_ratio(inside, outside, &variation);
    struct law other;
    if (variation <= fmax(SAME_RATIOS, 2 * sqrt(seconds->noise)) ||
        inside->count < seconds->settings->count || outside->count < seconds->settings->count) {
        const struct points *base = outside->count >= inside->count ? outside : inside;
        if (!fit_law(formulas, base, law_noise(seconds), law))
            return NULL;
        double factor = round_factor(exp(base == outside ? ratio : -ratio));
        const struct formula *one = formula_number(formulas, 1);
        const struct formula *number = formula_number(formulas, factor);
        return formula_2(formulas, FORMULA_MULTIPLY, law->formula,
                         formula_3(formulas, FORMULA_CHOICE, condition,
                                   base == outside ? number : one, base == outside ? one : number));
    }
    if (!fit_law(formulas, inside, law_noise(seconds), law) ||
        !fit_law(formulas, outside, law_noise(seconds), &other))
        return NULL;
    const struct formula *choice =
        formula_3(formulas, FORMULA_CHOICE, condition, law->formula, other.formula);
    law->error = fmax(law->error, other.error);
    law->weak = law->weak || other.weak;
    return choice;
}

/* A factor for each rank of the largest size; those of other sizes by their position. `*left`: the
 * sum of the squares that remain. */
static const struct formula *factors_by_position(struct seconds *seconds, double **items,
                                                 double *left)
{
    struct formulas *formulas = seconds->formulas;
    const struct points *deviations = seconds->deviations;
    double *means = rank_means(formulas, deviations, seconds->size);
    if (means == NULL)
        return NULL;
    double last = seconds->size - 1;
    *left = 0;
    for (uint32_t i = 0; i < deviations->count; i++) {
        const double *point = point_at(deviations, i);
        double position =
            point[POINT_SIZE] < 2 ? 0 : point[POINT_RANK] * last / (point[POINT_SIZE] - 1);
        double mean = means[(uint32_t)round(position)];
        double rest = deviations->targets[i] - (isnan(mean) ? 0 : mean);
        *left += rest * rest;
    }
    for (uint32_t rank = 0; rank < seconds->size; rank++)
        means[rank] = isnan(means[rank]) ? 1 : round_factor(1 + means[rank]);
    *items = means;
    const struct formula *rank = formula_variable(formulas, POINT_RANK);
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    const struct formula *index = rank;
    if (!seconds->same_size)
        index = formula_1(
            formulas, FORMULA_ROUND,
            formula_2(formulas, FORMULA_DIVIDE,
                      formula_2(formulas, FORMULA_MULTIPLY, rank, formula_number(formulas, last)),
                      formula_2(formulas, FORMULA_MAX, formula_plus(formulas, size, -1),
                                formula_number(formulas, 1))));
    return formula_1(formulas, FORMULA_ITEM, index);
}

/* Tabulates the seconds themselves. */
static const struct formula *tabulate(struct seconds *seconds, const struct points *points,
                                      struct fitted *fitted)
{
    double *items;
    uint32_t count;
    const struct formula *formula =
        fit_table(seconds->formulas, points, &items, &count, &fitted->bound);
    if (formula == NULL)
        return NULL;
    fitted->tabulated = true;
    fitted->table = table_print(items, count, true);
    return fitted->table == NULL ? NULL : formula;
}

/* Ranks do not differ. */
static const struct formula *fit_common(struct seconds *seconds, struct fitted *fitted,
                                        struct law *law)
{
    if (!fit_law(seconds->formulas, seconds->settings, law_noise(seconds), law))
        return NULL;
    if (seconds->formulas->context->recordings == 1 && law->error > TABLE_ERROR) {
        law->error = 0;
        return tabulate(seconds, seconds->settings, fitted);
    }
    return law->formula;
}

/* One recording: its values are to come back. */
static const struct formula *fit_ranks_of_one(struct seconds *seconds, struct fitted *fitted,
                                              struct law *law, const struct formula *condition,
                                              double left)
{
    if (condition != NULL && is_noise(seconds, left, seconds->settings->count + 1))
        return law_of_classes(seconds, condition, law);
    *law = (struct law){0};
    return tabulate(seconds, seconds->points, fitted);
}

/* The negative logarithm of the posterior probability, but for a constant, if `left` squares remain
 * and `penalty` is that of the explanation. */
static double explanation_cost(const struct seconds *seconds, double left, double penalty)
{
    double freedom = fmax(1, (double)seconds->points->count - seconds->settings->count);
    double variance = fmax(seconds->noise, SAME_RANKS * SAME_RANKS);
    return 0.5 * freedom * log(variance + left / freedom) + penalty;
}

/* Several: nothing, a condition, or a factor for each rank; a factor takes half the logarithm of
 * the number of points (Schwarz' criterion). */
static const struct formula *fit_ranks_of_several(struct seconds *seconds, struct fitted *fitted,
                                                  struct law *law, const struct formula *condition,
                                                  double left)
{
    struct formulas *formulas = seconds->formulas;
    double *items = NULL, table_left;
    const struct formula *factor = factors_by_position(seconds, &items, &table_left);
    if (factor == NULL)
        return NULL;
    double none = explanation_cost(seconds, seconds->squares, 0);
    double split = INFINITY;
    if (condition != NULL)
        split = explanation_cost(seconds, left, CHOICE_PENALTY + M_LN2 * condition->bits);
    double table =
        explanation_cost(seconds, table_left,
                         CHOICE_PENALTY + 0.5 * (seconds->size - 1) * log(seconds->points->count));
    if (split < none && split <= table)
        return law_of_classes(seconds, condition, law);
    if (table >= none)
        return fit_common(seconds, fitted, law);
    fitted->tabulated = true;
    fitted->table = table_print(items, seconds->size, false);
    if (fitted->table == NULL || !fit_law(formulas, seconds->settings, law_noise(seconds), law))
        return NULL;
    return formula_2(formulas, FORMULA_MULTIPLY, law->formula, factor);
}

static const struct formula *fit_ranks(struct seconds *seconds, struct fitted *fitted,
                                       struct law *law)
{
    struct formulas *formulas = seconds->formulas;
    const struct formula *work = find_work(seconds), *condition = NULL;
    if (formulas->failed)
        return NULL;
    if (work != NULL)
        return law_of_work(seconds, work, law);
    double left = INFINITY;
    bool one = formulas->context->recordings == 1;
    if (seconds->points->count <= SPLIT_POINTS_MOST)
        condition = fit_split(formulas, seconds->deviations,
                              fmax(seconds->noise, SAME_RANKS * SAME_RANKS), one ? 1 : 2, &left);
    if (formulas->failed)
        return NULL;
    return one ? fit_ranks_of_one(seconds, fitted, law, condition, left)
               : fit_ranks_of_several(seconds, fitted, law, condition, left);
}

bool fit_seconds(const struct fit_context *context, const struct observation *observations,
                 uint32_t count, const char *table_name, struct fitted *fitted)
{
    struct formulas formulas;
    struct seconds seconds = {.formulas = &formulas};
    struct law law = {0};
    const struct formula *formula = NULL;
    if (formulas_open(&formulas, context) && prepare(&seconds, observations, count))
        formula = is_noise(&seconds, seconds.squares, seconds.settings->count)
                      ? fit_common(&seconds, fitted, &law)
                      : fit_ranks(&seconds, fitted, &law);
    if (formula != NULL && !formulas.failed)
        fitted->text = formula_print(&formulas, formula, table_name);
    fitted->error = law.error;
    fitted->weak = law.weak;
    arena_destroy(formulas.arena);
    if (fitted->text == NULL)
        fitted_clear(fitted);
    return fitted->text != NULL;
}
