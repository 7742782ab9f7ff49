#include "sweep/queue/templates.h"

#include "base/files.h"
#include "base/launcher.h"
#include "sweep/queue/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words for messages: "[launcher] submit" */
struct place {
    char text[64];
};
static struct place place_of(const char *key)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "[launcher] %s", key);
    return place;
}

enum status templates_expand(const char *what, const char *template,
                             const struct sweep_folder *folder, const struct shape *shape,
                             const char *part, char **line, struct error *error)
{
    char ranks[32], nodes[32], per_node[32], minutes[32], seconds[32];
    char *script = sweep_folder_path(folder, "%s", launcher_script(QUEUE_LAUNCHER));
    const struct command_value values[] = {
        {.name = "script", .value = script},
        {.name = "part", .value = part, .is_line = true},
        {.name = "ranks", .value = ranks},
        {.name = "nodes", .value = nodes},
        {.name = "per_node", .value = per_node},
        {.name = "minutes", .value = minutes},
        {.name = "seconds", .value = seconds},
        {.name = "name", .value = files_base_name(folder->path)},
        {.name = "folder", .value = folder->path},
        {.name = NULL},
    };
    snprintf(ranks, sizeof ranks, "%u", shape->ranks);
    snprintf(nodes, sizeof nodes, "%u", shape->nodes > 0 ? shape->nodes : 1);
    snprintf(per_node, sizeof per_node, "%u", shape->per_node > 0 ? shape->per_node : shape->ranks);
    snprintf(minutes, sizeof minutes, "%u", shape->minutes);
    snprintf(seconds, sizeof seconds, "%u", 60 * shape->minutes);
    enum status status = script ? command_expand(place_of(what).text, template, values, line, error)
                                : error_memory(error, "a command");
    free(script);
    return status;
}

/* The id in the first line of what a submission prints; NULL: there is none. */
static char *find_id(char *output)
{
    output[strcspn(output, "\n")] = '\0';
    char *id = NULL, *open = strchr(output, '<'), *close = open ? strchr(open, '>') : NULL;
    if (close) {
        *close = '\0';
        id = open + 1;
    } else {
        for (char *word, *rest = output; (word = strsep(&rest, " \t"));)
            id = *word ? word : id;
    }
    return id && *id && strlen(id) < QUEUE_ID_SIZE && !strpbrk(id, " \t") ? id : NULL;
}

enum status templates_submit(const struct sweep_folder *folder, const struct launcher *launcher,
                             const struct shape *shape, size_t part, char **id, struct error *error)
{
    struct command_result result = {0};
    char number[32], *line = NULL;
    *id = NULL;
    snprintf(number, sizeof number, "%zu", part + 1);
    enum status status =
        templates_expand("submit", launcher->submit, folder, shape, number, &line, error);
    if (status == STATUS_OK)
        status = command_run_line(line, folder->path, &result, error);
    if (status == STATUS_OK && result.exit_code != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "%s: %s", line, command_words(&result));
    if (status == STATUS_OK) {
        const char *found = find_id(result.output.data);
        if (!found)
            status = error_set(error, STATUS_ENVIRONMENT,
                               "%s: expected the id of a job in its first line: %.200s", line,
                               command_words(&result));
        else if (!(*id = strdup(found)))
            status = error_memory(error, "the jobs of a sweep");
    }
    command_result_clear(&result);
    free(line);
    return status;
}

static bool put_ids(struct bytes *words, const char *const *ids, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = (i == 0 || bytes_put(words, " ", 1)) && shell_put_word(words, ids[i]);
    return good && bytes_put(words, "", 1);
}

/* Expands a template with all ids in the place of {job}. */
static enum status expand_ids(const char *key, const char *template,
                              const struct sweep_folder *folder, const char *const *ids,
                              size_t count, char **line, struct error *error)
{
    struct bytes words = {0};
    enum status status = put_ids(&words, ids, count) ? STATUS_OK : error_memory(error, "a command");
    if (status == STATUS_OK) {
        const struct command_value values[] = {
            {.name = "job", .value = words.data, .is_line = true},
            {.name = "name", .value = files_base_name(folder->path)},
            {.name = "folder", .value = folder->path},
            {.name = NULL},
        };
        status = command_expand(place_of(key).text, template, values, line, error);
    }
    bytes_clear(&words);
    return status;
}

/* Runs a template for these jobs. The result is to be cleared in any case. */
static enum status run(const char *key, const char *template, const struct sweep_folder *folder,
                       const char *const *ids, size_t count, struct command_result *result,
                       struct error *error)
{
    char *line = NULL;
    *result = (struct command_result){0};
    enum status status = expand_ids(key, template, folder, ids, count, &line, error);
    if (status == STATUS_OK)
        status = command_run_line(line, folder->path, result, error);
    free(line);
    return status;
}

enum status templates_ask(const struct sweep_folder *folder, const struct launcher *launcher,
                          const char *const *ids, size_t count, struct bytes *answer,
                          char **failure, struct error *error)
{
    struct command_result result;
    *failure = NULL;
    enum status status = run("state", launcher->state, folder, ids, count, &result, error);
    if (status == STATUS_OK && result.exit_code != 0 &&
        !(*failure = strdup(command_words(&result))))
        status = error_memory(error, "the queue's answer");
    if (status == STATUS_OK && !*failure) {
        *answer = result.output;
        result.output = (struct bytes){0};
    }
    command_result_clear(&result);
    return status;
}

enum status templates_cancel(const struct sweep_folder *folder, const struct launcher *launcher,
                             const char *const *ids, size_t count, struct error *error)
{
    struct command_result result;
    enum status status = run("cancel", launcher->cancel, folder, ids, count, &result, error);
    if (status == STATUS_OK && result.exit_code != 0)
        status =
            error_set(error, STATUS_ENVIRONMENT, "[launcher] cancel: %s", command_words(&result));
    command_result_clear(&result);
    return status;
}

enum status templates_check(const struct launcher *launcher, struct error *error)
{
    char root[] = "/";
    const struct sweep_folder folder = {.path = root};
    const struct shape shape = {.ranks = 1};
    const char *const ids[] = {"1"};
    char *lines[4] = {NULL};
    enum status status = STATUS_OK;
    if (launcher->run)
        status = templates_expand("run", launcher->run, &folder, &shape, "1", &lines[0], error);
    if (status == STATUS_OK && launcher->submit)
        status =
            templates_expand("submit", launcher->submit, &folder, &shape, "1", &lines[1], error);
    if (status == STATUS_OK && launcher->state)
        status = expand_ids("state", launcher->state, &folder, ids, 1, &lines[2], error);
    if (status == STATUS_OK && launcher->cancel)
        status = expand_ids("cancel", launcher->cancel, &folder, ids, 1, &lines[3], error);
    for (size_t i = 0; i < 4; i++)
        free(lines[i]);
    return status;
}
