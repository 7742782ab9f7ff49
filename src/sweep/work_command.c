#include "sweep/work_command.h"

#include "base/launcher.h"

#include <assert.h>
#include <limits.h>
#include <unistd.h>

enum status work_command_put(const struct sweep_folder *folder, const char *part,
                             const char *const *options, struct bytes *line, struct error *error)
{
    assert(folder->path && *part);
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_set(error, STATUS_ENVIRONMENT, "/proc is needed to find this program");
    program[length] = '\0';
    bool good = shell_put_word(line, program) && shell_put(line, " work --part %s ", part);
    for (; good && options && *options; options++)
        good = shell_put_word(line, *options) && shell_put(line, " ");
    good = good && shell_put_word(line, folder->path) && bytes_put(line, "", 1);
    return good ? STATUS_OK : error_memory(error, "a command");
}
