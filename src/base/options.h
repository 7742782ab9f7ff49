/* Command lines: one table of options provides a program's parser, its --help and its messages.
 * Every program also has -h/--help, -V/--version, --quiet and --progress (progress.h). */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* How often an option whose argument is called "NAME ..." may be given; others count once. */
enum { OPTION_REPEATS = 16 };

struct option_spec {
    char letter;          /* 'o' of -o; 0: none */
    const char *name;     /* "output" of --output */
    const char *argument; /* "DIR"; "[=DIR]": it may be missing; NULL: the option takes none */
    const char *help;     /* one line */
    const char **value;   /* set to the argument; last one wins. "NAME ...": OPTION_REPEATS of
                             them, NULL before, are set one after another. NULL, for an option
                             with an argument: each use goes to `uses` of the program */
    bool *flag;           /* set to true if the option is given; may be NULL if `value` is not */
};

/* Uses of several options whose order among each other matters. */
struct option_uses {
    size_t count;
    struct option_use {
        const char *name, *value; /* "scale", "solve=0.5" */
    } items[2 * OPTION_REPEATS];
};

struct program {
    const char *name;                  /* "silas-replay" */
    const char *summary;               /* its purpose, one line */
    const char *usage;                 /* after "Usage: ", lines separated by '\n' */
    const char *details;               /* after the options; NULL: nothing */
    const struct option_spec *options; /* ends with an entry without a name; NULL: none */
    struct option_uses *uses;          /* for options without `value`; NULL: there are none */
    int least, most;                   /* operands; most < 0: any number */
    bool command;                      /* the first operand ends the options: it is a command */
    /* Optional. Called when the options have been read, before operands are counted and --help is
     * printed, because options may add to the program (plug-ins). Returns 0, or the exit code with
     * which the program ends. In a parallel program all processes call it. */
    int (*prepare)(const struct program *program);
    void (*print_more)(void); /* the end of --help; NULL: nothing */
    /* For completion in shells: the words that an option of this name can be followed by, or
     * (NULL) that operands can be, separated by blanks; valid until the next call. NULL: any. */
    const char *(*choices)(const char *option);
};

/* Reads the command line. Reorders `argv` so that the operands come last, and returns the index of
 * the first. Returns -1 if the program must end with `*exit_code`: after --help and --version, and
 * after a usage error, whose message names the nearest valid option. A parallel program calls it on
 * all processes after log_open. */
int options_parse(const struct program *program, int argc, char **argv, int *exit_code);

/* For completion in shells: if the command line is "PROGRAM --list-options", prints a line for each
 * option, and returns true: the program then ends with exit code 0. A parallel program calls it
 * before MPI_Init, which may not work on the machine where commands are typed. Fields are separated
 * by tabs:
 *
 *     option  LETTER  NAME  ARGUMENT  CHOICES  HELP
 *     operand CHOICES */
bool options_list(const struct program *program, int argc, char **argv);

/* Prints "silas-replay: text" and a hint at --help; returns STATUS_USAGE. For checks that the table
 * cannot make. */
int options_usage_error(const struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
