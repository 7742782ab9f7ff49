#include "sweep/launch.h"

#include "base/launcher.h"
#include "sweep/part_file.h"
#include "sweep/work_command.h"

#include <assert.h>
#include <stdio.h>

/* Writes the command line that works on a part, with a zero byte at its end. */
static enum status write_part_command(const struct sweep_folder *folder, size_t part,
                                      const char *launcher, const char *const *options,
                                      struct bytes *line, struct error *error)
{
    const bool good = shell_put(line, "exec ") &&
                      launcher_put(line, launcher, folder->parts[part].ranks) &&
                      shell_put(line, " ");
    char number[32];
    snprintf(number, sizeof number, "%zu", part + 1);
    return (good ? STATUS_OK : error_memory(error, "the command of a part"))
               ?: work_command_put(folder, number, options, line, error);
}

static enum status part_ended_early(const struct sweep_folder *folder, size_t part, int result,
                                    struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT,
                     "the job of part %zu %s before %zu of its runs were done; see its messages "
                     "above, then continue with \"silas-sweep resume %s\"",
                     part + 1, shell_ending(result),
                     sweep_part_count_open(folder, &folder->parts[part]), folder->path);
}

enum status launch_part(struct sweep_folder *folder, size_t part, const char *launcher,
                        const char *const *options, struct error *error)
{
    assert(part < folder->part_count);
    struct bytes command = {0};
    enum status status =
        launcher_check(launcher, error)
            ?: write_part_command(folder, part, launcher, options, &command, error);
    for (size_t before = SIZE_MAX; status == STATUS_OK;) {
        size_t open = sweep_part_count_open(folder, &folder->parts[part]);
        int result = 0;
        if (open == 0 || open == before)
            break;
        before = open;
        status = shell_run(command.data, &result, error) ?: sweep_folder_refresh(folder, error);
        if (status == STATUS_OK && sweep_part_count_open(folder, &folder->parts[part]) == before)
            status = part_ended_early(folder, part, result, error);
    }
    bytes_clear(&command);
    return status;
}
