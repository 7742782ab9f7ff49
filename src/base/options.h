/* Command lines: one table of options a program gives its parser, its --help and its messages.
 * Every program also has -h/--help and -V/--version. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>

struct option_spec {
    char letter;          /* 'o' of -o; 0: none */
    const char *name;     /* "output" of --output */
    const char *argument; /* "DIR"; NULL: the option takes none */
    const char *help;     /* one line */
    const char **value;   /* set to the argument; last one wins */
    bool *flag;           /* set to true if the option is there; NULL is allowed beside value */
};

struct program {
    const char *name;                  /* "silas-replay" */
    const char *summary;               /* one line: what it does */
    const char *usage;                 /* after "Usage: ", lines of it separated by '\n' */
    const char *details;               /* after the options; NULL: nothing */
    const struct option_spec *options; /* ends with an entry without a name; NULL: none */
    int least, most;                   /* operands; most < 0: any number */
    bool command;                      /* the first operand ends the options: it is a command */
};

/* Reads the command line. Returns the index in `argv` of the first operand (operands come last:
 * `argv` is reordered), or -1 if the program must end now with `*exit_code`: after --help and
 * --version, and after a usage error, which is printed with the nearest valid name. In a parallel
 * program call it on all processes after log_open: all see the same and one speaks. */
int options_parse(const struct program *program, int argc, char **argv, int *exit_code);

/* Prints "silas-replay: text" and a hint at --help; returns STATUS_USAGE. For what the table cannot
 * check. */
int options_usage_error(const struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
