#include "sweep/queue/templates.h"

#include "base/files.h"
#include "base/launcher.h"
#include "sweep/queue/command.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A key for messages: "[launcher] submit". */
struct key_text {
    char text[64];
};

static struct key_text key_text(const char *key)
{
    struct key_text text;
    snprintf(text.text, sizeof text.text, "[launcher] %s", key);
    return text;
}

enum status templates_expand(const char *what, const char *template,
                             const struct sweep_folder *folder, const struct shape *shape,
                             const char *part, char **line, struct error *error)
{
    char ranks[32], nodes[32], per_node[32], minutes[32], seconds[32];
    const struct folder_path script =
        sweep_folder_path(folder, "%s", launcher_script(QUEUE_LAUNCHER));
    const struct command_value values[] = {
        {.name = "script", .value = script.text},
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
    return command_expand(key_text(what).text, template, values, line, error);
}

/* The id in the first line that a submission prints; NULL: there is none. */
static char *printed_id(char *output)
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

enum status templates_submit(const struct sweep_folder *folder,
                             const struct queue_launcher *launcher, const struct shape *shape,
                             size_t part, char **id, struct error *error)
{
    assert(part < folder->part_count);
    struct command_result result = {0};
    char number[32], *line = NULL;
    *id = NULL;
    snprintf(number, sizeof number, "%zu", part + 1);
    enum status status =
        templates_expand("submit", launcher->submit, folder, shape, number, &line, error)
            ?: command_run_line(line, folder->path, &result, error);
    if (status == STATUS_OK && result.exit_code != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "%s: %s", line, command_words(&result));
    if (status == STATUS_OK) {
        const char *found = printed_id(result.output.data);
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

/* Appends the ids as words of a shell, and a zero byte. */
static bool put_ids(struct bytes *words, const char *const *ids, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = shell_put(words, "%s", i == 0 ? "" : " ") && shell_put_word(words, ids[i]);
    return good && bytes_put(words, "", 1);
}

/* Expands a template; {job} stands for all ids. */
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
        status = command_expand(key_text(key).text, template, values, line, error);
    }
    bytes_clear(&words);
    return status;
}

/* Runs a template for these jobs. */
static enum status run_template(const char *key, const char *template,
                                const struct sweep_folder *folder, const char *const *ids,
                                size_t count, struct command_result *result, struct error *error)
{
    char *line = NULL;
    enum status status = expand_ids(key, template, folder, ids, count, &line, error)
                             ?: command_run_line(line, folder->path, result, error);
    free(line);
    return status;
}

enum status templates_ask(const struct sweep_folder *folder, const struct queue_launcher *launcher,
                          const char *const *ids, size_t count, struct bytes *answer,
                          char **failure, struct error *error)
{
    assert(ids && count > 0);
    struct command_result result = {0};
    *failure = NULL;
    enum status status = run_template("state", launcher->state, folder, ids, count, &result, error);
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

enum status templates_cancel(const struct sweep_folder *folder,
                             const struct queue_launcher *launcher, const char *const *ids,
                             size_t count, struct error *error)
{
    assert(ids && count > 0);
    struct command_result result = {0};
    enum status status =
        run_template("cancel", launcher->cancel, folder, ids, count, &result, error);
    if (status == STATUS_OK && result.exit_code != 0)
        status =
            error_set(error, STATUS_ENVIRONMENT, "[launcher] cancel: %s", command_words(&result));
    command_result_clear(&result);
    return status;
}

enum status templates_check(const struct queue_launcher *launcher, struct error *error)
{
    char root[] = "/";
    const struct sweep_folder folder = {.path = root};
    const struct shape shape = {.ranks = 1};
    const char *const ids[] = {"1"};
    const struct {
        const char *key, *template;
        bool takes_ids;
    } templates[] = {{"run", launcher->run, false},
                     {"submit", launcher->submit, false},
                     {"state", launcher->state, true},
                     {"cancel", launcher->cancel, true}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof templates / sizeof *templates && status == STATUS_OK; i++) {
        const char *key = templates[i].key, *template = templates[i].template;
        char *line = NULL;
        if (template && templates[i].takes_ids)
            status = expand_ids(key, template, &folder, ids, 1, &line, error);
        else if (template)
            status = templates_expand(key, template, &folder, &shape, "1", &line, error);
        free(line);
    }
    return status;
}
