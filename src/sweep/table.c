#include "sweep/table.h"

#include "base/array.h"
#include "base/paired.h"
#include "base/sort.h"
#include "sweep/combinations.h"
#include "sweep/savings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEVEL = 0.05; /* of all tests of the table together */

enum { MOST_ROUNDS = 2000 }; /* that anybody would wait for */

static double median_of(const double *values, size_t count)
{
    return count > 0 ? estimate_of(values, count).median : NAN;
}

/* `figures` has room for four numbers per pair. */
static void fill_figures(struct table_row *row, const struct objective *goal, double *figures)
{
    const struct run_result *result = row->result;
    const size_t count = result->pair_count;
    double *unchanged_s = figures, *changed_s = unchanged_s + count, *savings = changed_s + count,
           *gains = savings + count;
    const double usual = usual_objective(result, goal);
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const struct run_pair *pair = &result->pairs[i];
        unchanged_s[known] = pair->unchanged_s;
        changed_s[known] = pair->changed_s;
        savings[known] = pair_saving(pair);
        gains[known] = pair_gain(pair, goal, usual);
        known += isfinite(savings[known]) && isfinite(gains[known]);
    }
    row->saving = savings_estimate(savings, known, row->computed);
    row->objective = savings_estimate(gains, known, row->computed);
    row->p = row->computed || known == 0 ? NAN : paired_p_value(gains, known);
    row->unchanged_s = median_of(unchanged_s, known);
    row->changed_s = median_of(changed_s, known);
}

/* The medians of the objective's values. */
static void fill_values(struct table_row *row, const struct objective *goal, double *values)
{
    const struct run_result *result = row->result;
    size_t known = 0;
    row->unchanged = goal->is_time ? row->unchanged_s : usual_objective(result, goal);
    for (size_t i = 0; i < result->pair_count; i++) {
        values[known] = result->pairs[i].objective_changed;
        known += isfinite(values[known]) != 0;
    }
    row->changed = goal->is_time ? row->changed_s : median_of(values, known);
}

static bool fill_row(const struct table *table, const struct sweep_run *run,
                     const struct run_result *result, struct table_row *row)
{
    const struct estimate none = {.median = NAN, .low = NAN, .high = NAN};
    *row = (struct table_row){.run = run,
                              .result = result,
                              .computed = result_is_computed(result),
                              .saving = none,
                              .objective = none,
                              .unchanged = NAN,
                              .changed = NAN,
                              .unchanged_s = NAN,
                              .changed_s = NAN,
                              .p = NAN};
    if (result->state != RUN_DONE || result->pair_count == 0)
        return true;
    double *figures = malloc((4 * result->pair_count + 1) * sizeof *figures);
    if (!figures)
        return false;
    fill_figures(row, &table->goal, figures);
    fill_values(row, &table->goal, figures);
    free(figures);
    return true;
}

/* Finished runs with figures, finished ones without, failed ones, open ones. */
static int group_of(const struct table_row *row)
{
    const enum run_state state = row->result->state;
    return state == RUN_FAILED ? 2 : state == RUN_OPEN ? 3 : !isfinite(row->objective.low);
}

static int order_rows(const void *a, const void *b)
{
    const struct table_row *x = a, *y = b;
    const int group = ORDER(group_of(x), group_of(y));
    if (group != 0 || group_of(x) != 0)
        return group ?: ORDER(x->run, y->run);
    return -ORDER(x->objective.low, y->objective.low)
               ?: -ORDER(x->objective.median, y->objective.median) ?: ORDER(x->run, y->run);
}

static bool make_rows(struct table *table, const struct run_result *results)
{
    const struct sweep *sweep = table->sweep;
    table->rows = calloc(sweep->run_count + 1, sizeof *table->rows);
    if (!table->rows)
        return false;
    table->row_count = sweep->run_count;
    for (size_t i = 0; i < sweep->run_count; i++) {
        if (!fill_row(table, &sweep->runs[i], &results[i], &table->rows[i]))
            return false;
        table->done_count += results[i].state == RUN_DONE;
        table->failed_count += results[i].state == RUN_FAILED;
    }
    qsort(table->rows, table->row_count, sizeof *table->rows, order_rows);
    return true;
}

/* Rows with figures come first. */
static size_t figures_count(const struct table *table)
{
    size_t count = 0;
    while (count < table->row_count && group_of(&table->rows[count]) == 0)
        count++;
    return count;
}

static bool mark_significant(struct table *table)
{
    const size_t count = figures_count(table);
    double *p = malloc((count + 1) * sizeof *p);
    bool *significant = malloc((count + 1) * sizeof *significant);
    bool room = p && significant;
    for (size_t i = 0; room && i < count; i++)
        if (!table->rows[i].computed) {
            const size_t rounds = table->rows[i].result->pair_count;
            if (table->replayed_count == 0 || rounds < table->rounds)
                table->rounds = rounds;
            p[table->replayed_count++] = table->rows[i].p;
        }
    room = room && holm_significant(p, table->replayed_count, LEVEL, significant);
    for (size_t i = 0, test = 0; room && i < count; i++) {
        struct table_row *row = &table->rows[i];
        row->significant = row->computed ? row->objective.median != 0 : significant[test++];
    }
    free(p);
    free(significant);
    return room;
}

/* True if `other` is at least as good as `row` in both, and better in one. */
static bool is_better(const struct table_row *other, const struct table_row *row)
{
    const double less = other->saving.median - row->saving.median;
    const size_t regions = row->result->regions, others = other->result->regions;
    return less >= 0 && others <= regions && (less > 0 || others < regions);
}

static void mark_front(struct table *table)
{
    const size_t count = figures_count(table);
    for (size_t i = 0; i < count; i++) {
        struct table_row *row = &table->rows[i];
        row->on_front = row->saving.median > 0;
        for (size_t j = 0; j < count && row->on_front; j++)
            row->on_front = !is_better(&table->rows[j], row);
    }
}

const char *run_setting(const struct sweep_run *run, const char *key)
{
    for (size_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].key, key) == 0)
            return run->settings[i].value;
    return NULL;
}

typedef ARRAY(struct table_key) key_list;

static bool add_key(key_list *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++)
        if (strcmp(keys->items[i].name, name) == 0)
            return true;
    const struct table_key key = {.name = name, .label = name};
    return array_push(keys, key);
}

static bool key_varies(const struct sweep *sweep, const char *key)
{
    const char *first = run_setting(&sweep->runs[0], key);
    for (size_t i = 1; i < sweep->run_count; i++) {
        const char *value = run_setting(&sweep->runs[i], key);
        if (!first != !value || (value && strcmp(first, value) != 0))
            return true;
    }
    return false;
}

/* The part behind the last '.', which separates section and key. */
static const char *ending_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot[1] ? dot + 1 : name;
}

static void shorten_label(struct table *table, struct table_key *key)
{
    const char *ending = ending_of(key->name);
    for (size_t i = 0; i < table->key_count; i++) {
        const struct table_key *other = &table->keys[i];
        if (other != key && other->varies && strcmp(ending_of(other->name), ending) == 0)
            return;
    }
    key->label = ending;
}

static bool make_keys(struct table *table)
{
    const struct sweep *sweep = table->sweep;
    key_list keys = {0};
    bool room = true;
    for (size_t i = 0; i < sweep->run_count; i++)
        for (size_t j = 0; j < sweep->runs[i].setting_count; j++)
            room = room && add_key(&keys, sweep->runs[i].settings[j].key);
    table->keys = keys.items;
    table->key_count = keys.count;
    for (size_t i = 0; i < table->key_count; i++)
        table->keys[i].varies = key_varies(sweep, table->keys[i].name);
    for (size_t i = 0; i < table->key_count; i++)
        shorten_label(table, &table->keys[i]);
    return room;
}

enum status table_make(const struct sweep *sweep, const struct run_result *results,
                       const char *folder, struct table *table, struct error *error)
{
    const char *objective = sweep->options.objective;
    *table = (struct table){.sweep = sweep, .folder = folder};
    enum status status = objective_find(objective ? objective : "T", &table->goal, error);
    if (status != STATUS_OK)
        return status;
    if (!make_rows(table, results) || !mark_significant(table) || !make_keys(table) ||
        !table_find_combinations(table))
        return error_memory(error, "the table of the sweep");
    mark_front(table);
    return STATUS_OK;
}

void table_clear(struct table *table)
{
    free(table->rows);
    free(table->combinations);
    free(table->keys);
    *table = (struct table){0};
}

char *table_path(const struct table *table, const char *relative)
{
    if (!relative)
        return NULL;
    const char *folder = relative[0] == '/' || !table->folder ? "" : table->folder;
    const size_t size = strlen(folder) + strlen(relative) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", relative);
    return path;
}

char *table_config(const struct table *table, const struct table_row *row)
{
    const size_t size = strlen(row->run->name) + sizeof "runs//config.ini";
    char relative[size];
    snprintf(relative, size, "runs/%s/config.ini", row->run->name);
    return table_path(table, relative);
}

bool table_has_gain(const struct table *table)
{
    for (size_t i = 0; i < table->done_count; i++)
        if (table->rows[i].significant && table->rows[i].objective.median > 0)
            return true;
    return false;
}

/* The distance from the mean, in standard deviations, beyond which a normal value is with
 * probability `outside`, on both sides together. */
static double normal_bound(double outside)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / M_SQRT2) > outside)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Half the width of an interval shrinks with the square root of the rounds, and must become less
 * than the gain at the level of the first test. */
static double rounds_for(const struct table *table, const struct table_row *row)
{
    const double half = row->objective.median - row->objective.low;
    const double ratio = normal_bound(LEVEL / (double)table->replayed_count) / normal_bound(LEVEL);
    const double factor = half * ratio / row->objective.median;
    if (row->computed || !(row->objective.median > 0))
        return INFINITY;
    return (double)row->result->pair_count * factor * factor;
}

size_t table_rounds_wanted(const struct table *table)
{
    double fewest = INFINITY;
    if (table->replayed_count == 0 || table_has_gain(table))
        return 0;
    for (size_t i = 0; i < table->done_count; i++)
        fewest = fmin(fewest, rounds_for(table, &table->rows[i]));
    if (fewest > MOST_ROUNDS)
        return 0;
    const size_t least = paired_rounds_needed(table->replayed_count, LEVEL);
    const size_t wanted = (size_t)ceil(fewest);
    const size_t more = wanted > table->rounds ? wanted : table->rounds + 1;
    return more > least ? more : least;
}
