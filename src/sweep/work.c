#include "sweep/work.h"

#include "base/log.h"
#include "base/plural.h"
#include "job/replay_session.h"
#include "sweep/chosen_runs.h"
#include "sweep/compute.h"
#include "sweep/part_file.h"
#include "sweep/queue/queue.h"
#include "sweep/reports.h"
#include "sweep/rounds.h"
#include "sweep/savings.h"
#include "sweep/sets.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs with one base that are tried together. */
struct task {
    struct sweep_folder *folder;
    struct processes *processes;
    int workers;           /* as in compute.h */
    bool replays;          /* by real-time replays; otherwise by the model */
    const char *subfolder; /* of runs/NAME, for the results: "" or "/model" */
    const char *journal;   /* of replays */
    size_t *numbers;       /* [run of the task]: its number in the sweep; on process 0 at first */
    size_t count;
    const struct sweep_run **runs; /* [run of the task] */
    struct objective objective;
};

/* On process 0: writes the result of a run into its folder. */
static enum status keep_result(void *data, size_t run, struct run_result *result,
                               struct error *error)
{
    const struct task *task = data;
    const char *name = task->runs[run]->name;
    const struct run_result *model = &task->folder->models[task->numbers[run]];
    const struct folder_path folder =
        sweep_folder_path(task->folder, "runs/%s%s", name, task->subfolder);
    if (*task->subfolder && mkdir(folder.text, 0777) != 0 && errno != EEXIST)
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", folder.text,
                         strerror(errno));
    if (!result_is_computed(result) && model->pair_count > 0)
        result->model_saving = pair_saving(&model->pairs[0]);
    enum status status = run_result_write(
        result,
        sweep_folder_path(task->folder, "runs/%s%s/" RESULT_FILE, name, task->subfolder).text,
        error);
    /* The table may come hours later, so failed replays are named at once. */
    if (status == STATUS_OK && result->state == RUN_FAILED && task->replays)
        log_note("run %s failed: %s", name, result->message);
    return status;
}

/* Reads the configuration that the runs have in common: that of one run without its hypotheses. */
static enum status read_common_config(const struct sweep_run *run, const struct engine *engine,
                                      struct replay_config **config, struct error *error)
{
    struct ini *ini = NULL;
    size_t kept = 0;
    enum status status = ini_copy(run->ini, &ini, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < ini->section_count; i++)
        if (!hypothesis_kind_named(ini->sections[i].kind))
            ini->sections[kept++] = ini->sections[i];
    ini->section_count = kept;
    status = replay_config_from_ini(ini, engine, config, error);
    if (status != STATUS_OK)
        return status;
    if ((*config)->trace_count > 1)
        status = ini_error(error, (*config)->ini, 0,
                           "a sweep tries all hypotheses on one recording: make the list of paths "
                           "a set, path = {A, B}, to try each of them");
    else if (!engine->computes && (*config)->baseline == BASELINE_TRACE)
        status = ini_error(error, (*config)->ini, 0,
                           "a sweep compares replays with unchanged replays of the same round: "
                           "leave out baseline = trace");
    if (status != STATUS_OK) {
        replay_config_destroy(*config);
        *config = NULL;
    }
    return status;
}

/* Collective. Finds the computed runs of the task that get a report: the best of the sweep. Writes
 * their numbers into `best`. */
static enum status find_reported(const struct task *task, size_t *best, size_t *count,
                                 struct error *error)
{
    const struct processes *processes = task->processes;
    const struct sweep_plan *sweep = task->folder->sweep;
    size_t *order = calloc(sweep->run_count + 1, sizeof *order), found = 0;
    enum status status = order ? STATUS_OK : error_memory(error, "the reports of a sweep");
    if (processes->rank == 0)
        status = status ?: sweep_folder_refresh(task->folder, error)
                     ?: runs_rank(sweep, task->folder->results, order, error);
    status = processes_agree(processes, status, error);
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK && processes->rank == 0; i++) {
        const struct run_result *result = &task->folder->results[order[i]];
        if (found < (size_t)sweep->options.reports && result->state == RUN_DONE &&
            sweep->runs[order[i]].base == task->runs[0]->base && !result->report)
            best[found++] = order[i];
    }
    *count = found;
    processes_broadcast(processes, count, sizeof *count);
    processes_broadcast(processes, best, *count * sizeof *best);
    free(order);
    return status;
}

/* Collective. Writes the reports of the best computed runs. */
static enum status write_reports(const struct task *task, const struct replay_session *base,
                                 struct error *error)
{
    const struct sweep_plan *sweep = task->folder->sweep;
    size_t *best = calloc(sweep->run_count + 1, sizeof *best), count = 0;
    enum status status = processes_agree_memory(task->processes, best != NULL, "the reports", error)
                             ?: find_reported(task, best, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct sweep_run *run = &sweep->runs[best[i]];
        struct run_result *result = &task->folder->results[best[i]];
        status = run_report_compute(base, run, sweep_folder_path(task->folder, "runs").text, result,
                                    error);
        if (status == STATUS_OK && task->processes->rank == 0)
            status = run_result_write(
                result, sweep_folder_path(task->folder, "runs/%s/" RESULT_FILE, run->name).text,
                error);
        status = processes_agree(task->processes, status, error);
    }
    free(best);
    return status;
}

/* Collective. */
static enum status compute_task(struct task *task, const struct replay_session *base,
                                struct error *error)
{
    const struct compute_input input = {.base = base,
                                        .runs = task->runs,
                                        .count = task->count,
                                        .objective = &task->objective,
                                        .workers = task->workers,
                                        .done = keep_result,
                                        .data = task};
    enum status status = compute_runs(&input, error);
    return *task->subfolder ? status : status ?: write_reports(task, base, error);
}

/* Collective. */
static enum status replay_task(struct task *task, const struct replay_session *base,
                               struct error *error)
{
    const struct folder_path reports = sweep_folder_path(task->folder, "runs");
    const struct rounds_input input = {.base = base,
                                       .runs = task->runs,
                                       .count = task->count,
                                       .objective = &task->objective,
                                       .rounds = sweep_folder_rounds(task->folder),
                                       .may_stop = sweep_folder_may_stop(task->folder),
                                       .seed = (uint64_t)task->folder->sweep->options.seed,
                                       .journal = task->journal,
                                       .reports = reports.text,
                                       .done = keep_result,
                                       .data = task};
    return queue_check_placement(task->folder, base->original, error)
               ?: rounds_replay(&input, error);
}

/* Collective. Loads the recording and tries the runs of the task. */
static enum status try_runs(struct task *task, struct error *error)
{
    const struct engine *engine = engine_find(task->replays ? "realtime" : "model");
    struct replay_config *config = NULL;
    struct replay_session *base = NULL;
    enum status status = processes_agree(
        task->processes, read_common_config(task->runs[0], engine, &config, error), error);
    status = status ?: replay_session_open(config, config->trace_paths[0], task->processes, &base,
                                           error)
                 ?: (task->replays ? replay_task(task, base, error)
                                   : compute_task(task, base, error));
    replay_session_close(base);
    replay_config_destroy(config);
    return status;
}

/* Collective. Tells all processes which runs the task has. */
static enum status share_runs(struct task *task, struct error *error)
{
    const struct sweep_plan *sweep = task->folder->sweep;
    const struct processes *processes = task->processes;
    task->runs = calloc(sweep->run_count + 1, sizeof *task->runs);
    enum status status = processes_agree_memory(processes, task->runs != NULL, "a sweep", error)
                             ?: objective_find(sweep->options.objective, &task->objective, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_broadcast(processes, &task->count, sizeof task->count);
    processes_broadcast(processes, task->numbers, task->count * sizeof *task->numbers);
    for (size_t i = 0; i < task->count; i++)
        task->runs[i] = &sweep->runs[task->numbers[i]];
    return STATUS_OK;
}

/* Collective. Tries the runs `task->numbers` [task->count], which process 0 has chosen. */
static enum status do_task(struct task *task, struct error *error)
{
    enum status status = share_runs(task, error);
    if (status == STATUS_OK && task->count > 0)
        status = try_runs(task, error);
    free(task->runs);
    task->runs = NULL;
    return status;
}

/* Collective. Process 0 reads the results again. */
static enum status refresh_results(const struct task *task, struct error *error)
{
    enum status status = STATUS_OK;
    if (task->processes->rank == 0)
        status = sweep_folder_refresh(task->folder, error);
    return processes_agree(task->processes, status, error);
}

enum status sweep_work_model(struct sweep_folder *folder, struct processes *processes, int workers,
                             struct error *error)
{
    assert(folder->sweep && workers >= 0);
    const struct sweep_plan *sweep = folder->sweep;
    struct task task = {.folder = folder,
                        .processes = processes,
                        .workers = workers,
                        .subfolder = sweep->options.engine == SWEEP_MODEL ? "" : "/model",
                        .numbers = calloc(sweep->run_count + 1, sizeof *task.numbers)};
    enum status status = processes_agree_memory(processes, task.numbers != NULL, "a sweep", error);
    for (size_t base = 0; base < sweep->base_count && status == STATUS_OK; base++) {
        task.count = 0;
        for (size_t i = 0; i < sweep->run_count; i++)
            if (sweep->runs[i].base == base && folder->results[i].state == RUN_OPEN &&
                folder->models[i].state == RUN_OPEN)
                task.numbers[task.count++] = i;
        status = do_task(&task, error);
    }
    free(task.numbers);
    return status ?: refresh_results(&task, error);
}

/* Locks a part for this job; the caller closes `*descriptor`. */
static enum status lock_part(const char *path, size_t part, int *descriptor, struct error *error)
{
    *descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*descriptor < 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path,
                         strerror(errno));
    if (flock(*descriptor, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "another job works on part %zu (it has locked %s); wait for it or cancel it",
                     part + 1, path);
}

static enum status check_part(const struct sweep_folder *folder, size_t number,
                              const struct processes *processes, struct error *error)
{
    if (number >= folder->part_count)
        return error_set(error, STATUS_USAGE, "%s has %zu part%s, there is no part %zu",
                         folder->path, folder->part_count, plural(folder->part_count), number + 1);
    const struct sweep_part *part = &folder->parts[number];
    if (!part->replays || part->ranks == (uint32_t)processes->size)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE,
                     "part %zu replays on %u process%s, but %d %s started: use "
                     "mpirun -np %u silas-sweep work --part %zu %s",
                     number + 1, part->ranks, part->ranks == 1 ? "" : "es", processes->size,
                     processes->size == 1 ? "was" : "were", part->ranks, number + 1, folder->path);
}

/* Collective. Tries the open runs of a part that this job has locked. */
static enum status work_on_part(const struct sweep_part *part, struct task *task,
                                struct error *error)
{
    enum status status = refresh_results(task, error); /* another job may have worked on it */
    for (size_t i = 0; i < part->run_count && status == STATUS_OK; i++)
        if (task->folder->results[part->runs[i]].state == RUN_OPEN)
            task->numbers[task->count++] = part->runs[i];
    return status ?: do_task(task, error) ?: refresh_results(task, error);
}

enum status sweep_work_part(struct sweep_folder *folder, size_t number, struct processes *processes,
                            int workers, struct error *error)
{
    enum status status =
        processes_agree(processes, check_part(folder, number, processes, error), error);
    if (status != STATUS_OK)
        return status;
    const struct sweep_part *part = &folder->parts[number];
    const struct folder_path lock = sweep_folder_path(folder, "part-%02zu.lock", number + 1);
    const struct folder_path journal = sweep_folder_path(folder, "part-%02zu.journal", number + 1);
    struct task task = {.folder = folder,
                        .processes = processes,
                        .workers = workers,
                        .replays = part->replays,
                        .subfolder = "",
                        .journal = journal.text,
                        .numbers = calloc(part->run_count + 1, sizeof *task.numbers)};
    int descriptor = -1;
    status = processes_agree_memory(processes, task.numbers != NULL, "a sweep", error);
    if (status == STATUS_OK && processes->rank == 0)
        status = lock_part(lock.text, number, &descriptor, error);
    status = processes_agree(processes, status, error) ?: work_on_part(part, &task, error);
    if (descriptor >= 0)
        close(descriptor);
    free(task.numbers);
    return status;
}

enum status sweep_work_settle(struct sweep_folder *folder, struct error *error)
{
    const struct sweep_plan *sweep = folder->sweep;
    struct chosen_runs choice = {0};
    bool *chosen = calloc(sweep->run_count + 1, sizeof *chosen);
    enum status status = (chosen ? STATUS_OK : error_memory(error, "the results of a sweep"))
                             ?: chosen_runs_find(folder, &choice, error);
    for (size_t i = 0; i < choice.count; i++)
        chosen[choice.runs[i]] = true;
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        if (!chosen[i] && folder->results[i].state == RUN_OPEN &&
            folder->models[i].state != RUN_OPEN)
            status = run_result_write(
                &folder->models[i],
                sweep_folder_path(folder, "runs/%s/" RESULT_FILE, sweep->runs[i].name).text, error);
    chosen_runs_clear(&choice);
    free(chosen);
    return status ?: sweep_folder_refresh(folder, error);
}
