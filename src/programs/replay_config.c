#include "programs/replay_config.h"

#include "base/arena.h"
#include "base/names.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64 }; /* more than all engines, keys or sections */

static const char *const trace_keys[] = {"path", "correct_clocks", NULL};
static const char *const replay_keys[] = {"engine",     "repeat", "baseline", "poll_gap",
                                          "compensate", NULL}; /* beside those of the engines */
static const char *const output_keys[] = {"directory", "formats",   "trace",
                                          "timeline",  "overwrite", NULL};

/* The next item of a comma-separated list, without the blanks around it; NULL at the end. */
static const char *next_item(const char **list, size_t *length)
{
    if (!*list)
        return NULL;
    const char *item = *list, *comma = strchr(item, ',');
    *length = comma ? (size_t)(comma - item) : strlen(item);
    *list = comma ? comma + 1 : NULL;
    while (*length > 0 && (*item == ' ' || *item == '\t')) {
        item++;
        --*length;
    }
    while (*length > 0 && (item[*length - 1] == ' ' || item[*length - 1] == '\t'))
        --*length;
    return item;
}

static enum status read_trace(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct ini_section *section = ini_find_section(ini, "trace");
    const char *list = NULL, *item;
    size_t length, capacity = 1;
    if (!section)
        return ini_error(error, ini, 0, "section [trace] with the path of the trace is missing");
    enum status status = ini_check_keys(section, trace_keys, error);
    if (status == STATUS_OK)
        status = ini_get_string(section, "path", &list, error);
    if (status == STATUS_OK)
        status = ini_get_bool(section, "correct_clocks", &config->correct_clocks, error);
    if (status != STATUS_OK)
        return status;
    if (!list)
        return ini_error(error, ini, section->line,
                         "section [trace] has no \"path\": name the trace to replay");
    for (const char *c = list; *c; c++)
        capacity += *c == ',';
    config->trace_paths = calloc(capacity, sizeof *config->trace_paths);
    if (!config->trace_paths)
        return error_memory(error, "the configuration");
    while ((item = next_item(&list, &length))) {
        if (length == 0)
            return ini_error(error, ini, ini_line_of(section, "path"),
                             "an item in the list of paths is empty");
        char *path = ini_resolve(ini, item, length);
        if (!path)
            return error_memory(error, "the configuration");
        config->trace_paths[config->trace_count++] = path;
    }
    return STATUS_OK;
}

static enum status read_engine(struct replay_config *config, const struct ini_section *section,
                               struct error *error)
{
    const char *names[NAMES_MAX] = {NULL};
    int choice = 0; /* the first of the list is the default */
    for (int i = 0; engine_list[i]; i++) {
        assert(i < NAMES_MAX - 1);
        names[i] = engine_list[i]->name;
    }
    enum status status =
        section ? ini_get_choice(section, "engine", names, &choice, error) : STATUS_OK;
    if (status == STATUS_OK && !config->engine)
        config->engine = engine_list[choice];
    return status;
}

/* Appends the names of `more` (NULL: none) to a list of `*count` names. */
static void add_names(const char **names, size_t *count, const char *const *more)
{
    for (; more && *more; more++) {
        assert(*count < NAMES_MAX - 1);
        names[(*count)++] = *more;
    }
}

static enum status check_replay_keys(const struct ini_section *section, struct error *error)
{
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;
    add_names(names, &count, replay_keys);
    for (int i = 0; engine_list[i]; i++)
        add_names(names, &count, engine_list[i]->replay_keys);
    return ini_check_keys(section, names, error);
}

/* Section [replay], except for the keys that engines read there. */
static enum status read_replay(struct replay_config *config, struct error *error)
{
    static const char *const baselines[] = {
        [BASELINE_REPLAY] = "replay", [BASELINE_TRACE] = "trace", NULL};
    const struct ini *ini = config->ini;
    const struct ini_section *section = ini_find_section(ini, "replay");
    int64_t repeat = 7;
    int baseline = BASELINE_REPLAY;
    config->poll_gap_s = 20e-6;
    enum status status = section ? check_replay_keys(section, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = read_engine(config, section, error);
    if (section && status == STATUS_OK)
        status = ini_get_integer(section, "repeat", 1, 1000, &repeat, error);
    if (section && status == STATUS_OK)
        status = ini_get_choice(section, "baseline", baselines, &baseline, error);
    if (section && status == STATUS_OK)
        status = ini_get_duration(section, "poll_gap", &config->poll_gap_s, error);
    if (section && status == STATUS_OK)
        status = ini_get_bool(section, "compensate", &config->compensate, error);
    if (status != STATUS_OK)
        return status;
    config->repeat = config->engine->computes ? 1 : (int)repeat;
    config->baseline = (enum baseline)baseline;
    if (config->compensate && config->baseline == BASELINE_TRACE)
        return ini_error(error, ini, ini_line_of(section, "compensate"),
                         "compensate = yes needs baseline = replay: the tracer's work is in the "
                         "recording");
    if (config->compensate && config->engine->computes)
        return ini_error(error, ini, ini_line_of(section, "compensate"),
                         "compensate = yes is for engine = realtime: a model starts from the "
                         "waiting times of the recording");
    return STATUS_OK;
}

/* Every engine reads its own options, also those that are not used. */
static enum status read_engine_options(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    size_t count = 0;
    while (engine_list[count])
        count++;
    config->engine_options = calloc(count + 1, sizeof *config->engine_options);
    if (!config->engine_options)
        return error_memory(error, "the configuration");
    for (size_t i = 0; i < count; i++) {
        const struct engine *engine = engine_list[i];
        const struct ini_section *section =
            engine->section ? ini_find_section(ini, engine->section) : NULL;
        enum status status =
            section ? ini_check_keys(section, engine->section_keys, error) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        config->engine_options[i] = calloc(1, engine->options_size + 1);
        if (!config->engine_options[i])
            return error_memory(error, "the configuration");
        status = engine->read_options(ini, config->engine_options[i], error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
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
                                 .poll_gap_s = config->poll_gap_s};
}

/* The format named by the first `length` bytes of `name`; NULL if there is none. */
static const struct report_format *find_format(const char *name, size_t length)
{
    for (const struct report_format *const *format = report_format_list; *format; format++)
        if (strlen((*format)->name) == length && strncmp((*format)->name, name, length) == 0)
            return *format;
    return NULL;
}

static enum status read_formats(struct replay_config *config, const char *list, int line,
                                struct error *error)
{
    const char *item;
    size_t length, count = 0, capacity = 2;
    for (const char *c = list; *c; c++)
        capacity += *c == ',';
    config->formats = calloc(capacity, sizeof(struct report_format *));
    if (!config->formats)
        return error_memory(error, "the configuration");
    while ((item = next_item(&list, &length))) {
        char names[REPORT_FORMAT_NAMES];
        const struct report_format *format = find_format(item, length);
        if (!format)
            return ini_error(error, config->ini, line, "unknown format \"%.*s\": expected %s",
                             (int)length, item, report_format_names(false, names));
        config->formats[count++] = format;
    }
    return STATUS_OK;
}

/* NAME-replay, in the directory of NAME.ini. */
static char *default_directory(const struct ini *ini)
{
    size_t length = strlen(ini->path), size = length + sizeof "-replay";
    char *directory = arena_alloc(ini->arena, size);
    if (length > 4 && strcmp(ini->path + length - 4, ".ini") == 0)
        length -= 4;
    if (directory)
        snprintf(directory, size, "%.*s-replay", (int)length, ini->path);
    return directory;
}

static enum status read_output(struct replay_config *config, struct error *error)
{
    const struct ini *ini = config->ini;
    const struct ini_section *section = ini_find_section(ini, "output");
    const char *directory = NULL, *formats = "text, json";
    enum status status = STATUS_OK;
    if (section) {
        status = ini_check_keys(section, output_keys, error);
        if (status == STATUS_OK)
            status = ini_get_path(section, "directory", &directory, error);
        if (status == STATUS_OK)
            status = ini_get_string(section, "formats", &formats, error);
        if (status == STATUS_OK)
            status = ini_get_bool(section, "trace", &config->write_trace, error);
        if (status == STATUS_OK)
            status = ini_get_bool(section, "timeline", &config->write_timeline, error);
        if (status == STATUS_OK)
            status = ini_get_bool(section, "overwrite", &config->overwrite, error);
    }
    if (status == STATUS_OK)
        status =
            read_formats(config, formats, section ? ini_line_of(section, "formats") : 0, error);
    if (status != STATUS_OK)
        return status;
    config->output_directory = directory ? directory : default_directory(ini);
    return config->output_directory ? STATUS_OK : error_memory(error, "the configuration");
}

/* Fails for a section that is not one of the above, of an engine, or a hypothesis. */
static enum status check_sections(const struct ini *ini, struct error *error)
{
    const char *names[NAMES_MAX] = {"trace", "replay"};
    size_t count = 2;
    for (int i = 0; engine_list[i]; i++)
        add_names(names, &count, (const char *const[]){engine_list[i]->section, NULL});
    add_names(names, &count, (const char *const[]){"output", NULL});
    const size_t fixed = count;
    for (int i = 0; hypothesis_list[i]; i++)
        add_names(names, &count, (const char *const[]){hypothesis_list[i]->name, NULL});
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
        return ini_error(error, ini, section->line, "unknown section [%s]: use any of %s",
                         section->kind, list);
    }
    return STATUS_OK;
}

/* Fails for hypotheses about the machine if the engine replays on this machine. */
static enum status check_engine(const struct replay_config *config, struct error *error)
{
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

/* Whether a trace was given instead of a configuration file, the likeliest mistake. */
static bool is_trace(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && strcmp(ending, ".otf2") == 0;
}

enum status replay_config_load(const char *path, const struct engine *engine,
                               struct replay_config **config, struct error *error)
{
    if (is_trace(path))
        return error_set(error, STATUS_INPUT,
                         "%s is a trace: give a configuration file that names it, with "
                         "\"path = %s\" in section [trace]",
                         path, path);
    struct replay_config *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_memory(error, "the configuration");
    fresh->engine = engine;
    enum status status = ini_load(path, &fresh->ini, error);
    if (status == STATUS_OK)
        status = check_sections(fresh->ini, error);
    if (status == STATUS_OK)
        status = read_trace(fresh, error);
    if (status == STATUS_OK)
        status = read_replay(fresh, error);
    if (status == STATUS_OK)
        status = read_engine_options(fresh, error);
    if (status == STATUS_OK)
        status = read_output(fresh, error);
    if (status == STATUS_OK)
        status = hypotheses_parse(fresh->ini, &fresh->hypotheses, &fresh->hypothesis_count, error);
    if (status == STATUS_OK)
        status = check_engine(fresh, error);
    if (status != STATUS_OK) {
        replay_config_destroy(fresh);
        return status;
    }
    *config = fresh;
    return STATUS_OK;
}

void replay_config_destroy(struct replay_config *config)
{
    if (!config)
        return;
    hypotheses_destroy(config->hypotheses, config->hypothesis_count);
    for (int i = 0; config->engine_options && engine_list[i]; i++)
        free(config->engine_options[i]);
    free(config->engine_options);
    free(config->trace_paths);
    free(config->formats);
    ini_destroy(config->ini);
    free(config);
}
