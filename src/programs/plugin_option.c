#include "programs/plugin_option.h"

#include "base/log.h"
#include "base/mpi/processes.h"
#include "base/mpi/start.h"
#include "plugins/plugins.h"
#include <silas/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *plugin_option_paths[OPTION_REPEATS];

/* Loads the plug-ins of a list of paths, separated by colons. */
static enum status load_list(const char *list, struct error *error)
{
    enum status status = STATUS_OK;
    while (*list && status == STATUS_OK) {
        size_t length = strcspn(list, ":");
        char *path = strndup(list, length);
        if (!path)
            return error_memory(error, "the plug-ins");
        if (*path)
            status = plugins_load(path, error);
        free(path);
        list += length + (list[length] == ':');
    }
    return status;
}

static enum status load_all(struct error *error)
{
    const char *list = getenv("SILAS_PLUGINS");
    enum status status = list ? load_list(list, error) : STATUS_OK;
    for (int i = 0; i < OPTION_REPEATS && plugin_option_paths[i] && status == STATUS_OK; i++)
        status = plugins_load(plugin_option_paths[i], error);
    return status;
}

/* Makes all processes fail if one of them lacks a file. */
static enum status agree_on_plugins(enum status status, struct error *error)
{
    struct processes processes;
    enum status opened = processes_open_world(&processes, error);
    if (opened != STATUS_OK)
        return opened;
    status = processes_agree(&processes, status, error);
    processes_close(&processes);
    return status;
}

int plugin_option_load(const struct program *program)
{
    struct error error = {STATUS_OK, ""};
    (void)program;
    enum status status = load_all(&error);
    if (mpi_is_running())
        status = agree_on_plugins(status, &error);
    return status == STATUS_OK ? 0 : log_error(&error);
}

void plugin_option_print(void)
{
    size_t count;
    const struct loaded_plugin *loaded = plugins_loaded(&count);
    if (count > 0)
        puts("\nPlug-ins:");
    for (size_t i = 0; i < count; i++) {
        const struct silas_plugin *plugin = loaded[i].plugin;
        printf("  %s: %s\n", loaded[i].path, plugin->name);
        for (size_t n = 0; plugin->hypotheses && plugin->hypotheses[n]; n++)
            printf("      hypothesis [%s]: %s\n", plugin->hypotheses[n]->name,
                   plugin->hypotheses[n]->description);
        for (size_t n = 0; plugin->patterns && plugin->patterns[n]; n++)
            printf("      pattern %s: %s\n", plugin->patterns[n]->name,
                   plugin->patterns[n]->description);
        for (size_t n = 0; plugin->formats && plugin->formats[n]; n++)
            printf("      format %s: %s\n", plugin->formats[n]->name,
                   plugin->formats[n]->description);
        for (size_t n = 0; plugin->signals && plugin->signals[n]; n++)
            printf("      signal %s: %s\n", plugin->signals[n]->name,
                   plugin->signals[n]->description);
    }
}
