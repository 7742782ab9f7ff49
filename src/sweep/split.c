#include "sweep/split.h"

#include "job/duration.h"
#include "job/replay_config.h"
#include "sweep/chosen_runs.h"
#include "sweep/part_file.h"
#include "trace/load/load.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The recording that the runs with one base share. */
struct base_recording {
    struct trace_size size;
    bool known;
};

static double run_length_s(const struct sweep_folder *folder, size_t run,
                           const struct base_recording *recording)
{
    const struct run_result *model = &folder->models[run];
    return model->state == RUN_DONE && model->pair_count > 0 ? model->pairs[0].changed_s
                                                             : recording->size.length_s;
}

/* The time of a part before its first run, and that of the unchanged trace in all rounds. */
static double part_start_s(const struct sweep_folder *folder,
                           const struct base_recording *recording, bool replays)
{
    const struct trace_size *size = &recording->size;
    const double start_s = duration_of_start(size);
    return replays
               ? start_s + duration_of_trials(size->length_s) +
                     (double)sweep_folder_rounds(folder) * duration_of_replay(size, size->length_s)
               : start_s;
}

/* The time that a run adds to its part. */
static double run_added_s(const struct sweep_folder *folder, size_t run,
                          const struct base_recording *recording, bool replays)
{
    const struct trace_size *size = &recording->size;
    return replays ? (double)sweep_folder_rounds(folder) *
                         duration_of_replay(size, run_length_s(folder, run, recording))
                   : duration_of_prediction(size);
}

/* Appends an empty part. NULL when out of memory. */
static struct sweep_part *append_part(struct sweep_folder *folder, size_t base,
                                      const struct base_recording *recording, bool replays)
{
    const size_t count = folder->part_count, runs = folder->sweep->run_count;
    struct sweep_part *parts = realloc(folder->parts, (count + 1) * sizeof *parts);
    if (!parts)
        return NULL;
    folder->parts = parts;
    parts[count] = (struct sweep_part){.base = base,
                                       .replays = replays,
                                       .runs = calloc(runs + 1, sizeof *parts->runs),
                                       .ranks = replays ? recording->size.rank_count : 1,
                                       .expected_s = part_start_s(folder, recording, replays)};
    folder->part_count++;
    return parts[count].runs ? &parts[count] : NULL;
}

struct part_split {
    struct sweep_folder *folder;
    const struct chosen_runs *choice;
    double longest_s;
    double budget_s; /* left for replays */
};

/* Puts the chosen runs with this base into parts. */
static enum status split_base(struct part_split *splitting, size_t base,
                              const struct base_recording *recording, struct error *error)
{
    struct sweep_folder *folder = splitting->folder;
    const struct chosen_runs *choice = splitting->choice;
    const bool replays = folder->sweep->options.engine != SWEEP_MODEL;
    struct sweep_part *part = NULL;
    for (size_t i = 0; i < choice->count; i++) {
        const size_t run = choice->runs[i];
        if (folder->sweep->runs[run].base != base)
            continue;
        const double more_s = run_added_s(folder, run, recording, replays);
        const bool begins = !part || (splitting->longest_s > 0 && part->run_count > 0 &&
                                      part->expected_s + more_s > splitting->longest_s);
        const double cost_s = more_s + (begins ? part_start_s(folder, recording, replays) : 0);
        if (replays && cost_s > splitting->budget_s)
            continue;
        splitting->budget_s -= replays ? cost_s : 0;
        if (begins && !(part = append_part(folder, base, recording, replays)))
            return error_memory(error, "the parts of a sweep");
        part->runs[part->run_count++] = run;
        part->expected_s += more_s;
    }
    return STATUS_OK;
}

/* Reads the size of a run's first trace; all runs with its base have the same trace. */
static enum status read_size(const struct sweep_run *run, struct base_recording *recording,
                             struct error *error)
{
    struct replay_config *config = NULL;
    enum status status = replay_config_of_copy(run->ini, NULL, &config, error);
    status = status ?: trace_peek(config->trace_paths[0], &recording->size, error);
    replay_config_destroy(config);
    recording->known = status == STATUS_OK;
    return status;
}

enum status sweep_parts_plan(struct sweep_folder *folder, double longest_s, struct error *error)
{
    assert(longest_s >= 0);
    const struct sweep_plan *sweep = folder->sweep;
    struct base_recording *recordings = calloc(sweep->base_count + 1, sizeof *recordings);
    struct chosen_runs choice = {0};
    struct part_split splitting = {.folder = folder,
                                   .choice = &choice,
                                   .longest_s = longest_s,
                                   .budget_s = sweep->options.budget_s > 0 ? sweep->options.budget_s
                                                                           : INFINITY};
    enum status status = (recordings ? STATUS_OK : error_memory(error, "the parts of a sweep"))
                             ?: chosen_runs_find(folder, &choice, error);
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        if (!recordings[sweep->runs[i].base].known)
            status = read_size(&sweep->runs[i], &recordings[sweep->runs[i].base], error);
    sweep_parts_clear(folder);
    for (size_t base = 0; base < sweep->base_count && status == STATUS_OK; base++)
        status = split_base(&splitting, base, &recordings[base], error);
    chosen_runs_clear(&choice);
    free(recordings);
    return status;
}

enum status sweep_parts_split(struct sweep_folder *folder, double longest_s, struct error *error)
{
    return sweep_parts_plan(folder, longest_s, error)
               ?: sweep_parts_write(folder, sweep_folder_path(folder, "parts.json").text, error);
}
