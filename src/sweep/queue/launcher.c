#include "sweep/queue/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const placements[] = {"recorded", "any", NULL};

static const struct ini_key keys[] = {
    INI_KEY(queue_launcher, submit, STRING),
    INI_KEY(queue_launcher, state, STRING),
    INI_KEY(queue_launcher, cancel, STRING),
    INI_KEY(queue_launcher, run, STRING),
    INI_KEY(queue_launcher, longest, STRING),
    INI_KEY(queue_launcher, throttle, INTEGER, .least = 0, .most = 1000000),
    INI_KEY_AT("interval", queue_launcher, interval_s, DURATION),
    INI_KEY(queue_launcher, placement, CHOICE, .choices = placements),
    INI_KEYS_END,
};

const char *launcher_script(enum queue_kind kind)
{
    return kind == QUEUE_SLURM ? "sweep.sbatch" : "sweep.sh";
}

double launcher_seconds(const char *text)
{
    double days = 0, fields[3] = {0};
    size_t count = 0;
    char *end = NULL;
    const char *dash = strchr(text, '-');
    if (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0)
        return 0;
    if (dash) {
        days = strtod(text, &end);
        if (end != dash)
            return -1;
        text = dash + 1;
    }
    do {
        if (count == 3 || *text < '0' || *text > '9')
            return -1;
        fields[count++] = strtod(text, &end);
        text = end + 1;
    } while (*end == ':');
    if (*end != '\0')
        return -1;
    if (dash) /* hours first */
        return 86400 * days + 3600 * fields[0] + 60 * fields[1] + fields[2];
    return count == 3 ? 3600 * fields[0] + 60 * fields[1] + fields[2] : 60 * fields[0] + fields[1];
}

static enum status check_time_limit(const struct ini_section *section, const char *key,
                                    const char *value, struct error *error)
{
    if (launcher_seconds(value) >= 0)
        return STATUS_OK;
    return section_error(error, section, key,
                         "%s = \"%s\": expected a time limit such as 90 (minutes), 1:30:00 or "
                         "2-12 (days-hours)",
                         key, value);
}

const char *launcher_option(const struct queue_launcher *launcher, const char *name)
{
    return launcher->slurm ? ini_value(launcher->slurm, name) : NULL;
}

/* The reason why [slurm] cannot have this option, because the sweep sets it itself; NULL: it can.
 */
static const char *refusal_of(const char *key)
{
    static const struct {
        const char *key, *reason;
    } refused[] = {
        {"array", "the sweep makes the array; throttle in [launcher] limits the jobs at a time"},
        {"ntasks", "a replay has as many processes as the recording has ranks"},
        {"wrap", "the sweep has a script"},
        {"parsable", "the sweep gives this option itself"},
        {"test-only", "--script prints the script"},
        {"wait", "sbatch must return at once"},
        {"help", "no job would be submitted"},
        {"usage", "no job would be submitted"},
        {"version", "no job would be submitted"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i].key, key) == 0)
            return refused[i].reason;
    return NULL;
}

static enum status check_slurm_option(const struct ini_section *section,
                                      const struct ini_entry *option, struct error *error)
{
    const char *reason = refusal_of(option->key);
    if (reason)
        return section_error(error, section, option->key, "%s cannot be set: %s", option->key,
                             reason);
    if (option->key[strspn(option->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"
                                        "0123456789")] != '\0' ||
        option->key[0] == '-')
        return section_error(error, section, option->key,
                             "\"%s\" is not a long option of sbatch; write \"partition\" for "
                             "--partition",
                             option->key);
    for (const char *c = option->value; *c; c++)
        if ((unsigned char)*c < ' ')
            return section_error(error, section, option->key,
                                 "the value of %s contains a control character (a line of a script "
                                 "must hold it)",
                                 option->key);
    return strcmp(option->key, "time") == 0
               ? check_time_limit(section, option->key, option->value, error)
               : STATUS_OK;
}

static enum status check_slurm(const struct ini_section *section, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < section->entry_count && status == STATUS_OK; i++)
        status = check_slurm_option(section, &section->entries[i], error);
    return status;
}

static enum status check_templates(const struct sweep_plan *sweep,
                                   const struct ini_section *section,
                                   const struct queue_launcher *launcher, struct error *error)
{
    static const char *const needed[] = {"submit", "state", "cancel"};
    const char *const given[] = {launcher->submit, launcher->state, launcher->cancel};
    for (size_t i = 0; i < 3; i++) {
        if (launcher->kind == QUEUE_LAUNCHER && !section)
            return ini_error(error, sweep->ini, 1,
                             "a queue other than Slurm needs a section [launcher] with the "
                             "commands submit, state and cancel (doc/sweep.md has examples)");
        if (launcher->kind == QUEUE_LAUNCHER && !given[i])
            return section_error(error, section, NULL,
                                 "key \"%s\" is missing: a queue other than Slurm needs the "
                                 "commands submit, state and cancel (doc/sweep.md has examples)",
                                 needed[i]);
        if (launcher->kind == QUEUE_SLURM && given[i])
            return section_error(error, section, needed[i],
                                 "%s is for queues other than Slurm, whose commands are built in",
                                 needed[i]);
    }
    return STATUS_OK;
}

enum status launcher_read(const struct sweep_plan *sweep, enum queue_kind kind,
                          struct queue_launcher *launcher, struct error *error)
{
    const struct ini_section *section = ini_find_section(sweep->ini, "launcher");
    *launcher = (struct queue_launcher){.kind = kind, .throttle = -1, .interval_s = 30};
    launcher->slurm = kind == QUEUE_SLURM ? ini_find_section(sweep->ini, "slurm") : NULL;
    enum status status = (section ? ini_read(section, keys, launcher, error) : STATUS_OK)
                             ?: check_templates(sweep, section, launcher, error);
    if (status == STATUS_OK && launcher->longest)
        status = check_time_limit(section, "longest", launcher->longest, error);
    if (status == STATUS_OK && launcher->interval_s < 1)
        status =
            section_error(error, section, "interval", "the queue is asked at most once per second");
    if (status == STATUS_OK && launcher->slurm)
        status = check_slurm(launcher->slurm, error);
    return status;
}
