#include "sweep/queue/queue.h"

#include "base/log.h"
#include "base/plural.h"
#include "sweep/part_file.h"
#include "sweep/queue/state.h"
#include "sweep/queue/submit.h"
#include "sweep/queue/templates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double LONGEST_PAUSE_S = 300; /* between two queries while nothing changes */

bool queue_used(const struct sweep_folder *folder)
{
    return sweep_folder_has(folder, launcher_script(QUEUE_SLURM)) ||
           sweep_folder_has(folder, launcher_script(QUEUE_LAUNCHER));
}

enum status queue_check(const struct sweep_plan *sweep, enum queue_kind kind, struct error *error)
{
    struct queue_launcher launcher;
    return launcher_read(sweep, kind, &launcher, error) ?: templates_check(&launcher, error);
}

enum status queue_script(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, struct error *error)
{
    struct queue_plan plan;
    enum status status = queue_plan_make(folder, kind, false, true, &plan, error)
                             ?: queue_plan_write(folder, &plan, options, stream, error);
    queue_plan_clear(&plan);
    return status;
}

enum status queue_submit(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, bool *submitted,
                         struct error *error)
{
    struct queue_plan plan = {0};
    struct jobs jobs = {.file = -1};
    *submitted = false;
    if (queue_used(folder))
        return error_set(
            error, STATUS_INPUT,
            "%s has a script already; submit its open runs with \"silas-sweep resume %s\"",
            folder->path, folder->path);
    enum status status = queue_plan_make(folder, kind, true, true, &plan, error)
                             ?: queue_plan_write(folder, &plan, options, NULL, error)
                             ?: jobs_open(folder, JOBS_CHANGE, &jobs, error);
    if (status == STATUS_OK && !jobs_exist(&jobs))
        status = jobs_begin(&jobs, kind, error);
    status = status ?: queue_plan_submit(folder, &plan, NULL, &jobs, stream, error);
    for (size_t i = 0; i < jobs.count; i++)
        *submitted |= jobs.items[i].id != NULL;
    jobs_close(&jobs);
    queue_plan_clear(&plan);
    return status;
}

struct open_queue {
    struct sweep_folder *folder;
    struct queue_launcher launcher;
    struct jobs jobs;
    struct queue_state state;
};

static void close_queue(struct open_queue *queue)
{
    queue_state_clear(&queue->state);
    jobs_close(&queue->jobs);
}

/* Reads the jobs. After a failure there is nothing to close. */
static enum status open_queue(struct sweep_folder *folder, enum jobs_use use,
                              struct open_queue *queue, struct error *error)
{
    *queue = (struct open_queue){.folder = folder, .jobs = {.file = -1}};
    if (!queue_used(folder))
        return error_set(
            error, STATUS_INPUT,
            "%s: the sweep is not for a queue; silas-sweep --run makes one for a queue",
            folder->path);
    enum status status = jobs_open(folder, use, &queue->jobs, error);
    if (status == STATUS_OK && !jobs_exist(&queue->jobs))
        queue->jobs.kind =
            sweep_folder_has(folder, launcher_script(QUEUE_SLURM)) ? QUEUE_SLURM : QUEUE_LAUNCHER;
    status = status ?: launcher_read(folder->sweep, queue->jobs.kind, &queue->launcher, error);
    if (status != STATUS_OK)
        close_queue(queue);
    return status;
}

static size_t count_open_runs(const struct open_queue *queue, size_t part)
{
    return sweep_part_count_open(queue->folder, &queue->folder->parts[part]);
}

static size_t count_all_open_runs(const struct open_queue *queue)
{
    size_t open = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++)
        open += count_open_runs(queue, i);
    return open;
}

/* Asks the queue, unless no run is open. Then reads the results again, so that a job which has
 * ended meanwhile does not seem to be lost. */
static enum status ask_queue(struct open_queue *queue, enum state_age age, struct error *error)
{
    enum status status = sweep_folder_refresh(queue->folder, error);
    if (status != STATUS_OK || count_all_open_runs(queue) == 0)
        return status;
    queue_state_clear(&queue->state);
    status =
        queue_state_ask(queue->folder, &queue->launcher, &queue->jobs, age, &queue->state, error);
    return status ?: sweep_folder_refresh(queue->folder, error);
}

static enum job_life life_of(const struct open_queue *queue, size_t part, const char **words)
{
    return queue_state_of(&queue->state, &queue->jobs.items[part], words);
}

static size_t count_failed_runs(const struct open_queue *queue, const struct sweep_part *part)
{
    size_t failed = 0;
    for (size_t i = 0; i < part->run_count; i++)
        failed += queue->folder->results[part->runs[i]].state == RUN_FAILED;
    return failed;
}

/* Prints the state of a part's job, "job 12_3 RUNNING node17". */
static void print_job_state(const struct open_queue *queue, size_t part, FILE *stream)
{
    const struct queue_job *job = &queue->jobs.items[part];
    const char *words, *id = job->id ? job->id : "";
    enum job_life life = life_of(queue, part, &words);
    if (count_open_runs(queue, part) == 0)
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

/* Prints when the queue was asked, and what the user can do. */
static void print_next_step(const struct open_queue *queue, FILE *stream)
{
    const struct queue_state *state = &queue->state;
    size_t idle = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const char *words;
        enum job_life life = life_of(queue, i, &words);
        idle += count_open_runs(queue, i) > 0 && (life == JOB_NONE || life == JOB_GONE);
    }
    if (state->asked > 0)
        fprintf(
            stream, "The queue was asked %lld s ago%s%s.\n", (long long)(time(NULL) - state->asked),
            state->failure ? " and did not answer: " : "", state->failure ? state->failure : "");
    if (idle > 0)
        fprintf(stream, "%zu part%s with open runs %s no job: silas-sweep resume %s\n", idle,
                plural(idle), idle == 1 ? "has" : "have", queue->folder->path);
    else if (count_all_open_runs(queue) == 0)
        fprintf(stream, "All parts are complete: silas-sweep collect %s\n", queue->folder->path);
}

enum status queue_status(struct sweep_folder *folder, FILE *stream, struct error *error)
{
    struct open_queue queue;
    enum status status =
        open_queue(folder, JOBS_READ, &queue, error) ?: ask_queue(&queue, STATE_RECENT, error);
    for (size_t i = 0; i < folder->part_count && status == STATUS_OK; i++) {
        const struct sweep_part *part = &folder->parts[i];
        size_t open = count_open_runs(&queue, i), failed = count_failed_runs(&queue, part);
        fprintf(stream, "part %zu: %zu run%s, %zu done, %zu failed, %zu open%s; ", i + 1,
                part->run_count, plural(part->run_count), part->run_count - open - failed, failed,
                open, sweep_part_rounds_text(folder, i).text);
        print_job_state(&queue, i, stream);
    }
    if (status == STATUS_OK)
        print_next_step(&queue, stream);
    close_queue(&queue);
    return status;
}

/* Lists the jobs that may still be in the queue. Returns their number. */
static size_t list_jobs(const struct open_queue *queue, size_t *parts, const char **ids)
{
    size_t count = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const struct queue_job *job = &queue->jobs.items[i];
        if (!job->id || job->cancelled || count_open_runs(queue, i) == 0)
            continue;
        parts[count] = i;
        ids[count++] = job->id;
    }
    return count;
}

enum status queue_cancel(struct sweep_folder *folder, FILE *stream, struct error *error)
{
    struct open_queue queue;
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
    if (status == STATUS_OK && count > 0)
        fprintf(stream, "Cancelled %zu job%s. To continue: silas-sweep resume %s\n", count,
                plural(count), folder->path);
    else if (status == STATUS_OK)
        fprintf(stream, "No job is left to cancel in %s\n", folder->path);
    close_queue(&queue);
    free(parts);
    free(ids);
    return status;
}

/* Chooses the parts that no job works on. Fails if the queue does not answer. */
static enum status choose_parts(const struct open_queue *queue, bool *wanted, size_t *count,
                                size_t *alive, struct error *error)
{
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const char *words;
        enum job_life life = life_of(queue, i, &words);
        if (count_open_runs(queue, i) == 0)
            continue;
        if (life == JOB_UNKNOWN)
            return error_set(
                error, STATUS_ENVIRONMENT,
                "the queue does not answer, so job %s may still be waiting or running: "
                "%s",
                queue->jobs.items[i].id, queue->state.failure);
        wanted[i] = life != JOB_ALIVE;
        *count += wanted[i];
        *alive += life == JOB_ALIVE;
    }
    return STATUS_OK;
}

/* Submits the wanted parts with the existing script. */
static enum status submit_again(const struct open_queue *queue, const bool *wanted,
                                struct jobs *jobs, FILE *stream, struct error *error)
{
    struct queue_plan plan;
    enum status status =
        queue_plan_make(queue->folder, queue->launcher.kind, true, false, &plan, error)
            ?: queue_plan_submit(queue->folder, &plan, wanted, jobs, stream, error);
    queue_plan_clear(&plan);
    return status;
}

enum status queue_resume(struct sweep_folder *folder, FILE *stream, struct error *error)
{
    struct open_queue queue;
    size_t count = 0, alive = 0;
    bool *wanted = calloc(folder->part_count + 1, sizeof *wanted);
    enum status status = open_queue(folder, JOBS_CHANGE, &queue, error);
    if (status == STATUS_OK && !wanted)
        status = error_memory(error, "the jobs of a sweep");
    if (status == STATUS_OK && !jobs_exist(&queue.jobs))
        status = jobs_begin(&queue.jobs, queue.jobs.kind, error);
    if (status == STATUS_OK && queue.launcher.kind == QUEUE_SLURM)
        status = slurm_find_lost(folder, &queue.jobs, error);
    status = status ?: ask_queue(&queue, STATE_FRESH, error)
                 ?: choose_parts(&queue, wanted, &count, &alive, error);
    if (status == STATUS_OK && count > 0)
        status = submit_again(&queue, wanted, &queue.jobs, stream, error);
    if (status == STATUS_OK && count == 0 && alive > 0)
        fprintf(stream, "Nothing to submit: the queue still has the jobs of %zu part%s\n", alive,
                plural(alive));
    if (status == STATUS_OK && count == 0 && alive == 0)
        fprintf(stream, "Nothing to submit: all parts are complete\n");
    close_queue(&queue);
    free(wanted);
    return status;
}

/* The number of parts whose job may still finish runs. */
static size_t count_alive_parts(const struct open_queue *queue)
{
    size_t alive = 0;
    for (size_t i = 0; i < queue->folder->part_count; i++) {
        const char *words;
        enum job_life life = life_of(queue, i, &words);
        alive += count_open_runs(queue, i) > 0 && (life == JOB_ALIVE || life == JOB_UNKNOWN);
    }
    return alive;
}

/* Sleeps for `pause_s`, or until no run is open. */
static enum status sleep_while_open(struct open_queue *queue, double pause_s, struct error *error)
{
    enum status status = STATUS_OK;
    for (double left_s = pause_s; left_s > 0 && status == STATUS_OK; left_s--) {
        status = sweep_folder_refresh(queue->folder, error);
        if (count_all_open_runs(queue) == 0)
            break;
        sleep(1);
    }
    return status;
}

enum status queue_wait(struct sweep_folder *folder, struct error *error)
{
    struct open_queue queue;
    size_t alive = 0, open = 0;
    enum status status = open_queue(folder, JOBS_READ, &queue, error);
    double pause_s = queue.launcher.interval_s;
    while (status == STATUS_OK && (status = ask_queue(&queue, STATE_RECENT, error)) == STATUS_OK) {
        size_t now_alive = count_alive_parts(&queue), now_open = count_all_open_runs(&queue);
        if (now_open == 0 || now_alive == 0)
            break;
        pause_s = now_alive == alive && now_open == open ? fmin(2 * pause_s, LONGEST_PAUSE_S)
                                                         : queue.launcher.interval_s;
        alive = now_alive;
        open = now_open;
        status = sleep_while_open(&queue, fmax(pause_s, queue.launcher.interval_s), error);
    }
    close_queue(&queue);
    return status;
}
