#include "sweep/combinations.h"

#include "base/array.h"
#include "base/paired.h"
#include "base/sort.h"
#include "sweep/savings.h"

#include <math.h>
#include <stdlib.h>

static const double LEVEL = 0.05; /* of all combinations together (Holm) */
/* The model has no noise, so every difference would count. Smaller ones than these are not shown:
 * of T, and of the sum of the single savings. */
static const double COMPUTED_LEAST = 0.001, COMPUTED_PART = 0.1;

struct tested_combination {
    struct table_combination combination;
    double p; /* NAN: no test, the interval decides */
    bool differs;
};

struct combination_finder {
    struct sweep_table *table;
    const struct table_row **row_of; /* [run] */
    ARRAY(struct tested_combination) tested;
};

/* The pair of the round whose unchanged replay took this long: all runs of a round share that
 * replay. NULL if the run was not replayed in that round. */
static const struct run_pair *pair_of_round(const struct run_result *result, double unchanged_s)
{
    for (size_t i = 0; i < result->pair_count; i++)
        if (result->pairs[i].unchanged_s == unchanged_s)
            return &result->pairs[i];
    return NULL;
}

/* The run with none of the combined changes. Its gain is part of the gain of each part, and counts
 * once. NULL: it is the unchanged program, which gains nothing. */
static const struct table_row *rest_of(const struct combination_finder *finder,
                                       const struct table_row *row)
{
    const struct sweep_run *rest = row->run->rest;
    return rest ? finder->row_of[rest - finder->table->sweep->runs] : NULL;
}

/* How many times too often the sum of the parts contains the gain of the rest. */
static double surplus_of_rest(const struct table_row *row)
{
    return (double)row->run->part_count - 1;
}

/* The gain of the combination minus the gains of its parts in one round; NAN if one of them was not
 * replayed in that round. */
static double round_difference(const struct combination_finder *finder, const struct table_row *row,
                               const struct run_pair *pair)
{
    const struct objective *goal = &finder->table->goal;
    const double usual = usual_objective(row->result, goal);
    double difference = pair_gain(pair, goal, usual);
    for (size_t i = 0; i < row->run->part_count; i++) {
        const struct run_result *part = finder->row_of[row->run->parts[i]]->result;
        const struct run_pair *same = pair_of_round(part, pair->unchanged_s);
        difference -= same ? pair_gain(same, goal, usual) : NAN;
    }
    const struct table_row *rest = rest_of(finder, row);
    const struct run_pair *same = rest ? pair_of_round(rest->result, pair->unchanged_s) : NULL;
    if (rest)
        difference += surplus_of_rest(row) * (same ? pair_gain(same, goal, usual) : NAN);
    return difference;
}

/* Sets the interval and p from the common rounds, unless there are too few of them. */
static void compare_rounds(const struct combination_finder *finder, const struct table_row *row,
                           struct tested_combination *candidate)
{
    const size_t count = row->result->pair_count;
    double differences[count + 1]; /* rounds are at most a few thousand */
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        differences[known] = round_difference(finder, row, &row->result->pairs[i]);
        known += isfinite(differences[known]) != 0;
    }
    if (known < PAIRED_FEWEST)
        return;
    candidate->combination.difference = paired_estimate(differences, known);
    candidate->p = paired_p_value(differences, known);
}

/* The gain that the model predicts for a run; NAN if it was not asked. */
static struct estimate model_gain(const struct sweep_table *table, const struct table_row *row)
{
    const double saving = table->goal.is_time ? row->result->model_saving : NAN;
    return row->computed ? row->objective
                         : (struct estimate){.median = saving, .low = saving, .high = saving};
}

static struct estimate row_gain(const struct sweep_table *table, const struct table_row *row,
                                bool model)
{
    return model ? model_gain(table, row) : row->objective;
}

/* Sets the difference of the medians; the widths of all intervals add up. */
static void compare_estimates(const struct combination_finder *finder, const struct table_row *row,
                              bool model, struct tested_combination *candidate)
{
    const struct estimate whole = row_gain(finder->table, row, model);
    struct estimate difference = whole;
    double sum = 0;
    for (size_t i = 0; i < row->run->part_count; i++) {
        const struct estimate part =
            row_gain(finder->table, finder->row_of[row->run->parts[i]], model);
        sum += part.median;
        difference.median -= part.median;
        difference.low -= part.high;
        difference.high -= part.low;
    }
    const struct table_row *rest = rest_of(finder, row);
    if (rest) {
        const struct estimate common = row_gain(finder->table, rest, model);
        sum -= surplus_of_rest(row) * common.median;
        difference.median += surplus_of_rest(row) * common.median;
        difference.low += surplus_of_rest(row) * common.low;
        difference.high += surplus_of_rest(row) * common.high;
    }
    candidate->combination.sum = sum;
    candidate->combination.difference = difference;
}

static bool has_objective(const struct table_row *row)
{
    return row->result->state == RUN_DONE && isfinite(row->objective.median);
}

/* True if all parts are done, so that they can be compared. `*model`: compare what the model
 * predicts, because some of them are computed. */
static bool is_comparable(const struct combination_finder *finder, const struct table_row *row,
                          bool *model)
{
    bool known = has_objective(row);
    *model = row->computed;
    for (size_t i = 0; i < row->run->part_count; i++) {
        const struct table_row *part = finder->row_of[row->run->parts[i]];
        known = known && has_objective(part);
        *model = *model || part->computed;
    }
    const struct table_row *rest = rest_of(finder, row);
    if (rest) {
        known = known && has_objective(rest);
        *model = *model || rest->computed;
    }
    return known && row->run->part_count > 1;
}

static bool excludes_zero(const struct estimate *estimate)
{
    return estimate->low > 0 || estimate->high < 0;
}

static bool add_combination(struct combination_finder *finder, const struct table_row *row)
{
    struct tested_combination candidate = {.combination.row = (size_t)(row - finder->table->rows),
                                           .p = NAN};
    struct table_combination *combination = &candidate.combination;
    bool model;
    if (!is_comparable(finder, row, &model))
        return true;
    compare_estimates(finder, row, model, &candidate);
    if (!model)
        compare_rounds(finder, row, &candidate);
    const double size = fabs(combination->difference.median);
    candidate.differs =
        excludes_zero(&combination->difference) &&
        (!model || (size >= COMPUTED_LEAST && size >= COMPUTED_PART * fabs(combination->sum)));
    return !isfinite(size) || array_push(&finder->tested, candidate);
}

/* With many combinations some differ by chance: those do not count. False when out of memory. */
static bool discard_chance(struct combination_finder *finder)
{
    const size_t count = finder->tested.count;
    double *p = malloc((count + 1) * sizeof *p);
    bool *significant = malloc((count + 1) * sizeof *significant);
    size_t tests = 0;
    for (size_t i = 0; p && i < count; i++)
        if (!isnan(finder->tested.items[i].p))
            p[tests++] = finder->tested.items[i].p;
    const bool found = p && significant && holm_significant(p, tests, LEVEL, significant);
    tests = 0;
    for (size_t i = 0; found && i < count; i++)
        if (!isnan(finder->tested.items[i].p) && !significant[tests++])
            finder->tested.items[i].differs = false;
    free(p);
    free(significant);
    return found;
}

static int order_by_difference(const void *a, const void *b)
{
    const struct table_combination *x = a, *y = b;
    return -ORDER(fabs(x->difference.median), fabs(y->difference.median)) ?: ORDER(x->row, y->row);
}

static bool list_combinations(struct combination_finder *finder)
{
    struct sweep_table *table = finder->table;
    table->combinations = calloc(finder->tested.count + 1, sizeof *table->combinations);
    if (!table->combinations)
        return false;
    for (size_t i = 0; i < finder->tested.count; i++)
        if (finder->tested.items[i].differs)
            table->combinations[table->combination_count++] = finder->tested.items[i].combination;
    qsort(table->combinations, table->combination_count, sizeof *table->combinations,
          order_by_difference);
    return true;
}

bool table_find_combinations(struct sweep_table *table)
{
    struct combination_finder finder = {.table = table};
    finder.row_of = malloc((table->row_count + 1) * sizeof *finder.row_of);
    bool good = finder.row_of != NULL;
    for (size_t i = 0; good && i < table->row_count; i++)
        finder.row_of[table->rows[i].run - table->sweep->runs] = &table->rows[i];
    for (size_t i = 0; good && i < table->row_count; i++)
        good = add_combination(&finder, &table->rows[i]);
    good = good && discard_chance(&finder) && list_combinations(&finder);
    free(finder.tested.items);
    free(finder.row_of);
    return good;
}
