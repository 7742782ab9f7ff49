#include "sweep/table.h"

#include "base/array.h"
#include "base/paired.h"
#include "base/sort.h"
#include "sweep/combinations.h"
#include "sweep/savings.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double median_or_nan(const double *values, size_t count)
{
    return count > 0 ? estimate_of(values, count).median : NAN;
}

static struct estimate typical_of(const struct table_row *row)
{
    struct estimate typical = row->saving;
    const struct run_result *result = row->result;
    if (row->computed || !(typical.level > 0) || !isfinite(result->typical_error))
        return (struct estimate){.median = NAN, .low = NAN, .high = NAN};
    estimate_add_error(&typical, result->typical_error);
    typical.low -= isfinite(result->overstated) ? result->overstated : 0;
    return typical;
}

/* Fills savings, gains and times. `figures` has room for four numbers per pair. */
static void fill_gains(struct table_row *row, const struct objective *goal, double *figures)
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
    row->typical = typical_of(row);
    row->objective = savings_estimate(gains, known, row->computed);
    row->p = row->computed || known == 0 ? NAN : paired_p_value(gains, known);
    row->unchanged_s = median_or_nan(unchanged_s, known);
    row->changed_s = median_or_nan(changed_s, known);
}

/* Fills the medians of the objective's values. */
static void fill_objective(struct table_row *row, const struct objective *goal, double *values)
{
    const struct run_result *result = row->result;
    size_t known = 0;
    row->unchanged = goal->is_time ? row->unchanged_s : usual_objective(result, goal);
    for (size_t i = 0; i < result->pair_count; i++) {
        values[known] = result->pairs[i].objective_changed;
        known += isfinite(values[known]) != 0;
    }
    row->changed = goal->is_time ? row->changed_s : median_or_nan(values, known);
}

/* False when out of memory. */
static bool fill_row(const struct sweep_table *table, const struct sweep_run *run,
                     const struct run_result *result, struct table_row *row)
{
    const struct estimate none = {.median = NAN, .low = NAN, .high = NAN};
    *row = (struct table_row){.run = run,
                              .result = result,
                              .computed = result_is_computed(result),
                              .saving = none,
                              .typical = none,
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
    fill_gains(row, &table->goal, figures);
    fill_objective(row, &table->goal, figures);
    free(figures);
    return true;
}

/* Finished runs with figures come first, then those without, then failed and open ones. */
static int rank_group(const struct table_row *row)
{
    const enum run_state state = row->result->state;
    return state == RUN_FAILED ? 2 : state == RUN_OPEN ? 3 : !isfinite(row->objective.low);
}

static int order_by_rank(const void *a, const void *b)
{
    const struct table_row *x = a, *y = b;
    const int group = ORDER(rank_group(x), rank_group(y));
    if (group != 0 || rank_group(x) != 0)
        return group ?: ORDER(x->run, y->run);
    return -ORDER(x->objective.low, y->objective.low)
               ?: -ORDER(x->objective.median, y->objective.median) ?: ORDER(x->run, y->run);
}

static bool make_table_rows(struct sweep_table *table, const struct run_result *results)
{
    const struct sweep_plan *sweep = table->sweep;
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
    qsort(table->rows, table->row_count, sizeof *table->rows, order_by_rank);
    return true;
}

size_t table_figures_count(const struct sweep_table *table)
{
    size_t count = 0;
    while (count < table->row_count && rank_group(&table->rows[count]) == 0)
        count++;
    return count;
}

/* False when out of memory. */
static bool mark_significant(struct sweep_table *table)
{
    const size_t count = table_figures_count(table);
    double *p = malloc((count + 1) * sizeof *p);
    bool *significant = malloc((count + 1) * sizeof *significant);
    bool found = p && significant;
    for (size_t i = 0; found && i < count; i++)
        if (!table->rows[i].computed) {
            const size_t rounds = table->rows[i].result->pair_count;
            if (table->replayed_count == 0 || rounds < table->rounds)
                table->rounds = rounds;
            if (rounds > table->most_rounds)
                table->most_rounds = rounds;
            p[table->replayed_count++] = table->rows[i].p;
        }
    found = found && holm_significant(p, table->replayed_count, TABLE_LEVEL, significant);
    for (size_t i = 0, test = 0; found && i < count; i++) {
        struct table_row *row = &table->rows[i];
        row->significant = row->computed ? row->objective.median != 0 : significant[test++];
    }
    free(p);
    free(significant);
    return found;
}

/* True if `other` is at least as good as `row` in saving and effort, and better in one of them. */
static bool dominates(const struct table_row *other, const struct table_row *row)
{
    const double less = other->saving.median - row->saving.median;
    const size_t regions = row->result->regions, others = other->result->regions;
    return less >= 0 && others <= regions && (less > 0 || others < regions);
}

static void mark_front(struct sweep_table *table)
{
    const size_t count = table_figures_count(table);
    for (size_t i = 0; i < count; i++) {
        struct table_row *row = &table->rows[i];
        row->on_front = row->saving.median > 0;
        for (size_t j = 0; j < count && row->on_front; j++)
            row->on_front = !dominates(&table->rows[j], row);
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

static bool key_varies(const struct sweep_plan *sweep, const char *key)
{
    const char *first = run_setting(&sweep->runs[0], key);
    for (size_t i = 1; i < sweep->run_count; i++) {
        const char *value = run_setting(&sweep->runs[i], key);
        if (!first != !value || (value && strcmp(first, value) != 0))
            return true;
    }
    return false;
}

/* The key of "section.key". */
static const char *find_key(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot[1] ? dot + 1 : name;
}

static void shorten_label(struct sweep_table *table, struct table_key *key)
{
    const char *ending = find_key(key->name);
    for (size_t i = 0; i < table->key_count; i++) {
        const struct table_key *other = &table->keys[i];
        if (other != key && other->varies && strcmp(find_key(other->name), ending) == 0)
            return;
    }
    key->label = ending;
}

/* False when out of memory. */
static bool make_keys(struct sweep_table *table)
{
    const struct sweep_plan *sweep = table->sweep;
    key_list keys = {0};
    bool added = true;
    for (size_t i = 0; i < sweep->run_count; i++)
        for (size_t j = 0; j < sweep->runs[i].setting_count; j++)
            added = added && add_key(&keys, sweep->runs[i].settings[j].key);
    table->keys = keys.items;
    table->key_count = keys.count;
    for (size_t i = 0; i < table->key_count; i++)
        table->keys[i].varies = key_varies(sweep, table->keys[i].name);
    for (size_t i = 0; i < table->key_count; i++)
        shorten_label(table, &table->keys[i]);
    return added;
}

enum status table_make(const struct sweep_plan *sweep, const struct run_result *results,
                       const char *folder, struct sweep_table *table, struct error *error)
{
    assert(results || sweep->run_count == 0);
    const char *objective = sweep->options.objective;
    *table = (struct sweep_table){.sweep = sweep, .folder = folder};
    enum status status = objective_find(objective ? objective : "T", &table->goal, error);
    if (status != STATUS_OK)
        return status;
    if (!make_table_rows(table, results) || !mark_significant(table) || !make_keys(table) ||
        !table_find_combinations(table)) {
        table_clear(table);
        return error_memory(error, "the table of the sweep");
    }
    mark_front(table);
    return STATUS_OK;
}

void table_clear(struct sweep_table *table)
{
    free(table->rows);
    free(table->combinations);
    free(table->keys);
    *table = (struct sweep_table){0};
}

bool table_compares_models(const struct sweep_table *table)
{
    for (size_t i = 0; i < table_figures_count(table); i++)
        if (!table->rows[i].computed && isfinite(table->rows[i].result->model_saving))
            return true;
    return false;
}

double table_percent(double fraction)
{
    const double percent = 100 * fraction;
    return fabs(percent) < 0.005 ? 0 : percent;
}

const char *table_name(const struct sweep_table *table)
{
    const char *path = table->folder       ? table->folder
                       : table->sweep->ini ? table->sweep->ini->path
                                           : "sweep";
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

bool rows_share_reason(const struct table_row *a, const struct table_row *b)
{
    const char *x = a->result->reason, *y = b->result->reason;
    return !a->result->trustworthy && !b->result->trustworthy &&
           (x && y ? strcmp(x, y) == 0 : x == y);
}

char *table_path(const struct sweep_table *table, const char *relative)
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

char *table_config(const struct sweep_table *table, const struct table_row *row)
{
    const size_t size = strlen(row->run->name) + sizeof "runs//config.ini";
    char relative[size];
    snprintf(relative, size, "runs/%s/config.ini", row->run->name);
    return table_path(table, relative);
}
