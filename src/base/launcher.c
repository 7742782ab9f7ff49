#include "base/launcher.h"

#include "base/files.h"
#include "base/mpi_kind.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool shell_put(struct bytes *line, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const bool good = length >= 0 && bytes_put(line, text, (size_t)length);
    if (length >= 0)
        free(text);
    return good;
}

bool shell_put_word(struct bytes *line, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%^";
    if (*word && word[strspn(word, plain)] == '\0')
        return bytes_put(line, word, strlen(word));
    bool good = shell_put(line, "'");
    for (; good && *word; word++)
        good = *word == '\'' ? shell_put(line, "'\\''") : bytes_put(line, word, 1);
    return good && shell_put(line, "'");
}

static void forget_launcher(void)
{
    static const char *const prefixes[] = {"PMI_",
                                           "PMIX_",
                                           "HYDI_",
                                           "HYDRA_",
                                           "MPI_LOCAL",
                                           "OMPI_COMM_WORLD_",
                                           "OMPI_UNIVERSE_",
                                           "OMPI_APP_",
                                           "OMPI_FILE_LOCATION",
                                           "OMPI_FIRST_RANKS",
                                           "OMPI_NUM_APP_CTX",
                                           "OMPI_ARGV",
                                           "OMPI_COMMAND",
                                           "OMPI_MCA_ess",
                                           "OMPI_MCA_orte_",
                                           "OMPI_MCA_pmix"};
    ARRAY(char *) names = {0};
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0)
                (void)array_push(&names, strndup(*entry, strcspn(*entry, "=")));
    for (size_t i = 0; i < names.count; i++)
        if (names.items[i])
            unsetenv(names.items[i]);
}

enum status shell_run(const char *line, int *result, struct error *error)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(STATUS_ENVIRONMENT);
        forget_launcher();
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
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

const char *shell_ending(int result)
{
    static char text[64];
    if (WIFSIGNALED(result))
        snprintf(text, sizeof text, "was ended by signal %d", WTERMSIG(result));
    else
        snprintf(text, sizeof text, "ended with exit code %d", WEXITSTATUS(result));
    return text;
}

/* The command without {ranks} that is used if the user names none; NULL: there is none. */
static const char *find_launcher(void)
{
    const char *own = getenv("MPIEXEC");
    const char *const *known = mpi_kind_own->launchers;
    char path[PATH_MAX];
    if (own && *own)
        return own;
    while (*known && !files_find_program(getenv("PATH"), *known, path, sizeof path))
        known++;
    return *known;
}

enum status launcher_check(const char *launcher, struct error *error)
{
    if (launcher || find_launcher())
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT,
                     "no launcher of MPI programs is in PATH (%s, mpirun, ...): name one with "
                     "--launcher, or start this program with it",
                     mpi_kind_own->launchers[0]);
}

bool launcher_put(struct bytes *line, const char *launcher, uint32_t ranks)
{
    const char *place = launcher ? strstr(launcher, "{ranks}") : NULL;
    if (place)
        return shell_put(line, "%.*s%u%s", (int)(place - launcher), launcher, ranks,
                         place + strlen("{ranks}"));
    return shell_put(line, "%s -np %u", launcher ? launcher : find_launcher(), ranks);
}
