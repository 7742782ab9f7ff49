/* The file of a sweep: its options, what varies in it, and a configuration for each run. */
#include "base/arena.h"
#include "base/names.h"
#include "job/replay_config.h"
#include "sweep/objective.h"
#include "sweep/run_config.h"
#include "sweep/selection.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_MOST = 1000000, ROUNDS_MOST = 1000 };

struct sweep_loader {
    struct sweep_plan *sweep;
    struct sweep_sets sets;
    struct selections selections;
    size_t *hypotheses; /* [run]: how many it has */
    struct error *error;
};

const char *const sweep_mode_names[] = {[SWEEP_GRID] = "grid",
                                        [SWEEP_ZIP] = "zip",
                                        [SWEEP_ONE_AT_A_TIME] = "one-at-a-time",
                                        [SWEEP_PAIRS] = "pairs",
                                        NULL};
const char *const sweep_engine_names[] = {[SWEEP_MODEL] = "model",
                                          [SWEEP_REALTIME] = "realtime",
                                          [SWEEP_MODEL_THEN_REALTIME] = "model-then-realtime",
                                          NULL};

static const struct ini_key sweep_keys[] = {
    INI_KEY(sweep_options, mode, CHOICE, .choices = sweep_mode_names),
    INI_KEY(sweep_options, engine, CHOICE, .choices = sweep_engine_names),
    INI_KEY(sweep_options, objective, STRING),
    INI_KEY(sweep_options, keep, INTEGER, .least = 1, .most = LIMIT_MOST),
    INI_KEY(sweep_options, limit, INTEGER, .least = 1, .most = LIMIT_MOST),
    INI_KEY_AT("budget", sweep_options, budget_s, DURATION),
    INI_KEY(sweep_options, seed, INTEGER, .least = 0, .most = INT64_MAX),
    INI_KEY(sweep_options, reports, INTEGER, .least = 0, .most = LIMIT_MOST),
    INI_KEY(sweep_options, repeat, INTEGER, .least = 1, .most = ROUNDS_MOST),
    INI_KEYS_END,
};

/* Takes engine and repeat from [replay] where [sweep] does not set them. */
static enum status read_replay_section(const struct ini_section *replay, bool engine, bool repeat,
                                       struct sweep_options *options, struct error *error)
{
    const struct ini_key engine_key = {
        .name = "engine", .type = INI_CHOICE, .choices = sweep_engine_names};
    const struct ini_key repeat_key = {
        .name = "repeat", .type = INI_INTEGER, .least = 1, .most = ROUNDS_MOST};
    const char *text = ini_value(replay, "engine");
    enum status status = STATUS_OK;
    if (engine && text && !alternatives_are(text))
        status = ini_get(replay, &engine_key, &options->engine, error);
    text = ini_value(replay, "repeat");
    if (status == STATUS_OK && repeat && text && !alternatives_are(text))
        status = ini_get(replay, &repeat_key, &options->repeat, error);
    return status;
}

static enum status read_sweep_options(struct sweep_loader *loader)
{
    const struct ini *ini = loader->sweep->ini;
    struct sweep_options *options = &loader->sweep->options;
    const struct ini_section *section = ini_find_section(ini, "sweep");
    const struct ini_section *replay = ini_find_section(ini, "replay");
    struct objective objective;
    struct error problem;
    enum status status = STATUS_OK;
    *options = (struct sweep_options){
        .engine = SWEEP_MODEL, .objective = "T", .keep = 5, .limit = 10000, .reports = 20};
    if (section && *section->label)
        return ini_error(loader->error, ini, section->line,
                         "section [sweep] takes no label, but has %s", section->label);
    if (section)
        status = ini_read(section, sweep_keys, options, loader->error);
    if (status == STATUS_OK && replay)
        status =
            read_replay_section(replay, !section || !ini_value(section, "engine"),
                                !section || !ini_value(section, "repeat"), options, loader->error);
    if (status != STATUS_OK)
        return status;
    status = objective_find(options->objective, &objective, &problem);
    if (status == STATUS_INPUT)
        return section_error(loader->error, section, "objective", "%s", problem.text);
    return status == STATUS_OK ? STATUS_OK : error_memory(loader->error, "the sweep");
}

/* Reads the configuration of a run as silas-replay does, and counts its hypotheses. */
static enum status check_run_config(const struct sweep_loader *loader, const struct sweep_run *run,
                                    const struct engine *engine, size_t *hypotheses)
{
    struct replay_config *config = NULL;
    enum status status = replay_config_of_copy(run->ini, engine, &config, loader->error);
    if (status == STATUS_OK)
        *hypotheses = config->hypothesis_count;
    replay_config_destroy(config);
    return status;
}

static bool same_base(const struct sweep_sets *sets, const struct selection *a,
                      const struct selection *b)
{
    for (size_t i = 0; i < sets->common_count; i++)
        if (!sets->common[i].changes_program && a->values[i] != b->values[i])
            return false;
    return true;
}

static enum status number_bases(struct sweep_loader *loader)
{
    struct sweep_plan *sweep = loader->sweep;
    const struct selection *items = loader->selections.items;
    size_t *first = arena_alloc_array(sweep->ini->arena, sweep->run_count + 1, sizeof *first);
    if (!first)
        return error_memory(loader->error, "the sweep");
    for (size_t r = 0; r < sweep->run_count; r++) {
        size_t b = 0;
        while (b < sweep->base_count && !same_base(&loader->sets, &items[first[b]], &items[r]))
            b++;
        if (b == sweep->base_count)
            first[sweep->base_count++] = r;
        sweep->runs[r].base = b;
    }
    return STATUS_OK;
}

/* The selection that differs from `like` only in the value of a set; NO_SELECTION: there is none.
 */
static size_t find_like(const struct sweep_loader *loader, const struct selection *like, size_t set,
                        size_t value)
{
    for (size_t r = 0; r < loader->selections.count; r++) {
        const struct selection *candidate = &loader->selections.items[r];
        bool same =
            candidate->values[set] == value && candidate->choice_count == like->choice_count;
        for (size_t i = 0; same && i < loader->sets.common_count; i++)
            same = i == set || candidate->values[i] == like->values[i];
        for (size_t c = 0; same && c < like->choice_count; c++)
            same = candidate->choices[c] == like->choices[c];
        if (same)
            return r;
    }
    return NO_SELECTION;
}

/* The number of an alternative that is not a list; the count if there is none. */
static size_t alternative_called(const struct sweep_set *set, const char *value)
{
    size_t i = 0;
    while (i < set->values.count &&
           (set->values.items[i].list || strcmp(set->values.items[i].value, value) != 0))
        i++;
    return i;
}

/* In {foo, bar, {foo, bar}} the list combines the runs of its items, if nothing else is changed. */
static enum status link_list(struct sweep_loader *loader, size_t r, size_t s)
{
    struct sweep_run *run = &loader->sweep->runs[r];
    const struct selection *selection = &loader->selections.items[r];
    const struct sweep_set *set = &loader->sets.common[s];
    const struct alternative *chosen = &set->values.items[selection->values[s]];
    bool out_of_memory = false;
    if (!chosen->list || !set->changes_program || loader->hypotheses[r] != 1)
        return STATUS_OK;
    size_t *parts =
        arena_alloc_array(loader->sweep->ini->arena, strlen(chosen->value) + 1, sizeof *parts);
    if (!parts)
        return error_memory(loader->error, "the sweep");
    size_t count = 0;
    bool complete = true;
    char *item;
    for (const char *list = chosen->value; (item = names_next(&list, &out_of_memory)); free(item)) {
        size_t value = alternative_called(set, item);
        parts[count] =
            value < set->values.count ? find_like(loader, selection, s, value) : NO_SELECTION;
        complete = complete && parts[count++] != NO_SELECTION;
    }
    if (out_of_memory)
        return error_memory(loader->error, "the sweep");
    if (complete && count > 1) {
        run->parts = parts;
        run->part_count = count;
    }
    return STATUS_OK;
}

static enum status link_runs(struct sweep_loader *loader)
{
    enum status status = STATUS_OK;
    for (size_t r = 0; r < loader->selections.count && status == STATUS_OK; r++) {
        struct selection *selection = &loader->selections.items[r];
        struct sweep_run *run = &loader->sweep->runs[r];
        if (selection->rest != NO_SELECTION)
            run->rest = &loader->sweep->runs[selection->rest];
        if (selection->part_count > 0) {
            run->parts = selection->parts;
            run->part_count = selection->part_count;
        }
        for (size_t s = 0; s < loader->sets.common_count && status == STATUS_OK && !run->parts; s++)
            status = link_list(loader, r, s);
    }
    return status;
}

static enum status name_run(const struct sweep_loader *loader, size_t number, struct sweep_run *run)
{
    char text[24];
    int digits = snprintf(text, sizeof text, "%zu", loader->selections.count);
    snprintf(text, sizeof text, "%0*zu", digits < 3 ? 3 : digits, number + 1);
    run->name = arena_strdup(loader->sweep->ini->arena, text);
    return run->name ? STATUS_OK : error_memory(loader->error, "the sweep");
}

static enum status make_runs(struct sweep_loader *loader)
{
    struct sweep_plan *sweep = loader->sweep;
    struct arena *arena = sweep->ini->arena;
    size_t count = loader->selections.count;
    sweep->runs = arena_alloc_array(arena, count + 1, sizeof *sweep->runs);
    loader->hypotheses = arena_alloc_array(arena, count + 1, sizeof *loader->hypotheses);
    if (!sweep->runs || !loader->hypotheses)
        return error_memory(loader->error, "the sweep");
    sweep->run_count = count;
    bool both = sweep->options.engine == SWEEP_MODEL_THEN_REALTIME;
    enum status status = STATUS_OK;
    for (size_t r = 0; r < count && status == STATUS_OK; r++) {
        struct sweep_run *run = &sweep->runs[r];
        status =
            name_run(loader, r, run)
                ?: run_config_build(sweep, &loader->sets, &loader->selections.items[r], run,
                                    loader->error)
                ?: check_run_config(loader, run, NULL, &loader->hypotheses[r]);
        if (status == STATUS_OK && both)
            status = check_run_config(loader, run, engine_find("model"), &loader->hypotheses[r]);
    }
    return status;
}

static enum status expand_sweep(struct sweep_loader *loader)
{
    struct sweep_plan *sweep = loader->sweep;
    enum status status = read_sweep_options(loader);
    size_t limit = (size_t)sweep->options.limit;
    status = status ?: sweep_sets_find(sweep->ini, limit, &loader->sets, loader->error)
                 ?: selections_make(&loader->sets, (enum sweep_mode)sweep->options.mode, limit,
                                    &loader->selections, loader->error)
                 ?: make_runs(loader)
                 ?: number_bases(loader);
    return status ?: link_runs(loader);
}

enum status sweep_read_file(const char *path, const char *const *sets, struct ini **ini,
                            struct error *error)
{
    struct bytes text = {0};
    *ini = NULL;
    if (replay_config_is_trace(path))
        return error_set(
            error, STATUS_INPUT,
            "%s is a trace: write a configuration that names it, with \"path = %s\" in "
            "section [trace]",
            path, path);
    enum status status =
        ini_read_text(path, &text, error)
            ?: ini_parse_groups(ini_name(path), text.data, text.size, "alternative", ini, error);
    bytes_clear(&text);
    for (; sets && *sets && status == STATUS_OK; sets++)
        status = ini_set(*ini, *sets, error);
    if (status != STATUS_OK) {
        ini_destroy(*ini);
        *ini = NULL;
    }
    return status;
}

enum status sweep_load(struct ini *ini, struct sweep_plan **sweep, struct error *error)
{
    struct sweep_plan *fresh = calloc(1, sizeof *fresh);
    struct sweep_loader loader = {.sweep = fresh, .error = error};
    *sweep = NULL;
    if (!fresh) {
        ini_destroy(ini);
        return error_memory(error, "the sweep");
    }
    fresh->ini = ini;
    enum status status = expand_sweep(&loader);
    if (status == STATUS_OK)
        *sweep = fresh;
    else
        sweep_destroy(fresh);
    return status;
}

void sweep_destroy(struct sweep_plan *sweep)
{
    if (!sweep)
        return;
    ini_destroy(sweep->ini);
    free(sweep);
}
