#include "sweep/combinations.h"

#include "base/array.h"
#include "base/paired.h"
#include "base/sort.h"
#include "sweep/savings.h"

#include <math.h>
#include <stdlib.h>

static const double LEVEL = 0.05; /* of all tests together */
/* The model has no noise; differences below these are of no interest. */
static const double COMPUTED_LEAST = 0.001, COMPUTED_PART = 0.1;

enum { FEWEST_ROUNDS = 5 }; /* fewer claim no interval (paired.h) */

struct candidate {
    struct table_combination combination;
    double p; /* NAN: no test, the interval decides */
    bool interesting;
};

struct finder {
    struct table *table;
    const struct table_row **row_of; /* [run] */
    ARRAY(struct candidate) candidates;
};

/* The pair of a round. Runs of one round share its unchanged replay, so they have the same T. */
static const struct run_pair *pair_of_round(const struct run_result *result, double unchanged_s)
{
    for (size_t i = 0; i < result->pair_count; i++)
        if (result->pairs[i].unchanged_s == unchanged_s)
            return &result->pairs[i];
    return NULL;
}

/* The run with none of the changes that are combined. What it gains is in the gain of each part,
 * and counts once. NULL: it is the unchanged program, which gains nothing. */
static const struct table_row *rest_of(const struct finder *finder, const struct table_row *row)
{
    const struct sweep_run *rest = row->run->rest;
    return rest ? finder->row_of[rest - finder->table->sweep->runs] : NULL;
}

/* How often the parts have the gain of the rest too much. */
static double repetitions(const struct table_row *row)
{
    return (double)row->run->part_count - 1;
}

/* Gain of the combination minus those of its parts in one round; NAN if one lacks the round. */
static double round_difference(const struct finder *finder, const struct table_row *row,
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
        difference += repetitions(row) * (same ? pair_gain(same, goal, usual) : NAN);
    return difference;
}

/* Sets the interval and p from common rounds. False if there are too few of them. */
static bool compare_rounds(const struct finder *finder, const struct table_row *row,
                           struct candidate *candidate)
{
    const size_t count = row->result->pair_count;
    double differences[count + 1]; /* rounds are at most a few thousand */
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        differences[known] = round_difference(finder, row, &row->result->pairs[i]);
        known += isfinite(differences[known]) != 0;
    }
    if (known < FEWEST_ROUNDS)
        return false;
    candidate->combination.difference = paired_estimate(differences, known);
    candidate->p = paired_p_value(differences, known);
    return true;
}

/* What the model says of a run; NAN if it was not asked. */
static struct estimate model_gain(const struct table *table, const struct table_row *row)
{
    const double saving = table->goal.is_time ? row->result->model_saving : NAN;
    return row->computed ? row->objective
                         : (struct estimate){.median = saving, .low = saving, .high = saving};
}

static struct estimate gain_of(const struct table *table, const struct table_row *row, bool model)
{
    return model ? model_gain(table, row) : row->objective;
}

/* The difference of the medians, with all widths added. */
static void compare_estimates(const struct finder *finder, const struct table_row *row, bool model,
                              struct candidate *candidate)
{
    const struct estimate whole = gain_of(finder->table, row, model);
    struct estimate difference = whole;
    double sum = 0;
    for (size_t i = 0; i < row->run->part_count; i++) {
        const struct estimate part =
            gain_of(finder->table, finder->row_of[row->run->parts[i]], model);
        sum += part.median;
        difference.median -= part.median;
        difference.low -= part.high;
        difference.high -= part.low;
    }
    const struct table_row *rest = rest_of(finder, row);
    if (rest) {
        const struct estimate common = gain_of(finder->table, rest, model);
        sum -= repetitions(row) * common.median;
        difference.median += repetitions(row) * common.median;
        difference.low += repetitions(row) * common.low;
        difference.high += repetitions(row) * common.high;
    }
    candidate->combination.sum = sum;
    candidate->combination.difference = difference;
}

static bool is_known(const struct table_row *row)
{
    return row->result->state == RUN_DONE && isfinite(row->objective.median);
}

/* True if all parts are done and their figures can be compared; `*model`: only those of the
 * model. */
static bool is_comparable(const struct finder *finder, const struct table_row *row, bool *model)
{
    bool known = is_known(row);
    *model = row->computed;
    for (size_t i = 0; i < row->run->part_count; i++) {
        const struct table_row *part = finder->row_of[row->run->parts[i]];
        known = known && is_known(part);
        *model = *model || part->computed;
    }
    const struct table_row *rest = rest_of(finder, row);
    if (rest) {
        known = known && is_known(rest);
        *model = *model || rest->computed;
    }
    return known && row->run->part_count > 1;
}

static bool excludes_zero(const struct estimate *estimate)
{
    return estimate->low > 0 || estimate->high < 0;
}

static bool add_candidate(struct finder *finder, const struct table_row *row)
{
    struct candidate candidate = {.combination.row = (size_t)(row - finder->table->rows), .p = NAN};
    struct table_combination *combination = &candidate.combination;
    bool model;
    if (!is_comparable(finder, row, &model))
        return true;
    compare_estimates(finder, row, model, &candidate);
    if (!model)
        compare_rounds(finder, row, &candidate);
    const double size = fabs(combination->difference.median);
    candidate.interesting =
        excludes_zero(&combination->difference) &&
        (!model || (size >= COMPUTED_LEAST && size >= COMPUTED_PART * fabs(combination->sum)));
    return !isfinite(size) || array_push(&finder->candidates, candidate);
}

/* With many combinations some differ by chance. */
static bool keep_significant(struct finder *finder)
{
    const size_t count = finder->candidates.count;
    double *p = malloc((count + 1) * sizeof *p);
    bool *significant = malloc((count + 1) * sizeof *significant);
    struct candidate **tested = malloc((count + 1) * sizeof *tested);
    size_t tests = 0;
    bool room = p && significant && tested;
    for (size_t i = 0; room && i < count; i++)
        if (!isnan(finder->candidates.items[i].p)) {
            tested[tests] = &finder->candidates.items[i];
            p[tests++] = finder->candidates.items[i].p;
        }
    room = room && holm_significant(p, tests, LEVEL, significant);
    for (size_t i = 0; room && i < tests; i++)
        tested[i]->interesting = tested[i]->interesting && significant[i];
    free(p);
    free(significant);
    free(tested);
    return room;
}

static int order_by_size(const void *a, const void *b)
{
    const struct table_combination *x = a, *y = b;
    return -ORDER(fabs(x->difference.median), fabs(y->difference.median)) ?: ORDER(x->row, y->row);
}

static bool take_interesting(struct finder *finder)
{
    struct table *table = finder->table;
    table->combinations = calloc(finder->candidates.count + 1, sizeof *table->combinations);
    if (!table->combinations)
        return false;
    for (size_t i = 0; i < finder->candidates.count; i++)
        if (finder->candidates.items[i].interesting)
            table->combinations[table->combination_count++] =
                finder->candidates.items[i].combination;
    qsort(table->combinations, table->combination_count, sizeof *table->combinations,
          order_by_size);
    return true;
}

bool table_find_combinations(struct table *table)
{
    struct finder finder = {.table = table};
    finder.row_of = malloc((table->row_count + 1) * sizeof *finder.row_of);
    bool room = finder.row_of != NULL;
    for (size_t i = 0; room && i < table->row_count; i++)
        finder.row_of[table->rows[i].run - table->sweep->runs] = &table->rows[i];
    for (size_t i = 0; room && i < table->row_count; i++)
        room = add_candidate(&finder, &table->rows[i]);
    room = room && keep_significant(&finder) && take_interesting(&finder);
    free(finder.candidates.items);
    free(finder.row_of);
    return room;
}
