#include "report/report_file.h"

#include "base/files.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status report_write_error(struct error *error, const char *path)
{
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                     strerror(errno ? errno : EIO));
}

/* `name` is the stream's name in the message. */
static enum status write_to_stream(FILE *stream, const char *name, report_writer *write,
                                   const void *what, struct error *error)
{
    errno = 0;
    if (write(what, stream) && fflush(stream) == 0)
        return STATUS_OK;
    if (!ferror(stream))
        return error_memory(error, name);
    errno = files_stream_failure(stream);
    return report_write_error(error, name);
}

static enum status write_report_file(const char *file, const char *path, report_writer *write,
                                     const void *what, struct error *error)
{
    char buffer[64 * 1024]; /* writing takes twice as long with the C library's 4 KiB */
    errno = 0;
    FILE *stream = fopen(file, "w");
    if (!stream)
        return report_write_error(error, path);
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    enum status status = write_to_stream(stream, path, write, what, error);
    if (fclose(stream) != 0 && status == STATUS_OK)
        status = report_write_error(error, path);
    return status;
}

static enum status write_beside(const char *path, const char *temporary, report_writer *write,
                                const void *what, struct error *error)
{
    sigset_t interrupts, before; /* blocked, so that no temporary file is left behind */
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
    enum status status = write_report_file(temporary, path, write, what, error);
    if (status == STATUS_OK && rename(temporary, path) != 0)
        status = report_write_error(error, path);
    if (status != STATUS_OK)
        unlink(temporary);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum status report_file_write(const char *path, report_writer *write, const void *what,
                              struct error *error)
{
    assert(write && what);
    if (!path)
        return write_to_stream(stdout, "standard output", write, what, error);
    if (files_is_special(path))
        return write_report_file(path, path, write, what, error);
    size_t length = strlen(path) + 32;
    char *temporary = malloc(length);
    if (!temporary)
        return error_memory(error, "the name of a file");
    snprintf(temporary, length, "%s.part.%ld", path, (long)getpid());
    enum status status = write_beside(path, temporary, write, what, error);
    free(temporary);
    return status;
}
