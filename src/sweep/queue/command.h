/* Command lines: templates of the configuration, and running them. */
#ifndef SWEEP_QUEUE_COMMAND_H
#define SWEEP_QUEUE_COMMAND_H

#include "base/array.h"
#include "base/status.h"

struct command_value {
    const char *name, *value;
    bool is_line; /* the value is words of a command line, quoted already */
};

/* Replaces {name} by its value, quoted for a shell, and {{ and }} by { and }. `values` ends with a
 * NULL name. Fails with STATUS_INPUT at another name: `where` begins the message. The caller frees
 * `*line`. */
enum status command_expand(const char *where, const char *template,
                           const struct command_value *values, char **line, struct error *error);

struct command_result {
    struct bytes output, messages; /* what it printed, each with a '\0' at the end */
    int exit_code;                 /* as a shell tells it: 128 + signal; 127: not found */
};

/* Runs a program in `directory`, with `argv` as in execvp. It is killed after two minutes. Fails if
 * it cannot be started; what it returns is the caller's to judge. Clear the result in any case. */
enum status command_run(char *const *argv, const char *directory, struct command_result *result,
                        struct error *error);
/* The same for a line of a shell. */
enum status command_run_line(const char *line, const char *directory, struct command_result *result,
                             struct error *error);
void command_result_clear(struct command_result *result);

/* What a failed command said, in one line, for messages: its messages, else its output, else the
 * exit code. Valid until the next call. */
const char *command_words(const struct command_result *result);

#endif
