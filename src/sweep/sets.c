#include "sweep/sets.h"

#include "base/arena.h"
#include "base/names.h"
#include "job/replay_config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set_finder {
    struct ini *ini;
    struct sweep_sets *sets;
    size_t limit;
    struct error *error;
};

static enum status check_alternative(const struct ini_section *section, struct error *error)
{
    if (!*section->label)
        return section_error(error, section, NULL,
                             "an alternative needs a name: [alternative NAME]");
    if (section->entry_count == 0)
        return STATUS_OK;
    return section_error(error, section, section->entries[0].key,
                         "this section has no keys; hypotheses are separate sections after it");
}

/* Hypotheses belong to the [alternative] before them, all other sections to all runs. */
static enum status find_alternatives(struct set_finder *finder)
{
    const struct ini *ini = finder->ini;
    struct sweep_sets *sets = finder->sets;
    size_t current = (size_t)NO_GROUP;
    sets->group_of = arena_alloc_array(ini->arena, ini->section_count + 1, sizeof *sets->group_of);
    sets->groups = arena_alloc_array(ini->arena, ini->section_count + 1, sizeof *sets->groups);
    if (!sets->group_of || !sets->groups)
        return error_memory(finder->error, "the sweep");
    for (size_t s = 0; s < ini->section_count; s++) {
        const struct ini_section *section = &ini->sections[s];
        if (strcmp(section->kind, "alternative") == 0) {
            enum status status = check_alternative(section, finder->error);
            if (status != STATUS_OK)
                return status;
            current = sets->group_count++;
            sets->groups[current] =
                (struct sweep_group){.name = section->label, .line = section->line};
        }
        bool hypothesis = hypothesis_kind_named(section->kind);
        sets->group_of[s] = hypothesis ? current : (size_t)NO_GROUP;
        sets->common_hypotheses += hypothesis && current == (size_t)NO_GROUP;
    }
    return STATUS_OK;
}

/* Replaces the paths in `*value` by absolute ones. */
static enum status make_absolute(const struct set_finder *finder, enum config_value what,
                                 const char **value)
{
    const struct ini *ini = finder->ini;
    char *text = NULL;
    size_t size = 0;
    bool out_of_memory = false;
    enum status status = STATUS_OK;
    char *item;
    if (what == CONFIG_VALUE_PATH) {
        status = ini_resolve_fully(ini, *value, strlen(*value), &text, finder->error);
        *value = status == STATUS_OK ? text : *value;
        return status;
    }
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return error_memory(finder->error, "the sweep");
    for (const char *list = *value;
         status == STATUS_OK && (item = names_next(&list, &out_of_memory)); free(item)) {
        char *path = item; /* an empty item is refused by the reader of the configuration */
        if (*item)
            status = ini_resolve_fully(ini, item, strlen(item), &path, finder->error);
        if (status == STATUS_OK)
            fprintf(stream, "%s%s", path, list ? ", " : "");
    }
    out_of_memory |= ferror(stream) != 0;
    out_of_memory |= fclose(stream) != 0;
    const char *owned = arena_adopt(ini->arena, text);
    if (status == STATUS_OK && (out_of_memory || !owned))
        return error_memory(finder->error, "the sweep");
    if (status == STATUS_OK)
        *value = owned;
    return status;
}

static enum status resolve_set(const struct set_finder *finder, enum config_value what,
                               struct ini_entry *entry, struct alternatives *values)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < values->count && status == STATUS_OK; i++)
        status = make_absolute(finder, what, &values->items[i].value);
    if (status != STATUS_OK)
        return status;
    entry->value = alternatives_text(finder->ini, values);
    return entry->value ? STATUS_OK : error_memory(finder->error, "the sweep");
}

/* Fails for values that all runs share, because the sweep itself uses them. */
static enum status check_may_vary(const struct ini_section *section, const struct ini_entry *entry,
                                  struct error *error)
{
    bool replay = strcmp(section->kind, "replay") == 0;
    const char *instead = NULL;
    if (strcmp(section->kind, "output") == 0)
        instead = "all runs have the same output";
    else if (replay && strcmp(entry->key, "engine") == 0)
        instead = "section [sweep] names the engine of all runs";
    else if (replay && strcmp(entry->key, "repeat") == 0)
        instead = "all runs are replayed in the same rounds";
    return instead ? section_error(error, section, entry->key, "%s cannot be a set: %s", entry->key,
                                   instead)
                   : STATUS_OK;
}

static enum status read_set(struct set_finder *finder, size_t s, size_t e, struct sweep_set *set)
{
    const struct ini_section *section = &finder->ini->sections[s];
    struct ini_entry *entry = &section->entries[e];
    char title[100];
    size_t size = sizeof title + strlen(entry->key) + 2;
    char *key = arena_alloc(finder->ini->arena, size);
    if (!key)
        return error_memory(finder->error, "the sweep");
    section_title(section, title, sizeof title);
    snprintf(key, size, "%s.%s", title, entry->key);
    *set = (struct sweep_set){.section = s,
                              .entry = e,
                              .key = key,
                              .line = entry->line,
                              .changes_program = hypothesis_kind_named(section->kind)};
    enum status status =
        check_may_vary(section, entry, finder->error)
            ?: alternatives_parse(section, entry, finder->limit, &set->values, finder->error);
    return status;
}

/* A new set in the group of section `s`, or outside of groups. NULL when out of memory. */
static struct sweep_set *append_set(struct set_finder *finder, size_t s, size_t capacity)
{
    struct sweep_sets *sets = finder->sets;
    size_t group = sets->group_of[s];
    struct sweep_set **items =
        group == (size_t)NO_GROUP ? &sets->common : &sets->groups[group].sets;
    size_t *count =
        group == (size_t)NO_GROUP ? &sets->common_count : &sets->groups[group].set_count;
    if (!*items)
        *items = arena_alloc_array(finder->ini->arena, capacity, sizeof **items);
    return *items ? &(*items)[(*count)++] : NULL;
}

static enum status find_sets(struct set_finder *finder)
{
    const struct ini *ini = finder->ini;
    size_t capacity = 1;
    for (size_t s = 0; s < ini->section_count; s++)
        for (size_t e = 0; e < ini->sections[s].entry_count; e++)
            capacity += alternatives_are(ini->sections[s].entries[e].value);
    enum status status = STATUS_OK;
    for (size_t s = 0; s < ini->section_count; s++) {
        const struct ini_section *section = &ini->sections[s];
        if (replay_config_is_of_sweep(section->kind))
            continue;
        for (size_t e = 0; e < section->entry_count && status == STATUS_OK; e++) {
            struct ini_entry *entry = &section->entries[e];
            enum config_value what = replay_config_value(section->kind, entry->key);
            const char *value = entry->value;
            struct alternatives *values = NULL;
            if (alternatives_are(value)) {
                struct sweep_set *set = append_set(finder, s, capacity);
                if (!set)
                    return error_memory(finder->error, "the sweep");
                status = read_set(finder, s, e, set);
                values = &set->values;
            }
            if (status != STATUS_OK || what == CONFIG_VALUE_PLAIN || !*value)
                continue;
            status = values ? resolve_set(finder, what, entry, values)
                            : make_absolute(finder, what, &value);
            if (!values)
                entry->value = (char *)value;
        }
    }
    return status;
}

/* Appends the choices of a group: every combination of the values of its sets. */
static enum status append_choices(struct set_finder *finder, size_t g)
{
    struct sweep_sets *sets = finder->sets;
    const struct sweep_group *group = &sets->groups[g];
    size_t combinations = 1;
    for (size_t i = 0; i < group->set_count; i++) {
        combinations *= group->sets[i].values.count;
        if (combinations + sets->choice_count > finder->limit)
            return ini_error(finder->error, finder->ini, group->line,
                             "[alternative %s]: its sets make more combinations than the limit of "
                             "%zu runs",
                             group->name, finder->limit);
    }
    struct arena *arena = finder->ini->arena;
    size_t count = sets->choice_count + combinations;
    struct sweep_choice *choices = arena_alloc_array(arena, count, sizeof *choices);
    if (!choices)
        return error_memory(finder->error, "the sweep");
    for (size_t c = 0; c < sets->choice_count; c++)
        choices[c] = sets->choices[c];
    for (size_t c = sets->choice_count; c < count; c++) {
        size_t rest = c - sets->choice_count;
        size_t *values = arena_alloc_array(arena, group->set_count + 1, sizeof *values);
        if (!values)
            return error_memory(finder->error, "the sweep");
        for (size_t i = group->set_count; i-- > 0; rest /= group->sets[i].values.count)
            values[i] = rest % group->sets[i].values.count;
        choices[c] = (struct sweep_choice){g, values};
    }
    sets->choices = choices;
    sets->choice_count = count;
    return STATUS_OK;
}

enum status sweep_sets_find(struct ini *ini, size_t limit, struct sweep_sets *sets,
                            struct error *error)
{
    struct set_finder finder = {ini, sets, limit, error};
    assert(limit > 0);
    *sets = (struct sweep_sets){.ini = ini};
    enum status status = find_alternatives(&finder) ?: find_sets(&finder);
    for (size_t g = 0; g < sets->group_count && status == STATUS_OK; g++)
        status = append_choices(&finder, g);
    return status;
}
