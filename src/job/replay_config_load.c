/* Configurations from files and standard input, on one process or on many. */
#include "job/replay_config.h"

#include "base/arena.h"
#include "base/names.h"

#include <string.h>
#include <sys/stat.h>

bool replay_config_is_trace(const char *path)
{
    struct stat found;
    return name_ends_with(path, ".otf2") || (stat(path, &found) == 0 && S_ISDIR(found.st_mode));
}

/* The configuration of a trace: nothing but its path. Relative paths that options add to it start
 * at the current folder. */
static enum status make_ini_of_trace(const char *path, struct ini **ini, struct error *error)
{
    struct ini_section *section;
    enum status status = ini_parse_text("", "", 0, ini, error);
    if (status != STATUS_OK)
        return status;
    (*ini)->path = arena_strdup((*ini)->arena, path);
    if (!(*ini)->path)
        return error_memory(error, "the configuration");
    return ini_add_section(*ini, "trace", "", path, &section, error)
               ?: ini_add_entry(*ini, section, "path", strlen("path"), path, strlen(path), error);
}

/* Collective. Gives all processes the text that process 0 has read with `status`. */
static enum status share_text(const struct processes *processes, enum status status,
                              struct bytes *text, struct error *error)
{
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    size_t size = text->size;
    processes_broadcast(processes, &size, sizeof size);
    bool found =
        processes->rank == 0 || array_reserve_((void **)&text->data, &text->capacity, 0, size, 1);
    status = processes_agree_memory(processes, found, "the configuration", error);
    if (status != STATUS_OK)
        return status;
    processes_broadcast(processes, text->data, size);
    text->size = size;
    return STATUS_OK;
}

/* A path that the command line names starts at the current folder, not at that of the file. */
static enum status set_directory(struct replay_config *config, const char *directory,
                                 struct error *error)
{
    const int name = (int)strlen(directory) - (int)strlen(".html");
    if (name_ends_with(directory, ".html"))
        return error_set(error, STATUS_USAGE,
                         "-o %s: the results are a folder; for a page in it, use "
                         "-o %.*s --set output.formats=html",
                         directory, name, directory);
    config->output_directory = directory;
    return STATUS_OK;
}

enum status replay_config_load(const char *path, const struct question *question,
                               const struct engine *engine, const struct processes *processes,
                               struct replay_config **config, struct error *error)
{
    struct bytes text = {0};
    struct ini *ini = NULL;
    enum status status = STATUS_OK;
    bool is_trace = replay_config_is_trace(path);
    if (processes)
        processes_broadcast(processes, &is_trace, sizeof is_trace);
    if (!is_trace && (!processes || processes->rank == 0))
        status = ini_read_text(path, &text, error);
    if (!is_trace && processes)
        status = share_text(processes, status, &text, error);
    if (is_trace)
        status = make_ini_of_trace(path, &ini, error);
    else
        status = status ?: ini_parse_text(ini_name(path), text.data, text.size, &ini, error);
    bytes_clear(&text);
    if (question && status == STATUS_OK)
        status = question_add(question, ini, error);
    if (status == STATUS_OK)
        status = replay_config_from_ini(ini, engine, config, error);
    else
        ini_destroy(ini);
    if (question && question->directory && status == STATUS_OK)
        status = set_directory(*config, question->directory, error);
    return processes ? processes_agree(processes, status, error) : status;
}
