#include "sweep/predicted/predicted.h"

#include "base/arena.h"
#include "base/sort.h"
#include "predict/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 100000, CANDIDATES_MOST = 1000000 };
static const uint64_t EVENTS_MOST = 200000000; /* of one process; as in silas-predict */

struct predicted_loader {
    struct predicted_sweep *sweep;
    struct ini *ini;
    struct arena *arena;
    struct predicted_axis *axes;
    struct error *error;
};

bool predicted_sweep_is(const struct ini *ini)
{
    return ini_find_section(ini, "predict") != NULL;
}

static enum status load_memory(const struct predicted_loader *loader)
{
    return error_memory(loader->error, "the sweep");
}

/* The value of an entry: one, or those in braces. */
static enum status read_values(const struct predicted_loader *loader,
                               const struct ini_section *section, const struct ini_entry *entry,
                               size_t most, const char *const **texts, size_t *count)
{
    struct alternatives values = {.items = &(struct alternative){.value = entry->value},
                                  .count = 1};
    enum status status = STATUS_OK;
    if (alternatives_are(entry->value))
        status = alternatives_parse(section, entry, most, &values, loader->error);
    if (status != STATUS_OK)
        return status;
    const char **list = arena_alloc_array(loader->arena, values.count + 1, sizeof *list);
    if (!list)
        return load_memory(loader);
    for (size_t i = 0; i < values.count; i++) {
        if (values.items[i].list)
            return ini_error(loader->error, loader->ini, entry->line,
                             "%s: a list in braces inside the set has no meaning here", entry->key);
        list[i] = values.items[i].value;
    }
    *texts = list;
    *count = values.count;
    return STATUS_OK;
}

static enum status read_axis_numbers(const struct predicted_loader *loader,
                                     const struct ini_entry *entry, const char *const *texts,
                                     size_t count, bool ranks, const double **numbers)
{
    double *list = arena_alloc_array(loader->arena, count + 1, sizeof *list);
    if (!list)
        return load_memory(loader);
    for (size_t i = 0; i < count; i++) {
        char *end;
        list[i] = strtod(texts[i], &end);
        if (*texts[i] == '\0' || *end || !isfinite(list[i]))
            return ini_error(loader->error, loader->ini, entry->line,
                             "%s = \"%s\": expected a number", entry->key, texts[i]);
        if (ranks && (list[i] < 1 || list[i] > UINT32_MAX / 2 || list[i] != floor(list[i])))
            return ini_error(loader->error, loader->ini, entry->line,
                             "%s = \"%s\": expected a number of ranks, from 1", entry->key,
                             texts[i]);
    }
    *numbers = list;
    return STATUS_OK;
}

static enum status resolve_axis_paths(const struct predicted_loader *loader,
                                      struct predicted_axis *axis)
{
    const char **paths = arena_alloc_array(loader->arena, axis->count, sizeof *paths);
    if (!paths)
        return load_memory(loader);
    for (size_t i = 0; i < axis->count; i++) {
        paths[i] = ini_resolve(loader->ini, axis->texts[i], strlen(axis->texts[i]));
        if (!paths[i])
            return load_memory(loader);
    }
    axis->paths = paths;
    return STATUS_OK;
}

/* Checks that the files can be read, so that a wrong path is not found hours later. */
static enum status check_files(const struct predicted_loader *loader,
                               const struct predicted_axis *axis)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < axis->count && status == STATUS_OK; i++) {
        struct model_script *script = NULL;
        struct hardware hardware;
        status = axis->kind == AXIS_SCRIPT
                     ? script_read(axis->paths[i], &script, loader->error)
                     : hardware_load(axis->paths[i], &hardware, loader->error);
        script_destroy(script);
    }
    return status;
}

static enum status add_axis(struct predicted_loader *loader, enum axis_kind kind,
                            const struct ini_section *section, const struct ini_entry *entry)
{
    struct predicted_axis *axis = &loader->axes[loader->sweep->axis_count++];
    *axis = (struct predicted_axis){.kind = kind, .name = entry->key, .section = section};
    enum status status =
        read_values(loader, section, entry, POINTS_MOST, &axis->texts, &axis->count);
    if (status != STATUS_OK)
        return status;
    if (kind == AXIS_SCRIPT || kind == AXIS_HARDWARE)
        return resolve_axis_paths(loader, axis) ?: check_files(loader, axis);
    return read_axis_numbers(loader, entry, axis->texts, axis->count, kind == AXIS_RANKS,
                             &axis->numbers);
}

static enum status add_required_axis(struct predicted_loader *loader, enum axis_kind kind,
                                     const struct ini_section *section, const char *key)
{
    for (size_t i = 0; i < section->entry_count; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return add_axis(loader, kind, section, &section->entries[i]);
    return ini_error(loader->error, loader->ini, section->line, "[predict] has no %s", key);
}

static enum status read_sections(struct predicted_loader *loader)
{
    static const struct ini_key keys[] = {
        {.name = "script"},
        {.name = "hardware"},
        {.name = "ranks"},
        INI_KEY(predicted_sweep, seed, INTEGER, .least = 0, .most = INT64_MAX),
        INI_KEY(predicted_sweep, limit, INTEGER, .least = 1, .most = INT64_MAX / 64),
        INI_KEYS_END,
    };
    const struct ini_section *predict = ini_find_section(loader->ini, "predict"),
                             *parameters = ini_find_section(loader->ini, "parameters");
    enum status status = ini_read(predict, keys, loader->sweep, loader->error)
                             ?: add_required_axis(loader, AXIS_SCRIPT, predict, "script")
                             ?: add_required_axis(loader, AXIS_HARDWARE, predict, "hardware");
    for (size_t i = 0; parameters && i < parameters->entry_count && status == STATUS_OK; i++)
        status = add_axis(loader, AXIS_PARAMETER, parameters, &parameters->entries[i]);
    return status ?: add_required_axis(loader, AXIS_RANKS, predict, "ranks");
}

/* The axis that the question is about, by the name of a parameter, or "ranks". */
static enum status find_axis(const struct predicted_loader *loader,
                             const struct ini_section *section, const char *key, size_t *found)
{
    const char *name = ini_value(section, key);
    for (size_t a = 0; a < loader->sweep->axis_count; a++)
        if (loader->axes[a].numbers && strcmp(loader->axes[a].name, name) == 0) {
            *found = a;
            return STATUS_OK;
        }
    return ini_error(loader->error, loader->ini, ini_line_of(section, key),
                     "%s = %s: expected ranks or a parameter from [parameters]", key, name);
}

/* The candidates: those of `values`, or else those of the axis. */
static enum status read_candidates(const struct predicted_loader *loader,
                                   const struct ini_section *section,
                                   struct sizing_question *question)
{
    const struct predicted_axis *axis = &loader->axes[question->axis];
    const double *numbers = axis->numbers;
    size_t count = axis->count;
    for (size_t i = 0; i < section->entry_count; i++) {
        const struct ini_entry *entry = &section->entries[i];
        const char *const *texts;
        if (strcmp(entry->key, "values") != 0)
            continue;
        enum status status = read_values(loader, section, entry, CANDIDATES_MOST, &texts, &count)
                                 ?: read_axis_numbers(loader, entry, texts, count,
                                                      axis->kind == AXIS_RANKS, &numbers);
        if (status != STATUS_OK)
            return status;
    }
    double *sorted = arena_memdup(loader->arena, numbers, count * sizeof *sorted);
    if (!sorted)
        return load_memory(loader);
    qsort(sorted, count, sizeof *sorted, order_double);
    question->candidates = sorted;
    question->candidate_count = count;
    return STATUS_OK;
}

static enum status read_question(const struct predicted_loader *loader,
                                 const struct ini_section *section,
                                 struct sizing_question *question)
{
    static const struct ini_key keys[] = {
        INI_KEY_AT("within", sizing_question, within_s, DURATION, .required = true),
        {.name = "largest"},
        {.name = "fewest"},
        {.name = "values"},
        INI_KEYS_END,
    };
    *question = (struct sizing_question){.label = section->label};
    enum status status = ini_read(section, keys, question, loader->error);
    question->fewest = ini_value(section, "fewest") != NULL;
    if (status == STATUS_OK && question->fewest == (ini_value(section, "largest") != NULL))
        return ini_error(loader->error, loader->ini, section->line,
                         "[sizing] needs one of largest = PARAMETER and fewest = ranks");
    return status
               ?: find_axis(loader, section, question->fewest ? "fewest" : "largest",
                            &question->axis)
               ?: read_candidates(loader, section, question);
}

static enum status read_questions(struct predicted_loader *loader)
{
    const struct ini *ini = loader->ini;
    struct sizing_question *questions =
        arena_alloc_array(loader->arena, ini->section_count + 1, sizeof *questions);
    enum status status = questions ? STATUS_OK : load_memory(loader);
    for (size_t s = 0; s < ini->section_count && status == STATUS_OK; s++) {
        const struct ini_section *section = &ini->sections[s];
        if (strcmp(section->kind, "sizing") == 0)
            status = read_question(loader, section, &questions[loader->sweep->question_count++]);
        else if (strcmp(section->kind, "predict") != 0 &&
                 strcmp(section->kind, "parameters") != 0 && strcmp(section->kind, "output") != 0)
            status = ini_error(loader->error, ini, section->line,
                               "unknown section [%s]: a sweep of predictions has [predict], "
                               "[parameters], [sizing] and [output]",
                               section->kind);
    }
    loader->sweep->questions = questions;
    return status;
}

static enum status make_points(const struct predicted_loader *loader)
{
    struct predicted_sweep *sweep = loader->sweep;
    sweep->point_count = 1;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        sweep->point_count *= sweep->axes[a].count;
        if (sweep->point_count > POINTS_MOST)
            return ini_error(loader->error, loader->ini, loader->axes[0].section->line,
                             "these sets make more than %d predictions", POINTS_MOST);
    }
    sweep->points = arena_alloc_array(loader->arena, sweep->point_count, sizeof *sweep->points);
    return sweep->points ? STATUS_OK : load_memory(loader);
}

enum status predicted_sweep_load(struct ini *ini, struct predicted_sweep **result,
                                 struct error *error)
{
    struct predicted_sweep *sweep = calloc(1, sizeof *sweep);
    *result = NULL;
    if (!sweep) {
        ini_destroy(ini);
        return error_memory(error, "the sweep");
    }
    *sweep = (struct predicted_sweep){.ini = ini, .seed = EVALUATION_SEED, .limit = EVENTS_MOST};
    const struct ini_section *parameters = ini_find_section(ini, "parameters");
    struct predicted_loader loader = {
        .sweep = sweep, .ini = ini, .arena = ini->arena, .error = error};
    loader.axes =
        arena_alloc_array(loader.arena, AXIS_RANKS + 1 + (parameters ? parameters->entry_count : 0),
                          sizeof *loader.axes);
    sweep->axes = loader.axes;
    enum status status = loader.axes ? STATUS_OK : load_memory(&loader);
    status = status ?: read_sections(&loader) ?: read_questions(&loader) ?: make_points(&loader);
    if (status == STATUS_OK)
        *result = sweep;
    else
        predicted_sweep_destroy(sweep);
    return status;
}

void predicted_sweep_destroy(struct predicted_sweep *sweep)
{
    if (!sweep)
        return;
    ini_destroy(sweep->ini);
    free(sweep);
}

size_t predicted_index(const struct predicted_sweep *sweep, size_t point, size_t axis)
{
    for (size_t a = sweep->axis_count - 1; a > axis; a--)
        point /= sweep->axes[a].count;
    return point % sweep->axes[axis].count;
}
