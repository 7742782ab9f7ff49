#include "sweep/queue/script.h"

#include "base/launcher.h"
#include "base/plural.h"
#include "base/units.h"
#include "sweep/queue/command.h"
#include "sweep/queue/jobs.h"
#include "sweep/queue/templates.h"
#include "sweep/work_command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

size_t script_throttle(const struct queue_launcher *launcher, const struct shape *shape)
{
    return launcher->throttle >= 0 ? (size_t)launcher->throttle : shape->replays ? 1 : 0;
}

static size_t count_parts(const struct shapes *shapes)
{
    size_t count = 0;
    for (size_t s = 0; s < shapes->count; s++)
        count += shapes->items[s].part_count;
    return count;
}

/* Appends a submission whose first part is `part`. NULL when out of memory. */
static struct submission *append_submission(struct submissions *submissions,
                                            const struct shape *shape, size_t part,
                                            size_t array_size, bool array)
{
    struct submission *fresh = &submissions->items[submissions->count];
    *fresh = (struct submission){
        .shape = shape,
        .parts = calloc(shape->part_count, sizeof *fresh->parts),
        .offset = !array                  ? part + 1
                  : part + 1 < array_size ? 0
                                          : part,
        .array = array,
    };
    submissions->count++;
    return fresh->parts ? fresh : NULL;
}

enum status submissions_plan(const struct shapes *shapes, const bool *wanted, size_t array_size,
                             struct submissions *submissions, struct error *error)
{
    const size_t parts = count_parts(shapes);
    const bool array = parts > 1 && array_size >= 2;
    submissions->count = 0;
    submissions->items = calloc(parts + 1, sizeof *submissions->items);
    if (!submissions->items)
        return error_memory(error, "the jobs of a sweep");
    for (size_t s = 0; s < shapes->count; s++) {
        struct submission *last = NULL;
        for (size_t i = 0; i < shapes->items[s].part_count; i++) {
            size_t part = shapes->items[s].parts[i];
            if (wanted && !wanted[part])
                continue;
            if ((!last || !array || part + 1 - last->offset >= array_size) &&
                !(last =
                      append_submission(submissions, &shapes->items[s], part, array_size, array))) {
                submissions_clear(submissions);
                return error_memory(error, "the jobs of a sweep");
            }
            last->parts[last->part_count++] = part;
        }
    }
    return STATUS_OK;
}

void submissions_clear(struct submissions *submissions)
{
    for (size_t i = 0; i < submissions->count; i++)
        free(submissions->items[i].parts);
    free(submissions->items);
    *submissions = (struct submissions){0};
}

static const char *const option_names[SCRIPT_OPTIONS] = {"time", "nodes", "ntasks",
                                                         "ntasks-per-node", "requeue"};

const char *script_option_name(enum script_option option)
{
    return option_names[option];
}

bool script_option_value(const struct queue_launcher *launcher, const struct shape *shape,
                         enum script_option option, char *value, size_t size)
{
    assert(size > 0);
    const uint32_t numbers[SCRIPT_OPTIONS] = {shape->minutes, shape->nodes, shape->ranks,
                                              shape->replays && shape->even ? shape->per_node : 0,
                                              1};
    const char *own = launcher_option(launcher, option_names[option]);
    snprintf(value, size, "%s", "");
    if (own)
        snprintf(value, size, "%s", own);
    else if (option == OPTION_REQUEUE)
        return !launcher_option(launcher, "no-requeue");
    else if (numbers[option] > 0)
        snprintf(value, size, "%u", numbers[option]);
    return own || numbers[option] > 0;
}

/* True if the option is the same for all shapes, so it is in the head of the script. */
static bool is_common(const struct queue_launcher *launcher, const struct shapes *shapes,
                      enum script_option option)
{
    char first[200], other[200];
    bool given = script_option_value(launcher, &shapes->items[0], option, first, sizeof first);
    for (size_t s = 1; s < shapes->count; s++)
        if (script_option_value(launcher, &shapes->items[s], option, other, sizeof other) !=
                given ||
            strcmp(first, other) != 0)
            return false;
    return true;
}

static bool is_script_option(const char *name)
{
    for (int i = 0; i < SCRIPT_OPTIONS; i++)
        if (strcmp(option_names[i], name) == 0)
            return true;
    return false;
}

bool script_put_option(struct bytes *line, const char *name, const char *value)
{
    return shell_put(line, "--%s%s", name, *value ? "=" : "") &&
           (*value == '\0' || shell_put_word(line, value));
}

/* " --array=1-5%1" */
static bool put_array(struct bytes *line, const struct queue_launcher *launcher,
                      const struct submission *submission)
{
    const size_t most = script_throttle(launcher, submission->shape);
    return shell_put(line, " --array=") &&
           jobs_put_ranges(line, submission->parts, submission->part_count, submission->offset) &&
           (most == 0 || shell_put(line, "%%%zu", most));
}

enum status script_options(const struct queue_launcher *launcher, const struct shapes *shapes,
                           const struct submission *submission, const char *after,
                           struct bytes *line, struct error *error)
{
    assert(submission->part_count > 0);
    bool good = true;
    if (submission->array)
        good = put_array(line, launcher, submission);
    for (int i = 0; i < SCRIPT_OPTIONS && good; i++) {
        char value[200];
        if (!is_common(launcher, shapes, i) &&
            script_option_value(launcher, submission->shape, i, value, sizeof value))
            good = shell_put(line, " ") && script_put_option(line, option_names[i], value);
    }
    if (good && after) {
        const char *own = launcher_option(launcher, "dependency");
        good =
            shell_put(line, " --dependency=%s%safterany:%s", own ? own : "", own ? "," : "", after);
    }
    return good ? STATUS_OK : error_memory(error, "the script");
}

struct batch_script {
    const struct sweep_folder *folder;
    const struct queue_launcher *launcher;
    const struct shapes *shapes;
    const struct submissions *plan;
    const char *const *options;
    FILE *stream;
    struct error *error;
};

static void write_sbatch_option(const struct batch_script *script, const char *name,
                                const char *value)
{
    struct bytes text = {0};
    if (script_put_option(&text, name, value) && bytes_put(&text, "", 1))
        fprintf(script->stream, "#SBATCH %s\n", text.data);
    bytes_clear(&text);
}

static void write_common_option(const struct batch_script *script, enum script_option option)
{
    char value[200];
    if (is_common(script->launcher, script->shapes, option) &&
        script_option_value(script->launcher, &script->shapes->items[0], option, value,
                            sizeof value))
        write_sbatch_option(script, option_names[option], value);
}

/* Writes the first lines, which say how to use the script. */
static void write_script_usage(const struct batch_script *script)
{
    const struct submissions *plan = script->plan;
    const size_t parts = count_parts(script->shapes);
    const char *folder = script->folder->path, *name = launcher_script(script->launcher->kind);
    FILE *stream = script->stream;
    fprintf(stream, "#!/bin/bash\n# The sweep in %s: %zu job%s.\n#\n", folder, parts,
            parts == 1 ? "" : "s, each of which works on one part");
    for (size_t i = 0; i < plan->count && script->launcher->kind == QUEUE_SLURM; i++) {
        struct bytes line = {0};
        const bool alone = plan->count == 1;
        char offset[32] = "";
        if (plan->items[i].offset > 0 && parts > 1)
            snprintf(offset, sizeof offset, " %zu", plan->items[i].offset);
        if ((alone || script_options(script->launcher, script->shapes, &plan->items[i], NULL, &line,
                                     script->error) == STATUS_OK) &&
            bytes_put(&line, "", 1))
            fprintf(stream, "#   sbatch%s %s%s\n", line.data, name, offset);
        bytes_clear(&line);
    }
    fprintf(
        stream,
        "#   bash %s 1\n"
        "#        works on part 1 at once, within an allocation\n#\n"
        "# silas-sweep submits this script. Jobs may be killed and submitted again: runs that\n"
        "# have a result are not repeated.\n"
        "#   silas-sweep status %s\n"
        "# shows the progress; \"resume\" submits the open parts, \"collect\" makes the table.\n",
        name, folder);
}

/* Writes the time limit, and how it was computed. */
static void write_time_limit(const struct batch_script *script)
{
    FILE *stream = script->stream;
    const struct shapes *shapes = script->shapes;
    if (launcher_option(script->launcher, "time"))
        fprintf(stream, "\n# Time limit: from [slurm].\n");
    else
        for (size_t s = 0; s < shapes->count; s++)
            fprintf(stream,
                    "%s# Time limit%s: the longest part should take %s; twice that, plus 2 minutes "
                    "to start,\n# in whole minutes, if the partition allows it: %u.\n",
                    s == 0 ? "\n" : "",
                    shapes->count == 1         ? ""
                    : shapes->items[s].replays ? " of replays"
                                               : " of parts that compute",
                    time_text_alone(shapes->items[s].expected_s, 2).text, shapes->items[s].minutes);
    write_common_option(script, OPTION_TIME);
}

/* Writes the placement of the recording. */
static void write_recorded_placement(const struct batch_script *script)
{
    FILE *stream = script->stream;
    for (size_t s = 0; s < script->shapes->count; s++) {
        const struct shape *shape = &script->shapes->items[s];
        if (!shape->replays)
            fprintf(stream, "# Parts that compute have one process.\n");
        else if (shape->nodes == 0)
            fprintf(stream, "# %u rank%s; the trace does not name their hosts.\n", shape->ranks,
                    plural(shape->ranks));
        else
            fprintf(stream, "# As recorded: %u rank%s on %u host%s, %s%u on each.\n", shape->ranks,
                    plural(shape->ranks), shape->nodes, plural(shape->nodes),
                    shape->even ? "" : "at most ", shape->per_node);
    }
    for (int i = OPTION_NODES; i <= OPTION_PER_NODE; i++)
        write_common_option(script, (enum script_option)i);
}

static void write_sbatch_head(const struct batch_script *script)
{
    const struct ini_section *section = script->launcher->slurm;
    const struct submission *first = &script->plan->items[0];
    FILE *stream = script->stream;
    write_time_limit(script);
    write_recorded_placement(script);
    if (!launcher_option(script->launcher, "no-requeue"))
        fprintf(stream, "# After a failure of a node the job is started again and continues.\n");
    write_common_option(script, OPTION_REQUEUE);
    if (script->plan->count == 1 && first->array) {
        struct bytes line = {0};
        if (script_throttle(script->launcher, first->shape) == 1)
            fprintf(stream,
                    "# One at a time: replays on the same node would disturb each other.\n");
        if (put_array(&line, script->launcher, first) && bytes_put(&line, "", 1))
            fprintf(stream, "#SBATCH%s\n", line.data);
        bytes_clear(&line);
    }
    bool begun = false;
    for (size_t i = 0; section && i < section->entry_count; i++)
        if (!is_script_option(section->entries[i].key)) {
            if (!begun)
                fprintf(stream, "# From [slurm] in sweep.ini:\n");
            begun = true;
            write_sbatch_option(script, section->entries[i].key, section->entries[i].value);
        }
}

/* The command that starts the processes of a part, without the program. */
static enum status expand_run_command(const struct batch_script *script, const struct shape *shape,
                                      char **line)
{
    const char *run = script->launcher->run;
    if (!run && !shape->replays)
        run = "";
    if (!run)
        run =
            script->launcher->kind == QUEUE_SLURM ? "srun --ntasks={ranks}" : "mpiexec -n {ranks}";
    return templates_expand("run", run, script->folder, shape, "\"$part\"", line, script->error);
}

/* Writes "((part >= 1 && part <= 4))" for the parts of a shape. */
static void write_condition(const struct batch_script *script, const struct shape *shape)
{
    for (size_t i = 0; i < shape->part_count;) {
        size_t last = i;
        while (last + 1 < shape->part_count && shape->parts[last + 1] == shape->parts[last] + 1)
            last++;
        fprintf(script->stream, "%s((part >= %zu && part <= %zu))", i > 0 ? " || " : "",
                shape->parts[i] + 1, shape->parts[last] + 1);
        i = last + 1;
    }
}

/* Writes "exec srun --ntasks=4 silas-sweep work --part N DIR". */
static enum status write_exec(const struct batch_script *script, const struct shape *shape,
                              const char *indent)
{
    struct bytes line = {0};
    char *run = NULL;
    enum status status = expand_run_command(script, shape, &run);
    if (status == STATUS_OK && *run && !shell_put(&line, "%s ", run))
        status = error_memory(script->error, "the script");
    status =
        status
            ?: work_command_put(script->folder, "\"$part\"", script->options, &line, script->error);
    if (status == STATUS_OK)
        fprintf(script->stream, "%sexec %s\n", indent, line.data);
    bytes_clear(&line);
    free(run);
    return status;
}

static enum status write_script_work(const struct batch_script *script)
{
    const struct shapes *shapes = script->shapes;
    enum status status = STATUS_OK;
    fprintf(script->stream, "\n%s\n",
            script->launcher->kind != QUEUE_SLURM ? "part=${1:-${SILAS_PART:-1}}"
            : count_parts(shapes) == 1            ? "part=${1:-1}"
                                       : "part=$((${1:-0} + ${SLURM_ARRAY_TASK_ID:-0}))");
    if (shapes->count == 1)
        return write_exec(script, &shapes->items[0], "");
    for (size_t s = 0; s < shapes->count && status == STATUS_OK; s++) {
        fprintf(script->stream, "if ");
        write_condition(script, &shapes->items[s]);
        fprintf(script->stream, "; then\n");
        status = write_exec(script, &shapes->items[s], "    ");
        fprintf(script->stream, "fi\n");
    }
    return status;
}

enum status script_write(const struct sweep_folder *folder, const struct queue_launcher *launcher,
                         const struct shapes *shapes, const struct submissions *plan,
                         const char *const *options, FILE *stream, struct error *error)
{
    const struct batch_script script = {folder, launcher, shapes, plan, options, stream, error};
    write_script_usage(&script);
    if (launcher->kind == QUEUE_SLURM)
        write_sbatch_head(&script);
    enum status status = write_script_work(&script);
    if (status == STATUS_OK && ferror(stream))
        status = error_set(error, STATUS_ENVIRONMENT, "the script cannot be written");
    return status;
}
