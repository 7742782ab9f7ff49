#include "sweep/queue/queue.h"

#include "base/log.h"
#include "base/plural.h"
#include "sweep/parts.h"
#include "sweep/queue/state.h"
#include "sweep/queue/submit.h"
#include "sweep/queue/templates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double LONGEST_PAUSE_S = 300;

static bool has_script(const struct sweep_folder *folder, enum queue_kind kind)
{
    char *path = sweep_folder_path(folder, "%s", launcher_script(kind));
    bool has = path && access(path, F_OK) == 0;
    free(path);
    return has;
}

bool queue_used(const struct sweep_folder *folder)
{
    return has_script(folder, QUEUE_SLURM) || has_script(folder, QUEUE_LAUNCHER);
}

enum status queue_check(const struct sweep *sweep, enum queue_kind kind, struct error *error)
{
    struct launcher launcher;
    enum status status = launcher_read(sweep, kind, &launcher, error);
    return status == STATUS_OK ? templates_check(&launcher, error) : status;
}

static enum status flush(FILE *stream, struct error *error)
{
    return fflush(stream) == 0 && !ferror(stream)
               ? STATUS_OK
               : error_set(error, STATUS_ENVIRONMENT, "cannot write standard output");
}

enum status queue_script(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, struct error *error)
{
    struct queue_plan plan;
    enum status status = queue_plan_make(folder, kind, false, true, &plan, error);
    if (status == STATUS_OK)
        status = queue_plan_write(folder, &plan, options, stream, error);
    queue_plan_clear(&plan);
    return status == STATUS_OK ? flush(stream, error) : status;
}

enum status queue_submit(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, struct error *error)
{
    struct queue_plan plan = {0};
    struct jobs jobs = {.file = -1};
    if (queue_used(folder))
        return error_set(error, STATUS_INPUT,
                         "%s has a script already; to submit what is open: silas-sweep resume %s",
                         folder->path, folder->path);
    enum status status = queue_plan_make(folder, kind, true, true, &plan, error);
    if (status == STATUS_OK)
        status = queue_plan_write(folder, &plan, options, NULL, error);
    if (status == STATUS_OK)
        status = jobs_open(folder, JOBS_CHANGE, &jobs, error);
    if (status == STATUS_OK && !jobs_exist(&jobs))
        status = jobs_begin(&jobs, kind, error);
    if (status == STATUS_OK)
        status = queue_plan_submit(folder, &plan, NULL, &jobs, stream, error);
    jobs_close(&jobs);
    queue_plan_clear(&plan);
    return status == STATUS_OK ? flush(stream, error) : status;
}

struct queue {
    struct sweep_folder *folder;
    struct launcher launcher;
    struct jobs jobs;
    struct queue_state state;
};

static void close_queue(struct queue *queue)
{
    queue_state_clear(&queue->state);
    jobs_close(&queue->jobs);
}

/* Reads the jobs. Close the queue in any case. */
static enum status open_queue(struct sweep_folder *folder, enum jobs_use use, struct queue *queue,
                              struct error *error)
{
    *queue = (struct queue){.folder = folder, .jobs = {.file = -1}};
    if (!queue_used(folder))
        return error_set(error, STATUS_INPUT,
                         "%s: the sweep is not for a queue (silas-sweep --run makes one that is)",
                         folder->path);
    enum status status = jobs_open(folder, use, &queue->jobs, error);
    if (!jobs_exist(&queue->jobs))
        queue->jobs.kind = has_script(folder, QUEUE_SLURM) ? QUEUE_SLURM : QUEUE_LAUNCHER;
    if (status == STATUS_OK)
        status = launcher_read(folder->sweep, queue->jobs.kind, &queue->launcher, error);
    return status;
}

static size_t open_runs(const struct queue *queue, size_t part)
{
    return sweep_part_open(queue->folder, &queue->folder->parts[part]);
}

static size_t all_open_runs(const struct queue *queue)
{
    size_t open = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++)
        open += open_runs(queue, i);
    return open;
}

/* Asks the queue, unless nothing is open. Results are read after that, so that a job which has
 * ended meanwhile does not seem to be lost. */
static enum status ask(struct queue *queue, enum state_age age, struct error *error)
{
    enum status status = sweep_folder_refresh(queue->folder, error);
    if (status != STATUS_OK || all_open_runs(queue) == 0)
        return status;
    queue_state_clear(&queue->state);
    status =
        queue_state_ask(queue->folder, &queue->launcher, &queue->jobs, age, &queue->state, error);
    return status == STATUS_OK ? sweep_folder_refresh(queue->folder, error) : status;
}

static enum job_life life_of(const struct queue *queue, size_t part, const char **words)
{
    return queue_state_of(&queue->state, &queue->jobs.items[part], words);
}

static size_t count_failed(const struct queue *queue, const struct sweep_part *part)
{
    size_t failed = 0;
    for (size_t i = 0; i < part->run_count; i++)
        failed += queue->folder->results[part->runs[i]].state == RUN_FAILED;
    return failed;
}

/* What there is to say of a part's job, "job 12_3 RUNNING node17". */
static void print_job(const struct queue *queue, size_t part, FILE *stream)
{
    const struct job *job = &queue->jobs.items[part];
    const char *words, *id = job->id ? job->id : "";
    enum job_life life = life_of(queue, part, &words);
    if (open_runs(queue, part) == 0)
        fprintf(stream, "complete\n");
    else if (job->unsure)
        fprintf(stream, "its submission was interrupted\n");
    else if (job->cancelled)
        fprintf(stream, "job %s cancelled\n", id);
    else if (life == JOB_NONE)
        fprintf(stream, "not submitted\n");
    else if (life == JOB_ALIVE)
        fprintf(stream, "job %s %s\n", id, words);
    else
        fprintf(stream, "job %s %s\n", id,
                life == JOB_GONE ? "has ended before its runs were done"
                                 : "(the queue does not answer)");
}

static void print_advice(const struct queue *queue, FILE *stream)
{
    const struct queue_state *state = &queue->state;
    size_t idle = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const char *words;
        enum job_life life = life_of(queue, i, &words);
        idle += open_runs(queue, i) > 0 && (life == JOB_NONE || life == JOB_GONE);
    }
    if (state->asked > 0)
        fprintf(
            stream, "The queue was asked %lld s ago%s%s.\n", (long long)(time(NULL) - state->asked),
            state->failure ? " and did not answer: " : "", state->failure ? state->failure : "");
    if (idle > 0)
        fprintf(stream, "%zu part%s with open runs %s no job: silas-sweep resume %s\n", idle,
                plural(idle), idle == 1 ? "has" : "have", queue->folder->path);
    else if (all_open_runs(queue) == 0)
        fprintf(stream, "All parts are complete: silas-sweep collect %s\n", queue->folder->path);
}

enum status queue_status(struct sweep_folder *folder, FILE *stream, struct error *error)
{
    struct queue queue;
    enum status status = open_queue(folder, JOBS_READ, &queue, error);
    if (status == STATUS_OK)
        status = ask(&queue, STATE_RECENT, error);
    for (size_t i = 0; i < folder->part_count && status == STATUS_OK; i++) {
        const struct sweep_part *part = &folder->parts[i];
        size_t open = open_runs(&queue, i), failed = count_failed(&queue, part);
        fprintf(stream, "part %zu: %zu run%s, %zu done, %zu failed, %zu open; ", i + 1,
                part->run_count, plural(part->run_count), part->run_count - open - failed, failed,
                open);
        print_job(&queue, i, stream);
    }
    if (status == STATUS_OK)
        print_advice(&queue, stream);
    close_queue(&queue);
    return status == STATUS_OK ? flush(stream, error) : status;
}

/* Lists the jobs that may be alive. Returns how many. */
static size_t list_jobs(const struct queue *queue, size_t *parts, const char **ids)
{
    size_t count = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const struct job *job = &queue->jobs.items[i];
        if (!job->id || job->cancelled || open_runs(queue, i) == 0)
            continue;
        parts[count] = i;
        ids[count++] = job->id;
    }
    return count;
}

enum status queue_cancel(struct sweep_folder *folder, FILE *stream, struct error *error)
{
    struct queue queue;
    size_t *parts = calloc(folder->part_count + 1, sizeof *parts), count = 0;
    const char **ids = calloc(folder->part_count + 1, sizeof *ids);
    enum status status = open_queue(folder, JOBS_CHANGE, &queue, error);
    if (status == STATUS_OK && !(parts && ids))
        status = error_memory(error, "the jobs of a sweep");
    if (status == STATUS_OK && queue.launcher.kind == QUEUE_SLURM)
        status = slurm_find_lost(folder, &queue.jobs, error);
    if (status == STATUS_OK)
        count = list_jobs(&queue, parts, ids);
    if (status == STATUS_OK && count > 0)
        status = queue.launcher.kind == QUEUE_SLURM
                     ? slurm_cancel(folder->path, ids, count, error)
                     : templates_cancel(folder, &queue.launcher, ids, count, error);
    if (status == STATUS_OK && count > 0)
        status = jobs_cancelled(&queue.jobs, parts, count, error);
    if (status == STATUS_OK)
        fprintf(stream,
                count > 0 ? "Cancelled %zu job%s. To go on: silas-sweep resume %s\n"
                          : "No job is left to cancel (%zu job%s) in %s\n",
                count, plural(count), folder->path);
    close_queue(&queue);
    free(parts);
    free(ids);
    return status == STATUS_OK ? flush(stream, error) : status;
}

/* Chooses the parts that nobody works on. Fails if that is not known. */
static enum status choose(const struct queue *queue, bool *wanted, size_t *count, size_t *alive,
                          struct error *error)
{
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const char *words;
        enum job_life life = life_of(queue, i, &words);
        if (open_runs(queue, i) == 0)
            continue;
        if (life == JOB_UNKNOWN)
            return error_set(error, STATUS_ENVIRONMENT,
                             "the queue does not answer, so nobody knows whether job %s is still "
                             "alive: %s",
                             queue->jobs.items[i].id, queue->state.failure);
        wanted[i] = life != JOB_ALIVE;
        *count += wanted[i];
        *alive += life == JOB_ALIVE;
    }
    return STATUS_OK;
}

/* Submits the wanted parts, by the script that is there. */
static enum status submit_again(const struct queue *queue, const bool *wanted, struct jobs *jobs,
                                FILE *stream, struct error *error)
{
    struct queue_plan plan;
    enum status status =
        queue_plan_make(queue->folder, queue->launcher.kind, true, false, &plan, error);
    if (status == STATUS_OK)
        status = queue_plan_submit(queue->folder, &plan, wanted, jobs, stream, error);
    queue_plan_clear(&plan);
    return status;
}

enum status queue_resume(struct sweep_folder *folder, FILE *stream, struct error *error)
{
    struct queue queue;
    size_t count = 0, alive = 0;
    bool *wanted = calloc(folder->part_count + 1, sizeof *wanted);
    enum status status = open_queue(folder, JOBS_CHANGE, &queue, error);
    if (status == STATUS_OK && !wanted)
        status = error_memory(error, "the jobs of a sweep");
    if (status == STATUS_OK && !jobs_exist(&queue.jobs))
        status = jobs_begin(&queue.jobs, queue.jobs.kind, error);
    if (status == STATUS_OK && queue.launcher.kind == QUEUE_SLURM)
        status = slurm_find_lost(folder, &queue.jobs, error);
    if (status == STATUS_OK)
        status = ask(&queue, STATE_FRESH, error);
    if (status == STATUS_OK)
        status = choose(&queue, wanted, &count, &alive, error);
    if (status == STATUS_OK && count > 0)
        status = submit_again(&queue, wanted, &queue.jobs, stream, error);
    if (status == STATUS_OK && count == 0 && alive > 0)
        fprintf(stream, "Nothing to submit: the queue still has the jobs of %zu part%s\n", alive,
                plural(alive));
    if (status == STATUS_OK && count == 0 && alive == 0)
        fprintf(stream, "Nothing to submit: all parts are complete\n");
    close_queue(&queue);
    free(wanted);
    return status == STATUS_OK ? flush(stream, error) : status;
}

/* The number of parts whose job may still bring results. */
static size_t count_alive(const struct queue *queue)
{
    size_t alive = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const char *words;
        enum job_life life = life_of(queue, i, &words);
        alive += open_runs(queue, i) > 0 && (life == JOB_ALIVE || life == JOB_UNKNOWN);
    }
    return alive;
}

/* Sleeps for `pause_s`, or until no run is open. */
static enum status rest(struct queue *queue, double pause_s, struct error *error)
{
    enum status status = STATUS_OK;
    for (double left_s = pause_s; left_s > 0 && status == STATUS_OK; left_s--) {
        status = sweep_folder_refresh(queue->folder, error);
        if (all_open_runs(queue) == 0)
            break;
        sleep(1);
    }
    return status;
}

enum status queue_wait(struct sweep_folder *folder, struct error *error)
{
    struct queue queue;
    size_t alive = 0, open = 0;
    enum status status = open_queue(folder, JOBS_READ, &queue, error);
    double pause_s = queue.launcher.interval_s;
    while (status == STATUS_OK && (status = ask(&queue, STATE_RECENT, error)) == STATUS_OK) {
        size_t now_alive = count_alive(&queue), now_open = all_open_runs(&queue);
        if (now_open == 0 || now_alive == 0)
            break;
        pause_s = now_alive == alive && now_open == open ? fmin(2 * pause_s, LONGEST_PAUSE_S)
                                                         : queue.launcher.interval_s;
        alive = now_alive;
        open = now_open;
        status = rest(&queue, fmax(pause_s, queue.launcher.interval_s), error);
    }
    close_queue(&queue);
    return status;
}
