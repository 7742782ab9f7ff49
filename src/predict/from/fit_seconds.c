/* Lengths of computation (fit_search.h). */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>

#define SAME_RANKS     3e-3 /* ranks that differ by less are the same */
#define SAME_UNKNOWN   1e-2 /* the same, where the visits do not show the noise */
#define CHOICE_PENALTY 2    /* of an explanation why ranks differ */
#define SAME_RATIOS    1e-2 /* two classes of ranks have one law if their ratio varies by less */
#define TABLE_ERROR    2e-2 /* with one recording, a law that is worse yields to a table */
#define SHORTEST       1e-9 /* seconds: the resolution of clocks */
#define SHORTEST_SHARE 1e-6 /* of the longest: shorter ones count as this */
#define EXPLAINED      0.25 /* of the squares that may be left if work explains why ranks differ */

enum { WORK_COORDINATES = 24, SPLIT_POINTS_MOST = 1024 };

/* A fit of lengths of computation. */
struct seconds_fit {
    struct formulas *formulas;
    struct points *points;     /* targets: seconds, positive */
    struct points *settings;   /* targets: the mean over the ranks */
    struct points *deviations; /* targets: relative, from the setting's mean */
    struct fitted *fitted;
    double noise;   /* relative variance of a value */
    bool known;     /* the visits show the noise, not only the resolution of clocks */
    double squares; /* of the deviations, all */
    bool same_size; /* all settings have the same ranks */
    uint32_t size;  /* the largest */
};

/* Targets become positive: relative errors are what counts. */
static void make_positive(struct points *points)
{
    double most = 0;
    for (uint32_t i = 0; i < points->count; i++)
        most = fmax(most, points->targets[i]);
    double least = fmax(SHORTEST_SHARE * most, SHORTEST);
    for (uint32_t i = 0; i < points->count; i++)
        points->targets[i] = fmax(points->targets[i], least);
}

/* A point for each setting, with the mean of `values` over its ranks. Its rank is 0 in all
 * settings: the ranks that have a setting differ, for example if only some make a second iteration,
 * and nothing that is fitted to the means may depend on that. */
static struct points *average(const struct points *points, const double *values)
{
    bool *first = formulas_alloc(points->formulas, points->count, sizeof *first);
    for (uint32_t i = 0; i < points->count; i = points_setting_end(points, i))
        first[i] = true;
    struct points *settings = points_where(points, first);
    for (uint32_t s = 0, begin = 0, end; s < settings->count; s++, begin = end) {
        double sum = 0;
        end = points_setting_end(points, begin);
        for (uint32_t i = begin; i < end; i++)
            sum += values[i];
        settings->targets[s] = sum / (end - begin);
        settings->at[(size_t)s * settings->variables + POINT_RANK] = 0;
    }
    return settings;
}

static void set_deviations(struct seconds_fit *fit)
{
    const struct points *points = fit->points;
    fit->deviations = points_copy(points);
    for (uint32_t s = 0, i = 0; s < fit->settings->count; s++)
        for (uint32_t end = points_setting_end(points, i); i < end; i++) {
            double *deviation = &fit->deviations->targets[i];
            *deviation /= fit->settings->targets[s];
            *deviation -= 1;
            fit->squares += *deviation * *deviation;
        }
}

static void find_sizes(struct seconds_fit *fit)
{
    fit->same_size = true;
    for (uint32_t i = 0; i < fit->points->count; i++) {
        uint32_t size = (uint32_t)point_at(fit->points, i)[POINT_SIZE];
        if (i > 0 && size != fit->size)
            fit->same_size = false;
        if (size > fit->size)
            fit->size = size;
    }
}

/* Mean deviation of each rank of the largest size, over settings; NAN where there is none. */
static double *rank_means(const struct seconds_fit *fit)
{
    const struct points *deviations = fit->deviations;
    double *means = formulas_alloc(fit->formulas, fit->size, sizeof *means);
    uint32_t *counts = formulas_alloc(fit->formulas, fit->size, sizeof *counts);
    for (uint32_t i = 0; i < deviations->count; i++) {
        uint32_t rank = (uint32_t)point_at(deviations, i)[POINT_RANK];
        if ((uint32_t)point_at(deviations, i)[POINT_SIZE] != fit->size)
            continue;
        means[rank] += deviations->targets[i];
        counts[rank]++;
    }
    for (uint32_t rank = 0; rank < fit->size; rank++)
        means[rank] = counts[rank] == 0 ? NAN : means[rank] / counts[rank];
    return means;
}

/* The variance of a value: that of its visits, or that of the ranks' deviations if each
 * rank has a constant one in all settings, whichever is larger. */
static void estimate_noise(struct seconds_fit *fit)
{
    const struct points *deviations = fit->deviations;
    double known = 0, mean = 0;
    for (uint32_t i = 0; i < deviations->count; i++) {
        known += fit->points->variances[i] / deviations->count;
        mean += fit->points->targets[i] / deviations->count;
    }
    fit->known = known > 0;
    known += FIT_JITTER / mean * FIT_JITTER / mean;
    fit->noise = known;
    if (!fit->same_size || fit->settings->count < 2)
        return;
    const double *means = rank_means(fit);
    double squares = 0;
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < deviations->count; i++) {
        double rest = deviations->targets[i] - means[(uint32_t)point_at(deviations, i)[POINT_RANK]];
        squares += rest * rest;
    }
    for (uint32_t rank = 0; rank < fit->size; rank++)
        ranks += !isnan(means[rank]);
    double freedom = (fit->settings->count - 1.0) * (ranks - 1.0);
    fit->known = fit->known || freedom >= 1;
    if (freedom >= 1)
        fit->noise = fmax(known, squares / freedom);
}

/* Whether the squares of `count` deviations from `means` means are noise. */
static bool is_noise(const struct seconds_fit *fit, double squares, uint32_t means)
{
    double same = fit->known ? SAME_RANKS * SAME_RANKS : SAME_UNKNOWN * SAME_UNKNOWN;
    uint32_t count = fit->points->count;
    double freedom = count > means ? count - means : 1;
    /* The mean of F is about 1; its standard deviation sqrt(2 / freedom). */
    double limit = fit->noise * (1 + 3 * sqrt(2 / freedom));
    return squares / freedom <= fmax(same, limit);
}

/* The squares of the deviations that remain if seconds are divided by the work; infinite if some
 * rank has none. */
static double squares_beside_work(const struct points *points, const double *work)
{
    double squares = 0;
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        double sum = 0, sum_of_squares = 0;
        end = points_setting_end(points, begin);
        for (uint32_t i = begin; i < end; i++) {
            if (!(work[i] > 0))
                return INFINITY;
            double ratio = points->targets[i] / work[i];
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
static const struct formula *find_work(const struct seconds_fit *fit)
{
    const struct points *points = fit->points;
    struct coordinates coordinates = features_coordinates(features_extents(points));
    struct features *work = features_create(points);
    for (uint32_t i = 0; i < fit->formulas->context->parameter_count; i++)
        for (uint32_t k = 0; k < coordinates.values->count && k < WORK_COORDINATES; k++)
            features_add_distributions(work, formula_parameter(fit->formulas, i),
                                       coordinates.values->items[k].formula,
                                       coordinates.bounds->items[k].formula);
    const struct formula *best = NULL;
    double least = EXPLAINED * fit->squares;
    for (uint32_t i = 0; i < work->count; i++) {
        double squares = squares_beside_work(points, work->items[i].values);
        if (squares >= least)
            continue;
        best = work->items[i].formula;
        least = squares;
    }
    return best && is_noise(fit, least, fit->settings->count) ? best : NULL;
}

static void take_law(struct seconds_fit *fit, struct law law)
{
    fit->fitted->error = law.error;
    fit->fitted->weak = law.weak;
}

/* The law of means over the ranks. What distinguishes ranks counts as noise, too: on a quiet
 * machine ranks with equal work would be equal. */
static struct law law_of_means(const struct seconds_fit *fit, const struct points *means)
{
    double ranks = (double)fit->points->count / fit->settings->count;
    double variance = fmax(fit->noise, fit->squares / fit->points->count);
    return fit_law(means, sqrt(variance / ranks));
}

static const struct formula *fit_work(struct seconds_fit *fit, const struct formula *work)
{
    const struct points *points = fit->points;
    double *ratio = formulas_alloc(fit->formulas, points->count, sizeof *ratio);
    for (uint32_t i = 0; i < points->count; i++)
        ratio[i] = points->targets[i] / formula_value(fit->formulas, work, point_at(points, i));
    struct law law = law_of_means(fit, average(points, ratio));
    take_law(fit, law);
    return FORMULA(fit->formulas, "a * b", law.formula, work);
}

/* The mean over those ranks of each setting for which the condition is `side`; settings without
 * such ranks are left out. */
static struct points *average_side(const struct points *points, const struct formula *condition,
                                   bool side)
{
    bool *keep = formulas_alloc(points->formulas, points->count, sizeof *keep);
    for (uint32_t i = 0; i < points->count; i++)
        keep[i] = (formula_value(points->formulas, condition, point_at(points, i)) != 0) == side;
    const struct points *members = points_where(points, keep);
    assert(members->count > 0); /* a condition divides settings */
    return average(members, members->targets);
}

/* The logarithm of the mean ratio of the two classes, and how much it varies between settings that
 * have both. */
static double class_ratio(const struct points *inside, const struct points *outside,
                          double *variation)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < inside->count; i++) {
        uint32_t k = 0;
        while (k < outside->count &&
               !points_same_setting(inside, point_at(outside, k), point_at(inside, i)))
            k++;
        if (k == outside->count)
            continue;
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

/* Classes whose ratio is constant share a law; others have one each. */
static const struct formula *fit_two_classes(struct seconds_fit *fit,
                                             const struct formula *condition)
{
    struct formulas *formulas = fit->formulas;
    struct points *inside = average_side(fit->points, condition, true);
    struct points *outside = average_side(fit->points, condition, false);
    double variation, ratio = class_ratio(inside, outside, &variation);
    if (variation <= fmax(SAME_RATIOS, 2 * sqrt(fit->noise)) ||
        inside->count < fit->settings->count || outside->count < fit->settings->count) {
        bool by_outside = outside->count >= inside->count;
        struct law law = law_of_means(fit, by_outside ? outside : inside);
        double factor = round_factor(exp(by_outside ? ratio : -ratio));
        take_law(fit, law);
        return FORMULA(formulas, by_outside ? "a * (b ? c : 1)" : "a * (b ? 1 : c)", law.formula,
                       condition, formula_number(formulas, factor));
    }
    struct law law = law_of_means(fit, inside), other = law_of_means(fit, outside);
    const struct formula *choice =
        FORMULA(formulas, "a ? b : c", condition, law.formula, other.formula);
    law.error = fmax(law.error, other.error);
    law.weak = law.weak || other.weak;
    take_law(fit, law);
    return choice;
}

/* A factor for each rank of the largest size; those of other sizes by their position. `*left`: the
 * sum of the squares that remain. */
static const struct formula *factors_by_position(const struct seconds_fit *fit, double **items,
                                                 double *left)
{
    struct formulas *formulas = fit->formulas;
    const struct points *deviations = fit->deviations;
    double *means = rank_means(fit), last = fit->size - 1;
    *left = 0;
    for (uint32_t i = 0; i < deviations->count; i++) {
        const double *point = point_at(deviations, i);
        double position =
            point[POINT_SIZE] < 2 ? 0 : point[POINT_RANK] * last / (point[POINT_SIZE] - 1);
        double mean = means[(uint32_t)round(position)];
        double rest = deviations->targets[i] - (isnan(mean) ? 0 : mean);
        *left += rest * rest;
    }
    for (uint32_t rank = 0; rank < fit->size; rank++)
        means[rank] = isnan(means[rank]) ? 1 : round_factor(1 + means[rank]);
    *items = means;
    const struct formula *rank = formula_variable(formulas, POINT_RANK);
    const struct formula *size = formula_variable(formulas, POINT_SIZE);
    return formula_item(formulas, fit->same_size
                                      ? rank
                                      : FORMULA(formulas, "round(a * b / max(c - 1, 1))", rank,
                                                formula_number(formulas, last), size));
}

/* Tabulates the seconds themselves. */
static const struct formula *tabulate(struct seconds_fit *fit, const struct points *points)
{
    double *items;
    uint32_t count;
    const struct formula *formula = fit_table(points, &items, &count, &fit->fitted->bound);
    take_law(fit, (struct law){0});
    fit->fitted->tabulated = true;
    fit->fitted->table = fit_table_print(fit->formulas, items, count, true);
    return formula;
}

/* Ranks do not differ. */
static const struct formula *fit_common(struct seconds_fit *fit)
{
    struct law law = law_of_means(fit, fit->settings);
    if (fit->formulas->context->recordings == 1 && law.error > TABLE_ERROR) {
        const struct formula *table = tabulate(fit, fit->settings);
        fit->fitted->weak = law.weak;
        return table;
    }
    take_law(fit, law);
    return law.formula;
}

/* The negative logarithm of the posterior probability, but for a constant, if `left` squares remain
 * and `penalty` is that of the explanation. */
static double explanation_cost(const struct seconds_fit *fit, double left, double penalty)
{
    double freedom = fmax(1, (double)fit->points->count - fit->settings->count);
    double variance = fmax(fit->noise, SAME_RANKS * SAME_RANKS);
    return 0.5 * freedom * log(variance + left / freedom) + penalty;
}

/* Several recordings: no difference, a condition, or a factor for each rank; a factor takes half
 * the logarithm of the number of points (Schwarz' criterion). */
static const struct formula *choose_explanation(struct seconds_fit *fit,
                                                const struct formula *condition, double left)
{
    double *items, table_left, split = INFINITY;
    const struct formula *factor = factors_by_position(fit, &items, &table_left);
    double none = explanation_cost(fit, fit->squares, 0);
    if (condition)
        split = explanation_cost(fit, left, CHOICE_PENALTY + M_LN2 * condition->bits);
    double table = explanation_cost(
        fit, table_left, CHOICE_PENALTY + 0.5 * (fit->size - 1) * log(fit->points->count));
    if (split < none && split <= table)
        return fit_two_classes(fit, condition);
    if (table >= none)
        return fit_common(fit);
    fit->fitted->tabulated = true;
    fit->fitted->table = fit_table_print(fit->formulas, items, fit->size, false);
    struct law law = law_of_means(fit, fit->settings);
    take_law(fit, law);
    return FORMULA(fit->formulas, "a * b", law.formula, factor);
}

/* Ranks differ: by their work, or by a condition or a table. One recording keeps its values: the
 * condition must leave only noise. */
static const struct formula *fit_ranks(struct seconds_fit *fit)
{
    const struct formula *work = find_work(fit), *condition = NULL;
    if (work)
        return fit_work(fit, work);
    double left = INFINITY;
    bool one = fit->formulas->context->recordings == 1;
    if (fit->points->count <= SPLIT_POINTS_MOST)
        condition = fit_split(fit->deviations, fmax(fit->noise, SAME_RANKS * SAME_RANKS),
                              one ? 1 : 2, &left);
    if (!one)
        return choose_explanation(fit, condition, left);
    return condition && is_noise(fit, left, fit->settings->count + 1)
               ? fit_two_classes(fit, condition)
               : tabulate(fit, fit->points);
}

const struct formula *fit_seconds(struct points *points, struct fitted *fitted)
{
    assert(points->count > 0);
    struct seconds_fit fit = {.formulas = points->formulas, .points = points, .fitted = fitted};
    make_positive(points);
    fit.settings = average(points, points->targets);
    set_deviations(&fit);
    find_sizes(&fit);
    estimate_noise(&fit);
    return is_noise(&fit, fit.squares, fit.settings->count) ? fit_common(&fit) : fit_ranks(&fit);
}
