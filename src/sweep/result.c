/* result.json holds the members of struct run_result under their names; an unknown number is null.
 * Times have all their digits, so a table made from files equals one made from memory. */
#include "sweep/result.h"

#include "base/files.h"
#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT_VERSION = 1, DIGITS = 17 };

const char *const run_state_names[] = {
    [RUN_OPEN] = "open", [RUN_DONE] = "done", [RUN_FAILED] = "failed"};
static const char *const engine_names[] = {"model", "realtime"};

void run_result_clear(struct run_result *result)
{
    free(result->message);
    free(result->pairs);
    free(result->reason);
    free(result->report);
    *result = (struct run_result){0};
}

static json_t *pairs_array(const struct run_result *result)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < result->pair_count; i++) {
        const struct run_pair *pair = &result->pairs[i];
        json_append(&pairs, JSON_LIST(json_number(pair->unchanged_s), json_number(pair->changed_s),
                                      json_number(pair->objective_unchanged),
                                      json_number(pair->objective_changed)));
    }
    return pairs;
}

static json_t *result_object(const struct run_result *result)
{
    return JSON_MEMBERS(
        {"format", json_integer(FORMAT_VERSION)},
        {"state", json_text(run_state_names[result->state])}, {"engine", json_text(result->engine)},
        {"message", json_text(result->message)}, {"trustworthy", json_boolean(result->trustworthy)},
        {"reason", json_text(result->reason)},
        {"lost_fraction", json_number(result->lost_fraction)},
        {"changes", json_count(result->changes)}, {"regions", json_count(result->regions)},
        {"typical_error", json_number(result->typical_error)},
        {"overstated", json_number(result->overstated)},
        {"model_saving", json_number(result->model_saving)}, {"report", json_text(result->report)},
        {"pairs", pairs_array(result)});
}

/* Writes all of `text` and flushes it to the disk. */
static bool write_flushed(const char *path, const char *text)
{
    errno = 0;
    FILE *stream = fopen(path, "w");
    if (!stream)
        return false;
    bool written = fputs(text, stream) != EOF && fputc('\n', stream) != EOF &&
                   fflush(stream) == 0 && fsync(fileno(stream)) == 0;
    const int reason = errno;
    if (fclose(stream) != 0)
        return false;
    errno = reason;
    return written;
}

enum status run_result_write(const struct run_result *result, const char *path, struct error *error)
{
    assert(result->pairs || result->pair_count == 0);
    char temporary[PATH_MAX];
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.part", path) >= sizeof temporary)
        return error_set(error, STATUS_INPUT, "the path %s is too long", path);
    json_t *object = result_object(result);
    char *text = object ? json_dumps(object, JSON_REAL_PRECISION(DIGITS)) : NULL;
    enum status status = text ? STATUS_OK : error_memory(error, path);
    /* Only one process at a time writes the result of a run, so the temporary name is always the
     * same, and what a killed process left there is overwritten. */
    if (text && (!write_flushed(temporary, text) || rename(temporary, path) != 0)) {
        status = error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                           strerror(errno ? errno : EIO));
        unlink(temporary);
    }
    files_flush_name(path);
    free(text);
    json_decref(object);
    return status;
}

/* The index of a name; -1 if it is none of them. */
static int index_of_state(const char *name, const char *const *names, int count)
{
    while (count-- > 0)
        if (name && strcmp(name, names[count]) == 0)
            return count;
    return -1;
}

/* A copy of a string, NULL for null. False when memory is out. */
static bool copy_text(const json_t *value, char **text)
{
    *text = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
    return *text || !json_is_string(value);
}

static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static enum status damaged_result(struct error *error, const char *path, const char *what)
{
    return error_set(error, STATUS_INPUT,
                     "%s is not the result of a run: %s; remove it to repeat the run", path, what);
}

static enum status read_pairs(const json_t *list, const char *path, struct run_result *result,
                              struct error *error)
{
    size_t i;
    json_t *item;
    result->pairs = calloc(json_array_size(list) + 1, sizeof *result->pairs);
    if (!result->pairs)
        return error_memory(error, path);
    json_array_foreach(list, i, item)
    {
        if (json_array_size(item) != 4)
            return damaged_result(error, path, "a pair does not have four figures");
        result->pairs[i] = (struct run_pair){
            .unchanged_s = number_or_nan(json_array_get(item, 0)),
            .changed_s = number_or_nan(json_array_get(item, 1)),
            .objective_unchanged = number_or_nan(json_array_get(item, 2)),
            .objective_changed = number_or_nan(json_array_get(item, 3)),
        };
    }
    result->pair_count = json_array_size(list);
    return STATUS_OK;
}

/* `result` is empty. The caller clears it, also after a failure. */
static enum status take_object(json_t *object, const char *path, struct run_result *result,
                               struct error *error)
{
    const char *state;
    json_t *engine_value, *message, *reason, *report, *model_saving, *lost, *pairs;
    int version, trustworthy;
    json_int_t changes, regions;
    json_error_t detail;
    if (json_unpack_ex(object, &detail, 0,
                       "{s:i, s:s, s:o, s:o, s:b, s:o, s:o, s:I, s:I, s:o, s:o, s:o}", "format",
                       &version, "state", &state, "engine", &engine_value, "message", &message,
                       "trustworthy", &trustworthy, "reason", &reason, "lost_fraction", &lost,
                       "changes", &changes, "regions", &regions, "model_saving", &model_saving,
                       "report", &report, "pairs", &pairs) != 0)
        return damaged_result(error, path, detail.text);
    const char *engine = json_string_value(engine_value);
    const int number = index_of_state(state, run_state_names, RUN_FAILED + 1),
              which =
                  index_of_state(engine, engine_names, sizeof engine_names / sizeof *engine_names);
    if (version != FORMAT_VERSION)
        return damaged_result(error, path, "another version of SILAS has written it");
    if (number < 0 || (engine && which < 0) || changes < 0 || regions < 0)
        return damaged_result(error, path, "unknown state or engine, or a negative number");
    if (!copy_text(message, &result->message) || !copy_text(reason, &result->reason) ||
        !copy_text(report, &result->report))
        return error_memory(error, path);
    result->state = (enum run_state)number;
    result->engine = which < 0 ? NULL : engine_names[which];
    result->trustworthy = trustworthy;
    result->lost_fraction = number_or_nan(lost);
    result->changes = (size_t)changes;
    result->regions = (size_t)regions;
    result->model_saving = number_or_nan(model_saving);
    result->typical_error = number_or_nan(json_object_get(object, "typical_error"));
    result->overstated = number_or_nan(json_object_get(object, "overstated"));
    return read_pairs(pairs, path, result, error);
}

static enum status load_object(const char *path, json_t **object, struct error *error)
{
    json_error_t detail;
    FILE *stream = fopen(path, "r");
    *object = NULL;
    if (!stream && (errno == ENOENT || errno == ENOTDIR))
        return STATUS_OK;
    if (!stream)
        return error_set(error, STATUS_INPUT, "cannot read %s: %s", path, strerror(errno));
    *object = json_loadf(stream, 0, &detail);
    fclose(stream);
    if (*object)
        return STATUS_OK;
    return json_error_code(&detail) == json_error_out_of_memory
               ? error_memory(error, path)
               : damaged_result(error, path, detail.text);
}

enum status run_result_read(const char *path, struct run_result *result, struct error *error)
{
    json_t *object;
    *result = (struct run_result){.typical_error = NAN, .model_saving = NAN};
    enum status status = load_object(path, &object, error);
    if (status == STATUS_OK && object)
        status = take_object(object, path, result, error);
    json_decref(object);
    if (status != STATUS_OK)
        run_result_clear(result);
    return status;
}
