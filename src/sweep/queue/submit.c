#include "sweep/queue/submit.h"

#include "base/plural.h"
#include "report/report_file.h"
#include "sweep/split.h"
#include "sweep/queue/templates.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum status ask_limits(bool must, struct queue_plan *plan, struct error *error)
{
    const char *longest = plan->launcher.longest;
    if (plan->launcher.kind == QUEUE_SLURM)
        return slurm_limits_ask(&plan->launcher, must, &plan->limits, error);
    plan->limits = (struct slurm_limits){.longest_s = longest ? launcher_seconds(longest) : 0};
    return STATUS_OK;
}

/* Fails for a path that would end a comment of the script. */
static enum status check_path_for_script(const char *path, struct error *error)
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
    enum status status = launcher_read(folder->sweep, kind, &plan->launcher, error)
                             ?: check_path_for_script(folder->path, error)
                             ?: ask_limits(must, plan, error);
    if (status == STATUS_OK && split)
        status = sweep_parts_split(folder, shape_expected_s(plan->limits.longest_s), error);
    if (status == STATUS_OK && folder->part_count == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s: no run is open; \"silas-sweep collect %s\" shows the results",
                           folder->path, folder->path);
    return status ?: shapes_find(folder, plan->limits.longest_s, &plan->shapes, error);
}

void queue_plan_clear(struct queue_plan *plan)
{
    shapes_clear(&plan->shapes);
}

struct script_source {
    const char *text;
    size_t size;
};

static bool print_script(const void *what, FILE *stream)
{
    const struct script_source *script = what;
    return fwrite(script->text, 1, script->size, stream) == script->size;
}

enum status queue_plan_write(const struct sweep_folder *folder, const struct queue_plan *plan,
                             const char *const *options, FILE *stream, struct error *error)
{
    struct submissions all = {0};
    struct script_source script = {0};
    char *text = NULL;
    FILE *memory = open_memstream(&text, &script.size);
    const struct folder_path path =
        sweep_folder_path(folder, "%s", launcher_script(plan->launcher.kind));
    enum status status =
        (memory ? STATUS_OK : error_memory(error, "the script"))
            ?: submissions_plan(&plan->shapes, NULL, plan->limits.array_size, &all, error)
            ?: script_write(folder, &plan->launcher, &plan->shapes, &all, options, memory, error);
    if (memory && fclose(memory) != 0 && status == STATUS_OK)
        status = error_memory(error, "the script");
    script.text = text;
    status = status ?: report_file_write(path.text, print_script, &script, error);
    if (status == STATUS_OK && chmod(path.text, 0755) != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "%s: cannot be made executable: %s",
                           path.text, strerror(errno));
    if (status == STATUS_OK && stream)
        print_script(&script, stream);
    submissions_clear(&all);
    free(text);
    return status;
}

static void free_submitted_ids(char **ids)
{
    for (size_t i = 0; ids && ids[i]; i++)
        free(ids[i]);
    free(ids);
}

/* Submits one script. The caller frees `*ids`, which is NULL after a failure. */
static enum status submit_script(const struct sweep_folder *folder, const struct queue_plan *plan,
                                 const struct submission *submission, const char *after,
                                 char ***ids, struct error *error)
{
    *ids = NULL;
    if (plan->launcher.kind == QUEUE_SLURM)
        return slurm_submit(folder, &plan->launcher, &plan->shapes, submission, after, ids, error);
    if (!(*ids = calloc(2, sizeof **ids)))
        return error_memory(error, "the jobs of a sweep");
    return templates_submit(folder, &plan->launcher, submission->shape, submission->parts[0],
                            &(*ids)[0], error);
}

static enum status print_submission(const struct submission *submission, char *const *ids,
                                    FILE *stream, struct error *error)
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

/* Submits one script and records its jobs. `after`: the job that it waits for, if only one job may
 * run at a time; then it becomes this job. */
static enum status submit_one(const struct sweep_folder *folder, const struct queue_plan *plan,
                              const struct submission *submission, struct jobs *jobs,
                              char after[QUEUE_ID_SIZE], FILE *stream, struct error *error)
{
    const bool waits = plan->launcher.kind == QUEUE_SLURM &&
                       script_throttle(&plan->launcher, submission->shape) == 1;
    char **ids = NULL;
    enum status status =
        jobs_submitting(jobs, submission->parts, submission->part_count, error)
            ?: submit_script(folder, plan, submission, waits && *after ? after : NULL, &ids, error)
            ?: jobs_submitted(jobs, submission->parts, submission->part_count,
                              (const char *const *)ids, error)
            ?: print_submission(submission, ids, stream, error);
    if (status == STATUS_OK && waits)
        snprintf(after, QUEUE_ID_SIZE, "%.*s", (int)strcspn(ids[0], "_"), ids[0]);
    free_submitted_ids(ids);
    return status;
}

enum status queue_plan_submit(const struct sweep_folder *folder, const struct queue_plan *plan,
                              const bool *wanted, struct jobs *jobs, FILE *stream,
                              struct error *error)
{
    assert(plan && jobs && stream);
    struct submissions list = {0};
    char after[QUEUE_ID_SIZE] = "";
    enum status status =
        submissions_plan(&plan->shapes, wanted, plan->limits.array_size, &list, error);
    for (size_t i = 0; i < list.count && status == STATUS_OK; i++)
        status = submit_one(folder, plan, &list.items[i], jobs, after, stream, error);
    submissions_clear(&list);
    return status;
}
