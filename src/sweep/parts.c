#include "sweep/parts.h"

#include "base/json.h"
#include "job/replay_config.h"
#include "sweep/chosen_runs.h"
#include "trace/load/load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a part takes beside its replays: start of the job, loading, and trials, which take as
 * long as some replays. These are margins, not measurements. */
static const double START_S = 5, LOADED_EVENTS_PER_S = 2e6;
enum { TRIALS = 8 };

size_t sweep_part_open(const struct sweep_folder *folder, const struct sweep_part *part)
{
    size_t open = 0;
    for (size_t i = 0; i < part->run_count; i++)
        open += folder->results[part->runs[i]].state == RUN_OPEN;
    return open;
}

void sweep_parts_clear(struct sweep_folder *folder)
{
    for (size_t i = 0; i < folder->part_count; i++)
        free(folder->parts[i].runs);
    free(folder->parts);
    folder->parts = NULL;
    folder->part_count = 0;
}

static json_t *part_to_json(const struct sweep_folder *folder, const struct sweep_part *part)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < part->run_count; i++)
        json_append(&runs, json_string(folder->sweep->runs[part->runs[i]].name));
    return JSON_MEMBERS({"base", json_count(part->base)}, {"replays", json_boolean(part->replays)},
                        {"runs", runs}, {"ranks", json_count(part->ranks)},
                        {"expected_s", json_number(part->expected_s)});
}

static enum status write_parts(const struct sweep_folder *folder, struct error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < folder->part_count; i++)
        json_append(&list, part_to_json(folder, &folder->parts[i]));
    json_t *whole = JSON_MEMBERS({"parts", list});
    char *path = sweep_folder_path(folder, "parts.json");
    char *fresh = sweep_folder_path(folder, "parts.json.%ld", (long)getpid());
    const bool room = whole && path && fresh;
    enum status status = room ? STATUS_OK : error_memory(error, "the parts of a sweep");
    if (room && (json_dump_file(whole, fresh, JSON_INDENT(2)) != 0 || rename(fresh, path) != 0)) {
        status = error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path,
                           strerror(errno));
        unlink(fresh);
    }
    json_decref(whole);
    free(path);
    free(fresh);
    return status;
}

/* The number of the run with this name; SIZE_MAX if there is none. */
static size_t find_run(const struct sweep *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->run_count; i++)
        if (strcmp(sweep->runs[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* False if it is not a part; `part->runs` is to be freed in any case. */
static bool part_from_json(const struct sweep *sweep, json_t *from, struct sweep_part *part)
{
    json_int_t base, ranks;
    json_t *runs;
    int replays;
    if (json_unpack(from, "{s:I, s:b, s:o, s:I, s:F}", "base", &base, "replays", &replays, "runs",
                    &runs, "ranks", &ranks, "expected_s", &part->expected_s) != 0)
        return false;
    part->base = (size_t)base;
    part->replays = replays;
    part->ranks = (uint32_t)ranks;
    part->run_count = json_array_size(runs);
    part->runs = calloc(part->run_count + 1, sizeof *part->runs);
    bool good = part->runs && part->base < sweep->base_count && part->ranks > 0;
    for (size_t i = 0; good && i < part->run_count; i++) {
        const char *name = json_string_value(json_array_get(runs, i));
        part->runs[i] = name ? find_run(sweep, name) : SIZE_MAX;
        good = part->runs[i] != SIZE_MAX;
    }
    return good;
}

enum status sweep_parts_read(struct sweep_folder *folder, struct error *error)
{
    char *path = sweep_folder_path(folder, "parts.json");
    json_error_t fault;
    if (!path)
        return error_memory(error, "the parts of a sweep");
    if (access(path, F_OK) != 0) {
        free(path);
        return STATUS_OK;
    }
    json_t *whole = json_load_file(path, 0, &fault);
    json_t *list = json_object_get(whole, "parts");
    size_t count = json_array_size(list);
    folder->parts = calloc(count + 1, sizeof *folder->parts);
    bool good = json_is_array(list) && folder->parts;
    while (good && folder->part_count < count) {
        size_t i = folder->part_count++;
        good = part_from_json(folder->sweep, json_array_get(list, i), &folder->parts[i]);
    }
    enum status status = good ? STATUS_OK
                              : error_set(error, STATUS_INPUT,
                                          "%s is damaged: remove it, and run "
                                          "\"silas-sweep resume %s\"",
                                          path, folder->path);
    json_decref(whole);
    free(path);
    return status;
}

/* What is known of the recording that the runs with one base share. */
struct recording {
    struct trace_size size;
    bool known;
};

/* How long one replay of the run takes, as far as is known. */
static double replay_s(const struct sweep_folder *folder, size_t run,
                       const struct recording *recording)
{
    const struct run_result *model = &folder->models[run];
    return model->state == RUN_DONE && model->pair_count > 0 ? model->pairs[0].changed_s
                                                             : recording->size.length_s;
}

static double fixed_s(const struct sweep_folder *folder, const struct recording *recording,
                      bool replays)
{
    double load = START_S + (double)recording->size.events / LOADED_EVENTS_PER_S;
    double rounds = (double)sweep_folder_rounds(folder);
    return load + (replays ? (rounds + TRIALS) * recording->size.length_s : 0);
}

/* What a run adds to the time of its part. */
static double added_s(const struct sweep_folder *folder, size_t run,
                      const struct recording *recording, bool replays)
{
    if (!replays)
        return (double)recording->size.events / LOADED_EVENTS_PER_S;
    return (double)sweep_folder_rounds(folder) * replay_s(folder, run, recording);
}

/* Appends an empty part. NULL when memory is out. */
static struct sweep_part *add_part(struct sweep_folder *folder, size_t base,
                                   const struct recording *recording, bool replays)
{
    size_t count = folder->part_count, runs = folder->sweep->run_count;
    struct sweep_part *parts = realloc(folder->parts, (count + 1) * sizeof *parts);
    if (!parts)
        return NULL;
    folder->parts = parts;
    parts[count] = (struct sweep_part){.base = base,
                                       .replays = replays,
                                       .runs = calloc(runs + 1, sizeof *parts->runs),
                                       .ranks = replays ? recording->size.rank_count : 1,
                                       .expected_s = fixed_s(folder, recording, replays)};
    folder->part_count++;
    return parts[count].runs ? &parts[count] : NULL;
}

/* Adds the chosen runs with this base to parts of their own. `*budget_s`: what is left for replays.
 */
static enum status split_base(struct sweep_folder *folder, size_t base,
                              const struct recording *recording, const struct chosen_runs *choice,
                              double longest_s, double *budget_s, struct error *error)
{
    const bool replays = folder->sweep->options.engine != SWEEP_MODEL;
    struct sweep_part *part = NULL;
    for (size_t i = 0; i < choice->count; i++) {
        size_t run = choice->runs[i];
        if (folder->sweep->runs[run].base != base)
            continue;
        double more = added_s(folder, run, recording, replays);
        const bool begins =
            !part || (longest_s > 0 && part->run_count > 0 && part->expected_s + more > longest_s);
        double cost = more + (begins ? fixed_s(folder, recording, replays) : 0);
        if (replays && cost > *budget_s)
            continue;
        *budget_s -= replays ? cost : 0;
        if (begins && !(part = add_part(folder, base, recording, replays)))
            return error_memory(error, "the parts of a sweep");
        part->runs[part->run_count++] = run;
        part->expected_s += more;
    }
    return STATUS_OK;
}

/* Looks at the first trace of a run; all runs with its base have the same. */
static enum status look(const struct sweep_run *run, struct recording *recording,
                        struct error *error)
{
    struct ini *ini = NULL;
    struct replay_config *config = NULL;
    enum status status = ini_copy(run->ini, &ini, error);
    if (status == STATUS_OK)
        status = replay_config_from_ini(ini, NULL, &config, error);
    if (status == STATUS_OK)
        status = trace_peek(config->trace_paths[0], &recording->size, error);
    replay_config_destroy(config);
    recording->known = status == STATUS_OK;
    return status;
}

enum status sweep_parts_plan(struct sweep_folder *folder, double longest_s, struct error *error)
{
    const struct sweep *sweep = folder->sweep;
    double budget_s = sweep->options.budget_s > 0 ? sweep->options.budget_s : INFINITY;
    struct recording *recordings = calloc(sweep->base_count + 1, sizeof *recordings);
    struct chosen_runs choice = {0};
    enum status status = recordings ? STATUS_OK : error_memory(error, "the parts of a sweep");
    if (status == STATUS_OK)
        status = chosen_runs_find(folder, &choice, error);
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        if (!recordings[sweep->runs[i].base].known)
            status = look(&sweep->runs[i], &recordings[sweep->runs[i].base], error);
    sweep_parts_clear(folder);
    for (size_t base = 0; base < sweep->base_count && status == STATUS_OK; base++)
        status = split_base(folder, base, &recordings[base], &choice, longest_s, &budget_s, error);
    chosen_runs_clear(&choice);
    free(recordings);
    return status;
}

enum status sweep_folder_split(struct sweep_folder *folder, double longest_s, struct error *error)
{
    enum status status = sweep_parts_plan(folder, longest_s, error);
    return status == STATUS_OK ? write_parts(folder, error) : status;
}
