/* JSON, for scripts; doc/sweep.md lists the members. When out of memory, a value is NULL, which
 * makes the whole document NULL (base/json.h). */
#include "sweep/output/formats.h"
#include "sweep/verdict.h"

#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { FORMAT_VERSION = 1 };

static json_t *estimate_object(const struct estimate *estimate)
{
    if (!isfinite(estimate->median))
        return json_null();
    return JSON_MEMBERS(
        {"low", json_number(estimate->low)}, {"median", json_number(estimate->median)},
        {"high", json_number(estimate->high)}, {"level", json_number(estimate->level)});
}

static json_t *values_object(double unchanged, double changed)
{
    return JSON_MEMBERS({"unchanged", json_number(unchanged)}, {"changed", json_number(changed)});
}

static json_t *settings_object(const struct sweep_run *run)
{
    json_t *object = json_object();
    bool complete = object != NULL;
    for (size_t i = 0; i < run->setting_count && complete; i++) {
        json_t *key = json_text(run->settings[i].key);
        complete = key && json_object_set_new(object, json_string_value(key),
                                              json_text(run->settings[i].value)) == 0;
        json_decref(key);
    }
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}

/* A path, which is freed; null if there is none. */
static json_t *path_json(char *path, bool wanted)
{
    json_t *value = path || !wanted ? json_text(path) : NULL;
    free(path);
    return value;
}

static json_t *sweep_run_object(const struct sweep_table *table, size_t index)
{
    const struct table_row *row = &table->rows[index];
    const struct run_result *result = row->result;
    const bool done = result->state == RUN_DONE;
    return JSON_MEMBERS(
        {"rank", done ? json_integer((json_int_t)index + 1) : json_null()},
        {"name", json_text(row->run->name)}, {"state", json_text(run_state_names[result->state])},
        {"settings", settings_object(row->run)}, {"saving", estimate_object(&row->saving)},
        {"typical", estimate_object(&row->typical)},
        {"significant", json_boolean(row->significant)}, {"p", json_number(row->p)},
        {"objective", JSON_MEMBERS({"gain", estimate_object(&row->objective)},
                                   {"value", values_object(row->unchanged, row->changed)})},
        {"time_s", values_object(row->unchanged_s, row->changed_s)},
        {"engine", json_text(result->engine)}, {"rounds", json_count(result->pair_count)},
        {"model_saving", json_number(result->model_saving)},
        {"trustworthy", done ? json_boolean(result->trustworthy) : json_null()},
        {"reason", json_text(result->reason)},
        {"lost_fraction", done ? json_number(result->lost_fraction) : json_null()},
        {"changes", json_count(result->changes)}, {"regions", json_count(result->regions)},
        {"on_front", json_boolean(row->on_front)},
        {"config", path_json(table_config(table, row), true)},
        {"report", path_json(table_path(table, result->report), result->report != NULL)},
        {"message", json_text(result->message)});
}

static json_t *sweep_runs_array(const struct sweep_table *table, size_t most)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < table->row_count; i++)
        if (most == 0 || i < most || table->rows[i].on_front)
            json_append(&runs, sweep_run_object(table, i));
    return runs;
}

static json_t *combination_object(const struct sweep_table *table,
                                  const struct table_combination *combination)
{
    const struct table_row *row = &table->rows[combination->row];
    json_t *parts = json_array();
    for (size_t i = 0; i < row->run->part_count; i++)
        json_append(&parts, json_text(table->sweep->runs[row->run->parts[i]].name));
    return JSON_MEMBERS({"name", json_text(row->run->name)}, {"parts", parts},
                        {"sum", json_number(combination->sum)},
                        {"difference", estimate_object(&combination->difference)});
}

static json_t *combinations_array(const struct sweep_table *table)
{
    json_t *combinations = json_array();
    for (size_t i = 0; i < table->combination_count; i++)
        json_append(&combinations, combination_object(table, &table->combinations[i]));
    return combinations;
}

json_t *table_json(const struct sweep_table *table, size_t most)
{
    assert(table->sweep);
    const struct sweep_options *options = &table->sweep->options;
    const size_t wanted = table_rounds_wanted(table);
    return JSON_MEMBERS(
        {"format", json_integer(FORMAT_VERSION)}, {"version", json_text(PACKAGE_VERSION)},
        {"sweep", json_text(table->sweep->ini ? table->sweep->ini->path : NULL)},
        {"folder", json_text(table->folder)}, {"mode", json_text(sweep_mode_names[options->mode])},
        {"engine", json_text(sweep_engine_names[options->engine])},
        {"objective",
         JSON_MEMBERS({"name", json_text(table->goal.name)},
                      {"larger_is_better", json_boolean(table->goal.larger_is_better)})},
        {"done", json_count(table->done_count)}, {"failed", json_count(table->failed_count)},
        {"open",
         json_integer((json_int_t)(table->row_count - table->done_count - table->failed_count))},
        {"rounds", json_count(table->rounds)},
        {"rounds_wanted", wanted ? json_count(wanted) : json_null()},
        {"any_significant_gain", json_boolean(table_best_gain(table) != NULL)},
        {"combinations", combinations_array(table)}, {"runs", sweep_runs_array(table, most)});
}

static bool write_table_json(const struct sweep_table *table, FILE *stream)
{
    return json_write(table_json(table, 0), stream);
}

const struct table_format json_table = {"json", "for scripts", write_table_json};
