#include "sweep/drive.h"

#include "base/log.h"
#include "base/plural.h"
#include "base/units.h"
#include "report/report_file.h"
#include "sweep/launch.h"
#include "sweep/part_file.h"
#include "sweep/split.h"
#include "sweep/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LONG_S = 10; /* replays that take longer are announced */

/* Collective. Process 0 splits the runs into parts, which the other processes read. */
static enum status split_on_all(struct sweep_folder *folder, const struct processes *processes,
                                struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0) {
        status = sweep_work_settle(folder, error) ?: sweep_parts_split(folder, 0, error);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && processes->rank > 0) {
        sweep_parts_clear(folder);
        status = sweep_parts_read(folder, sweep_folder_path(folder, "parts.json").text, error);
    }
    return processes_agree(processes, status, error);
}

static enum status check_rank_count(const struct sweep_folder *folder,
                                    const struct sweep_part *part,
                                    const struct processes *processes, struct error *error)
{
    if (processes->size == 1 || (uint32_t)processes->size == part->ranks)
        return STATUS_OK;
    return error_set(
        error, STATUS_USAGE,
        "the recording has %u rank%s, but %d processes were started: run mpirun -np %u "
        "silas-sweep resume %s, or silas-sweep without a launcher",
        part->ranks, plural(part->ranks), processes->size, part->ranks, folder->path);
}

/* Each replay runs for T. Without a note, the program would seem to hang. */
static void note_part_duration(const struct sweep_folder *folder, const struct sweep_part *part)
{
    if (part->expected_s >= LONG_S)
        log_note("%zu run%s in %s%zu rounds, about %s on cores that nothing else uses",
                 part->run_count, plural(part->run_count),
                 sweep_folder_may_stop(folder) ? "at most " : "", sweep_folder_rounds(folder),
                 time_text_alone(part->expected_s, 2).text);
}

static enum status drive_part(struct sweep_folder *folder, size_t number,
                              const struct drive_options *options, struct processes *processes,
                              struct error *error)
{
    const struct sweep_part *part = &folder->parts[number];
    enum status status = check_rank_count(folder, part, processes, error);
    if (status != STATUS_OK)
        return status;
    note_part_duration(folder, part);
    if ((uint32_t)processes->size == part->ranks)
        return sweep_work_part(folder, number, processes, options->workers, error);
    return launch_part(folder, number, options->launcher, options->options, error);
}

enum status sweep_drive(struct sweep_folder *folder, const struct drive_options *options,
                        struct processes *processes, struct error *error)
{
    const int engine = folder->sweep->options.engine;
    enum status status = STATUS_OK;
    if (engine != SWEEP_REALTIME)
        status = sweep_work_model(folder, processes, options->workers, error);
    if (status != STATUS_OK || engine == SWEEP_MODEL)
        return status;
    status = split_on_all(folder, processes, error);
    for (size_t i = 0; i < folder->part_count && status == STATUS_OK; i++)
        status = drive_part(folder, i, options, processes, error);
    return status;
}

struct table_file {
    const struct sweep_table *table;
    const struct table_format *format;
};

static bool print_table(const void *what, FILE *stream)
{
    const struct table_file *file = what;
    return file->format->write(file->table, stream);
}

enum status sweep_collect(struct sweep_folder *folder, const struct table_format *format,
                          struct error *error)
{
    struct sweep_table table;
    enum status status =
        sweep_folder_refresh(folder, error)
            ?: table_make(folder->sweep, folder->results, folder->path, &table, error);
    if (status != STATUS_OK)
        return status;
    for (const struct table_format *const *each = table_format_list; status == STATUS_OK && *each;
         each++)
        if (strcmp((*each)->name, "text") != 0)
            status = report_file_write(sweep_folder_path(folder, "result.%s", (*each)->name).text,
                                       print_table, &(struct table_file){&table, *each}, error);
    status =
        status ?: report_file_write(NULL, print_table, &(struct table_file){&table, format}, error);
    table_clear(&table);
    return status;
}

static void print_run_settings(const struct sweep_run *run)
{
    for (size_t i = 0; i < run->setting_count; i++)
        printf("%s%s = %s", i == 0 ? "  " : ", ", run->settings[i].key, run->settings[i].value);
    putchar('\n');
}

static void print_planned_parts(const struct sweep_folder *plan)
{
    const struct sweep_options *options = &plan->sweep->options;
    if (options->engine == SWEEP_MODEL_THEN_REALTIME)
        printf("The model tries all of them; the best %lld are replayed.\n",
               (long long)options->keep);
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct sweep_part *part = &plan->parts[i];
        if (part->replays)
            printf("Job %zu: mpirun -np %u, %zu run%s and the unchanged trace in %s%zu rounds, "
                   "about %s\n",
                   i + 1, part->ranks, part->run_count, plural(part->run_count),
                   sweep_folder_may_stop(plan) ? "at most " : "", sweep_folder_rounds(plan),
                   time_text_alone(part->expected_s, 2).text);
        else
            printf("Job %zu: %zu run%s by the model, at most about %s\n", i + 1, part->run_count,
                   plural(part->run_count), time_text_alone(part->expected_s, 2).text);
    }
}

enum status sweep_print_plan(struct sweep_plan *sweep, struct error *error)
{
    struct sweep_folder plan = {.sweep = sweep};
    plan.results = calloc(sweep->run_count + 1, sizeof *plan.results);
    plan.models = calloc(sweep->run_count + 1, sizeof *plan.models);
    enum status status =
        (plan.results && plan.models ? STATUS_OK : error_memory(error, "the plan of a sweep"))
            ?: sweep_parts_plan(&plan, 0, error);
    if (status == STATUS_OK) {
        printf("%zu run%s:\n", sweep->run_count, plural(sweep->run_count));
        for (size_t i = 0; i < sweep->run_count; i++) {
            printf("  %s", sweep->runs[i].name);
            print_run_settings(&sweep->runs[i]);
        }
        print_planned_parts(&plan);
    }
    sweep_parts_clear(&plan);
    free(plan.results);
    free(plan.models);
    return status;
}

void sweep_print_status(const struct sweep_folder *folder)
{
    size_t done = 0, failed = 0, asked = 0, all = folder->sweep->run_count;
    for (size_t i = 0; i < all; i++) {
        done += folder->results[i].state == RUN_DONE;
        failed += folder->results[i].state == RUN_FAILED;
        asked += folder->models[i].state != RUN_OPEN;
    }
    printf("%s: %zu run%s: %zu done, %zu failed, %zu open", folder->path, all, plural(all), done,
           failed, all - done - failed);
    if (asked > 0)
        printf("; the model has tried %zu", asked);
    putchar('\n');
    for (size_t i = 0; i < folder->part_count; i++) {
        const struct sweep_part *part = &folder->parts[i];
        printf("  part %zu (%u process%s): %zu of %zu open%s\n", i + 1, part->ranks,
               part->ranks == 1 ? "" : "es", sweep_part_count_open(folder, part), part->run_count,
               sweep_part_rounds_text(folder, i).text);
    }
}
