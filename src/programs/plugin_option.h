/* The option --plugin and the variable SILAS_PLUGINS of programs that load plug-ins. Such a program
 * has PLUGIN_OPTION in its table of options, and PLUGIN_PROGRAM in its struct program:
 *
 *     static const struct option_spec options[] = {PLUGIN_OPTION, {0}};
 *     static const struct program program = {.name = ..., PLUGIN_PROGRAM}; */
#ifndef PROGRAMS_PLUGIN_OPTION_H
#define PROGRAMS_PLUGIN_OPTION_H

#include "base/options.h"

extern const char *plugin_option_paths[OPTION_REPEATS];

#define PLUGIN_OPTION                                           \
    {                                                           \
        0, "plugin", "FILE ...",                                \
            "load a plug-in, or all plug-ins of a folder: new " \
            "hypotheses, patterns, formats and signals",        \
            plugin_option_paths, NULL                           \
    }

#define PLUGIN_PROGRAM .prepare = plugin_option_load, .print_more = plugin_option_print

/* Collective if MPI is initialised. Loads the plug-ins of SILAS_PLUGINS (paths separated by colons)
 * and then those of the option. Returns 0, or prints an error and returns the exit code. */
int plugin_option_load(const struct program *program);

/* Prints what the loaded plug-ins provide, for --help. */
void plugin_option_print(void);

#endif
