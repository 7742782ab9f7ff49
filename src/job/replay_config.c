#include "job/replay_config.h"

#include "base/arena.h"
#include "base/descriptors.h"
#include "base/names.h"
#include "trace/calls/walk.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 64 }; /* more than all engines, keys or sections */

static const char *const baselines[] = {
    [BASELINE_REPLAY] = "replay", [BASELINE_TRACE] = "trace", NULL};

static const struct ini_key trace_keys[] = {
    INI_KEY_AT("path", replay_config, trace_list, STRING),
    INI_KEY(replay_config, correct_clocks, BOOL),
    INI_KEYS_END,
};

static const struct ini_key replay_keys[] = {
    /* besides those of the engines */
    INI_KEY(replay_config, engine, UNREAD),
    INI_KEY(replay_config, repeat, INTEGER, .least = 1, .most = 1000),
    INI_KEY(replay_config, baseline, CHOICE, .choices = baselines),
    INI_KEY_AT("poll_gap", replay_config, poll_gap_s, DURATION),
    INI_KEY(replay_config, compensate, BOOL),
    INI_KEYS_END,
};

static const struct ini_key output_keys[] = {
    INI_KEY_AT("directory", replay_config, output_directory, PATH),
    INI_KEY_AT("formats", replay_config, format_list, STRING),
    INI_KEY_AT("trace", replay_config, write_trace, BOOL),
    INI_KEY_AT("timeline", replay_config, write_timeline, BOOL),
    INI_KEY_AT("variation", replay_config, report_variation, BOOL),
    INI_KEY(replay_config, overwrite, BOOL),
    INI_KEYS_END,
};

static enum status config_memory_error(struct error *error)
{
    return error_memory(error, "the configuration");
}

/* An array of pointers with room for the items of a list and NULL; NULL when out of memory. */
static void *array_for(const struct ini *ini, const char *list)
{
    size_t room = 2;
    for (const char *c = list; *c; c++)
        room += *c == ',';
    return arena_alloc_array(ini->arena, room, sizeof(void *));
}

static enum status read_trace_section(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct ini_section *section = ini_find_section(ini, "trace");
    bool out_of_memory = false;
    if (!section)
        return ini_error(error, ini, 0, "section [trace] with the path of the trace is missing");
    enum status status = ini_read(section, trace_keys, config, error);
    if (status != STATUS_OK)
        return status;
    const char *list = config->trace_list;
    if (!list)
        return ini_error(error, ini, section->line,
                         "section [trace] has no \"path\": name the trace to replay");
    config->trace_paths = array_for(ini, list);
    if (!config->trace_paths)
        return config_memory_error(error);
    for (char *item; (item = names_next(&list, &out_of_memory)); free(item)) {
        if (!*item)
            status = ini_error(error, ini, ini_line_of(section, "path"),
                               "an item in the list of paths is empty");
        const char *path = ini_resolve(ini, item, strlen(item));
        config->trace_paths[config->trace_count++] = path;
        out_of_memory |= !path;
    }
    return out_of_memory ? config_memory_error(error) : status;
}

/* Appends a name to a list of `*count` names, unless it is NULL. */
static void add_name(const char **names, size_t *count, const char *name)
{
    assert(*count < NAMES_MAX - 1);
    if (name)
        names[(*count)++] = name;
}

static enum status read_engine(struct replay_config *config, const struct ini_section *section,
                               struct error *error)
{
    const char *names[NAMES_MAX] = {NULL};
    int choice = 0; /* the first of the list is the default */
    size_t count = 0;
    for (int i = 0; engine_list[i]; i++)
        add_name(names, &count, engine_list[i]->name);
    const struct ini_key key = {.name = "engine", .type = INI_CHOICE, .choices = names};
    enum status status = section ? ini_get(section, &key, &choice, error) : STATUS_OK;
    if (status == STATUS_OK && !config->engine)
        config->engine = engine_list[choice];
    return status;
}

static enum status check_replay_keys(const struct ini_section *section, struct error *error)
{
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;
    for (const struct ini_key *key = replay_keys; key->name; key++)
        add_name(names, &count, key->name);
    for (int i = 0; engine_list[i]; i++)
        for (const struct ini_key *key = engine_list[i]->replay_keys; key && key->name; key++)
            add_name(names, &count, key->name);
    return ini_check_keys(section, names, error);
}

/* Section [replay], except for the keys that engines read there. */
static enum status read_replay(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct ini_section *section = ini_find_section(ini, "replay");
    enum status status = (section ? check_replay_keys(section, error) : STATUS_OK)
                             ?: read_engine(config, section, error);
    if (section && status == STATUS_OK)
        status = ini_read_some(section, replay_keys, config, error);
    if (status != STATUS_OK)
        return status;
    if (config->engine->computes)
        config->repeat = 1;
    if (config->compensate && config->baseline == BASELINE_TRACE)
        return ini_error(
            error, ini, ini_line_of(section, "compensate"),
            "compensate = yes needs baseline = replay: the recording includes the cost of "
            "tracing");
    if (config->compensate && config->engine->computes)
        return ini_error(error, ini, ini_line_of(section, "compensate"),
                         "compensate = yes needs engine = realtime: the model derives waits from "
                         "recorded times, which contain the cost of tracing");
    return STATUS_OK;
}

/* All engines read their options, also those that are not chosen. */
static enum status read_engine_options(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct ini_section *replay = ini_find_section(ini, "replay");
    size_t count = 0;
    while (engine_list[count])
        count++;
    config->engine_options =
        arena_alloc_array(ini->arena, count + 1, sizeof *config->engine_options);
    if (!config->engine_options)
        return config_memory_error(error);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct engine *engine = engine_list[i];
        const struct ini_section *own =
            engine->section ? ini_find_section(ini, engine->section) : NULL;
        void *options = arena_memdup(ini->arena, engine->default_options, engine->options_size);
        config->engine_options[i] = options;
        if (!options)
            return config_memory_error(error);
        if (own)
            status = ini_read(own, engine->section_keys, options, error);
        if (status == STATUS_OK && replay && engine->replay_keys)
            status = ini_read_some(replay, engine->replay_keys, options, error);
        if (status == STATUS_OK && engine->check_options)
            status = engine->check_options(ini, options, error);
    }
    return status;
}

struct engine_setup replay_config_setup(const struct replay_config *config,
                                        const struct engine *engine)
{
    size_t i = 0;
    while (engine_list[i] != engine) {
        assert(engine_list[i]);
        i++;
    }
    return (struct engine_setup){.options = config->engine_options[i],
                                 .poll_gap_s = fmax(config->poll_gap_s, DBL_MIN)};
}

static enum status read_formats(struct replay_config *config, int line, struct error *error)
{
    const char *list = config->format_list;
    bool out_of_memory = false;
    size_t count = 0;
    enum status status = STATUS_OK;
    config->formats = array_for(config->ini, list);
    if (!config->formats)
        return config_memory_error(error);
    for (char *item; status == STATUS_OK && (item = names_next(&list, &out_of_memory));) {
        char names[REPORT_FORMAT_NAMES];
        config->formats[count] = report_format_find(item);
        if (!config->formats[count++])
            status = ini_error(error, config->ini, line, "unknown format \"%s\": expected %s", item,
                               report_format_names(false, names));
        free(item);
    }
    return out_of_memory ? config_memory_error(error) : status;
}

/* The length of `name` without its last `length` characters if these are `ending`. */
static size_t length_without(const char *name, size_t length, const char *ending)
{
    const size_t end = strlen(ending);
    return length > end && strncmp(name + length - end, ending, end) == 0 ? length - end : length;
}

/* NAME-replay, in the folder of NAME.ini or of the archive NAME; silas-replay for standard input.
 * If that exists and may not be overwritten, NAME-replay-2, -3, ... */
static char *default_directory(const struct ini *ini, bool overwrite)
{
    const char *name = ini_is_standard_input(ini) ? "silas" : ini->path;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    length = length_without(name, length, "/traces.otf2");
    length = length_without(name, length, ".ini");
    length = length_without(name, length, ".otf2");
    if (name[length - 1] == '.' || name[length - 1] == '/') { /* ".", ".." and "/" name nothing */
        name = "silas";
        length = strlen(name);
    }
    const size_t size = length + sizeof "-replay" + 12;
    char *directory = arena_alloc(ini->arena, size);
    if (directory)
        snprintf(directory, size, "%.*s-replay", (int)length, name);
    for (int n = 2; directory && !overwrite && access(directory, F_OK) == 0; n++)
        snprintf(directory, size, "%.*s-replay-%d", (int)length, name, n);
    return directory;
}

static enum status read_output(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct ini_section *section = ini_find_section(ini, "output");
    enum status status =
        (section ? ini_read(section, output_keys, config, error) : STATUS_OK)
            ?: read_formats(config, section ? ini_line_of(section, "formats") : 0, error);
    if (!config->output_directory)
        config->output_directory = default_directory(ini, config->overwrite);
    return status == STATUS_OK && !config->output_directory ? config_memory_error(error) : status;
}

bool replay_config_is_of_sweep(const char *section_kind)
{
    static const char *const kinds[] = {"sweep", "alternative", "launcher", "slurm"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(section_kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Fails for sections and for values in braces, which only a sweep may have. */
static enum status check_no_sweep(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    for (size_t s = 0; s < ini->section_count; s++) {
        const struct ini_section *section = &ini->sections[s];
        if (replay_config_is_of_sweep(section->kind))
            return ini_error(error, ini, section->line,
                             "section [%s] is for sweeps: use silas-sweep", section->kind);
        for (size_t e = 0; e < section->entry_count; e++) {
            const struct ini_entry *entry = &section->entries[e];
            size_t length = strlen(entry->value);
            if (length > 1 && entry->value[0] == '{' && entry->value[length - 1] == '}')
                return ini_error(error, ini, entry->line,
                                 "%s = %s: alternatives in braces are for silas-sweep", entry->key,
                                 entry->value);
        }
    }
    return STATUS_OK;
}

/* Fails for sections that neither this file, an engine nor a hypothesis defines. */
static enum status check_sections(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct hypothesis_kind *const *kind = hypothesis_list();
    const char *names[NAMES_MAX + descriptors_count(kind)];
    size_t count = 0;
    add_name(names, &count, "trace");
    add_name(names, &count, "replay");
    for (int i = 0; engine_list[i]; i++)
        add_name(names, &count, engine_list[i]->section);
    add_name(names, &count, "output");
    const size_t fixed = count;
    add_name(names, &count, "memory");
    add_name(names, &count, "storage");
    for (; *kind; kind++)
        names[count++] = (*kind)->name;
    for (size_t s = 0; s < ini->section_count; s++) {
        const struct ini_section *section = &ini->sections[s];
        size_t n = 0;
        while (n < count && strcmp(section->kind, names[n]) != 0)
            n++;
        if (n < fixed && *section->label)
            return ini_error(error, ini, section->line, "section [%s] takes no label, but has %s",
                             section->kind, section->label);
        if (n < count)
            continue;
        int near = nearest_name(section->kind, names, count);
        if (near >= 0)
            return ini_error(error, ini, section->line,
                             "unknown section [%s]; did you mean [%s%s]?", section->kind,
                             names[near], (size_t)near < fixed ? "" : " LABEL");
        char list[600];
        size_t length = 0;
        for (size_t i = 0; i < count && length < sizeof list; i++)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       i == 0 ? "" : ", ", names[i]);
        return ini_error(
            error, ini, section->line,
            "unknown section [%s]: expected one of %s, or load the plug-in that defines it "
            "(--plugin)",
            section->kind, list);
    }
    return STATUS_OK;
}

/* Reads the hypotheses. Fails for those about the machine if the engine replays on this machine. */
static enum status read_hypotheses(struct replay_config *config, struct error *error)
{
    enum status status =
        hypotheses_parse(config->ini, &config->hypotheses, &config->hypothesis_count, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < config->hypothesis_count; i++) {
        const struct hypothesis *hypothesis = &config->hypotheses[i];
        if (hypothesis->kind->computed_only && !config->engine->computes)
            return ini_error(error, config->ini, hypothesis->section->line,
                             "[%s] can be computed, but not replayed: use silas-model, or engine = "
                             "model in section [replay]",
                             hypothesis->kind->name);
    }
    return STATUS_OK;
}

static enum status read_memory(struct replay_config *config, struct error *error)
{
    return memory_config_read(config->ini, &config->memory, error);
}

enum status replay_config_from_ini(struct ini *ini, const struct engine *engine,
                                   struct replay_config **config, struct error *error)
{
    assert(ini);
    static enum status (*const readers[])(struct replay_config *, struct error *) = {
        check_no_sweep,      check_sections, read_trace_section, read_replay,
        read_engine_options, read_output,    read_hypotheses,    read_memory};
    struct replay_config *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        ini_destroy(ini);
        return config_memory_error(error);
    }
    *fresh = (struct replay_config){.ini = ini,
                                    .engine = engine,
                                    .repeat = 7,
                                    .poll_gap_s = CALL_POLL_GAP_S,
                                    .format_list = "text, json"};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && status == STATUS_OK; i++)
        status = readers[i](fresh, error);
    if (status == STATUS_OK)
        *config = fresh;
    else
        replay_config_destroy(fresh);
    return status;
}

enum status replay_config_of_copy(const struct ini *ini, const struct engine *engine,
                                  struct replay_config **config, struct error *error)
{
    struct ini *copy = NULL;
    return ini_copy(ini, &copy, error) ?: replay_config_from_ini(copy, engine, config, error);
}

enum status replay_config_of_text(const char *name, const char *text, const struct engine *engine,
                                  struct replay_config **config, struct error *error)
{
    struct ini *ini = NULL;
    return ini_parse_text(name, text, strlen(text), &ini, error)
               ?: replay_config_from_ini(ini, engine, config, error);
}

static bool is_path_of(const struct ini_key *keys, const char *name)
{
    for (; keys && keys->name; keys++)
        if (keys->type == INI_PATH && strcmp(keys->name, name) == 0)
            return true;
    return false;
}

enum config_value replay_config_value(const char *kind, const char *key)
{
    if (strcmp(kind, "trace") == 0 && strcmp(key, "path") == 0)
        return CONFIG_VALUE_PATH_LIST;
    if ((strcmp(kind, "memory") == 0 || strcmp(kind, "storage") == 0) &&
        strcmp(key, "recording") == 0)
        return CONFIG_VALUE_PATH;
    bool path = strcmp(kind, "output") == 0 && is_path_of(output_keys, key);
    for (int i = 0; engine_list[i]; i++) {
        const struct engine *engine = engine_list[i];
        if (strcmp(kind, "replay") == 0)
            path |= is_path_of(engine->replay_keys, key);
        if (engine->section && strcmp(kind, engine->section) == 0)
            path |= is_path_of(engine->section_keys, key);
    }
    const struct hypothesis_kind *hypothesis = hypothesis_kind_named(kind);
    path |= hypothesis && is_path_of(hypothesis->keys, key);
    return path ? CONFIG_VALUE_PATH : CONFIG_VALUE_PLAIN;
}

void replay_config_destroy(struct replay_config *config)
{
    if (!config)
        return;
    hypotheses_destroy(config->hypotheses, config->hypothesis_count);
    ini_destroy(config->ini);
    free(config);
}
