#include "sweep/run_config.h"

#include "base/arena.h"
#include "job/replay_config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct config_builder {
    const struct sweep_plan *sweep;
    const struct sweep_sets *sets;
    struct error *error;
};

static bool takes_group(const struct config_builder *builder, const struct selection *selection,
                        size_t group)
{
    for (size_t c = 0; c < selection->choice_count; c++)
        if (builder->sets->choices[selection->choices[c]].group == group)
            return true;
    return false;
}

static bool takes_section(const struct config_builder *builder, const struct selection *selection,
                          size_t s)
{
    size_t group = builder->sets->group_of[s];
    if (replay_config_is_of_sweep(builder->sweep->ini->sections[s].kind))
        return false;
    return group == (size_t)NO_GROUP || takes_group(builder, selection, group);
}

/* Fails if two groups that are combined have a section of the same name. */
static enum status check_unique(const struct config_builder *builder,
                                const struct ini_section *section, const struct ini *run)
{
    for (size_t s = 0; s < run->section_count; s++) {
        const struct ini_section *other = &run->sections[s];
        char title[100];
        if (strcmp(other->kind, section->kind) != 0 || strcmp(other->label, section->label) != 0)
            continue;
        section_title(section, title, sizeof title);
        return ini_error(
            builder->error, run, section->line,
            "section [%s] is already at line %d, and a run would contain both sections: give them "
            "different labels",
            title, other->line);
    }
    return STATUS_OK;
}

/* Copies the section, so that its entries can be changed. The output directory is left out: the
 * report of a run is written into the folder of the run. */
static enum status copy_run_section(const struct config_builder *builder,
                                    const struct ini_section *section, struct ini *run)
{
    static const char *const left_out[] = {"directory", "overwrite"};
    const bool output = strcmp(section->kind, "output") == 0;
    struct ini_entry *entries = arena_alloc_array(run->arena, section->entry_count + 2,
                                                  sizeof *entries); /* "engine", "repeat" */
    if (!entries)
        return error_memory(builder->error, "the sweep");
    enum status status = check_unique(builder, section, run);
    struct ini_section *copy = &run->sections[run->section_count++];
    *copy = *section;
    copy->ini = run;
    copy->entries = entries;
    copy->entry_count = 0;
    for (size_t e = 0; e < section->entry_count; e++) {
        const char *key = section->entries[e].key;
        if (!output || (strcmp(key, left_out[0]) != 0 && strcmp(key, left_out[1]) != 0))
            entries[copy->entry_count++] = section->entries[e];
    }
    return status;
}

/* Sets the value of one set. `place`: [section of the file], its number in the run. */
static void set_alternative(struct ini *run, const size_t *place, const struct sweep_set *set,
                            size_t value, struct sweep_run *listed)
{
    struct ini_entry *entry = &run->sections[place[set->section]].entries[set->entry];
    assert(entry->line == set->line);
    entry->value = (char *)set->values.items[value].value;
    listed->settings[listed->setting_count++] = (struct sweep_setting){set->key, entry->value};
}

/* The setting for one or two groups: "A", "A + B". */
static const char *name_choices(const struct config_builder *builder,
                                const struct selection *selection)
{
    const struct sweep_sets *sets = builder->sets;
    const char *names[2] = {"", ""};
    for (size_t c = 0; c < selection->choice_count; c++)
        names[c] = sets->groups[sets->choices[selection->choices[c]].group].name;
    if (selection->choice_count == 1)
        return names[0];
    size_t size = strlen(names[0]) + strlen(names[1]) + sizeof " + ";
    char *text = arena_alloc(builder->sweep->ini->arena, size);
    if (text)
        snprintf(text, size, "%s + %s", names[0], names[1]);
    return text;
}

static enum status set_choices(const struct config_builder *builder,
                               const struct selection *selection, const size_t *place,
                               struct sweep_run *run)
{
    const struct sweep_sets *sets = builder->sets;
    if (selection->choice_count == 0)
        return STATUS_OK;
    struct sweep_setting setting = {"alternative", name_choices(builder, selection)};
    if (!setting.value)
        return error_memory(builder->error, "the sweep");
    run->settings[run->setting_count++] = setting;
    for (size_t c = 0; c < selection->choice_count; c++) {
        const struct sweep_choice *choice = &sets->choices[selection->choices[c]];
        const struct sweep_group *group = &sets->groups[choice->group];
        for (size_t i = 0; i < group->set_count; i++)
            set_alternative(run->ini, place, &group->sets[i], choice->values[i], run);
    }
    return STATUS_OK;
}

/* Sets a key of [replay]; copy_run_section has reserved an entry for it. */
static void set_replay_key(struct ini_section *section, char *key, const char *value, int line)
{
    size_t e = 0;
    while (e < section->entry_count && strcmp(section->entries[e].key, key) != 0)
        e++;
    section->entry_count += e == section->entry_count;
    section->entries[e] = (struct ini_entry){key, (char *)value, line};
}

/* Sets the engine, and the number of replays if [sweep] names one. */
static enum status set_replay_section(const struct config_builder *builder, struct ini *run)
{
    static char kind[] = "replay", none[] = "", engine_key[] = "engine", repeat_key[] = "repeat";
    const struct sweep_options *options = &builder->sweep->options;
    const struct ini_section *own = ini_find_section(builder->sweep->ini, "sweep");
    struct ini_section *replay = ini_find_section(run, kind);
    int line = own ? ini_line_of(own, engine_key) : 0;
    if (!replay) {
        const struct ini_section fresh = {.kind = kind, .label = none, .line = line};
        enum status status = copy_run_section(builder, &fresh, run);
        if (status != STATUS_OK)
            return status;
        replay = &run->sections[run->section_count - 1];
    }
    const char *engine_name = options->engine == SWEEP_MODEL ? "model" : "realtime";
    set_replay_key(replay, engine_key, engine_name, line);
    if (own && ini_value(own, repeat_key) && options->engine != SWEEP_MODEL) {
        char *text = arena_alloc(run->arena, 24);
        if (!text)
            return error_memory(builder->error, "the sweep");
        snprintf(text, 24, "%d", (int)options->repeat);
        set_replay_key(replay, repeat_key, text, ini_line_of(own, repeat_key));
    }
    return STATUS_OK;
}

static size_t most_settings(const struct config_builder *builder, const struct selection *selection)
{
    const struct sweep_sets *sets = builder->sets;
    size_t count = sets->common_count + 1;
    for (size_t c = 0; c < selection->choice_count; c++)
        count += sets->groups[sets->choices[selection->choices[c]].group].set_count;
    return count;
}

enum status run_config_build(const struct sweep_plan *sweep, const struct sweep_sets *sets,
                             const struct selection *selection, struct sweep_run *run,
                             struct error *error)
{
    assert(sweep->ini && selection);
    const struct config_builder this_run = {sweep, sets, error}, *builder = &this_run;
    const struct ini *file = builder->sweep->ini;
    struct arena *arena = file->arena;
    struct ini *ini = arena_alloc(arena, sizeof *ini);
    size_t place[file->section_count + 1];
    if (!ini)
        return error_memory(builder->error, "the sweep");
    *ini = *file;
    ini->group = NULL;
    ini->section_count = 0;
    ini->sections = arena_alloc_array(arena, file->section_count + 1, sizeof *ini->sections);
    run->ini = ini;
    run->settings =
        arena_alloc_array(arena, most_settings(builder, selection), sizeof *run->settings);
    if (!ini->sections || !run->settings)
        return error_memory(builder->error, "the sweep");
    enum status status = STATUS_OK;
    for (size_t s = 0; s < file->section_count && status == STATUS_OK; s++) {
        place[s] = ini->section_count;
        if (takes_section(builder, selection, s))
            status = copy_run_section(builder, &file->sections[s], ini);
    }
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < builder->sets->common_count; i++)
        set_alternative(ini, place, &builder->sets->common[i], selection->values[i], run);
    status = set_choices(builder, selection, place, run);
    return status ?: set_replay_section(builder, ini);
}
