/* silas-sweep: predicts many variants of one program, and ranks them. */
#include "base/descriptors.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "programs/option_values.h"
#include "programs/plugin_option.h"
#include "programs/predicted_sweep.h"
#include "programs/program_main.h"
#include "sweep/drive.h"
#include "sweep/queue/queue.h"
#include "sweep/work.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *format_name = "text", *output, *launcher, *part_text, *jobs_text;
static const char *run_text, *write_text;
static const char *sets[OPTION_REPEATS + 1];
static bool dry_run, overwrite, script;

static const struct table_format *format;
static uint64_t part, jobs; /* of --part, counted from 1; 0: all parts. Of --jobs; 0: default */

static const struct option_spec options[] = {
    {'n', "dry-run", NULL, "list the runs and their expected duration, and do nothing", NULL,
     &dry_run},
    {'s', "set", "SECTION.KEY=VALUE ...", "set a key of the configuration", sets, NULL},
    {'f', "format", "FORMAT", "print the table as text (default), json, csv or html", &format_name,
     NULL},
    {'o', "output", "DIR", "the folder of the sweep (default: NAME-sweep next to NAME.ini)",
     &output, NULL},
    {0, "overwrite", NULL, "replace that folder", NULL, &overwrite},
    {'j', "jobs", "N", "predict with N processes at once (default: one per core)", &jobs_text,
     NULL},
    {0, "launcher", "COMMAND",
     "start replays by COMMAND, in which {ranks} stands for the number of ranks (default: the\n"
     "launcher of this MPI with -np {ranks})",
     &launcher, NULL},
    {0, "part", "N", "with work: do only part N", &part_text, NULL},
    {0, "run", "QUEUE",
     "slurm, or launcher: submit jobs to Slurm, or by the commands of section [launcher];\n"
     "here (default): run on this machine",
     &run_text, NULL},
    {0, "script", NULL, "print the script of the jobs (default: for Slurm), and do not submit it",
     NULL, &script},
    {0, "write", "jube", "print a benchmark file for JUBE, and submit nothing", &write_text, NULL},
    PLUGIN_OPTION,
    {0},
};

static const char *sweep_choices(const char *option)
{
    if (option && strcmp(option, "run") == 0)
        return "slurm launcher here";
    if (option && strcmp(option, "write") == 0)
        return "jube";
    return option && strcmp(option, "format") == 0 ? descriptors_names(table_format_list) : NULL;
}

static const struct program program = {
    .name = "silas-sweep",
    .summary = "Predicts many variants of one program, by the model or by interleaved replays, and "
               "ranks them.",
    .usage = "silas-sweep SWEEP.ini\n"
             "mpirun -np RANKS silas-sweep SWEEP.ini\n"
             "silas-sweep --run slurm SWEEP.ini\n"
             "silas-sweep status | wait | resume | cancel | collect DIR\n"
             "[mpirun -np RANKS] silas-sweep work [--part N] DIR",
    .details =
        "SWEEP.ini is a configuration with a section [sweep], in which values may be sets of\n"
        "alternatives: factor = {0.25, 0.5}. With a section [predict] it is a sweep of "
        "predictions.\n"
        "DIR is the folder of a sweep. \"resume\" continues\n"
        "an interrupted sweep. The MPI launcher starts real-time replays.",
    .options = options,
    .least = 1,
    .most = 2,
    PLUGIN_PROGRAM,
    .choices = sweep_choices,
};

enum sweep_command {
    COMMAND_NEW,
    COMMAND_WORK,
    COMMAND_COLLECT,
    COMMAND_STATUS,
    COMMAND_RESUME,
    COMMAND_CANCEL,
    COMMAND_WAIT
};
static const char *const command_names[] = {
    [COMMAND_WORK] = "work",     [COMMAND_COLLECT] = "collect", [COMMAND_STATUS] = "status",
    [COMMAND_RESUME] = "resume", [COMMAND_CANCEL] = "cancel",   [COMMAND_WAIT] = "wait"};

/* Where a new sweep runs. */
enum place { PLACE_HERE, PLACE_SLURM, PLACE_LAUNCHER };
static const char *const places[] = {
    [PLACE_HERE] = "here", [PLACE_SLURM] = "slurm", [PLACE_LAUNCHER] = "launcher", NULL};
static int place; /* enum place */

/* Checks --run, --script and --write. */
static int check_sweep_place(const struct program *used)
{
    place = script || write_text ? PLACE_SLURM : PLACE_HERE;
    if (write_text && strcmp(write_text, "jube") != 0)
        return options_usage_error(used, "--write %s: expected jube", write_text);
    const int code = option_choice(used, "--run", run_text, places, &place);
    return code == 0 && (script || write_text) && place == PLACE_HERE
               ? options_usage_error(used, "--script and --write are for jobs of a queue")
               : code;
}

/* --output names a folder; users who expect a file get an explanation. */
static int check_folder_name(const struct program *used)
{
    const char *dot = output ? strrchr(output, '.') : NULL;
    return dot && table_format_find(dot + 1)
               ? options_usage_error(
                     used,
                     "-o %s: --output names the folder of the sweep, into which the "
                     "table is written as result.html, result.json and result.csv",
                     output)
               : 0;
}

static int check_sweep_options(const struct program *used)
{
    format = table_format_find(format_name);
    if (!format)
        return options_usage_error(used, "--format %s: expected text, json, csv or html",
                                   format_name);
    return option_whole(used, "--part", part_text, 1, INT_MAX, &part)
               ?: option_whole(used, "--jobs", jobs_text, 1, 4096, &jobs)
               ?: check_folder_name(used)
               ?: check_sweep_place(used);
}

/* Chooses the folder of a new sweep: --output, [output] directory, or NAME-sweep. False when out of
 * memory, or if the name is too long. */
static bool choose_folder(const struct ini *ini, const char *path, char folder[PATH_MAX])
{
    const struct ini_section *section = ini_find_section(ini, "output");
    const char *named = section ? ini_value(section, "directory") : NULL;
    const char *resolved = named ? ini_resolve(ini, named, strlen(named)) : NULL;
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

static enum status may_overwrite(const struct ini *ini, bool *may, struct error *error)
{
    static const struct ini_key key = {.name = "overwrite", .type = INI_BOOL};
    const struct ini_section *section = ini_find_section(ini, "output");
    *may = overwrite;
    return section && !overwrite ? ini_get(section, &key, may, error) : STATUS_OK;
}

static enum status new_folder(const struct ini *ini, const char *path, char folder[PATH_MAX],
                              bool *may, struct error *error)
{
    enum status status = may_overwrite(ini, may, error);
    if (status == STATUS_OK && !choose_folder(ini, path, folder))
        return error_set(error, STATUS_INPUT, "%s: the name of its folder is too long", path);
    return status;
}

static enum queue_kind chosen_queue(void)
{
    return place == PLACE_SLURM ? QUEUE_SLURM : QUEUE_LAUNCHER;
}

/* On process 0: makes the folder, or prints the plan. Takes over `ini`. */
static enum status create_sweep(struct ini *ini, const char *path, char folder[PATH_MAX],
                                struct error *error)
{
    struct sweep_plan *sweep = NULL;
    bool may = false;
    enum status status = sweep_load(ini, &sweep, error);
    if (status == STATUS_OK && place != PLACE_HERE)
        status = queue_check(sweep, chosen_queue(), error);
    if (status == STATUS_OK && dry_run)
        status = sweep_print_plan(sweep, error);
    else if (status == STATUS_OK)
        status = new_folder(sweep->ini, path, folder, &may, error)
                     ?: sweep_folder_create(folder, sweep, may, error);
    sweep_destroy(sweep);
    return status;
}

/* Collective. A sweep of predictions. Takes over `ini`, which process 0 has read. */
static enum status sweep_predictions(struct ini *ini, const char *path, struct processes *processes,
                                     struct error *error)
{
    struct prediction_output predicted = {.format = format->name, .dry_run = dry_run};
    char folder[PATH_MAX] = "";
    enum status status = STATUS_OK;
    if (place != PLACE_HERE)
        status = error_set(error, STATUS_USAGE,
                           "a sweep of predictions runs here; omit --run, --script and --write");
    else if (processes->rank == 0)
        status = new_folder(ini, path, folder, &predicted.overwrite, error);
    predicted.folder = folder;
    return predicted_sweep_main(ini, path, sets, status, &predicted, processes, error);
}

enum { PASSED_MOST = 2 * OPTION_REPEATS + 1 };

/* Lists the options of this program that its jobs need, too. */
static void list_passed(const char *passed[PASSED_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < OPTION_REPEATS && plugin_option_paths[i]; i++) {
        passed[count++] = "--plugin";
        passed[count++] = plugin_option_paths[i];
    }
    passed[count] = NULL;
}

/* Process 0, after a new sweep has ended with `status`. If it has neither results nor submitted
 * jobs, the former sweep in its folder is restored. Returns true then. */
static bool keep_former_sweep(struct sweep_folder *folder, enum status status, bool submitted)
{
    struct error ignored;
    sweep_folder_refresh(folder, &ignored);
    if (!sweep_folder_settle(folder, submitted || status == STATUS_OK))
        return false;
    log_note("%s: the former sweep is kept, because the new one has failed before it had results",
             folder->path);
    return true;
}

/* Process 0, after a new sweep has ended with `status`. Removes its folder if it has failed before
 * the folder was of use. */
static void settle_new_sweep(struct sweep_folder *folder, enum status status, bool submitted,
                             bool (*is_of_use)(const struct sweep_folder *folder))
{
    if (!keep_former_sweep(folder, status, submitted) && status != STATUS_OK &&
        !is_of_use(folder) && !sweep_folder_has(folder, "replaced"))
        files_remove_tree(folder->path);
}

/* Process 0. Submits the jobs, or prints their script. */
static enum status pass_to_queue(struct sweep_folder *folder, bool *submitted, struct error *error)
{
    const char *passed[PASSED_MOST];
    list_passed(passed);
    *submitted = false;
    enum status status = sweep_work_settle(folder, error);
    if (status != STATUS_OK)
        return status;
    if (write_text)
        return queue_write_jube(folder, chosen_queue(), passed, stdout, error);
    if (script)
        return queue_script(folder, chosen_queue(), passed, stdout, error);
    return queue_submit(folder, chosen_queue(), passed, stdout, submitted, error);
}

/* Collective. Predicts the runs by the model if only the best are to be replayed; then process 0
 * passes the sweep to a queue. */
static enum status submit_sweep(struct sweep_folder *folder, struct processes *processes,
                                struct error *error)
{
    enum status status = STATUS_OK;
    if (folder->sweep->options.engine == SWEEP_MODEL_THEN_REALTIME)
        status = sweep_work_model(folder, processes, (int)jobs, error);
    if (processes->rank == 0) {
        bool submitted = false;
        status = status ?: pass_to_queue(folder, &submitted, error);
        /* Without a script, "resume" would run the sweep on this machine. */
        settle_new_sweep(folder, status, submitted, queue_used);
    }
    return processes_agree(processes, status, error);
}

/* Collective. Does all open runs, and then writes the table. */
static enum status finish_sweep(struct sweep_folder *folder, bool is_new,
                                struct processes *processes, struct error *error)
{
    const char *passed[PASSED_MOST];
    list_passed(passed);
    const struct drive_options drive = {
        .workers = (int)jobs, .launcher = launcher, .options = passed};
    enum status status = sweep_drive(folder, &drive, processes, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = sweep_collect(folder, format, error);
    if (processes->rank == 0 && is_new)
        settle_new_sweep(folder, status, false, sweep_folder_has_begun);
    else if (processes->rank == 0)
        keep_former_sweep(folder, status, false);
    return processes_agree(processes, status, error);
}

/* Collective. Works on the parts that --part selects. */
static enum status work_on_parts(struct sweep_folder *folder, struct processes *processes,
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
        if (part == 0 || i + 1 == part)
            status = sweep_work_part(folder, i, processes, (int)jobs, error);
    if (part > folder->part_count)
        status = sweep_work_part(folder, (size_t)part - 1, processes, (int)jobs, error);
    return status;
}

static enum status print_status(struct sweep_folder *folder, struct error *error)
{
    (void)error;
    sweep_print_status(folder);
    return STATUS_OK;
}

/* Waits until no job of the queue is left, and prints the status. */
static enum status wait_for_jobs(struct sweep_folder *folder, struct error *error)
{
    return (queue_used(folder) ? queue_wait(folder, error) : STATUS_OK)
               ?: print_status(folder, error);
}

/* Collective. */
static enum status do_command(enum sweep_command command, struct sweep_folder *folder,
                              struct processes *processes, struct error *error)
{
    const bool queue = queue_used(folder);
    enum status status = STATUS_OK;
    if (command == COMMAND_NEW && place != PLACE_HERE)
        return submit_sweep(folder, processes, error);
    if (command == COMMAND_NEW || (command == COMMAND_RESUME && !queue))
        return finish_sweep(folder, command == COMMAND_NEW, processes, error);
    if (command == COMMAND_WORK)
        return work_on_parts(folder, processes, error);
    if (processes->rank == 0)
        status = command == COMMAND_STATUS && queue ? queue_status(folder, stdout, error)
                 : command == COMMAND_STATUS        ? print_status(folder, error)
                 : command == COMMAND_CANCEL        ? queue_cancel(folder, stdout, error)
                 : command == COMMAND_WAIT          ? wait_for_jobs(folder, error)
                 : command == COMMAND_RESUME        ? queue_resume(folder, stdout, error)
                                                    : sweep_collect(folder, format, error);
    return processes_agree(processes, status, error);
}

/* Sets the message for Ctrl-C. */
static void set_interrupt_message(const struct sweep_folder *folder)
{
    char text[PATH_MAX + 100];
    snprintf(text, sizeof text, "finished runs are kept; continue with \"silas-sweep resume %s\"",
             folder->path);
    interrupt_say(text);
}

static enum sweep_command find_command(const char *text)
{
    for (size_t i = COMMAND_WORK; i < sizeof command_names / sizeof *command_names; i++)
        if (strcmp(text, command_names[i]) == 0)
            return (enum sweep_command)i;
    return COMMAND_NEW;
}

static enum status run_sweep(char **operands, struct processes *processes, struct error *error)
{
    const enum sweep_command command = operands[1] ? find_command(operands[0]) : COMMAND_NEW;
    char path[PATH_MAX] = "";
    struct sweep_folder *folder = NULL;
    struct ini *ini = NULL;
    enum status status = STATUS_OK;
    if (operands[1] && command == COMMAND_NEW)
        return error_set(error, STATUS_USAGE,
                         "%s: expected work, collect, status, wait, cancel or resume before %s",
                         operands[0], operands[1]);
    memory_keep_freed();
    if (command != COMMAND_NEW)
        snprintf(path, sizeof path, "%s", operands[1]);
    else if (processes->rank == 0)
        status = sweep_read_file(operands[0], sets, &ini, error);
    bool predictions = ini && predicted_sweep_is(ini);
    processes_broadcast(processes, &predictions, sizeof predictions);
    if (predictions) {
        memory_begin();
        return sweep_predictions(ini, operands[0], processes, error);
    }
    if (ini)
        status = create_sweep(ini, operands[0], path, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK || (command == COMMAND_NEW && dry_run))
        return status;
    processes_broadcast(processes, path, sizeof path);
    status = processes_agree(processes, sweep_folder_open(path, &folder, error), error);
    if (status == STATUS_OK) {
        set_interrupt_message(folder);
        status = do_command(command, folder, processes, error);
    }
    sweep_folder_close(folder);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){
            .program = &program, .check = check_sweep_options, .run = run_sweep, .measures = true},
        argc, argv);
}
