/* Plug-ins: shared objects with hypotheses, patterns, report formats and signals
 * (silas/plugin.h). Loading a
 * plug-in adds its descriptors to the lists of the built-in ones, so the rest of the programs does
 * not distinguish them. Read include/silas/plugin.h, load.c, check.c, functions.h, in this order.
 */
#ifndef PLUGINS_PLUGINS_H
#define PLUGINS_PLUGINS_H

#include "base/status.h"

#include <stddef.h>

/* Loads a plug-in from a file, or all files *.so of a folder in the order of their names. A file
 * that has been loaded already is ignored. Every process of a program loads the same plug-ins
 * before it reads any list. Fails with STATUS_INPUT, naming the file, if the file does not exist or
 * is not a plug-in for this version, or if one of its descriptors is incomplete or has a name that
 * is already used. The program must end then. */
enum status plugins_load(const char *path, struct error *error);

struct silas_plugin;

/* A plug-in that was loaded. It stays loaded to the end of the program. */
struct loaded_plugin {
    char *path;
    void *handle; /* of dlopen */
    const struct silas_plugin *plugin;
};

/* The plug-ins loaded so far, in order. */
const struct loaded_plugin *plugins_loaded(size_t *count);

#endif
