#include "sweep/queue/slurm.h"

#include "base/launcher.h"
#include "base/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_ARRAY_SIZE = 1001, PROGRAM_MISSING = 127 };

/* Runs "scontrol show WHAT DETAIL". Fails with the message of scontrol. */
static enum status ask_scontrol(const char *what, const char *detail, struct bytes *answer,
                                struct error *error)
{
    char *argv[] = {(char[]){"scontrol"}, (char[]){"--oneliner"},         (char[]){"show"},
                    strdup(what),         detail ? strdup(detail) : NULL, NULL};
    struct command_result result = {0};
    enum status status = argv[3] && (argv[4] || !detail) ? command_run(argv, "/", &result, error)
                                                         : error_memory(error, "a command");
    if (status == STATUS_OK && result.exit_code != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "scontrol show %s%s%s: %s", what,
                           detail ? " " : "", detail ? detail : "", command_words(&result));
    if (status == STATUS_OK) {
        *answer = result.output;
        result.output = (struct bytes){0};
    }
    command_result_clear(&result);
    free(argv[3]);
    free(argv[4]);
    return status;
}

/* The value of "Key=value" in a line of scontrol; "" if it is not there. Valid until the next call.
 */
static const char *value_in_line(const char *line, const char *key)
{
    static char word[64];
    const char *place = line;
    size_t length = strlen(key);
    while ((place = strstr(place, key)) &&
           ((place > line && place[-1] != ' ') || place[length] != '='))
        place++;
    word[0] = '\0';
    if (place)
        snprintf(word, sizeof word, "%.*s", (int)strcspn(place + length + 1, " \n"),
                 place + length + 1);
    return word;
}

/* The shorter of two limits; 0 is no limit. */
static double shorter_limit(double a, double b)
{
    return a <= 0 ? b : b <= 0 || a < b ? a : b;
}

/* Finds the shortest MaxTime of the partitions that a job may be put into. `wanted`: a list; NULL:
 * the default partition. */
static enum status ask_partitions(const char *wanted, double *longest_s, struct error *error)
{
    struct bytes answer = {0};
    enum status status = ask_scontrol("partition", NULL, &answer, error);
    *longest_s = 0;
    for (char *line = answer.data, *rest = line;
         status == STATUS_OK && (line = strsep(&rest, "\n"));) {
        char name[64];
        snprintf(name, sizeof name, "%s", value_in_line(line, "PartitionName"));
        bool counts = wanted ? false : strcmp(value_in_line(line, "Default"), "YES") == 0;
        for (const char *list = wanted; list && *list && *name;) {
            size_t length = strcspn(list, ",");
            counts |= strlen(name) == length && strncmp(list, name, length) == 0;
            list += length + (list[length] == ',');
        }
        double limit_s = counts ? launcher_seconds(value_in_line(line, "MaxTime")) : 0;
        *longest_s = shorter_limit(*longest_s, limit_s > 0 ? limit_s : 0);
    }
    bytes_clear(&answer);
    return status;
}

static enum status ask_array_size(size_t *array_size, struct error *error)
{
    struct bytes answer = {0};
    enum status status = ask_scontrol("config", NULL, &answer, error);
    const char *line = status == STATUS_OK ? strstr(answer.data, "MaxArraySize") : NULL;
    *array_size = USUAL_ARRAY_SIZE;
    if (line)
        *array_size = strtoul(line + strcspn(line, "0123456789\n"), NULL, 10);
    bytes_clear(&answer);
    return status;
}

enum status slurm_limits_ask(const struct queue_launcher *launcher, bool must,
                             struct slurm_limits *limits, struct error *error)
{
    const char *time = launcher_option(launcher, "time") ?: launcher->longest;
    *limits = (struct slurm_limits){.array_size = USUAL_ARRAY_SIZE};
    enum status status = ask_array_size(&limits->array_size, error);
    if (status == STATUS_OK && !time)
        status = ask_partitions(launcher_option(launcher, "partition"), &limits->longest_s, error);
    if (status == STATUS_ENVIRONMENT && !must) {
        log_warning("%s; the script assumes the usual limits of Slurm", error->text);
        *error = (struct error){0};
        status = STATUS_OK;
    }
    if (time)
        limits->longest_s = launcher_seconds(time);
    return status;
}

static void free_job_ids(char **ids)
{
    for (size_t i = 0; ids && ids[i]; i++)
        free(ids[i]);
    free(ids);
}

/* Makes the ids of a submission's parts from the output of sbatch --parsable: "1234" or
 * "1234;cluster". */
static enum status make_ids(const struct submission *submission, const char *answer, char ***ids,
                            struct error *error)
{
    int digits = (int)strspn(answer, "0123456789");
    if (digits == 0)
        return error_set(error, STATUS_ENVIRONMENT,
                         "sbatch printed \"%.80s\", which does not begin with the id of a job",
                         answer);
    char **list = calloc(submission->part_count + 1, sizeof *list);
    bool good = list;
    for (size_t i = 0; i < submission->part_count && good; i++)
        good = (submission->array ? asprintf(&list[i], "%.*s_%zu", digits, answer,
                                             submission->parts[i] + 1 - submission->offset)
                                  : asprintf(&list[i], "%.*s", digits, answer)) > 0;
    if (good) {
        *ids = list;
        return STATUS_OK;
    }
    free_job_ids(list);
    return error_memory(error, "the jobs of a sweep");
}

enum status slurm_submit(const struct sweep_folder *folder, const struct queue_launcher *launcher,
                         const struct shapes *shapes, const struct submission *submission,
                         const char *after, char ***ids, struct error *error)
{
    assert(submission->part_count > 0);
    struct bytes line = {0};
    struct command_result result = {0};
    bool good = shell_put(&line, "exec sbatch --parsable");
    *ids = NULL;
    enum status status = good ? script_options(launcher, shapes, submission, after, &line, error)
                              : error_memory(error, "a command");
    good = shell_put(&line, " %s", launcher_script(QUEUE_SLURM)) &&
           (submission->offset == 0 || shell_put(&line, " %zu", submission->offset)) &&
           bytes_put(&line, "", 1);
    if (status == STATUS_OK && !good)
        status = error_memory(error, "a command");
    status = status ?: command_run_line(line.data, folder->path, &result, error);
    if (status == STATUS_OK && result.exit_code != 0)
        status =
            error_set(error, STATUS_ENVIRONMENT, "%s: %s%s", line.data + strlen("exec "),
                      command_words(&result),
                      result.exit_code == PROGRAM_MISSING ? " (is Slurm installed here?)" : "");
    status = status ?: make_ids(submission, result.output.data, ids, error);
    command_result_clear(&result);
    bytes_clear(&line);
    return status;
}

/* Reads "12_3 /home/me/sweep/sweep.sbatch 10". Returns the part of the job, from 1; 0 if the script
 * is not that of this folder. */
static size_t part_of_line(const char *line, const char *script, const char **id_end)
{
    const char *command = strchr(line, ' '), *element = strchr(line, '_');
    size_t length = strlen(script), part = 0;
    if (!command || strncmp(command + 1, script, length) != 0 ||
        (command[1 + length] != '\0' && command[1 + length] != ' '))
        return 0;
    if (element && element < command)
        part = strtoul(element + 1, NULL, 10);
    *id_end = command;
    return part + strtoul(command + 1 + length, NULL, 10);
}

/* Records the jobs that squeue has listed. */
static enum status record_found_jobs(struct jobs *jobs, char *answer, const char *script,
                                     struct error *error)
{
    enum status status = STATUS_OK;
    for (char *line; status == STATUS_OK && (line = strsep(&answer, "\n"));) {
        const char *end = line;
        char id[QUEUE_ID_SIZE];
        size_t part = part_of_line(line, script, &end);
        if (part < 1 || part > jobs->count || jobs->items[part - 1].id)
            continue;
        part--;
        snprintf(id, sizeof id, "%.*s", (int)(end - line), line);
        status = jobs_submitted(jobs, &part, 1, (const char *[]){id}, error);
    }
    return status;
}

enum status slurm_find_lost(const struct sweep_folder *folder, struct jobs *jobs,
                            struct error *error)
{
    char *argv[] = {(char[]){"squeue"},  (char[]){"--me"},           (char[]){"--noheader"},
                    (char[]){"--array"}, (char[]){"--format=%i %o"}, NULL};
    struct command_result result = {0};
    bool without = false;
    for (size_t i = 0; i < jobs->count; i++)
        without |= !jobs->items[i].id;
    if (!without)
        return STATUS_OK;
    const struct folder_path script = sweep_folder_path(folder, "%s", launcher_script(QUEUE_SLURM));
    enum status status = command_run(argv, folder->path, &result, error);
    if (status == STATUS_OK && result.exit_code != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "squeue: %s", command_words(&result));
    status = status ?: record_found_jobs(jobs, result.output.data, script.text, error);
    command_result_clear(&result);
    return status;
}

/* Appends "--jobs=12,13": each job or array once. */
static bool put_job_list(struct bytes *text, const char *const *ids, size_t count)
{
    bool good = shell_put(text, "--jobs=");
    for (size_t i = 0; i < count && good; i++) {
        size_t length = strcspn(ids[i], "_");
        if (i > 0 && strncmp(ids[i - 1], ids[i], length) == 0 && strcspn(ids[i - 1], "_") == length)
            continue;
        good = shell_put(text, "%s%.*s", i == 0 ? "" : ",", (int)length, ids[i]);
    }
    return good && bytes_put(text, "", 1);
}

enum status slurm_ask(const char *directory, const char *const *ids, size_t count,
                      struct bytes *answer, char **failure, struct error *error)
{
    assert(ids && count > 0);
    struct bytes bases = {0};
    struct command_result result = {0};
    *failure = NULL;
    if (!put_job_list(&bases, ids, count)) {
        bytes_clear(&bases);
        return error_memory(error, "a command");
    }
    char *argv[] = {(char[]){"squeue"}, (char[]){"--noheader"},        (char[]){"--array"},
                    bases.data,         (char[]){"--format=%i %T %R"}, NULL};
    enum status status = command_run(argv, directory, &result, error);
    /* It is an answer if none of these jobs is in the queue any more. */
    if (status == STATUS_OK && result.exit_code != 0 &&
        !strstr(result.messages.data, "Invalid job id") &&
        !(*failure = strdup(command_words(&result))))
        status = error_memory(error, "the queue's answer");
    if (status == STATUS_OK && !*failure) {
        *answer = result.output;
        result.output = (struct bytes){0};
    }
    command_result_clear(&result);
    bytes_clear(&bases);
    return status;
}

enum status slurm_cancel(const char *directory, const char *const *ids, size_t count,
                         struct error *error)
{
    assert(ids && count > 0);
    struct command_result result = {0};
    char **argv = calloc(count + 3, sizeof *argv);
    char program[] = "scancel", quiet[] = "--quiet";
    enum status status = argv ? STATUS_OK : error_memory(error, "a command");
    if (argv) {
        argv[0] = program;
        argv[1] = quiet;
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (!(argv[i + 2] = strdup(ids[i])))
            status = error_memory(error, "a command");
    status = status ?: command_run(argv, directory, &result, error);
    if (status == STATUS_OK && result.exit_code != 0 &&
        !strstr(result.messages.data, "Invalid job id"))
        status = error_set(error, STATUS_ENVIRONMENT, "scancel: %s", command_words(&result));
    for (size_t i = 0; argv && i < count; i++)
        free(argv[i + 2]);
    free(argv);
    command_result_clear(&result);
    return status;
}
