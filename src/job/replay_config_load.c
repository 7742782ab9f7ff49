/* Configurations from files and standard input, on one process or on many. */
#include "job/replay_config.h"

#include <string.h>

enum status replay_config_check_path(const char *path, struct error *error)
{
    const char *ending = strrchr(path, '.');
    if (!ending || strcmp(ending, ".otf2") != 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s is a trace: write a configuration that names it, with \"path = %s\" in section "
        "[trace]",
        path, path);
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

enum status replay_config_load(const char *path, const char *const *sets,
                               const struct engine *engine, const struct processes *processes,
                               struct replay_config **config, struct error *error)
{
    struct bytes text = {0};
    struct ini *ini = NULL;
    enum status status = replay_config_check_path(path, error);
    if (status != STATUS_OK)
        return status;
    if (!processes || processes->rank == 0)
        status = ini_read_text(path, &text, error);
    if (processes)
        status = share_text(processes, status, &text, error);
    status = status ?: ini_parse_text(ini_name(path), text.data, text.size, &ini, error);
    bytes_clear(&text);
    for (; sets && *sets && status == STATUS_OK; sets++)
        status = ini_set(ini, *sets, error);
    if (status == STATUS_OK)
        status = replay_config_from_ini(ini, engine, config, error);
    else
        ini_destroy(ini);
    return processes ? processes_agree(processes, status, error) : status;
}
