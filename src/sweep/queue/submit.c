#include "sweep/queue/submit.h"

#include "base/plural.h"
#include "sweep/parts.h"
#include "sweep/queue/templates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status ask_limits(bool must, struct queue_plan *plan, struct error *error)
{
    const char *longest = plan->launcher.longest;
    if (plan->launcher.kind == QUEUE_SLURM)
        return slurm_limits_ask(&plan->launcher, must, &plan->limits, error);
    plan->limits = (struct slurm_limits){.longest_s = longest ? launcher_seconds(longest) : 0};
    return STATUS_OK;
}

/* A path that would end a comment of the script. */
static enum status check_path(const char *path, struct error *error)
{
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ')
            return error_set(error, STATUS_INPUT,
                             "%s: the path contains a control character, so it cannot be written "
                             "into a script",
                             path);
    return STATUS_OK;
}

enum status queue_plan_make(struct sweep_folder *folder, enum queue_kind kind, bool must,
                            bool split, struct queue_plan *plan, struct error *error)
{
    *plan = (struct queue_plan){0};
    enum status status = launcher_read(folder->sweep, kind, &plan->launcher, error);
    if (status == STATUS_OK)
        status = check_path(folder->path, error);
    if (status == STATUS_OK)
        status = ask_limits(must, plan, error);
    if (status == STATUS_OK && split)
        status = sweep_folder_split(folder, shape_expected_s(plan->limits.longest_s), error);
    if (status == STATUS_OK && folder->part_count == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s: no run is open; see the results by silas-sweep collect %s",
                           folder->path, folder->path);
    if (status == STATUS_OK)
        status = shapes_find(folder, plan->limits.longest_s, &plan->shapes, error);
    return status;
}

void queue_plan_clear(struct queue_plan *plan)
{
    shapes_clear(&plan->shapes);
}

static enum status write_file(const char *path, const char *text, size_t size, struct error *error)
{
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.%ld", path, (long)getpid()) < 0)
        return error_memory(error, "the script");
    FILE *file = fopen(fresh, "we");
    bool good = file && fwrite(text, 1, size, file) == size && fflush(file) == 0 &&
                fsync(fileno(file)) == 0 && fchmod(fileno(file), 0755) == 0;
    int reason = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(fresh, path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good)
        unlink(fresh);
    free(fresh);
    return good ? STATUS_OK
                : error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path,
                            strerror(reason));
}

enum status queue_plan_write(const struct sweep_folder *folder, const struct queue_plan *plan,
                             const char *const *options, FILE *stream, struct error *error)
{
    struct submissions all = {0};
    char *text = NULL,
         *path = sweep_folder_path(folder, "%s", launcher_script(plan->launcher.kind));
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    enum status status = path && memory ? STATUS_OK : error_memory(error, "the script");
    if (status == STATUS_OK)
        status = submissions_plan(&plan->shapes, NULL, plan->limits.array_size, &all, error);
    if (status == STATUS_OK)
        status = script_write(folder, &plan->launcher, &plan->shapes, &all, options, memory, error);
    if (memory && fclose(memory) != 0 && status == STATUS_OK)
        status = error_memory(error, "the script");
    if (status == STATUS_OK)
        status = write_file(path, text, size, error);
    if (status == STATUS_OK && stream && fwrite(text, 1, size, stream) != size)
        status = error_set(error, STATUS_ENVIRONMENT, "cannot write standard output");
    submissions_clear(&all);
    free(text);
    free(path);
    return status;
}

static void free_ids(char **ids)
{
    for (size_t i = 0; ids && ids[i]; i++)
        free(ids[i]);
    free(ids);
}

/* Submits one script. `*ids` is for the caller to free, also after a failure. */
static enum status hand_over(const struct sweep_folder *folder, const struct queue_plan *plan,
                             const struct submission *submission, const char *after, char ***ids,
                             struct error *error)
{
    *ids = NULL;
    if (plan->launcher.kind == QUEUE_SLURM)
        return slurm_submit(folder, &plan->launcher, &plan->shapes, submission, after, ids, error);
    if (!(*ids = calloc(2, sizeof **ids)))
        return error_memory(error, "the jobs of a sweep");
    return templates_submit(folder, &plan->launcher, submission->shape, submission->parts[0],
                            &(*ids)[0], error);
}

static enum status tell(const struct submission *submission, char *const *ids, FILE *stream,
                        struct error *error)
{
    struct bytes parts = {0};
    bool good = jobs_put_ranges(&parts, submission->parts, submission->part_count, 0) &&
                bytes_put(&parts, "", 1);
    if (good)
        fprintf(stream, "Submitted job %.*s: part%s %s\n", (int)strcspn(ids[0], "_"), ids[0],
                plural(submission->part_count), parts.data);
    bytes_clear(&parts);
    return good ? STATUS_OK : error_memory(error, "the jobs of a sweep");
}

/* Where only one job may run at a time, arrays wait for each other. `*after`: the job to wait for.
 */
static enum status submit_one(const struct sweep_folder *folder, const struct queue_plan *plan,
                              const struct submission *submission, struct jobs *jobs,
                              char after[QUEUE_ID_SIZE], FILE *stream, struct error *error)
{
    const bool waits = plan->launcher.kind == QUEUE_SLURM &&
                       script_throttle(&plan->launcher, submission->shape) == 1;
    char **ids = NULL;
    enum status status = jobs_submitting(jobs, submission->parts, submission->part_count, error);
    if (status == STATUS_OK)
        status = hand_over(folder, plan, submission, waits && *after ? after : NULL, &ids, error);
    if (status == STATUS_OK)
        status = jobs_submitted(jobs, submission->parts, submission->part_count,
                                (const char *const *)ids, error);
    if (status == STATUS_OK)
        status = tell(submission, ids, stream, error);
    if (status == STATUS_OK && waits)
        snprintf(after, QUEUE_ID_SIZE, "%.*s", (int)strcspn(ids[0], "_"), ids[0]);
    free_ids(ids);
    return status;
}

enum status queue_plan_submit(const struct sweep_folder *folder, const struct queue_plan *plan,
                              const bool *wanted, struct jobs *jobs, FILE *stream,
                              struct error *error)
{
    struct submissions list = {0};
    char after[QUEUE_ID_SIZE] = "";
    enum status status =
        submissions_plan(&plan->shapes, wanted, plan->limits.array_size, &list, error);
    for (size_t i = 0; i < list.count && status == STATUS_OK; i++)
        status = submit_one(folder, plan, &list.items[i], jobs, after, stream, error);
    submissions_clear(&list);
    return status;
}
