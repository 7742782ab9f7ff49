#include "sweep/queue/command.h"

#include "base/launcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PATIENCE_S = 120 }; /* after which a command of the queue is killed */

/* The value that a template names at `place`, after its brace; NULL if there is none. */
static const struct command_value *value_called(const struct command_value *values,
                                                const char *place, size_t length)
{
    for (; values->name; values++)
        if (strlen(values->name) == length && strncmp(values->name, place, length) == 0)
            return values;
    return NULL;
}

static enum status unknown_name(const char *where, const char *name, size_t length,
                                const struct command_value *values, struct error *error)
{
    char known[200] = "";
    for (size_t used = 0; values->name && used < sizeof known; values++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s{%s}", used ? ", " : "",
                                 values->name);
    return error_set(error, STATUS_INPUT,
                     "%s: {%.*s} is unknown here: expected %s (and {{ for a brace)", where,
                     (int)length, name, known);
}

enum status command_expand(const char *where, const char *template,
                           const struct command_value *values, char **line, struct error *error)
{
    assert(where && template && values);
    struct bytes text = {0};
    enum status status = STATUS_OK;
    bool good = true;
    while (good && *template && status == STATUS_OK) {
        size_t plain = strcspn(template, "{}"), length;
        const struct command_value *value;
        good = bytes_put(&text, template, plain);
        template += plain;
        if (*template == '\0')
            break;
        if (template[1] == *template || *template == '}') {
            good = good && bytes_put(&text, template, 1);
            template += template[1] == *template ? 2 : 1;
            continue;
        }
        length = strcspn(++template, "{}");
        value = value_called(values, template, length);
        if (template[length] != '}' || !value)
            status = unknown_name(where, template, length, values, error);
        else
            good = good && (value->is_line ? shell_put(&text, "%s", value->value)
                                           : shell_put_word(&text, value->value));
        template += length + 1;
    }
    if (status == STATUS_OK && !(good && bytes_put(&text, "", 1)))
        status = error_memory(error, "a command");
    if (status == STATUS_OK)
        *line = text.data;
    else
        bytes_clear(&text);
    return status;
}

/* posix_spawnp in another folder. The C library has an action for that since version 2.29 only. */
static int spawn_in(const char *directory, char *const *argv,
                    const posix_spawn_file_actions_t *actions, pid_t *child)
{
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (here < 0)
        return errno;
    int reason = chdir(directory) == 0 ? 0 : errno;
    if (reason == 0) {
        reason = posix_spawnp(child, argv[0], actions, NULL, argv, environ);
        if (fchdir(here) != 0)
            abort(); /* the folder is still open, so this cannot fail */
    }
    close(here);
    return reason;
}

/* Starts the program with its output and its messages redirected to two pipes, whose other ends are
 * in `ends`. Returns 0 or an error number. */
static int start_command(char *const *argv, const char *directory, int ends[2], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int outputs[2], messages[2];
    if (pipe2(outputs, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(messages, O_CLOEXEC) != 0) {
        int reason = errno;
        close(outputs[0]);
        close(outputs[1]);
        return reason;
    }
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason == 0) {
        reason = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                     ?: posix_spawn_file_actions_adddup2(&actions, outputs[1], 1)
                     ?: posix_spawn_file_actions_adddup2(&actions, messages[1], 2)
                     ?: spawn_in(directory, argv, &actions, child);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(outputs[1]);
    close(messages[1]);
    ends[0] = outputs[0];
    ends[1] = messages[0];
    if (reason != 0) {
        close(ends[0]);
        close(ends[1]);
    }
    return reason;
}

/* Reads the output of the child until it has closed both pipes, or PATIENCE_S has passed. False
 * when out of memory. */
static bool read_pipes(int ends[2], struct command_result *result, bool *in_time)
{
    struct bytes *texts[] = {&result->output, &result->messages};
    struct pollfd polls[] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLIN}};
    const time_t end = time(NULL) + PATIENCE_S;
    bool good = true;
    *in_time = true;
    while (good && *in_time && (polls[0].fd >= 0 || polls[1].fd >= 0)) {
        (void)poll(polls, 2, 1000);
        for (size_t i = 0; i < 2; i++) {
            char block[4096];
            if (polls[i].fd < 0 || !polls[i].revents)
                continue;
            ssize_t size = read(polls[i].fd, block, sizeof block);
            if (size > 0)
                good = good && bytes_put(texts[i], block, (size_t)size);
            else if (size == 0 || errno != EINTR)
                polls[i].fd = -1;
        }
        *in_time = time(NULL) < end;
    }
    return good && bytes_put(texts[0], "", 1) && bytes_put(texts[1], "", 1);
}

enum status command_run(char *const *argv, const char *directory, struct command_result *result,
                        struct error *error)
{
    assert(argv[0]);
    int ends[2] = {-1, -1}, ended = 0;
    pid_t child = -1;
    bool in_time;
    *result = (struct command_result){0};
    int reason = start_command(argv, directory, ends, &child);
    if (reason != 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s cannot be started: %s%s", argv[0],
                         strerror(reason), reason == ENOENT ? " (is it in PATH?)" : "");
    bool good = read_pipes(ends, result, &in_time);
    if (!in_time)
        kill(child, SIGKILL);
    close(ends[0]);
    close(ends[1]);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    result->exit_code = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    if (good && in_time)
        return STATUS_OK;
    command_result_clear(result);
    return good ? error_set(error, STATUS_ENVIRONMENT, "%s did not answer within %d s", argv[0],
                            PATIENCE_S)
                : error_memory(error, "the output of a command");
}

enum status command_run_line(const char *line, const char *directory, struct command_result *result,
                             struct error *error)
{
    char shell[] = "sh", option[] = "-c";
    char *copy = strdup(line);
    char *argv[] = {shell, option, copy, NULL};
    enum status status =
        copy ? command_run(argv, directory, result, error) : error_memory(error, "a command");
    free(copy);
    return status;
}

void command_result_clear(struct command_result *result)
{
    bytes_clear(&result->output);
    bytes_clear(&result->messages);
}

const char *command_words(const struct command_result *result)
{
    static char words[400];
    const struct bytes *text = result->messages.size > 1 ? &result->messages : &result->output;
    size_t length = 0;
    if (text->size <= 1) {
        snprintf(words, sizeof words, "exit code %d", result->exit_code);
        return words;
    }
    for (const char *c = text->data; *c && length + 1 < sizeof words; c++)
        if (*c != '\n' || (length > 0 && words[length - 1] != ' '))
            words[length++] = *c == '\n' ? ' ' : *c;
    while (length > 0 && words[length - 1] == ' ')
        length--;
    words[length] = '\0';
    return words;
}
