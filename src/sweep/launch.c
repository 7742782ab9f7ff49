#include "sweep/launch.h"

#include "base/array.h"
#include "base/launcher.h"
#include "sweep/parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool put(struct bytes *text, const char *word)
{
    return bytes_put(text, word, strlen(word));
}

static bool put_word(struct bytes *text, const char *word)
{
    return put(text, " ") && shell_put_word(text, word);
}

/* The command line of a part; NULL when memory is out. */
static bool make_command(const struct sweep_folder *folder, size_t part, const char *launcher,
                         const char *const *options, struct bytes *text)
{
    char number[32], self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return false;
    self[length] = '\0';
    snprintf(number, sizeof number, "%zu", part + 1);
    bool good = put(text, "exec ") && launcher_put(text, launcher, folder->parts[part].ranks) &&
                put_word(text, self) && put(text, " work --part ") && put(text, number);
    for (; good && options && *options; options++)
        good = put_word(text, *options);
    return good && put_word(text, folder->path) && bytes_put(text, "", 1);
}

static enum status ended_early(const struct sweep_folder *folder, size_t part, int result,
                               struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT,
                     "the job of part %zu %s before %zu of its runs were done; see its messages "
                     "above, then go on with \"silas-sweep resume %s\"",
                     part + 1, shell_ending(result), sweep_part_open(folder, &folder->parts[part]),
                     folder->path);
}

enum status launch_part(struct sweep_folder *folder, size_t part, const char *launcher,
                        const char *const *options, struct error *error)
{
    struct bytes command = {0};
    enum status status = launcher_check(launcher, error);
    if (status != STATUS_OK)
        return status;
    if (!make_command(folder, part, launcher, options, &command))
        status = error_memory(error, "the command of a part");
    for (size_t before = SIZE_MAX; status == STATUS_OK;) {
        size_t open = sweep_part_open(folder, &folder->parts[part]);
        int result = 0;
        if (open == 0 || open == before)
            break;
        before = open;
        status = shell_run(command.data, &result, error);
        if (status == STATUS_OK)
            status = sweep_folder_refresh(folder, error);
        if (status == STATUS_OK && sweep_part_open(folder, &folder->parts[part]) == before)
            status = ended_early(folder, part, result, error);
    }
    bytes_clear(&command);
    return status;
}
