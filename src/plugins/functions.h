/* The functions and tables that plug-ins may use (functions.awk finds them in the headers). The
 * table makes the linker include all of them in each program that loads plug-ins, also those that
 * the program does not use itself. */
#ifndef PLUGINS_FUNCTIONS_H
#define PLUGINS_FUNCTIONS_H

struct plugin_function {
    const char *name;
    const void *address;
};

extern const struct plugin_function plugin_functions[]; /* ends with an entry without a name */

#endif
