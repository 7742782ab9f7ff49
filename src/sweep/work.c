#include "sweep/work.h"

#include "base/log.h"
#include "base/plural.h"
#include "job/replay_session.h"
#include "sweep/chosen_runs.h"
#include "sweep/compute.h"
#include "sweep/parts.h"
#include "sweep/reports.h"
#include "sweep/queue/queue.h"
#include "sweep/rounds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs with one base while they are tried. */
struct task {
    struct sweep_folder *folder;
    size_t *numbers; /* [run of the task]: of the sweep's runs */
    const struct sweep_run **runs;
    size_t count;
    const char *below; /* the results go to runs/NAME and below it */
    struct objective objective;
    bool replays; /* says at once what has failed: the table may come hours later */
};

static void clear_task(struct task *task)
{
    free(task->numbers);
    free(task->runs);
}

/* Collective. Makes room, and lets process 0 say which runs: `numbers` [count] there. */
static enum status open_task(struct task *task, const size_t *numbers, size_t count,
                             const struct processes *processes, struct error *error)
{
    size_t all = task->folder->sweep->run_count;
    task->numbers = calloc(all + 1, sizeof *task->numbers);
    task->runs = calloc(all + 1, sizeof *task->runs);
    enum status status =
        processes_agree_memory(processes, task->numbers && task->runs, "a sweep", error);
    if (status == STATUS_OK)
        status = objective_find(task->folder->sweep->options.objective, &task->objective, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    task->count = count;
    if (processes->rank == 0 && count > 0)
        memcpy(task->numbers, numbers, count * sizeof *numbers);
    processes_broadcast(processes, &task->count, sizeof task->count);
    processes_broadcast(processes, task->numbers, task->count * sizeof *task->numbers);
    for (size_t i = 0; i < task->count; i++)
        task->runs[i] = &task->folder->sweep->runs[task->numbers[i]];
    return STATUS_OK;
}

/* On process 0: keeps the result of a run. */
static enum status keep_result(void *data, size_t run, struct run_result *result,
                               struct error *error)
{
    const struct task *task = data;
    const char *name = task->runs[run]->name;
    const struct run_result *model = &task->folder->models[task->numbers[run]];
    char *path = sweep_folder_path(task->folder, "runs/%s%s", name, task->below);
    if (!path)
        return error_memory(error, "the results of a sweep");
    if (*task->below && mkdir(path, 0777) != 0 && errno != EEXIST) {
        enum status status = error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path,
                                       strerror(errno));
        free(path);
        return status;
    }
    if (strcmp(result->engine, "realtime") == 0 && model->pair_count > 0)
        result->model_saving = 1 - model->pairs[0].changed_s / model->pairs[0].unchanged_s;
    enum status status = run_result_write(result, path, error);
    if (status == STATUS_OK && result->state == RUN_FAILED && task->replays)
        log_note("run %s failed: %s", name, result->message);
    free(path);
    return status;
}

/* The configuration that the runs have in common: that of one of them without its hypotheses. */
static enum status common_config(const struct sweep_run *run, const struct engine *engine,
                                 struct replay_config **config, struct error *error)
{
    struct ini *ini = NULL;
    enum status status = ini_copy(run->ini, &ini, error);
    if (status != STATUS_OK)
        return status;
    size_t kept = 0;
    for (size_t i = 0; i < ini->section_count; i++) {
        const struct hypothesis_kind *const *kind = hypothesis_list();
        while (*kind && strcmp((*kind)->name, ini->sections[i].kind) != 0)
            kind++;
        if (!*kind)
            ini->sections[kept++] = ini->sections[i];
    }
    ini->section_count = kept;
    status = replay_config_from_ini(ini, engine, config, error);
    if (status == STATUS_OK && (*config)->trace_count > 1) {
        status =
            ini_error(error, (*config)->ini, 0,
                      "a sweep tries all hypotheses on one recording: make the list of paths a "
                      "set, path = {A, B}, to try each of them");
    } else if (status == STATUS_OK && !engine->computes && (*config)->baseline == BASELINE_TRACE) {
        status =
            ini_error(error, (*config)->ini, 0,
                      "a sweep compares replays with unchanged ones of the same round: leave out "
                      "baseline = trace");
    }
    if (status != STATUS_OK) {
        replay_config_destroy(*config);
        *config = NULL;
    }
    return status;
}

/* Collective. Which runs of a task that are done get a report: writes their numbers into `best`,
 * and returns how many. */
static enum status find_best(const struct task *task, const struct processes *processes,
                             size_t *best, size_t *count, struct error *error)
{
    const struct sweep *sweep = task->folder->sweep;
    size_t *order = calloc(sweep->run_count + 1, sizeof *order), found = 0;
    enum status status = order ? STATUS_OK : error_memory(error, "the reports of a sweep");
    if (status == STATUS_OK && processes->rank == 0)
        status = sweep_folder_refresh(task->folder, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = runs_rank(sweep, task->folder->results, order, error);
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

/* Collective. Writes the reports of the best runs that were computed. */
static enum status write_reports(const struct task *task, const struct replay_session *base,
                                 const char *folder, struct error *error)
{
    const struct sweep *sweep = task->folder->sweep;
    const struct processes *processes = base->processes;
    size_t *best = calloc(sweep->run_count + 1, sizeof *best), count = 0;
    enum status status = processes_agree_memory(processes, best != NULL, "the reports", error);
    if (status == STATUS_OK)
        status = find_best(task, processes, best, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct sweep_run *run = &sweep->runs[best[i]];
        struct run_result *result = &task->folder->results[best[i]];
        status = run_report_compute(base, run, folder, result, error);
        if (status == STATUS_OK && processes->rank == 0) {
            char *path = sweep_folder_path(task->folder, "runs/%s", run->name);
            status = path ? run_result_write(result, path, error)
                          : error_memory(error, "the reports of a sweep");
            free(path);
        }
        status = processes_agree(processes, status, error);
    }
    free(best);
    return status;
}

/* Collective. Loads the recording and tries the runs of the task. */
static enum status try_runs(struct task *task, const char *journal, bool replays, int workers,
                            struct processes *processes, struct error *error)
{
    const struct sweep_options *options = &task->folder->sweep->options;
    const struct engine *engine = engine_find(replays ? "realtime" : "model");
    struct replay_config *config = NULL;
    struct replay_session *base = NULL;
    char *reports = sweep_folder_path(task->folder, "runs");
    enum status status = reports ? common_config(task->runs[0], engine, &config, error)
                                 : error_memory(error, "a sweep");
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &base, error);
    if (status == STATUS_OK && replays)
        status = queue_check_placement(task->folder, base->original, error);
    if (status == STATUS_OK && !replays) {
        const struct compute_input input = {.base = base,
                                            .runs = task->runs,
                                            .count = task->count,
                                            .objective = &task->objective,
                                            .workers = workers,
                                            .done = keep_result,
                                            .data = task};
        status = compute_runs(&input, error);
        if (status == STATUS_OK && !*task->below)
            status = write_reports(task, base, reports, error);
    }
    if (status == STATUS_OK && replays) {
        const struct rounds_input input = {.base = base,
                                           .runs = task->runs,
                                           .count = task->count,
                                           .objective = &task->objective,
                                           .rounds = sweep_folder_rounds(task->folder),
                                           .seed = (uint64_t)options->seed,
                                           .journal = journal,
                                           .reports = reports,
                                           .done = keep_result,
                                           .data = task};
        status = rounds_replay(&input, error);
    }
    replay_session_close(base);
    replay_config_destroy(config);
    free(reports);
    return status;
}

/* Collective. One task: runs with the same base, `numbers` [count] on process 0. */
static enum status do_task(struct sweep_folder *folder, const size_t *numbers, size_t count,
                           const char *below, const char *journal, bool replays, int workers,
                           struct processes *processes, struct error *error)
{
    struct task task = {.folder = folder, .below = below, .replays = replays};
    enum status status = open_task(&task, numbers, count, processes, error);
    if (status == STATUS_OK && task.count > 0)
        status = try_runs(&task, journal, replays, workers, processes, error);
    clear_task(&task);
    return status;
}

/* Collective. Process 0 reads the results again. */
static enum status refresh(struct sweep_folder *folder, const struct processes *processes,
                           struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0)
        status = sweep_folder_refresh(folder, error);
    return processes_agree(processes, status, error);
}

enum status sweep_work_model(struct sweep_folder *folder, struct processes *processes, int workers,
                             struct error *error)
{
    const struct sweep *sweep = folder->sweep;
    const bool final = sweep->options.engine == SWEEP_MODEL;
    size_t *numbers = calloc(sweep->run_count + 1, sizeof *numbers);
    enum status status = processes_agree_memory(processes, numbers != NULL, "a sweep", error);
    for (size_t base = 0; base < sweep->base_count && status == STATUS_OK; base++) {
        size_t count = 0;
        for (size_t i = 0; i < sweep->run_count; i++)
            if (sweep->runs[i].base == base && folder->results[i].state == RUN_OPEN &&
                folder->models[i].state == RUN_OPEN)
                numbers[count++] = i;
        status = do_task(folder, numbers, count, final ? "" : "/model", NULL, false, workers,
                         processes, error);
    }
    free(numbers);
    return status == STATUS_OK ? refresh(folder, processes, error) : status;
}

/* Locks a part for this job; `*descriptor` is to be closed. */
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

enum status sweep_work_part(struct sweep_folder *folder, size_t number, struct processes *processes,
                            int workers, struct error *error)
{
    enum status status = check_part(folder, number, processes, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    const struct sweep_part *part = &folder->parts[number];
    char *lock = sweep_folder_path(folder, "part-%02zu.lock", number + 1);
    char *journal = sweep_folder_path(folder, "part-%02zu.journal", number + 1);
    size_t *numbers = calloc(part->run_count + 1, sizeof *numbers), count = 0;
    int descriptor = -1;
    status = processes_agree_memory(processes, lock && journal && numbers, "a sweep", error);
    if (status == STATUS_OK && processes->rank == 0)
        status = lock_part(lock, number, &descriptor, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = refresh(folder, processes, error); /* another job may have been here before */
    for (size_t i = 0; i < part->run_count && status == STATUS_OK; i++)
        if (folder->results[part->runs[i]].state == RUN_OPEN)
            numbers[count++] = part->runs[i];
    if (status == STATUS_OK)
        status =
            do_task(folder, numbers, count, "", journal, part->replays, workers, processes, error);
    if (status == STATUS_OK)
        status = refresh(folder, processes, error);
    if (descriptor >= 0)
        close(descriptor);
    free(numbers);
    free(journal);
    free(lock);
    return status;
}

enum status sweep_work_settle(struct sweep_folder *folder, struct error *error)
{
    const struct sweep *sweep = folder->sweep;
    bool *chosen = calloc(sweep->run_count + 1, sizeof *chosen);
    struct chosen_runs choice = {0};
    enum status status = chosen ? chosen_runs_find(folder, &choice, error)
                                : error_memory(error, "the results of a sweep");
    for (size_t i = 0; i < choice.count; i++)
        chosen[choice.runs[i]] = true;
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++) {
        if (chosen[i] || folder->results[i].state != RUN_OPEN ||
            folder->models[i].state == RUN_OPEN)
            continue;
        char *path = sweep_folder_path(folder, "runs/%s", sweep->runs[i].name);
        status = path ? run_result_write(&folder->models[i], path, error)
                      : error_memory(error, "the results of a sweep");
        free(path);
    }
    chosen_runs_clear(&choice);
    free(chosen);
    return status == STATUS_OK ? sweep_folder_refresh(folder, error) : status;
}
