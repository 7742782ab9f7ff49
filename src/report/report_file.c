#include "report/report_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status write_error(struct error *error, const char *path)
{
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                     strerror(errno ? errno : EIO));
}

/* Devices and pipes are written to as they are; whatever else is there is replaced as a whole. */
static bool is_special_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static bool write_file(const char *path, report_writer *write, const void *what)
{
    errno = 0;
    FILE *stream = fopen(path, "w");
    bool written = stream && write(what, stream);
    int write_errno = errno;
    if (stream && fclose(stream) != 0)
        return false;
    errno = write_errno;
    return written;
}

static enum status write_beside(const char *path, const char *temporary, report_writer *write,
                                const void *what, struct error *error)
{
    enum status status = STATUS_OK;
    sigset_t interrupts, before; /* kept back, so that no temporary file is left behind */
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
    if (!write_file(temporary, write, what) || rename(temporary, path) != 0) {
        status = write_error(error, path);
        unlink(temporary);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum status report_file_write(const char *path, report_writer *write, const void *what,
                              struct error *error)
{
    if (!path) {
        errno = 0;
        bool written = write(what, stdout) && fflush(stdout) == 0;
        return written ? STATUS_OK : write_error(error, "standard output");
    }
    if (is_special_file(path))
        return write_file(path, write, what) ? STATUS_OK : write_error(error, path);
    size_t length = strlen(path) + 32;
    char *temporary = malloc(length);
    if (!temporary)
        return error_memory(error, "the name of a file");
    snprintf(temporary, length, "%s.part.%ld", path, (long)getpid());
    enum status status = write_beside(path, temporary, write, what, error);
    free(temporary);
    return status;
}
