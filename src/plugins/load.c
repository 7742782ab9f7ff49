#include "plugins/check.h"
#include "plugins/functions.h"
#include "plugins/plugins.h"

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static ARRAY(struct loaded_plugin) loaded;

const struct loaded_plugin *plugins_loaded(size_t *count)
{
    *count = loaded.count;
    return loaded.items;
}

static enum status needs_unknown(const char *path, const char *symbol, struct error *error)
{
    size_t count = 0;
    while (plugin_functions[count].name)
        count++;
    const char *names[count];
    for (size_t i = 0; i < count; i++)
        names[i] = plugin_functions[i].name;
    int near = nearest_name(symbol, names, count);
    return error_set(
        error, STATUS_INPUT,
        "%s: the plug-in needs \"%s\", which is neither in SILAS nor in the libraries that "
        "the plug-in is linked with%s%s%s",
        path, symbol, near < 0 ? "" : "; did you mean \"", near < 0 ? "" : names[near],
        near < 0 ? "" : "\"?");
}

/* Writes the error of dlopen, which begins with the name given to dlopen. */
static enum status cannot_load(const char *path, const char *opened, struct error *error)
{
    static const char undefined[] = "undefined symbol: ";
    const char *reason = dlerror();
    size_t length = strlen(opened);
    reason = reason ? reason : "unknown reason";
    if (strncmp(reason, opened, length) == 0 && strncmp(reason + length, ": ", 2) == 0)
        reason += length + 2;
    if (strncmp(reason, undefined, sizeof undefined - 1) == 0) {
        char symbol[200];
        snprintf(symbol, sizeof symbol, "%s", reason + sizeof undefined - 1);
        symbol[strcspn(symbol, " ,\t(")] = '\0';
        return needs_unknown(path, symbol, error);
    }
    return error_set(error, STATUS_INPUT,
                     "%s cannot be loaded as a plug-in: %s (it must be a shared object, made with "
                     "cc -shared -fPIC $(pkg-config --cflags silas))",
                     path, reason);
}

/* Adds the descriptors of a plug-in to the lists. */
static enum status add_to_lists(const char *path, const struct silas_plugin *plugin,
                                struct error *error)
{
    enum status status = STATUS_OK;
    bool allocated = true;
    for (size_t i = 0; status == STATUS_OK && plugin->hypotheses && plugin->hypotheses[i]; i++) {
        status = plugin_check_hypothesis(path, plugin->hypotheses[i], error);
        allocated =
            allocated && (status != STATUS_OK || hypothesis_list_add(plugin->hypotheses[i]));
    }
    for (size_t i = 0; status == STATUS_OK && plugin->patterns && plugin->patterns[i]; i++) {
        status = plugin_check_pattern(path, plugin->patterns[i], error);
        allocated = allocated && (status != STATUS_OK || pattern_list_add(plugin->patterns[i]));
    }
    for (size_t i = 0; status == STATUS_OK && plugin->formats && plugin->formats[i]; i++) {
        status = plugin_check_format(path, plugin->formats[i], error);
        allocated =
            allocated && (status != STATUS_OK || report_format_list_add(plugin->formats[i]));
    }
    for (size_t i = 0; status == STATUS_OK && plugin->signals && plugin->signals[i]; i++) {
        status = plugin_check_signal(path, plugin->signals[i], error);
        allocated = allocated && (status != STATUS_OK || signal_list_add(plugin->signals[i]));
    }
    return status == STATUS_OK && !allocated ? error_memory(error, path) : status;
}

/* Searches the file for the version, before any of its code runs. A file without version is left to
 * dlopen, which reports why it is not a plug-in. */
static enum status check_file_version(const char *path, struct error *error)
{
    struct bytes text = {0};
    char part[1 << 14];
    size_t got;
    FILE *file = fopen(path, "rb");
    bool allocated = true;
    if (!file)
        return error_set(error, STATUS_INPUT, "%s cannot be loaded as a plug-in: %s", path,
                         strerror(errno));
    while (allocated && (got = fread(part, 1, sizeof part, file)) > 0)
        allocated = bytes_put(&text, part, got);
    enum status status = STATUS_OK;
    if (ferror(file))
        status = error_set(error, STATUS_INPUT, "%s cannot be loaded as a plug-in: %s", path,
                           strerror(errno));
    allocated =
        allocated && bytes_put(&text, "", 1); /* ends the version if the file is cut off there */
    const char *mark =
        allocated ? memmem(text.data, text.size, SILAS_PLUGIN_MARK, strlen(SILAS_PLUGIN_MARK))
                  : NULL;
    if (status == STATUS_OK && !allocated)
        status = error_memory(error, path);
    else if (status == STATUS_OK && mark)
        status = plugin_check_version(path, mark, error);
    bytes_clear(&text);
    fclose(file);
    return status;
}

/* Opens the file by a name with a slash, so that dlopen does not search other folders. */
static enum status open_plugin(const char *path, void **handle, const struct silas_plugin **plugin,
                               struct error *error)
{
    char name[PATH_MAX + 3];
    assert(*path);
    snprintf(name, sizeof name, "%s%s", strchr(path, '/') ? "" : "./", path);
    enum status status = check_file_version(path, error);
    if (status != STATUS_OK)
        return status;
    if (!(*handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
        return cannot_load(path, name, error);
    *plugin = dlsym(*handle, "silas_plugin");
    if (!*plugin)
        return error_set(
            error, STATUS_INPUT,
            "%s is a shared object, but not a plug-in: it does not define the variable "
            "\"silas_plugin\" (silas/plugin.h)",
            path);
    if (!(*plugin)->interface)
        return error_set(error, STATUS_INPUT,
                         "%s: silas_plugin must begin with SILAS_PLUGIN_VERSION", path);
    status = plugin_check_version(path, (*plugin)->interface, error);
    return status == STATUS_OK ? plugin_check_layout(path, *plugin, error) : status;
}

static bool is_loaded(const void *handle)
{
    assert(handle);
    for (size_t i = 0; i < loaded.count; i++)
        if (loaded.items[i].handle == handle)
            return true;
    return false;
}

static enum status load_plugin(const char *path, struct error *error)
{
    struct loaded_plugin new = {0};
    enum status status = open_plugin(path, &new.handle, &new.plugin, error);
    if (status == STATUS_OK && is_loaded(new.handle)) {
        dlclose(new.handle);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = add_to_lists(path, new.plugin, error);
    if (status != STATUS_OK) /* it stays loaded, because lists may refer to it: the program ends */
        return status;
    if (!array_reserve(&loaded, 1) || !(new.path = strdup(path)))
        return error_memory(error, path);
    loaded.items[loaded.count++] = new;
    return STATUS_OK;
}

static int is_shared_object(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && ending && strcmp(ending, ".so") == 0;
}

static int by_file_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum status load_folder(const char *path, struct error *error)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_shared_object, by_file_name);
    if (count < 0)
        return error_set(error, errno == ENOMEM ? STATUS_ENVIRONMENT : STATUS_INPUT,
                         "%s: cannot read the folder of plug-ins: %s", path, strerror(errno));
    enum status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        free(entries[i]);
        if (status == STATUS_OK)
            status = length < PATH_MAX
                         ? load_plugin(file, error)
                         : error_set(error, STATUS_INPUT, "%s: %s", path, strerror(ENAMETOOLONG));
    }
    free(entries);
    if (count == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: the folder has no plug-in: none of its files ends in .so", path);
    return status;
}

enum status plugins_load(const char *path, struct error *error)
{
    struct stat what;
    if (stat(path, &what) != 0)
        return error_set(error, STATUS_INPUT, "%s cannot be loaded as a plug-in: %s", path,
                         strerror(errno));
    return S_ISDIR(what.st_mode) ? load_folder(path, error) : load_plugin(path, error);
}
