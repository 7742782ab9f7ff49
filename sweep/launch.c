#include "sweep/launch.h"

#include "base/array.h"
#include "base/log.h"
#include "sweep/parts.h"
#include "sweep/queue/command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const launchers[] = {"mpiexec.hydra", "mpirun.mpich", "mpiexec", "mpirun"};

/* Whether PATH has a program of this name. */
static bool is_found(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        if ((size_t)snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name) < sizeof file &&
            access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static const char *find_launcher(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (is_found(launchers[i]))
            return launchers[i];
    return NULL;
}

static bool put(struct bytes *text, const char *word)
{
    return bytes_put(text, word, strlen(word));
}

static bool put_word(struct bytes *text, const char *word)
{
    return put(text, " ") && command_put_word(text, word);
}

/* Appends the launcher's command with the number of processes. */
static bool put_launcher(struct bytes *text, const char *launcher, uint32_t ranks)
{
    const char *place = launcher ? strstr(launcher, "{ranks}") : NULL;
    const char *own = getenv("MPIEXEC");
    char number[32];
    snprintf(number, sizeof number, place ? "%u" : " -np %u", ranks);
    if (place)
        return bytes_put(text, launcher, (size_t)(place - launcher)) && put(text, number) &&
               put(text, place + strlen("{ranks}"));
    if (launcher)
        return put(text, launcher) && put(text, number);
    return put(text, own && *own ? own : find_launcher()) && put(text, number);
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
    bool good = put(text, "exec ") && put_launcher(text, launcher, folder->parts[part].ranks) &&
                put_word(text, self) && put(text, " work --part ") && put(text, number);
    for (; good && options && *options; options++)
        good = put_word(text, *options);
    return good && put_word(text, folder->path) && bytes_put(text, "", 1);
}

/* This process may itself have been started by a launcher; the new job must not take itself for a
 * part of that one. */
static void forget_launcher(void)
{
    static const char *const prefixes[] = {"PMI_", "PMIX_", "HYDI_", "HYDRA_", "MPI_LOCAL"};
    ARRAY(char *) names = {0};
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0)
                (void)array_push(&names, strndup(*entry, strcspn(*entry, "=")));
    for (size_t i = 0; i < names.count; i++)
        if (names.items[i])
            unsetenv(names.items[i]);
}

/* Runs a shell's command and waits for it. Sets `*result` as waitpid does. */
static enum status run(const char *command, int *result, struct error *error)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(STATUS_ENVIRONMENT);
        forget_launcher();
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(STATUS_ENVIRONMENT);
    }
    if (child < 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    while (waitpid(child, result, 0) < 0)
        if (errno != EINTR)
            return error_set(error, STATUS_ENVIRONMENT, "cannot wait for a process: %s",
                             strerror(errno));
    return STATUS_OK;
}

static enum status ended_early(const struct sweep_folder *folder, size_t part, int result,
                               struct error *error)
{
    char how[64];
    if (WIFSIGNALED(result))
        snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(result));
    else
        snprintf(how, sizeof how, "ended with exit code %d", WEXITSTATUS(result));
    return error_set(error, STATUS_ENVIRONMENT,
                     "the job of part %zu %s before %zu of its runs were done; see its messages "
                     "above, then go on with \"silas-sweep resume %s\"",
                     part + 1, how, sweep_part_open(folder, &folder->parts[part]), folder->path);
}

enum status launch_part(struct sweep_folder *folder, size_t part, const char *launcher,
                        const char *const *options, struct error *error)
{
    struct bytes command = {0};
    enum status status = STATUS_OK;
    if (!launcher && !getenv("MPIEXEC") && !find_launcher())
        return error_set(
            error, STATUS_ENVIRONMENT,
            "no launcher of MPI programs is in PATH (mpiexec.hydra, mpirun, ...): name "
            "one with --launcher, or start this program with it");
    if (!make_command(folder, part, launcher, options, &command))
        status = error_memory(error, "the command of a part");
    for (size_t before = SIZE_MAX; status == STATUS_OK;) {
        size_t open = sweep_part_open(folder, &folder->parts[part]);
        int result = 0;
        if (open == 0 || open == before)
            break;
        before = open;
        status = run(command.data, &result, error);
        if (status == STATUS_OK)
            status = sweep_folder_refresh(folder, error);
        if (status == STATUS_OK && sweep_part_open(folder, &folder->parts[part]) == before)
            status = ended_early(folder, part, result, error);
    }
    bytes_clear(&command);
    return status;
}
