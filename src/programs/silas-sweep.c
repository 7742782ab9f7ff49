/* silas-sweep: tries many what-ifs about one program and ranks them. */
#include "base/descriptors.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "sweep/drive.h"
#include "sweep/parts.h"
#include "sweep/queue/queue.h"
#include "sweep/work.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *format_name = "text", *output, *launcher, *part_text, *jobs_text;
static const char *run_text, *write_text;
static const char *sets[OPTION_REPEATS + 1];
static bool dry_run, overwrite, script;

static const struct table_format *format;
static long part = 0, jobs = 0; /* the part counts from 1; 0: all */

static const struct option_spec options[] = {
    {'n', "dry-run", NULL, "list the runs and how long they take, and do nothing", NULL, &dry_run},
    {'s', "set", "SECTION.KEY=VALUE ...", "change the file: set a key", sets, NULL},
    {'f', "format", "FORMAT", "print the table as text (default), json, csv or html", &format_name,
     NULL},
    {'o', "output", "DIR", "the folder of the sweep (default: NAME-sweep beside NAME.ini)", &output,
     NULL},
    {0, "overwrite", NULL, "replace that folder", NULL, &overwrite},
    {'j', "jobs", "N", "compute with N processes at once (default: one per core)", &jobs_text,
     NULL},
    {0, "launcher", "COMMAND",
     "start replays by this command, with {ranks} for their number (default: the launcher "
     "of this MPI with -np {ranks})",
     &launcher, NULL},
    {0, "part", "N", "with work: this part only", &part_text, NULL},
    {0, "run", "QUEUE",
     "submit jobs to a queue: slurm, or launcher for the commands of section [launcher]; here: the "
     "default",
     &run_text, NULL},
    {0, "script", NULL, "print the script of those jobs (default: for Slurm) instead", NULL,
     &script},
    {0, "write", "jube", "print a benchmark file for JUBE instead", &write_text, NULL},
    PLUGIN_OPTION,
    {0},
};

static const char *choices(const char *option)
{
    if (option && strcmp(option, "run") == 0)
        return "slurm launcher here";
    if (option && strcmp(option, "write") == 0)
        return "jube";
    return option && strcmp(option, "format") == 0 ? descriptors_names(table_format_list) : NULL;
}

static const struct program program = {
    .name = "silas-sweep",
    .summary = "Tries many what-ifs about one program, by the model or by interleaved replays, and "
               "ranks them.",
    .usage = "silas-sweep SWEEP.ini\n"
             "mpirun -np RANKS silas-sweep SWEEP.ini\n"
             "silas-sweep --run slurm SWEEP.ini\n"
             "silas-sweep status | wait | resume | cancel | collect DIR\n"
             "[mpirun -np RANKS] silas-sweep work [--part N] DIR",
    .details =
        "SWEEP.ini is a configuration with a section [sweep], in which values may be sets of\n"
        "alternatives: factor = {0.25, 0.5}. DIR is the folder of a sweep: what was interrupted "
        "goes\n"
        "on from there. Jobs of real-time replays are started by the MPI launcher.",
    .options = options,
    .least = 1,
    .most = 2,
    PLUGIN_PROGRAM,
    .choices = choices,
};

enum word { WORD_NEW, WORD_WORK, WORD_COLLECT, WORD_STATUS, WORD_RESUME, WORD_CANCEL, WORD_WAIT };
static const char *const words[] = {
    [WORD_WORK] = "work",     [WORD_COLLECT] = "collect", [WORD_STATUS] = "status",
    [WORD_RESUME] = "resume", [WORD_CANCEL] = "cancel",   [WORD_WAIT] = "wait"};

/* Where a new sweep is to run. */
enum place { PLACE_HERE, PLACE_SLURM, PLACE_LAUNCHER };
static const char *const places[] = {
    [PLACE_HERE] = "here", [PLACE_SLURM] = "slurm", [PLACE_LAUNCHER] = "launcher"};
static enum place place;

/* A whole number from 1 to `most`; 0 if it is not one. */
static long number_of(const char *text, long most)
{
    char *end;
    long number = strtol(text, &end, 10);
    return *end || end == text || number < 1 || number > most ? 0 : number;
}

/* Checks --run, --script and --write. */
static int check_place(const struct program *used)
{
    const size_t count = sizeof places / sizeof *places;
    size_t found = script || write_text ? PLACE_SLURM : PLACE_HERE;
    for (size_t i = 0; run_text && i < count + 1; i++)
        if (i == count || strcmp(places[i], run_text) == 0) {
            found = i;
            break;
        }
    if (found == count)
        return options_usage_error(used, "--run is here, slurm or launcher, not %s", run_text);
    place = (enum place)found;
    if ((script || write_text) && place == PLACE_HERE)
        return options_usage_error(used, "--script and --write are for jobs of a queue");
    if (write_text && strcmp(write_text, "jube") != 0)
        return options_usage_error(used, "--write is jube, not %s", write_text);
    return 0;
}

static int check(const struct program *used)
{
    format = table_format_find(format_name);
    if (!format)
        return options_usage_error(used, "--format is text, json, csv or html, not %s",
                                   format_name);
    if (part_text && (part = number_of(part_text, INT_MAX)) == 0)
        return options_usage_error(used, "--part is a number from 1 on, not %s", part_text);
    if (jobs_text && (jobs = number_of(jobs_text, 4096)) == 0)
        return options_usage_error(used, "--jobs is a number from 1 to 4096, not %s", jobs_text);
    return check_place(used);
}

/* The folder of a new sweep: --output, or [output] directory, or NAME-sweep. False when memory is
 * out, or the name is too long. */
static bool choose_folder(const struct sweep *sweep, const char *path, char folder[PATH_MAX])
{
    const struct ini_section *section = ini_find_section(sweep->ini, "output");
    const char *named = section ? ini_value(section, "directory") : NULL;
    const char *resolved = named ? ini_resolve(sweep->ini, named, strlen(named)) : NULL;
    size_t length = strlen(path);
    if (named && !resolved)
        return false;
    if (output || resolved)
        return (size_t)snprintf(folder, PATH_MAX, "%s", output ? output : resolved) < PATH_MAX;
    if (strcmp(path, "-") == 0)
        return snprintf(folder, PATH_MAX, "silas-sweep") > 0;
    if (length > 4 && strcmp(path + length - 4, ".ini") == 0)
        length -= 4;
    return (size_t)snprintf(folder, PATH_MAX, "%.*s-sweep", (int)length, path) < PATH_MAX;
}

static enum status may_overwrite(const struct sweep *sweep, bool *may, struct error *error)
{
    static const struct ini_key key = {.name = "overwrite", .type = INI_BOOL};
    const struct ini_section *section = ini_find_section(sweep->ini, "output");
    *may = overwrite;
    return section && !overwrite ? ini_get(section, &key, may, error) : STATUS_OK;
}

static enum queue_kind queue_kind(void)
{
    return place == PLACE_SLURM ? QUEUE_SLURM : QUEUE_LAUNCHER;
}

/* On process 0: reads the file and makes the folder, or prints the plan. */
static enum status create(const char *path, char folder[PATH_MAX], struct error *error)
{
    struct sweep *sweep = NULL;
    bool may = false;
    enum status status = sweep_load(path, sets, &sweep, error);
    if (status == STATUS_OK && place != PLACE_HERE)
        status = queue_check(sweep, queue_kind(), error);
    if (status == STATUS_OK && dry_run)
        status = sweep_print_plan(sweep, error);
    else if (status == STATUS_OK) {
        status = may_overwrite(sweep, &may, error);
        if (status == STATUS_OK && !choose_folder(sweep, path, folder))
            status = error_set(error, STATUS_INPUT, "%s: the name of its folder is too long", path);
        if (status == STATUS_OK)
            status = sweep_folder_create(folder, sweep, may, error);
    }
    sweep_destroy(sweep);
    return status;
}

enum { PASSED_MOST = 2 * OPTION_REPEATS + 1 };

/* Options of this program that its jobs need, too. */
static void list_passed(const char *passed[PASSED_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < OPTION_REPEATS && plugin_option_paths[i]; i++) {
        passed[count++] = "--plugin";
        passed[count++] = plugin_option_paths[i];
    }
    passed[count] = NULL;
}

/* Collective. Asks the model, if only the best are to be replayed; then process 0 hands the sweep
 * over to a queue. */
static enum status hand_over(struct sweep_folder *folder, struct processes *processes,
                             struct error *error)
{
    const char *passed[PASSED_MOST];
    enum status status = STATUS_OK;
    list_passed(passed);
    if (folder->sweep->options.engine == SWEEP_MODEL_THEN_REALTIME)
        status = sweep_work_model(folder, processes, (int)jobs, error);
    if (status == STATUS_OK && processes->rank == 0) {
        status = sweep_work_settle(folder, error);
        if (status == STATUS_OK && write_text)
            status = queue_write_jube(folder, queue_kind(), passed, stdout, error);
        else if (status == STATUS_OK && script)
            status = queue_script(folder, queue_kind(), passed, stdout, error);
        else if (status == STATUS_OK)
            status = queue_submit(folder, queue_kind(), passed, stdout, error);
    }
    /* Without a script it is no sweep for a queue, and "resume" would do it here. */
    if (processes->rank == 0 && status != STATUS_OK && !queue_used(folder))
        files_remove_tree(folder->path);
    return processes_agree(processes, status, error);
}

/* Collective. Everything that is open, and then the table. */
static enum status finish(struct sweep_folder *folder, struct processes *processes,
                          struct error *error)
{
    const char *passed[PASSED_MOST];
    list_passed(passed);
    const struct drive_options drive = {
        .workers = (int)jobs, .launcher = launcher, .options = passed};
    enum status status = sweep_drive(folder, &drive, processes, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = sweep_collect(folder, format, error);
    return processes_agree(processes, status, error);
}

/* Collective. */
static enum status work(struct sweep_folder *folder, struct processes *processes,
                        struct error *error)
{
    enum status status = STATUS_OK;
    if (folder->part_count == 0)
        return processes_agree(processes,
                               error_set(error, STATUS_INPUT,
                                         "%s has not been split into parts: use \"silas-sweep "
                                         "resume\"",
                                         folder->path),
                               error);
    for (size_t i = 0; i < folder->part_count && status == STATUS_OK; i++)
        if (part == 0 || i + 1 == (size_t)part)
            status = sweep_work_part(folder, i, processes, (int)jobs, error);
    if ((size_t)part > folder->part_count)
        status = sweep_work_part(folder, (size_t)part - 1, processes, (int)jobs, error);
    return status;
}

/* Returns when no job of the queue is left that could do a run, and prints what is done. */
static enum status wait_for_jobs(struct sweep_folder *folder, struct error *error)
{
    enum status status = queue_used(folder) ? queue_wait(folder, error) : STATUS_OK;
    return status == STATUS_OK ? sweep_print_status(folder, error) : status;
}

/* Collective. */
static enum status do_word(enum word word, struct sweep_folder *folder, struct processes *processes,
                           struct error *error)
{
    const bool queue = queue_used(folder);
    enum status status = STATUS_OK;
    if (word == WORD_NEW && place != PLACE_HERE)
        return hand_over(folder, processes, error);
    if (word == WORD_NEW || (word == WORD_RESUME && !queue))
        return finish(folder, processes, error);
    if (word == WORD_WORK)
        return work(folder, processes, error);
    if (processes->rank == 0)
        status = word == WORD_STATUS && queue ? queue_status(folder, stdout, error)
                 : word == WORD_STATUS        ? sweep_print_status(folder, error)
                 : word == WORD_CANCEL        ? queue_cancel(folder, stdout, error)
                 : word == WORD_WAIT          ? wait_for_jobs(folder, error)
                 : word == WORD_RESUME        ? queue_resume(folder, stdout, error)
                                              : sweep_collect(folder, format, error);
    return processes_agree(processes, status, error);
}

/* For Ctrl-C. */
static void say_how_to_go_on(const struct sweep_folder *folder)
{
    char text[PATH_MAX + 100];
    snprintf(text, sizeof text, "what is done is kept; go on with \"silas-sweep resume %s\"",
             folder->path);
    interrupt_say(text);
}

static enum word find_word(const char *text)
{
    for (size_t i = WORD_WORK; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return (enum word)i;
    return WORD_NEW;
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    const enum word word = operands[1] ? find_word(operands[0]) : WORD_NEW;
    char path[PATH_MAX] = "";
    struct sweep_folder *folder = NULL;
    enum status status = STATUS_OK;
    if (operands[1] && word == WORD_NEW)
        return error_set(error, STATUS_USAGE,
                         "%s: expected work, collect, status, wait, cancel or resume before %s",
                         operands[0], operands[1]);
    /* Runs need the same arrays one after the other: do not return them to the system. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    if (word != WORD_NEW)
        snprintf(path, sizeof path, "%s", operands[1]);
    else if (processes->rank == 0)
        status = create(operands[0], path, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK || (word == WORD_NEW && dry_run))
        return status;
    processes_broadcast(processes, path, sizeof path);
    status = processes_agree(processes, sweep_folder_open(path, &folder, error), error);
    if (status == STATUS_OK) {
        say_how_to_go_on(folder);
        status = do_word(word, folder, processes, error);
    }
    sweep_folder_close(folder);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){.program = &program, .check = check, .run = run, .measures = true},
        argc, argv);
}
