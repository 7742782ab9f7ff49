/* The functions and tables that plug-ins may use (functions.awk finds them in the headers). Because
 * this table names them, they are in every program that loads plug-ins, also those that it does not
 * use itself. */
#ifndef PLUGINS_FUNCTIONS_H
#define PLUGINS_FUNCTIONS_H

struct plugin_function {
    const char *name;
    const void *address;
};

extern const struct plugin_function plugin_functions[]; /* ends with an entry without a name */

#endif
