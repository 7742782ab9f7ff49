/* Command lines of queues: expands the templates of the configuration, and runs commands. */
#ifndef SWEEP_QUEUE_COMMAND_H
#define SWEEP_QUEUE_COMMAND_H

#include "base/array.h"
#include "base/status.h"

struct command_value {
    const char *name, *value;
    bool is_line; /* the value consists of words of a command line that are quoted already */
};

/* Replaces {name} by its value, quoted for a shell, and {{ and }} by { and }. `values` ends with a
 * NULL name. Fails with STATUS_INPUT for another name; `where` begins the message. The caller frees
 * `*line`. */
enum status command_expand(const char *where, const char *template,
                           const struct command_value *values, char **line, struct error *error);

struct command_result {
    struct bytes output,
        messages;  /* standard output and error output, each with a '\0' at its end */
    int exit_code; /* as in a shell: 128 + signal; 127: not found */
};

/* Runs a program in `directory`, with `argv` as in execvp. It is killed after two minutes. Fails if
 * the program cannot be started or was killed; then there is nothing to clear. An exit code other
 * than 0 is no failure. The caller clears the result. */
enum status command_run(char *const *argv, const char *directory, struct command_result *result,
                        struct error *error);
/* The same for a command line of a shell. */
enum status command_run_line(const char *line, const char *directory, struct command_result *result,
                             struct error *error);
void command_result_clear(struct command_result *result);

/* The messages of a failed command in one line, otherwise its output, otherwise its exit code.
 * Valid until the next call. */
const char *command_words(const struct command_result *result);

#endif
